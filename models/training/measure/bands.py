"""Computes models/bands.json: thresholds from validation scores, with recall and FPR from test scores.

    python -m measure.bands --version 2026-11-21.1 --model telltale-1.0.0 --out ../bands.json
        --detector full_image_specialist VALIDATION.csv TEST.csv [--detector face_specialist VALIDATION.csv TEST.csv]

A threshold lets the profile's share of genuine validation images fire, all levels weighing alike. Score files with a
probability of being an illustration give two thresholds, for photographs and illustrations; each holds the rate on
images of its domain (`measure.domain_thresholds`). Kinds of photographs then weigh as people send them, no kind exceeds
`domain_thresholds.WORST_KIND` times the rate, and a bootstrap over sources prints intervals. Other score files give one
threshold, which holds the rate over all rows and WORST_KIND times it for each kind; a kind that is too small for such a
share may have one false positive. `false_alarm_rate` is the weighted FPR on genuine test images; with few of them a
rate of 0.3% is known only roughly. Entries in OUT of detectors that are not named stay as they are.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from measure.domain_thresholds import (
    DOMAINS,
    Classified,
    apply_thresholds,
    bootstrap_domains,
    fit_domains,
    genuine_of,
    is_illustration,
    log_odds,
    rounded_up,
    weights_of,
)
from measure.kinds import group_of
from measure.metrics import rate_up, threshold_allowing, threshold_at
from measure.score_file import Scores, read_scores

PROFILES = {"strict": 0.003, "balanced": 0.01, "sensitive": 0.05}
"""Share of genuine images that may fire, by profile."""

WORST_KIND = 3
"""Factor on the profile's rate that genuine images of a single kind may reach."""
ONE_IMAGE = 3
"""Rows of an image, one for each level. Any kind may have so many firing rows: one image of ninety says nothing about a
rate of 0.9%, yet would set the threshold for all."""


def threshold_of(genuine: Scores, rate: float) -> float:
    """
    Finds the lowest threshold whose false positive rate is at most `rate` over all genuine images. For each kind of
    genuine image, it may be WORST_KIND times `rate`, or one image if that is more.
    """
    groups = group_of(genuine.kind, genuine.content)
    kinds = [genuine.score[groups == group] for group in np.unique(groups)]
    worst = [threshold_allowing(scores, max(int(WORST_KIND * rate * len(scores)), ONE_IMAGE)) for scores in kinds]
    return max(threshold_at(genuine.score, rate), *worst)


def recall_by_level(scores: Classified) -> dict:
    """Computes recall at each level; None for levels without AI images."""
    found = {}
    for level in ("clean", "web", "hard"):
        ai = (scores.labels == 1) & (scores.level == level)
        found[level] = round(float(scores.fires[ai].mean()), 4) if ai.any() else None
    return found


def band(rate: float, validation: Scores, test: Scores) -> dict:
    """Fits the threshold for `rate`, rounded up, and measures it."""
    return measured(min(1.0, float(rounded_up(threshold_of(validation.where(validation.labels == 0), rate)))), test)


def measured(threshold: float, test: Scores) -> dict:
    """Returns a threshold with its rates on test."""
    classified = apply_thresholds(test, {"threshold": threshold})
    return {
        "threshold": threshold,
        "false_alarm_rate": rate_up(float(classified.fires[test.labels == 0].mean())),
        "recall": recall_by_level(classified),
    }


def bands_of_looks(rate: float, validation: Scores, test: Scores) -> dict:
    """Fits the thresholds of both image domains for `rate`, rounded up, and measures them, each on the images of its
    domain.
    """
    return measured_domains(
        {domain: float(rounded_up(value)) for domain, value in fit_domains(genuine_of(validation), rate).items()}, test
    )


def measured_domains(thresholds: dict[str, float], test: Scores) -> dict:
    """Returns the thresholds of both image domains with their rates on the images of each domain."""
    classified = apply_thresholds(test, {domain: {"threshold": value} for domain, value in thresholds.items()})
    found = {}
    for domain in DOMAINS:
        of_domain = classified.where(is_illustration(classified.illustration) == (domain == "drawn"))
        false_alarms = float(weights_of(genuine_of(of_domain), domain) @ of_domain.fires[of_domain.labels == 0])
        found[domain] = {
            "threshold": thresholds[domain],
            "false_alarm_rate": rate_up(false_alarms),
            "recall": recall_by_level(of_domain),
        }
    return found


def band_of(rate: float, validation: Scores, test: Scores) -> dict:
    """Makes the entry of a profile of `rate` for a detector from its scores."""
    return (band if np.isnan(validation.illustration).any() else bands_of_looks)(rate, validation, test)


def print_intervals(name: str, validation: Scores) -> None:
    """Prints how far each threshold of a detector with two thresholds moves over draws of sources."""
    if np.isnan(validation.illustration).any():
        return
    for profile, rate in PROFILES.items():
        for domain, (low, high) in bootstrap_domains(genuine_of(validation), rate).items():
            print(
                f"{name}, {profile}, {domain}: 5 to 95% of drawings of sources {low:.4f} to {high:.4f}, in log odds "
                f"{log_odds(low):.2f} to {log_odds(high):.2f}"
            )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--detector", nargs=3, action="append", required=True, metavar=("ID", "VALIDATION", "TEST"))
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    detectors = {
        name: (read_scores(Path(validation)), read_scores(Path(test))) for name, validation, test in arguments.detector
    }
    former = json.loads(arguments.out.read_text())["profiles"] if arguments.out.is_file() else {}
    profiles = {
        profile: former.get(profile, {}) | {name: band_of(rate, *scores) for name, scores in detectors.items()}
        for profile, rate in PROFILES.items()
    }
    content = {"version": arguments.version, "model": arguments.model, "profiles": profiles}
    arguments.out.write_text(json.dumps(content, indent=2) + "\n")
    print(json.dumps(content, indent=1))
    for name, (validation, _) in detectors.items():
        print_intervals(name, validation)


if __name__ == "__main__":
    main()
