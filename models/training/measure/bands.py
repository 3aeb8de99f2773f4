"""Computes models/bands.json: thresholds from validation scores, recall and false alarms beside them from test scores.

    python -m measure.bands --version 2026-11-21.1 --model telltale-1.0.0 --out ../bands.json \\
        --detector full_image_specialist VALIDATION.csv TEST.csv [--detector face_specialist VALIDATION.csv TEST.csv]

A threshold lets the profile's share of genuine validation pictures fire, all tiers together, and no kind of them (photograph,
art, screen, document, web graphic) more than WORST_KIND times that; a kind that is too small to tell such a share may have one picture. `false_alarm_rate` is what then fired on genuine test
pictures; with few of them a rate of 0.3% is known only roughly. Bands in OUT of detectors that are not named stay as they are.
"""
import argparse
import json
from pathlib import Path

import numpy as np

from measure.kinds import group_of
from measure.metrics import threshold_allowing, threshold_at
from measure.score_file import Scores, read_scores

PROFILES = {"strict": 0.003, "balanced": 0.01, "sensitive": 0.05}
"""Share of genuine pictures that may fire."""


WORST_KIND = 3
"""Times the profile's rate that genuine pictures of any one kind may fire."""
ONE_PICTURE = 3
"""Rows that a picture has, one a tier. So many may fire of any kind: of ninety pictures one says nothing of a share of 0.9%, yet would set the
threshold for all."""


def threshold_of(genuine: Scores, rate: float) -> float:
    """The lowest threshold that holds `rate` over all genuine scores, and for each kind WORST_KIND times it or one picture, whichever is more."""
    groups = group_of(genuine.kind)
    kinds = [genuine.score[groups == group] for group in np.unique(groups)]
    worst = [threshold_allowing(scores, max(int(WORST_KIND * rate * len(scores)), ONE_PICTURE)) for scores in kinds]
    return max(threshold_at(genuine.score, rate), *worst)


def band(rate: float, validation: Scores, test: Scores) -> dict:
    """Threshold for `rate`, rounded up to four decimals so that rounding never adds a false alarm, and what it gives."""
    threshold = min(1.0, float(np.ceil(threshold_of(validation.where(validation.labels == 0), rate) * 1e4) / 1e4))
    fires = test.score >= threshold
    recall = {}
    for tier in ("clean", "web", "hard"):
        ai = (test.labels == 1) & (test.tier == tier)
        recall[tier] = round(float(fires[ai].mean()), 4) if ai.any() else None
    return {"threshold": threshold, "false_alarm_rate": round(float(fires[test.labels == 0].mean()), 4), "recall": recall}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--detector", nargs=3, action="append", required=True, metavar=("ID", "VALIDATION", "TEST"))
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    detectors = {name: (read_scores(Path(validation)), read_scores(Path(test)))
                 for name, validation, test in arguments.detector}
    former = json.loads(arguments.out.read_text())["profiles"] if arguments.out.is_file() else {}
    profiles = {profile: former.get(profile, {}) | {name: band(rate, *scores) for name, scores in detectors.items()}
                for profile, rate in PROFILES.items()}
    content = {"version": arguments.version, "model": arguments.model, "profiles": profiles}
    arguments.out.write_text(json.dumps(content, indent=2) + "\n")
    print(json.dumps(content, indent=1))


if __name__ == "__main__":
    main()
