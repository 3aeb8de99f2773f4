"""Runs the encoder that ships with the rules of both manifests: scores as the engine computes them on the CPU."""

import json
from pathlib import Path

import numpy as np
import onnxruntime

from encoder.views import ViewKind, are_blank, cut_views, peak_of
from export.session import open_session
from full_image.part import part_odds
from measure.medium_thresholds import early_exit_bounds


def sigmoid(logit: float) -> float:
    """0..1."""
    return float(1 / (1 + np.exp(-logit)))


class ReferenceEngine:
    """`folder` holds encoder/, full_image_specialist/ and face_specialist/, as `models` does.

    `session`: runs instead of the encoder's graph for CPUs, with the same outputs.
    """

    def __init__(self, folder: Path, session: onnxruntime.InferenceSession | None = None):
        manifests = {name: json.loads((folder / name / "manifest.json").read_text())
                     for name in ("encoder", "full_image_specialist", "face_specialist")}
        self._columns = manifests["encoder"]["outputs"]["columns"]
        self.session = session or open_session(folder / "encoder" / manifests["encoder"]["files"]["cpu"]["file"])
        self._full_image, self._faces = manifests["full_image_specialist"], manifests["face_specialist"]

    def logits(self, view: np.ndarray) -> dict[str, float]:
        """Logit of every column for one view uint8 [224,224,3], run on its own as the engine does."""
        return dict(zip(self._columns, map(float, self.session.run(["logits"], {"pixels": view[None]})[0][0]), strict=True))

    def full_image(self, pixels: np.ndarray, views: int | None = None) -> tuple[float, float]:
        """Of a picture uint8 [H,W,3], 0..1 each: the score, and the probability that it is drawn.

        By the plan of so many views; None: by the manifest's, in rounds with early exit.
        """
        plan = next(plan for plan in self._full_image["plans"] if plan["views"] == (views or self._full_image["default_views"]))
        cut = {name: cut_views(pixels, ViewKind(name, self._full_image["kinds"][name]["short_side_px"], part["count"]))
               for name, part in plan["kinds"].items()}
        seen: dict[str, list[dict[str, float]]] = {name: [] for name in cut}
        is_blank = are_blank([view for views in cut.values() for view in views])
        early = self._full_image.get("early_exit", {"rounds": []})["rounds"] if views is None else []
        for step in [*early, plan]:
            for name, part in step["kinds"].items():
                seen[name] += [self.logits(view) for view in cut[name][len(seen[name]):part["count"]]]
            logit, drawn = self._join(seen, step)
            if is_blank:
                return 0.5, drawn
            if step is plan:
                break
            below, above = early_exit_bounds(step["bounds"], drawn)
            if logit < below or logit > above:
                break
        return sigmoid(logit), drawn

    def embedding(self, pixels: np.ndarray) -> np.ndarray:
        """float [numbers] of a picture uint8 [H,W,3] by all views: of each kind the mean, weighted as the kinds' logits are."""
        plan = next(plan for plan in self._full_image["plans"] if plan["views"] == self._full_image["default_views"])
        total, weights = 0.0, 0.0
        for name, part in plan["kinds"].items():
            views = cut_views(pixels, ViewKind(name, self._full_image["kinds"][name]["short_side_px"], part["count"]))
            total += part["weight"] * np.mean([self.session.run(["embedding"], {"pixels": view[None]})[0][0] for view in views], axis=0)
            weights += part["weight"]
        return total / weights

    def part(self, pixels: np.ndarray, drawn: float) -> float:
        """0..1 of the part of a picture uint8 [H,W,3] that looks most generated; `drawn`: the probability that the picture is drawn."""
        part = self._full_image["part"]
        view = cut_views(pixels, ViewKind(part["kind"], self._full_image["kinds"][part["kind"]]["short_side_px"], 1))[0]
        return sigmoid(float(part_odds(peak_of(self.session.run(["tokens"], {"pixels": view[None]})[0][0], part["side"]), drawn, part)))

    def _join(self, seen: dict[str, list[dict[str, float]]], plan: dict) -> tuple[float, float]:
        """Log odds of the score, and the probability of being drawn, of the views of a plan."""
        drawn, mine = self._full_image["drawn"], {name: seen[name][:part["count"]] for name, part in plan["kinds"].items()}
        means = {name: float(np.mean([logits[self._full_image["kinds"][name]["column"]] for logits in views])) for name, views in mine.items()}
        telling = [logits[drawn["column"]] for name, views in mine.items() if name in drawn["kinds"] for logits in views]
        logit = plan["bias"] + sum(plan["kinds"][name]["weight"] * mean for name, mean in means.items())
        return logit, sigmoid(drawn["scale"] * float(np.mean(telling)) + drawn["offset"])

    def face_score(self, crop: np.ndarray) -> float | None:
        """0..1 of an aligned face uint8 [224,224,3], the only one of its picture: manipulated or generated. None of what is no photographed face."""
        logits, confirm = self.logits(crop), self._faces["confirm"]
        if logits[confirm["column"]] < confirm["least_logit"]:
            return None
        genuine = [1 - sigmoid(head["scale"] * logits[head["column"]] + head["offset"]) for head in self._faces["heads"].values()]
        return 1 - float(np.prod(genuine))
