"""Measures of the face specialist, as tables in Markdown, with bootstrap intervals over sources and videos.

    python -m face_specialist.evaluate --features TEST --heads heads.npz confirm.npz --manifest manifest.json --validation validation.csv

VALIDATION is the score file that `face_specialist.calibrate` wrote: its genuine faces set the balanced threshold. Methods that
the manifest's training data name are none that were never trained on.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from face_specialist.groups import FEWEST, MADE_GROUP, METHODS, MOST
from face_specialist.face_scores import ScoredPicture, face_kind, join_faces, read_faces, scores_of
from face_specialist.roster import DFDC, PHOTOGRAPHS, SECOND_DFDC
from measure.bands import PROFILES, threshold_of
from measure.metrics import auc, recall_at, source_bootstrap
from measure.score_file import read_scores

Chosen = Callable[[dict], bool]
EDIT_KINDS = frozenset({"reenacted", "edited-face"})
RATE = PROFILES["balanced"]
SIZES = {"under 96 px": 96, "96 to 127 px": 128, "128 to 191 px": 192, "192 px and over": float("inf")}
"""Rows by the side of the largest face, and what lies above each."""


def is_dfdc(line: dict) -> bool:
    """A frame of DFDC, swapped or original."""
    return line["source"] in (DFDC, SECOND_DFDC) and line["kind"] != "made"


def is_made_group(line: dict) -> bool:
    """A genuine picture of several people in which one face was changed: a question of its own."""
    return line["kind"] == MADE_GROUP


def is_edit(line: dict) -> bool:
    """A face given another's expression, or changed in place."""
    return line["label"] == "manipulated" and (line["kind"] in EDIT_KINDS or line["method"].endswith("reenactment"))


def is_photograph(line: dict) -> bool:
    """A genuine photograph of people."""
    return line["label"] == "genuine" and line["kind"] in PHOTOGRAPHS


def questions(trained_on: set[str]) -> dict[str, tuple[Chosen, Chosen]]:
    """What is asked: which pictures are the fakes, and which genuine ones they are set against."""
    new = lambda line: line["method"] not in trained_on and not is_made_group(line)
    new_swap = lambda line: line["label"] == "manipulated" and not is_edit(line) and new(line)
    new_edit = lambda line: is_edit(line) and new(line)
    generated = lambda line: line["label"] == "generated"
    genuine = lambda line: line["label"] == "genuine"
    return {
        "swaps of methods never trained on, against photographs": (new_swap, is_photograph),
        "reenactment and edits of methods never trained on, against photographs": (new_edit, is_photograph),
        "generated faces of left-out sources, against photographs": (generated, is_photograph),
        "the three together, against all genuine faces": (lambda line: new_swap(line) or new_edit(line) or generated(line), genuine),
        "DFDC's swaps, against its originals": (
            lambda line: is_dfdc(line) and line["label"] == "manipulated", lambda line: is_dfdc(line) and genuine(line)),
    }


def unit_of(line: dict) -> str:
    """What the bootstrap draws: a video of DFDC, a source of genuine faces, a source and method of fakes."""
    return line["group"] if is_dfdc(line) else f"{line['source']} {line['method']}"


def measure(fakes: list[ScoredPicture], genuine: list[ScoredPicture], threshold: float, rounds: int = 300) -> dict:
    """AUC and recall at RATE of these genuine faces with 95% intervals; recall and false alarms at `threshold`."""
    labels = np.repeat([1, 0], [len(fakes), len(genuine)])
    scores = np.array([picture.score for picture in fakes + genuine])
    units = np.array([unit_of(picture.line) for picture in fakes + genuine])
    result = {"fakes": len(fakes), "genuine": len(genuine), "fake_units": len(set(units[labels == 1])),
              "genuine_units": len(set(units[labels == 0])),
              "recall": round(float((scores[labels == 1] >= threshold).mean()), 4),
              "false_alarms": round(float((scores[labels == 0] >= threshold).mean()), 4)}
    for name, measured in (("auc", auc), ("recall_at_1", lambda truth, values: recall_at(truth, values, RATE))):
        low, high = source_bootstrap(labels, units, lambda index: measured(labels[index], scores[index]), rounds)
        result |= {name: round(measured(labels, scores), 4), f"{name}_interval": [round(low, 4), round(high, 4)]}
    return result


def by_tier(pictures: list[ScoredPicture], measured: Callable[[list[ScoredPicture]], dict | None]) -> dict:
    """What `measured` says of each tier's pictures."""
    return {tier: measured([picture for picture in pictures if picture.line["tier"] == tier]) for tier in TIERS}


def share_of(pictures: list[ScoredPicture], threshold: float) -> dict | None:
    """How many of these pictures fire."""
    return {"count": len(pictures), "fires": round(float(np.mean([p.score >= threshold for p in pictures])), 4)} if pictures else None


def crowd_of(picture: ScoredPicture) -> str:
    """One face, two, or more."""
    return {1: "one face", 2: "two faces"}.get(picture.faces, "three faces and more")


