"""Processor time of one more face: its crop out of a picture, and one view more for the encoder that ships, int8, one thread.

    python -m studies.cost --models .. [--rounds 30]
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from encoder.reference_engine import ReferenceEngine
from encoder.tower import VIEW_PX
from face_specialist.align import TEMPLATE, crop_face, similarity

PICTURE_PX, CROP_PX = (1200, 1600), 600
"""A photograph, and the part of it that the crop shows: shrunk to the view's side."""


def median_ms(work: Callable[[], object], rounds: int) -> float:
    """Median processor time of `work`, ms; other load on the machine counts little."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return float(np.median(times) * 1e3)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    models = ReferenceEngine(arguments.models)
    picture = np.random.default_rng(1).integers(0, 256, (*PICTURE_PX, 3), dtype=np.uint8)
    matrix = similarity(TEMPLATE * CROP_PX + 300, VIEW_PX)
    crop = crop_face(picture, matrix, VIEW_PX)
    cut = median_ms(lambda: crop_face(picture, matrix, VIEW_PX), arguments.rounds)
    judged = median_ms(lambda: models.face_score(crop), arguments.rounds)
    print(f"one more face: crop {cut:.1f} ms, encoder {judged:.1f} ms, together {cut + judged:.1f} ms")


if __name__ == "__main__":
    main()
