"""Measures the face specialist and prints tables in Markdown, with bootstrap intervals over sources and videos.

    python -m face_specialist.evaluate --features TEST --heads heads.npz confirm.npz --manifest manifest.json
        --validation validation.csv

VALIDATION is the score file that `face_specialist.calibrate` wrote. Its genuine faces set the balanced threshold. A
method of making fakes counts as unseen if the training data in the manifest does not name it.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data.degrade import LEVELS
from export.command import command_parser
from face_specialist.face_scores import ScoredImage, aggregate_faces, face_kind, read_faces, scores_of
from face_specialist.groups import MADE_GROUP, MAX_GROUP_FACES, METHODS, MIN_GROUP_FACES
from face_specialist.roster import DFDC, PHOTOGRAPHS, SECOND_DFDC
from measure.bands import PROFILES, threshold_of
from measure.metrics import auc, recall_at, source_bootstrap
from measure.score_file import read_scores

Chosen = Callable[[dict], bool]
EDIT_KINDS = frozenset({"reenacted", "edited-face"})
RATE = PROFILES["balanced"]
SIZES = {"under 96 px": 96, "96 to 127 px": 128, "128 to 191 px": 192, "192 px and over": float("inf")}
"""Rows of a table by the side of the largest face, each with its upper end in px."""


def is_dfdc(line: dict) -> bool:
    """Returns whether a line describes a frame of the DFDC data set, swapped or original."""
    return line["source"] in (DFDC, SECOND_DFDC) and line["kind"] != "made"


def is_made_group(line: dict) -> bool:
    """Returns whether one face of a genuine group image was changed for this test. Such images have their own table."""
    return line["kind"] == MADE_GROUP


def is_edit(line: dict) -> bool:
    """Returns whether a face got another person's expression or was edited."""
    return line["label"] == "manipulated" and (line["kind"] in EDIT_KINDS or line["method"].endswith("reenactment"))


def is_photograph(line: dict) -> bool:
    """Returns whether a line describes a genuine photograph of people."""
    return line["label"] == "genuine" and line["kind"] in PHOTOGRAPHS


def comparisons(trained_on: set[str]) -> dict[str, tuple[Chosen, Chosen]]:
    """Lists the comparisons of the table: which images are the fakes, and which genuine images are compared."""
    new = lambda line: line["method"] not in trained_on and not is_made_group(line)
    new_swap = lambda line: line["label"] == "manipulated" and not is_edit(line) and new(line)
    new_edit = lambda line: is_edit(line) and new(line)
    generated = lambda line: line["label"] == "generated"
    any_fake = lambda line: new_swap(line) or new_edit(line) or generated(line)
    genuine = lambda line: line["label"] == "genuine"
    return {
        "swaps of methods never trained on, against photographs": (new_swap, is_photograph),
        "reenactment and edits of methods never trained on, against photographs": (new_edit, is_photograph),
        "generated faces of left-out sources, against photographs": (generated, is_photograph),
        "the three together, against all genuine faces": (any_fake, genuine),
        "DFDC's swaps, against its originals": (
            lambda line: is_dfdc(line) and line["label"] == "manipulated",
            lambda line: is_dfdc(line) and genuine(line),
        ),
    }


def unit_of(line: dict) -> str:
    """Returns what the bootstrap draws as a whole for a line.

    This is a video of DFDC, a source of genuine faces, or a source and method of fakes.
    """
    return line["group"] if is_dfdc(line) else f"{line['source']} {line['method']}"


def measure(fakes: list[ScoredImage], genuine: list[ScoredImage], threshold: float, resamples: int = 300) -> dict:
    """Computes AUC and recall at RATE of the genuine faces with 95% intervals, and recall and FPR at `threshold`."""
    labels = np.repeat([1, 0], [len(fakes), len(genuine)])
    scores = np.array([image.score for image in fakes + genuine])
    units = np.array([unit_of(image.line) for image in fakes + genuine])
    result = {
        "fakes": len(fakes),
        "genuine": len(genuine),
        "fake_units": len(set(units[labels == 1])),
        "genuine_units": len(set(units[labels == 0])),
        "recall": round(float((scores[labels == 1] >= threshold).mean()), 4),
        "false_alarms": round(float((scores[labels == 0] >= threshold).mean()), 4),
    }
    for name, measured in (("auc", auc), ("recall_at_1", lambda truth, values: recall_at(truth, values, RATE))):
        low, high = source_bootstrap(labels, units, lambda index: measured(labels[index], scores[index]), resamples)
        result |= {name: round(measured(labels, scores), 4), f"{name}_interval": [round(low, 4), round(high, 4)]}
    return result


def by_level(images: list[ScoredImage], measured: Callable[[list[ScoredImage]], dict | None]) -> dict:
    """Applies the function `measured` to the images of each degradation level."""
    return {level: measured([image for image in images if image.line["tier"] == level]) for level in LEVELS}


def share_of(images: list[ScoredImage], threshold: float) -> dict | None:
    """Computes the share of the images that are flagged at `threshold`."""
    return (
        {"count": len(images), "fires": round(float(np.mean([p.score >= threshold for p in images])), 4)}
        if images
        else None
    )


