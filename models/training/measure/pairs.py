"""Pairs of matched images: each AI image with the genuine images that are most similar in content.

Similarity is measured by the image embedding of CLIP's last layer, which the detector does not use.
"""

from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import LEVEL_NAMES, LEVELS
from data.images import read_image
from encoder.backbone import CROP_PX, DEVIATION, MEAN
from export.session import open_session
from measure.cells import measure_cell
from measure.domain_thresholds import Classified

NEAREST = 10
SHORT = 16
"""Hexadecimal digits of an image's SHA-256 that name the image in the list of pairs."""
RATE = 0.01
"""FPR at which the recall of pairs is measured."""


def levels_of(rows: Classified) -> list[str]:
    """Lists the degradation levels that were scored."""
    return [level for level in LEVELS if (rows.level == level).any()]


def embed(paths: list[Path], clip: Path, folder: Path) -> np.ndarray:
    """Computes an embedding of the middle square of each image by CLIP's last layer.

    The result is float32 [N,512] of length 1. `folder` keeps a file for each image.
    """
    folder.mkdir(exist_ok=True)
    session = open_session(clip)
    for path in tqdm(paths, desc="CLIP", unit="image", mininterval=30):
        if (kept := folder / f"{path.stem}.npy").is_file():
            continue
        image = read_image(path)
        side = min(image.shape[:2])
        y, x = ((length - side) // 2 for length in image.shape[:2])
        square = cv2.resize(image[y : y + side, x : x + side], (CROP_PX, CROP_PX), interpolation=cv2.INTER_AREA)
        scaled = (square / np.float32(255) - np.float32(MEAN)) / np.float32(DEVIATION)
        pixels = scaled.transpose(2, 0, 1)[None].astype(np.float32)
        np.save(kept, session.run(["image_embeds"], {session.get_inputs()[0].name: pixels})[0][0])
    values = np.stack([np.load(folder / f"{path.stem}.npy") for path in paths])
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def nearest_genuine(embeddings: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Finds the NEAREST genuine images of each AI image. Returns pairs of rows (AI image, genuine image)."""
    ai, genuine = np.flatnonzero(labels == 1), np.flatnonzero(labels == 0)
    order = np.argsort(-(embeddings[ai] @ embeddings[genuine].T), axis=1, kind="stable")[:, :NEAREST]
    return np.repeat(ai, order.shape[1]), genuine[order.ravel()]


def pair_measures(rows: Classified, ai: np.ndarray, genuine: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Computes two measures of pairs: the AUC, and the share of AI images above a threshold.

    In the AUC equal scores count half. The threshold is reached by the share RATE of the genuine images.
    """
    of_pairs = weights[ai] * weights[genuine]
    if not of_pairs.sum():
        return float("nan"), float("nan")
    first, second = rows.score[ai], rows.score[genuine]
    order = np.argsort(-second, kind="stable")
    over = np.flatnonzero(np.cumsum(of_pairs[order]) > RATE * of_pairs.sum())
    threshold = np.nextafter(second[order[over[0]]], np.inf)
    return (
        float(of_pairs @ ((first > second) + 0.5 * (first == second)) / of_pairs.sum()),
        float(of_pairs @ (first >= threshold) / of_pairs.sum()),
    )


def pair_lines(rows: Classified, pairs: list[tuple[str, str]]) -> list[str]:
    """Makes a table with a row for each level. `pairs` has the first SHORT characters of the digests of two images."""
    lines = [
        f"| each AI image beside its {NEAREST} nearest genuine ones | pairs | AUC | recall at 1% FPR |",
        "|---|---|---|---|",
    ]
    for level in levels_of(rows):
        mine = rows.where(rows.level == level)
        at = {image[:SHORT]: row for row, image in enumerate(mine.image)}
        both = [(at[one], at[other]) for one, other in pairs if one in at and other in at]
        ai, genuine = (np.array(side) for side in zip(*both, strict=True))
        measures = lambda index, mine=mine, ai=ai, genuine=genuine: pair_measures(
            mine, ai, genuine, np.bincount(index, minlength=len(mine.labels))
        )
        cells = [measure_cell(mine, lambda index, of=of, measures=measures: measures(index)[of]) for of in (0, 1)]
        lines.append(f"| {LEVEL_NAMES[level]} | {len(ai):,} | {' | '.join(cells)} |")
    return lines
