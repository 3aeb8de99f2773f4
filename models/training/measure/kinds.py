"""Groups the many kinds of images in the lists into the few groups that thresholds and model cards use.

Input: the columns `kind`, `content` and `generator` of a list. Output: an array of group names of the same length.
"""

import numpy as np

GENUINE = {
    "camera": tuple(
        """
        dataset camera real-face frame test-image original medical face microscope portrait-photo group-photo
        event press sports film
        """.split()
    ),
    "web photograph": ("web-photo", "product", "photo"),
    "art": ("art", "illustration", "anime", "comic", "game", "render3d"),
    "screen": ("screenshot",),
    "document": ("scan", "document", "map"),
    "web graphic": ("graphic", "meme"),
    **{face: (face,) for face in ("portrait", "group face", "small face", "video face", "grey face", "drawn face")},
}
"""Groups of genuine images. An `original` is the image from which an edited image of the same repository was made. Most
are photographs from data sets. `photo` is the kind of photographs in matched sets, which were resized like web images."""
AI = {
    "generated": ("generated", "generated-face", "video-frame"),
    "edited": ("edited", "edited-whole", "edited-local", "restored", "try-on"),
    "face": ("swapped", "reenacted", "edited-face", "frame", "lip-sync"),
}
"""Groups of AI images: generated, edited as a whole, edited in part, and changed in the face."""
PHOTOGRAPHS = ("camera", "web photograph")
"""Groups of images taken by a camera."""
SCREENS = ("screen", "document", "web graphic")
"""Groups of screenshots, scans of text, maps and web graphics."""
SENT = {("camera",): 0.55, ("web photograph",): 0.30, ("screen", "document", "web graphic", "art"): 0.15}
"""Shares of the groups among genuine images that people send and that look like photographs. Renders and other art are
included, because some look photographed."""


def _look_up(groups: dict[str, tuple[str, ...]], kinds: np.ndarray) -> np.ndarray:
    group = {kind: name for name, members in groups.items() for kind in members}
    if unknown := sorted(set(kinds) - set(group)):
        raise ValueError(f"no group for the kinds {', '.join(unknown)}: give them one in measure/kinds.py")
    return np.array([group[kind] for kind in kinds])


def group_of(kinds: np.ndarray, contents: np.ndarray) -> np.ndarray:
    """Returns the group of each genuine image or face. Scans of art are art. Raises ValueError for unknown kinds."""
    return np.where((kinds == "scan") & (contents == "art"), "art", _look_up(GENUINE, kinds))


def ai_group_of(kinds: np.ndarray) -> np.ndarray:
    """Returns the group of each kind of AI image. Raises ValueError for unknown kinds."""
    return _look_up(AI, kinds)


FAMILIES = {
    "GPT-image, GPT-4o": ("gpt-image", "gpt-4o"),
    "nano-banana, Gemini": ("nano-banana", "gemini"),
    "Imagen, Replit's agents": ("imagen",),
    "Lovable": ("lovable",),
    "Z.ai": ("z-ai",),
    "FLUX.2": ("flux-2", "flux2"),
    "FLUX.1": ("flux",),
    "Midjourney 7 and 8, niji 7": ("midjourney-7", "midjourney-8", "midjourney-v7", "midjourney-v8", "niji-7"),
    "Midjourney, earlier or unknown version": ("midjourney", "niji"),
    "Seedream": ("seedream", "jimeng"),
    "Qwen-Image": ("qwen",),
    "Z-Image": ("z-image",),
    "Grok": ("grok",),
    "Ideogram": ("ideogram",),
    "Firefly": ("firefly",),
    "Leonardo": ("leonardo",),
    "DALL-E": ("dall-e", "dalle"),
    "Stable Diffusion": ("sd", "stable-diffusion", "stable-cascade"),
}
"""Families of generators, by prefixes of the generators' names in the lists. The first family that matches counts."""


def family_of(generators: np.ndarray) -> np.ndarray:
    """Returns the family of each generator, or `others`."""
    return np.array(
        [
            next((family for family, names in FAMILIES.items() if generator.startswith(names)), "others")
            for generator in generators
        ]
    )


RECENT = tuple(
    """
    anima auraflow boogu bria brushedit chroma chronoedit cogview3-plus cogview4 cosmos ernie f-lite fibo firefly
    firered flex1 flex2 flux gemini glm-image gpt-4o gpt-image grok hdm hidream hunyuanimage ideogram imagen
    infiniteyou insert-anything jimeng joyai kandinsky-5 kling krea leonardo longcat lumina mage-flow meissonic
    microsoft-lens midjourney-6 midjourney-7 midjourney-8 midjourney-v6 midjourney-v7 midjourney-v8 nano-banana
    niji-6 niji-7 nucleus omnigen ootdiffusion ovis pixart-sigma playground-v2.5 prx qwen sana sd3 sdxl-lightning
    sdxs seedream sefi segmoe shuttle stable-cascade ultraedit umo unipic unknown-gpt4o uso wan x-omni z-image
    """.split()
)
"""Prefixes of the names of generators that appeared from 2024 on. For Firefly and Midjourney 6 the versions of that
year are included, for `imagen` the image sizes. Names of services and of earlier versions are left out."""


def is_recent(generators: np.ndarray) -> np.ndarray:
    """Returns whether each generator appeared from 2024 on."""
    return np.array([generator.startswith(RECENT) for generator in generators])