def face_count_of(image: ScoredImage) -> str:
    """Returns the number of faces in an image as text: one, two, or more."""
    return {1: "one face", 2: "two faces"}.get(image.faces, "three faces and more")


def size_of(image: ScoredImage) -> str:
    """Returns the row of SIZES to which an image belongs."""
    return next(name for name, above in SIZES.items() if image.line["side_px"] < above)


def is_small_group(image: ScoredImage) -> bool:
    """Returns whether the image has so many scored faces that it is a small group, in which one face was changed."""
    return MIN_GROUP_FACES <= image.faces <= MAX_GROUP_FACES


def evaluate(images: list[ScoredImage], trained_on: set[str], threshold: float) -> dict:
    """Computes the figures of the model card at each level.

    They are the comparisons, recall by method, size and in groups, and FPR by kind, number and size of genuine faces.
    """

    def ask(fake: Chosen, genuine: Chosen) -> dict:
        def of_level(group: list[ScoredImage]) -> dict | None:
            chosen = [[image for image in group if wanted(image.line)] for wanted in (fake, genuine)]
            return measure(*chosen, threshold) if all(chosen) else None

        return by_level(images, of_level)

    def share(chosen: list[ScoredImage]) -> dict:
        return by_level(chosen, lambda group: share_of(group, threshold))

    fakes = [image for image in images if image.line["label"] != "genuine" and not is_made_group(image.line)]
    methods = sorted({(p.line["label"], p.line["method"]) for p in fakes}, reverse=True)
    genuine = [image for image in images if image.line["label"] == "genuine"]
    groups = [image for image in images if is_small_group(image)]
    changed = [image for image in groups if is_made_group(image.line)]
    sizes = lambda chosen: {size: share([p for p in chosen if size_of(p) == size]) for size in SIZES}
    return {
        "threshold": threshold,
        "questions": {name: ask(*chosen) for name, chosen in comparisons(trained_on).items()},
        "recall": {
            f"{label}: {method}": share([p for p in fakes if (p.line["label"], p.line["method"]) == (label, method)])
            for label, method in methods
        },
        "groups": {
            "one face of two to five changed": share(changed),
            **{f"the same, {method}": share([p for p in changed if p.line["method"] == method]) for method in METHODS},
            "two to five generated faces": share([p for p in groups if p.line["label"] == "generated"]),
        },
        "recall_by_size": sizes([p for p in fakes if p.line["method"] not in trained_on]),
        "false_alarms_by_size": sizes(genuine),
        "false_alarms": {
            name: share([p for p in genuine if named(p) == name])
            for named in (face_kind, face_count_of)
            for name in sorted({named(p) for p in genuine})
        },
    }


def markdown(result: dict) -> str:
    """Formats the result as two Markdown tables."""

    def row(name: str, levels: dict, cell: Callable[[dict], str]) -> str:
        return f"| {name} | " + " | ".join(cell(levels[level]) if levels[level] else "-" for level in LEVELS) + " |"

    def interval(measured: dict, name: str) -> str:
        return f"{measured[name]:.3f} ({measured[name + '_interval'][0]:.2f}-{measured[name + '_interval'][1]:.2f})"

    head = [f"| | {' | '.join(LEVELS)} |", "|---|---|---|---|"]
    lines = [f"Threshold {result['threshold']:.4f}", "", *head]
    for name, levels in result["questions"].items():
        clean = next((measured for measured in levels.values() if measured), None)
        if clean is None:
            continue
        counts = f"{clean['fakes']} of {clean['fake_units']}, {clean['genuine']} of {clean['genuine_units']}"
        of_threshold = lambda measured: f"{measured['recall']:.2f}, {measured['false_alarms']:.3f}"
        lines += [
            row(f"{name} ({counts}): AUC", levels, lambda measured: interval(measured, "auc")),
            row("recall at 1% of these genuine faces", levels, lambda measured: interval(measured, "recall_at_1")),
            row("recall, FPR at the balanced threshold", levels, of_threshold),
        ]
    lines += ["", *head]
    tables = {"recall": "recall", "groups": "recall in groups", "recall_by_size": "recall by size"}
    for table, title in (tables | {"false_alarms": "FPR", "false_alarms_by_size": "FPR by size"}).items():
        lines += [
            row(f"{title}, {name}", levels, lambda cell: f"{cell['fires']:.3f} of {cell['count']}")
            for name, levels in result.get(table, {}).items()
        ]
    return "\n".join(lines)


def main() -> None:
    parser = command_parser(__doc__, "features", "manifest", "validation", "heads+")
    parser.add_argument("--trained-on", nargs="*", default=[], metavar="METHOD", help="also trained on")
    parser.add_argument("--out", type=Path, help="JSON")
    args = parser.parse_args()
    manifest = json.loads(args.manifest.read_text())
    faces = read_faces(args.features, args.heads)
    validation = read_scores(args.validation)
    threshold = threshold_of(validation.where(validation.labels == 0), RATE)
    trained_on = {*manifest["training_data"]["methods"], *args.trained_on}
    result = evaluate(aggregate_faces(faces, scores_of(faces, manifest)), trained_on, threshold)
    print(markdown(result))
    if args.out:
        args.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
