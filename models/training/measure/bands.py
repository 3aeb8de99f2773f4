"""Computes thresholds for models/bands.json from validation scores, with recall and FPR from test scores.

    python -m measure.bands --version 2026-11-21.1 --model telltale-1.0.0 --out ../bands.json
        --detector full_image_specialist VALIDATION.csv TEST.csv [--detector face_specialist VALIDATION.csv TEST.csv]

A threshold flags the profile's share of genuine validation images. All degradation levels have equal weight. Score
files with a probability of an illustration get two thresholds, for photographs and for illustrations, each fitted on
images of its domain (`measure.domain_thresholds`). Kinds of photographs are then weighted as people send them, no kind
exceeds `domain_thresholds.WORST_KIND` times the rate, and a bootstrap over sources prints intervals. Other score files
get one threshold, which keeps the rate over all rows and WORST_KIND times the rate for each kind. A kind that is too
small for such a share may have one false positive. `false_alarm_rate` is the weighted FPR on genuine test images. With
few of them a rate of 0.3% is known only roughly. Entries in OUT for detectors that are not named stay unchanged.
"""

import json
from pathlib import Path

import numpy as np

from export.command import command_parser
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
"""Target share of genuine images that are flagged, by profile."""

WORST_KIND = 3
"""Factor by which the flagged share of a single kind of genuine image may exceed the profile's rate."""
ONE_IMAGE = 3
"""Number of flagged rows that any kind may have: the rows of one image, one per level. One image of ninety says nothing
about a rate of 0.9%, but would set the threshold for all."""


def threshold_of(genuine: Scores, rate: float) -> float:
    """Returns the lowest threshold that flags at most the share `rate` of all genuine images.

    For each kind of genuine image the limit is WORST_KIND times `rate`, or one image if that is more.
    """
    groups = group_of(genuine.kind, genuine.content)
    kinds = [genuine.score[groups == group] for group in np.unique(groups)]
    worst = [threshold_allowing(scores, max(int(WORST_KIND * rate * len(scores)), ONE_IMAGE)) for scores in kinds]
    return max(threshold_at(genuine.score, rate), *worst)


def recall_by_level(scores: Classified) -> dict:
    """Computes the recall at each degradation level. Returns None for levels without AI images."""
    found = {}
    for level in ("clean", "web", "hard"):
        ai = (scores.labels == 1) & (scores.level == level)
        found[level] = round(float(scores.fires[ai].mean()), 4) if ai.any() else None
    return found


def band(rate: float, validation: Scores, test: Scores) -> dict:
    """Fits the threshold for `rate`, rounds it up, and measures it."""
    return measured(min(1.0, float(rounded_up(threshold_of(validation.where(validation.labels == 0), rate)))), test)


def measured(threshold: float, test: Scores) -> dict:
    """Returns a threshold with its rates on test scores."""
    classified = apply_thresholds(test, {"threshold": threshold})
    return {
        "threshold": threshold,
        "false_alarm_rate": rate_up(float(classified.fires[test.labels == 0].mean())),
        "recall": recall_by_level(classified),
    }


def bands_of_looks(rate: float, validation: Scores, test: Scores) -> dict:
    """Fits the thresholds of both image domains for `rate`, rounds them up, and measures each on its own images."""
    return measured_domains(
        {domain: float(rounded_up(value)) for domain, value in fit_domains(genuine_of(validation), rate).items()}, test
    )


def measured_domains(thresholds: dict[str, float], test: Scores) -> dict:
    """Returns the thresholds of both image domains, with their rates on images of each domain."""
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
    """Returns the entry of bands.json for one detector and one profile with the target share `rate`."""
    return (band if np.isnan(validation.illustration).any() else bands_of_looks)(rate, validation, test)


def print_intervals(name: str, validation: Scores) -> None:
    """Prints how much each threshold of a detector with two thresholds varies with the drawn sources."""
    if np.isnan(validation.illustration).any():
        return
    for profile, rate in PROFILES.items():
        for domain, (low, high) in bootstrap_domains(genuine_of(validation), rate).items():
            print(
                f"{name}, {profile}, {domain}: 5 to 95% of drawings of sources {low:.4f} to {high:.4f}, in log odds "
                f"{log_odds(low):.2f} to {log_odds(high):.2f}"
            )


def main() -> None:
    parser = command_parser(__doc__, "out")
    parser.add_argument("--version", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--detector", nargs=3, action="append", required=True, metavar=("ID", "VALIDATION", "TEST"))
    args = parser.parse_args()
    detectors = {name: tuple(read_scores(Path(file)) for file in files) for name, *files in args.detector}
    former = json.loads(args.out.read_text())["profiles"] if args.out.is_file() else {}
    profiles = {
        profile: former.get(profile, {}) | {name: band_of(rate, *scores) for name, scores in detectors.items()}
        for profile, rate in PROFILES.items()
    }
    content = {"version": args.version, "model": args.model, "profiles": profiles}
    args.out.write_text(json.dumps(content, indent=2) + "\n")
    print(json.dumps(content, indent=1))
    for name, (validation, _) in detectors.items():
        print_intervals(name, validation)


if __name__ == "__main__":
    main()
