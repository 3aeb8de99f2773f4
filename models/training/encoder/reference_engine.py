"""Computes scores with the released encoder and full-image manifest as the engine does on a CPU, for comparison.

Input: RGB uint8 [H,W,3]. Output: logits by column, scores and probabilities 0..1.
"""

import json
from pathlib import Path

import numpy as np
import onnxruntime

from encoder.crops import CropType, are_blank, cut_crops, region_logit
from export.session import open_session
from full_image.suspicious_region import region_odds
from measure.domain_thresholds import early_exit_bounds


def sigmoid(logit: float) -> float:
    """Computes the logistic function, 0..1."""
    return float(1 / (1 + np.exp(-logit)))


class ReferenceEngine:
    """Scores crops and images by the manifests in `folder`, which contains encoder/ and full_image_specialist/.

    `session` replaces the encoder's graph for CPUs. It must have the same outputs.
    """

    def __init__(self, folder: Path, session: onnxruntime.InferenceSession | None = None):
        encoder, self._full_image = (
            json.loads((folder / name / "manifest.json").read_text()) for name in ("encoder", "full_image_specialist")
        )
        self._columns = encoder["outputs"]["columns"]
        self.session = session or open_session(folder / "encoder" / encoder["files"]["cpu"]["file"])

    def logits(self, crop: np.ndarray) -> dict[str, float]:
        """Computes the logit of every output column (head) of the encoder for one crop uint8 [224,224,3].

        Like the engine it runs each crop separately, because the crops of one run affect each other's rounding.
        """
        return dict(
            zip(self._columns, map(float, self.session.run(["logits"], {"pixels": crop[None]})[0][0]), strict=True)
        )

    def full_image(self, pixels: np.ndarray, crops: int | None = None) -> tuple[float, float]:
        """Scores an image uint8 [H,W,3]. Returns the score and the probability of an illustration, 0..1 each.

        Uses the plan of `crops` crops. None uses the manifest's default plan, which stops early if the verdict is
        clear.
        """
        plan = next(
            plan for plan in self._full_image["plans"] if plan["views"] == (crops or self._full_image["default_views"])
        )
        cut = {
            name: cut_crops(pixels, CropType(name, self._full_image["kinds"][name]["short_side_px"], share["count"]))
            for name, share in plan["kinds"].items()
        }
        seen: dict[str, list[dict[str, float]]] = {name: [] for name in cut}
        is_blank = are_blank([crop for crops in cut.values() for crop in crops])
        early = self._full_image.get("early_exit", {"rounds": []})["rounds"] if crops is None else []
        for stage in [*early, plan]:
            for name, share in stage["kinds"].items():
                seen[name] += [self.logits(crop) for crop in cut[name][len(seen[name]) : share["count"]]]
            logit, illustration = self._aggregate(seen, stage)
            if is_blank:
                return 0.5, illustration
            if stage is plan:
                break
            below, above = early_exit_bounds(stage["bounds"], illustration)
            if logit < below or logit > above:
                break
        return sigmoid(logit), illustration

    def embedding(self, pixels: np.ndarray) -> np.ndarray:
        """Computes the embedding of an image uint8 [H,W,3]: the mean by crop type, weighted like their logits."""
        plan = next(plan for plan in self._full_image["plans"] if plan["views"] == self._full_image["default_views"])
        total, weights = 0.0, 0.0
        for name, share in plan["kinds"].items():
            crops = cut_crops(pixels, CropType(name, self._full_image["kinds"][name]["short_side_px"], share["count"]))
            total += share["weight"] * np.mean(
                [self.session.run(["embedding"], {"pixels": crop[None]})[0][0] for crop in crops], axis=0
            )
            weights += share["weight"]
        return total / weights

    def suspicious_region(self, pixels: np.ndarray, illustration: float) -> float:
        """Scores the part of an image uint8 [H,W,3] that looks most like AI, 0..1.

        `illustration` is the probability that the image is an illustration.
        """
        rule = self._full_image["part"]
        crop = cut_crops(pixels, CropType(rule["kind"], self._full_image["kinds"][rule["kind"]]["short_side_px"], 1))[0]
        return sigmoid(
            float(
                region_odds(
                    region_logit(self.session.run(["tokens"], {"pixels": crop[None]})[0][0], rule["side"]),
                    illustration,
                    rule,
                )
            )
        )

    def _aggregate(self, seen: dict[str, list[dict[str, float]]], plan: dict) -> tuple[float, float]:
        """Combines the logits of an image's crops by a plan into the score's log odds and the illustration share."""
        illustration, mine = (
            self._full_image["drawn"],
            {name: seen[name][: share["count"]] for name, share in plan["kinds"].items()},
        )
        means = {
            name: float(np.mean([logits[self._full_image["kinds"][name]["column"]] for logits in crops]))
            for name, crops in mine.items()
        }
        domain_counts = [
            logits[illustration["column"]]
            for name, crops in mine.items()
            if name in illustration["kinds"]
            for logits in crops
        ]
        logit = plan["bias"] + sum(plan["kinds"][name]["weight"] * mean for name, mean in means.items())
        return logit, sigmoid(illustration["scale"] * float(np.mean(domain_counts)) + illustration["offset"])