def size_of(picture: ScoredPicture) -> str:
    """Its row of SIZES."""
    return next(name for name, above in SIZES.items() if picture.line["side_px"] < above)


def is_small_group(picture: ScoredPicture) -> bool:
    """Of a picture so many faces were judged that one changed face stands beside a few others."""
    return FEWEST <= picture.faces <= MOST


def evaluate(pictures: list[ScoredPicture], trained_on: set[str], threshold: float) -> dict:
    """All that the card states, each by tier: questions, recall by method, by size and in groups, false alarms by kind of genuine face, by number and by size."""
    def ask(fake: Chosen, genuine: Chosen) -> dict:
        def of_tier(part: list[ScoredPicture]) -> dict | None:
            chosen = [[picture for picture in part if wanted(picture.line)] for wanted in (fake, genuine)]
            return measure(*chosen, threshold) if all(chosen) else None
        return by_tier(pictures, of_tier)

    def share(chosen: list[ScoredPicture]) -> dict:
        return by_tier(chosen, lambda part: share_of(part, threshold))

    fakes = [picture for picture in pictures if picture.line["label"] != "genuine" and not is_made_group(picture.line)]
    methods = sorted({(p.line["label"], p.line["method"]) for p in fakes}, reverse=True)
    genuine = [picture for picture in pictures if picture.line["label"] == "genuine"]
    groups = [picture for picture in pictures if is_small_group(picture)]
    changed = [picture for picture in groups if is_made_group(picture.line)]
    sizes = lambda chosen: {size: share([p for p in chosen if size_of(p) == size]) for size in SIZES}
    return {"threshold": threshold,
            "questions": {name: ask(*chosen) for name, chosen in questions(trained_on).items()},
            "recall": {f"{label}: {method}": share([p for p in fakes if (p.line["label"], p.line["method"]) == (label, method)])
                       for label, method in methods},
            "groups": {"one face of two to five changed": share(changed),
                       **{f"the same, {method}": share([p for p in changed if p.line["method"] == method]) for method in METHODS},
                       "two to five generated faces": share([p for p in groups if p.line["label"] == "generated"])},
            "recall_by_size": sizes([p for p in fakes if p.line["method"] not in trained_on]), "false_alarms_by_size": sizes(genuine),
            "false_alarms": {name: share([p for p in genuine if named(p) == name]) for named in (face_kind, crowd_of)
                             for name in sorted({named(p) for p in genuine})}}


def markdown(result: dict) -> str:
    """The result as two tables."""
    def row(name: str, tiers: dict, cell: Callable[[dict], str]) -> str:
        return f"| {name} | " + " | ".join(cell(tiers[tier]) if tiers[tier] else "-" for tier in TIERS) + " |"

    def interval(part: dict, name: str) -> str:
        return f"{part[name]:.3f} ({part[name + '_interval'][0]:.2f}-{part[name + '_interval'][1]:.2f})"

    head = [f"| | {' | '.join(TIERS)} |", "|---|---|---|---|"]
    lines = [f"Threshold {result['threshold']:.4f}", "", *head]
    for name, tiers in result["questions"].items():
        clean = next((part for part in tiers.values() if part), None)
        if clean is None:
            continue
        lines.append(row(f"{name} ({clean['fakes']} of {clean['fake_units']}, {clean['genuine']} of {clean['genuine_units']}): AUC",
                         tiers, lambda part: interval(part, "auc")))
        lines.append(row("recall at 1% of these genuine faces", tiers, lambda part: interval(part, "recall_at_1")))
        lines.append(row("recall, false alarms at the balanced threshold", tiers,
                         lambda part: f"{part['recall']:.2f}, {part['false_alarms']:.3f}"))
    lines += ["", *head]
    for title, part in (("recall", "recall"), ("recall in groups", "groups"), ("recall by size", "recall_by_size"), ("false alarms", "false_alarms"),
                        ("false alarms by size", "false_alarms_by_size")):
        lines += [row(f"{title}, {name}", tiers, lambda cell: f"{cell['fires']:.3f} of {cell['count']}")
                  for name, tiers in result.get(part, {}).items()]
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("features", "manifest", "validation"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--heads", type=Path, required=True, nargs="+", help="of face_specialist.train, .continue_training and .confirm, or folders of encoders; the last of a column counts")
    parser.add_argument("--trained-on", nargs="*", default=[], metavar="METHOD",
                        help="further methods that count as trained on, so that two trainings answer the same questions")
    parser.add_argument("--out", type=Path, help="JSON")
    arguments = parser.parse_args()
    manifest = json.loads(arguments.manifest.read_text())
    faces = read_faces(arguments.features, arguments.heads)
    validation = read_scores(arguments.validation)
    threshold = threshold_of(validation.where(validation.labels == 0), RATE)
    trained_on = {*manifest["training_data"]["methods"], *arguments.trained_on}
    result = evaluate(join_faces(faces, scores_of(faces, manifest)), trained_on, threshold)
    print(markdown(result))
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
