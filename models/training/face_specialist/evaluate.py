"""Command: measures of the face specialist from score files, with bootstrap intervals over sources and groups.

    python -m face_specialist.evaluate --scores test.csv [--thresholds-from validation.csv] --out RESULT.json

Scores come from `face_specialist.predict`.
"""

import argparse
import csv
import json
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from measure.metrics import auc, source_bootstrap, threshold_at

FALSE_ALARM_RATES = (0.003, 0.01, 0.05)


def is_swap(row: dict[str, str]) -> bool:
    """A face swapped into a real video frame."""
    return row["kind"].startswith("dfdc") and row["label"] == "ai"


def is_dfdc(row: dict[str, str]) -> bool:
    """A frame of DFDC, swapped or original."""
    return row["kind"].startswith("dfdc")


def is_grey(row: dict[str, str]) -> bool:
    """LFW as collected here is grey and resampled: reported by itself."""
    return row["kind"].startswith("lfw")


QUESTIONS = {
    "swapped against originals of DFDC": (is_swap, lambda row: is_dfdc(row) and row["label"] == "real"),
    "generated against photographs": (
        lambda row: row["label"] == "ai" and not is_swap(row),
        lambda row: row["label"] == "real" and not is_dfdc(row) and not is_grey(row),
    ),
    "all fakes against all genuine, LFW left out": (
        lambda row: row["label"] == "ai",
        lambda row: row["label"] == "real" and not is_grey(row),
    ),
}
"""What is asked: which pictures are fake and which genuine."""


def measure(fakes: list[dict[str, str]], genuine: list[dict[str, str]]) -> dict:
    """AUC with its 95% interval: DFDC frames are resampled by group, other pictures by source."""
    rows = fakes + genuine
    labels = np.array([1] * len(fakes) + [0] * len(genuine))
    scores = np.array([float(row["score"]) for row in rows])
    units = np.array([row["group"] if is_dfdc(row) else f"{row['source']} {row['kind']}" for row in rows])
    low, high = source_bootstrap(labels, units, lambda index: auc(labels[index], scores[index]), rounds=300)
    return {
        "fakes": len(fakes),
        "genuine": len(genuine),
        "auc": round(auc(labels, scores), 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def alarms(rows: list[dict[str, str]], threshold: float) -> dict[str, list[float]]:
    """Share of pictures of each (label, source, kind) whose score reaches the threshold, and how many there are."""
    groups: dict[str, list[bool]] = {}
    for row in rows:
        groups.setdefault(f"{row['label']} {row['source']} {row['kind']}", []).append(float(row["score"]) >= threshold)
    return {name: [round(float(np.mean(fired)), 4), len(fired)] for name, fired in sorted(groups.items())}


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a score file."""
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def main() -> None:
    """Read the arguments, print the measures and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scores", type=Path, nargs="+", required=True)
    parser.add_argument("--thresholds-from", type=Path, help="validation scores: thresholds at 0.3, 1 and 5%% false alarms")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    scored = [row for path in arguments.scores for row in read_rows(path)]
    result: dict = {}
    for question, (is_fake, is_genuine) in QUESTIONS.items():
        for tier in TIERS:
            part = [row for row in scored if row["tier"] == tier]
            fakes, genuine = [row for row in part if is_fake(row)], [row for row in part if is_genuine(row)]
            if fakes and genuine:
                result[f"{question}, {tier}"] = measure(fakes, genuine)
    if arguments.thresholds_from:
        chosen = [row for row in read_rows(arguments.thresholds_from) if row["label"] == "real"]
        clean = np.array([float(row["score"]) for row in chosen])
        for rate in FALSE_ALARM_RATES:
            threshold = threshold_at(clean, rate)
            fired = {tier: alarms([row for row in scored if row["tier"] == tier], threshold) for tier in TIERS}
            result[f"fires at {rate:.1%} false alarms of validation"] = {"threshold": threshold, **fired}
    for name, value in result.items():
        print(name, value if not isinstance(value, dict) or "auc" in value else json.dumps(value, indent=1))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
