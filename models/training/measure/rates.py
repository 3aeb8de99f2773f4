"""Makes models/<id>/rates.json from a detector's test scores, by which records explain what a score means.

    python -m measure.rates --model telltale-2.5.0 --detector full_image_specialist full_image/run/test_scores.csv \
        --detector face_specialist face_specialist/run/test_scores.csv --out ..

It contains sorted scores with four decimals, by level, kind and class. Kinds are those that the engine, or a reader of
the record, can tell: photographs and illustrations (graphics, screens and documents are neither), and for faces whether
there is one, several, or a small one.
"""

import json
from pathlib import Path

import numpy as np

from export.command import command_parser
from measure.kinds import PHOTOGRAPHS, group_of
from measure.score_file import Scores, read_scores

CONTENT = {
    "drawn": ("art", "anime", "posters"),
    "photographed": tuple(
        """
        animal city face flowers food landscapes nature object people photo-like products
        """.split()
    ),
}
"""Kinds of AI images by their content. For other contents, such as mixed, the kind is unknown."""
_KIND = {content: kind for kind, contents in CONTENT.items() for content in contents}
FACES = ("portrait", "group face", "small face")
OTHER = "other"


def kind_of(scores: Scores) -> np.ndarray:
    """Returns the kind of each row: photograph, illustration, a kind of face, or other."""
    if any(kind in FACES for kind in scores.kind):
        return np.array([kind if kind in FACES else OTHER for kind in scores.kind])
    real = scores.labels == 0
    groups = np.full(len(scores.kind), OTHER, dtype=object)
    groups[real] = [
        "photographed" if group in PHOTOGRAPHS else "drawn" if group == "art" else OTHER
        for group in group_of(scores.kind[real], scores.content[real])
    ]
    groups[~real] = [_KIND.get(content, OTHER) for content in scores.content[~real]]
    return groups


def table(scores: Scores) -> dict:
    """Sorts the scores by level, kind and class."""
    kinds = kind_of(scores)
    chosen = lambda level, kind, label: (scores.level == level) & (kinds == kind) & (scores.labels == label)
    listed = lambda rows: [round(float(score), 4) for score in np.sort(scores.score[rows])]
    classes = {"genuine": 0, "ai": 1}.items()
    return {
        level: {
            str(kind): {name: listed(chosen(level, kind, label)) for name, label in classes}
            for kind in sorted(set(kinds))
        }
        for level in ("clean", "web", "hard")
    }


def main() -> None:
    parser = command_parser(__doc__, "out")
    parser.add_argument("--model", required=True)
    parser.add_argument("--detector", nargs=2, action="append", required=True, metavar=("ID", "TEST"))
    args = parser.parse_args()
    for name, path in args.detector:
        content = {"id": name, "model": args.model, "tiers": table(read_scores(Path(path)))}
        (args.out / name / "rates.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")
        for level, kinds in content["tiers"].items():
            print(name, level, {kind: [len(classes["genuine"]), len(classes["ai"])] for kind, classes in kinds.items()})


if __name__ == "__main__":
    main()
