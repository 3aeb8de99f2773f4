"""Makes the samples from two public-domain pictures that scikit-image installs.

    python samples/make.py --taesd FOLDER     (needs models/training/requirements.txt and scikit-image)
    npx tsx samples/sign.ts                   (then signs one of them)

What each file is, and where it comes from, stands in README.md beside this script.
"""
import argparse
import sys
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from PIL import Image
from skimage import data as skimage_data

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "models" / "training"))

from data.autoencoders import Autoencoder  # noqa: E402
from face_specialist.align import crop_face, similarity  # noqa: E402
from face_specialist.blend import match_colour  # noqa: E402

CROP_PX, SWAP_PX = 288, 64
"""Of the aligned crop, and of the face that a small swap network would give."""
FACE_CENTRE, FACE_AXES = (0.5, 0.55), (0.23, 0.30)
"""The ellipse of the face that is exchanged, as shares of the aligned crop: brows to chin."""


def find_points(picture: np.ndarray) -> np.ndarray:
    """Five points [5,2] of the most certain face, by the project's own face detector; sides are multiples of 32."""
    session = onnxruntime.InferenceSession(HERE.parent / "models" / "face_detector" / "model.onnx")
    scores, points = session.run(["scores", "points"], {"pixels": picture[None]})
    return points[0, scores[0].argmax()].reshape(5, 2)


def swap_face(picture: np.ndarray) -> np.ndarray:
    """The face exchanged for its own mirror image, softened as a swap network's output is, matched in colour, blended in."""
    matrix = similarity(find_points(picture), CROP_PX)
    target = crop_face(picture, matrix, CROP_PX)
    mask = np.zeros((CROP_PX, CROP_PX), np.float32)
    centre, axes = (tuple(round(share * CROP_PX) for share in pair) for pair in (FACE_CENTRE, FACE_AXES))
    cv2.ellipse(mask, centre, axes, 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    mask = cv2.GaussianBlur(mask, (0, 0), 5)[:, :, None]
    small = cv2.resize(target[:, ::-1], (SWAP_PX, SWAP_PX), interpolation=cv2.INTER_AREA)
    source = match_colour(cv2.resize(small, (CROP_PX, CROP_PX), interpolation=cv2.INTER_CUBIC), target, mask)
    size, back = picture.shape[1::-1], cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR
    face = cv2.warpAffine(source, matrix, size, flags=back)
    share = cv2.warpAffine(mask, matrix, size, flags=back)[:, :, None]
    return (face * share + picture * (1 - share)).round().astype(np.uint8)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--taesd", type=Path, required=True, help="folder of the tiny autoencoders' weights")
    arguments = parser.parse_args()
    portrait, scene = skimage_data.astronaut(), skimage_data.coffee()

    def save(name: str, pixels: np.ndarray, **options) -> None:
        Image.fromarray(pixels).save(HERE / name, **options)
        print(f"{name}: {pixels.shape[1]} x {pixels.shape[0]} px")

    save("portrait.png", portrait, optimize=True)
    save("scene.jpg", scene, quality=92)
    save("portrait-autoencoded.png", Autoencoder(arguments.taesd, "taef1").reconstruct(portrait), optimize=True)
    save("portrait-face-swapped.jpg", swap_face(portrait), quality=92)
    save("portrait-too-small.png", cv2.resize(portrait, (200, 200), interpolation=cv2.INTER_AREA), optimize=True)


if __name__ == "__main__":
    main()
