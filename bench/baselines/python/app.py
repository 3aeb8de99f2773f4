"""
Python baseline, a simple service with which Telltale is compared: FastAPI, Pillow and onnxruntime.

python -m uvicorn app:app --workers CORES --port PORT --log-level warning
"""
import io
import math
from itertools import islice

import numpy as np
from fastapi import FastAPI, UploadFile
from PIL import Image, ImageOps

from faces import crop_face, find_faces
from models import BANDS, ENCODER, FACE, FULL, encode, picture_threshold, sigmoid
from views import cut_views

app = FastAPI()
MAX_SCORED = 8


def decode(data: bytes) -> Image.Image:
    """Decodes an image to RGB, turns it upright and blends transparency over white."""
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image)
    return image.convert("RGB")


def score_picture(image: Image.Image) -> tuple[float, float]:
    """Returns the full-image score and the probability that the image is drawn."""
    size = ENCODER.manifest["input"]["size_px"]
    plan = next(plan for plan in FULL["plans"] if plan["views"] == FULL["default_views"])
    drawn, telling = FULL["drawn"], []
    logit = plan["bias"]
    for name, judged in plan["kinds"].items():
        kind = FULL["kinds"][name]
        views = cut_views(image, kind["short_side_px"], judged["count"], size)
        logits = [encode(view) for view in views]
        logit += judged["weight"] * float(np.mean([of_view[kind["column"]] for of_view in logits]))
        if name in drawn["kinds"]:
            telling += [of_view[drawn["column"]] for of_view in logits]
    return sigmoid(logit), sigmoid(drawn["scale"] * float(np.mean(telling)) + drawn["offset"])


def score_faces(image: Image.Image) -> float | None:
    """
    Returns the highest score of all faces. Returns None if the encoder confirms no face. Faces that the encoder
    rejects are replaced by the next detected ones.
    """
    judged = (judge_face(crop_face(image, points)) for points in find_faces(image))
    faces = list(islice((odds for odds in judged if odds is not None), MAX_SCORED))
    if not faces:
        return None
    # Takes the more likely of two cases: only this face is fake, or all faces are.
    odds = np.maximum(np.array(faces) - math.log(len(faces)), np.mean(faces, axis=0))
    return max(1 - math.prod(1 - sigmoid(one) for one in face) for face in odds)


def judge_face(crop: np.ndarray) -> list[float] | None:
    """
    Returns the log odds that a face is manipulated, and that it is generated. Returns None if the encoder rejects
    the face.
    """
    logits, confirm = encode(crop), FACE["confirm"]
    if logits[confirm["column"]] < confirm["least_logit"]:
        return None
    return [head["scale"] * logits[head["column"]] + head["offset"] for head in FACE["heads"].values()]


@app.get("/healthz")
def health() -> dict:
    """Returns a response as soon as the server is ready."""
    return {"status": "ok"}


@app.post("/v1/check")
def check(file: UploadFile) -> dict:
    """Checks one image and returns the result."""
    image = decode(file.file.read())
    (full, drawn), face = score_picture(image), score_faces(image)
    fired = []
    if full >= picture_threshold(drawn):
        fired.append("full_image_specialist")
    if face is not None and face >= BANDS["face_specialist"]["threshold"]:
        fired.append("face_specialist")
    return {
        "is_ai": bool(fired),
        "fired": fired,
        "face_found": face is not None,
        "scores": {"full_image_specialist": full, "face_specialist": face},
    }
