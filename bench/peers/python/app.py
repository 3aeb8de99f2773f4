"""The Python peer: FastAPI, Pillow, onnxruntime.

    python -m uvicorn app:app --workers CORES --port PORT --log-level warning
"""
import io
import math

import numpy as np
from fastapi import FastAPI, UploadFile
from PIL import Image, ImageOps

from faces import crop_face, find_faces
from models import BANDS, FACE, FULL
from patches import cut_patches

app = FastAPI()


def decode(data: bytes) -> Image.Image:
    """The upright picture in RGB, alpha over white."""
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image)
    return image.convert("RGB")


def score_picture(image: Image.Image) -> float:
    """The full-image specialist's score."""
    manifest = FULL.manifest
    size = manifest["input"]["size_px"]
    patches = cut_patches(np.asarray(image), size, manifest["views"]["max_patches"])
    views = np.stack([*patches, np.asarray(image.resize((size, size), Image.Resampling.BOX))])
    outputs = FULL.run(views)
    logits = outputs[manifest["outputs"]["patch"]].reshape(-1)[:-1]
    aggregate = manifest["aggregate"]
    return FULL.score(
        aggregate["bias"]
        + aggregate["mean"] * float(logits.mean())
        + aggregate["low"] * float(np.sort(logits)[: math.ceil(len(logits) / aggregate["low_part"])].mean())
        + aggregate["global"] * float(outputs[manifest["outputs"]["global"]].reshape(-1)[-1])
    )


def score_faces(image: Image.Image) -> float | None:
    """The highest score of a face; None where there is none."""
    faces = find_faces(image)
    if not faces:
        return None
    logits = FACE.run(np.stack([crop_face(image, points) for points in faces]))[FACE.manifest["outputs"]["logit"]]
    return max(FACE.score(float(logit)) for logit in logits.reshape(-1))


@app.get("/healthz")
def health() -> dict:
    """Whether it serves."""
    return {"status": "ok"}


@app.post("/v1/check")
def check(file: UploadFile) -> dict:
    """Checks one picture."""
    image = decode(file.file.read())
    full, face = score_picture(image), score_faces(image)
    fired = []
    if full >= BANDS["full_image_specialist"]["threshold"]:
        fired.append("full_image_specialist")
    if face is not None and face >= BANDS["face_specialist"]["threshold"]:
        fired.append("face_specialist")
    return {
        "is_ai": bool(fired),
        "fired": fired,
        "face_found": face is not None,
        "scores": {"full_image_specialist": full, "face_specialist": face},
    }
