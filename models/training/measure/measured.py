"""The stored score files of the released models, flagged by the released thresholds, and groups of their rows.

The score files are in `full_image/run` and `face_specialist/run`: the test split, `later` (sources found after the
model was made; for full images only until the next model learns from them) and `matched` (sets that other people made),
all scored by the released model.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from measure.domain_thresholds import DOMAINS, Classified, apply_thresholds, either
from measure.kinds import ai_group_of, group_of
from measure.score_file import Scores, read_all

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "models"
SETS = ("test", "later", "matched")
DETECTORS = {"full_image_specialist": "full_image", "face_specialist": "face_specialist"}
PROFILE = "balanced"


def score_files() -> dict[tuple[str, str], Path]:
    """Lists the paths of the score files by detector and set."""
    return {
        (detector, name): ROOT / "models/training" / folder / "run" / f"{name}_scores.csv"
        for detector, folder in DETECTORS.items()
        for name in SETS
    }


@dataclass(frozen=True)
class Measured:
    """Score rows by detector and set, flagged by the released thresholds of a profile."""

    bands: dict
    rows: dict[tuple[str, str], Classified]

    @classmethod
    def read(cls, profile: str = PROFILE) -> "Measured":
        """Reads the stored score files, flagged by the thresholds of `profile`. Sets without a file are left out."""
        bands = json.loads((MODELS / "bands.json").read_text())
        found = {
            key: apply_thresholds(read_all([path]), bands["profiles"][profile][key[0]])
            for key, path in score_files().items()
            if path.is_file()
        }
        return cls(bands, found)

    def has(self, *sets: str) -> bool:
        """Returns whether the full images of all these sets were scored."""
        return all(("full_image_specialist", name) in self.rows for name in sets)

    def of(self, detector: str, *sets: str) -> Classified:
        """Joins the rows of a detector in several sets."""
        files = [vars(self.rows[detector, name]) for name in sets if (detector, name) in self.rows]
        return Classified(**{name: np.concatenate([file[name] for file in files]) for name in files[0]})

    def verdict(self, *sets: str) -> Classified:
        """Returns the rows of full images, flagged if either detector flags them."""
        return either(self.of("full_image_specialist", *sets), self.of("face_specialist", *sets))

    def model(self) -> str:
        """Returns the version of the released models."""
        return self.bands["model"].removeprefix("telltale-")

    def title(self) -> str:
        """Makes the line that names model, profile and thresholds."""
        band = self.bands["profiles"][PROFILE]
        photograph, illustration = (band["full_image_specialist"][domain]["threshold"] for domain in DOMAINS)
        return f"Model {self.model()}, profile `{PROFILE}` (thresholds {self.bands['version']}: photographs {photograph}, illustrations {illustration}, faces {band['face_specialist']['threshold']})."


def is_of(rows: Scores, groups: tuple[str, ...]) -> np.ndarray:
    """Returns which rows are genuine images of one of these groups, bool [rows]."""
    mine = rows.labels == 0
    found = np.zeros(len(mine), bool)
    found[mine] = np.isin(group_of(rows.kind[mine], rows.content[mine]), groups)
    return found


def ai_groups(rows: Scores) -> np.ndarray:
    """Returns the group of each AI row, and "" for genuine rows."""
    found = np.full(len(rows.labels), "", object)
    found[rows.labels == 1] = ai_group_of(rows.kind[rows.labels == 1])
    return found


def is_edited(rows: Scores) -> np.ndarray:
    """Returns which AI rows are genuine images edited by AI, including edited faces, bool [rows]."""
    return (ai_groups(rows) == "edited") | ((rows.labels == 1) & (rows.kind == "edited-face"))


def kinds_of(rows: Scores) -> np.ndarray:
    """Returns the kind of each row for tables.

    Generated faces and frames of generated videos count as generated, as in the table of tasks.
    """
    return np.where(ai_groups(rows) == "generated", "generated", rows.kind)
