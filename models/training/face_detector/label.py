"""Lets the teacher find the faces in every collected image, and writes a small copy of each image for training.

Input: a folder of images. Output: `labels.jsonl` (one line per image, boxes and points in pixels of the original) and
the small copies (JPEG).
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.images import read_image
from face_detector.teacher import Teacher, TeacherSettings

WORKING_LONG_SIDE_PX = 1024
"""Longer side in px of the small copies, larger than the detector's input so that crops can be enlarged a little."""
WORKING_JPEG_QUALITY = 94

_teacher: Teacher | None = None


def _start(model_path: Path) -> None:
    global _teacher
    cv2.setNumThreads(1)
    _teacher = Teacher(model_path)


def label_one(path: Path, copies: Path) -> str:
    """Finds the faces of the image `path`, writes its small copy and returns a JSON line.

    Boxes and points are in pixels of the upright original. `copy_scale` converts them to the small copy.
    """
    image = read_image(path)
    height, width = image.shape[:2]
    faces = _teacher.detect(image, TeacherSettings())
    scale = min(1.0, WORKING_LONG_SIDE_PX / max(height, width))
    if scale < 1.0:
        size = (round(width * scale), round(height * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    sample = [int(cv2.IMWRITE_JPEG_SAMPLING_FACTOR), int(cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)]
    quality = [int(cv2.IMWRITE_JPEG_QUALITY), WORKING_JPEG_QUALITY]
    cv2.imwrite(str(copies / f"{path.stem}.jpg"), image[:, :, ::-1], quality + sample)
    return json.dumps(
        {
            "picture": path.stem,
            "width": width,
            "height": height,
            "copy_scale": scale,
            "scores": np.round(faces.scores, 4).tolist(),
            "boxes": np.round(faces.boxes, 2).tolist(),
            "points": np.round(faces.points, 2).tolist(),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of collected originals")
    parser.add_argument("--teacher", type=Path, required=True, help="yunet_n_dynamic.onnx")
    parser.add_argument("--out", type=Path, required=True, help="labels.jsonl and copies/ are written here")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    copies = args.out / "copies"
    copies.mkdir(parents=True, exist_ok=True)
    labels = args.out / "labels.jsonl"
    done = {json.loads(line)["picture"] for line in labels.read_text().splitlines()} if labels.exists() else set()
    paths = [path for folder in args.folders for path in sorted(folder.iterdir()) if path.suffix != ".csv"]
    todo = [path for path in paths if path.stem not in done]
    with (
        ProcessPoolExecutor(args.workers, initializer=_start, initargs=(args.teacher,)) as pool,
        labels.open("a") as out,
    ):
        for line in tqdm(pool.map(label_one, todo, [copies] * len(todo), chunksize=8), total=len(todo)):
            out.write(line + "\n")
            out.flush()


if __name__ == "__main__":
    main()
