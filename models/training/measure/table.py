"""Writes the accuracy tables of README, docs/accuracy.md, docs/http.md and the model cards from stored score files.

    python -m measure.table [--check]

Tables are between the markers <!-- accuracy:begin --> and <!-- accuracy:end -->. The thresholds come from the balanced
profile in `models/bands.json`, the scores from the files that `measure.measured` names. `accuracy.json` contains digests
of the score files and of each table block, so that a test without Python can compare documents and scores. `--check`
writes nothing and exits with 1 if a document is out of date. Brackets contain the intervals of `measure.cells`.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data.degrade import LEVEL_NAMES, LEVELS
from data.split import FOUND_FILE, read_csv
from export.command import command_parser
from measure.assessment import ASSESSMENTS, PREVALENCES, Edges, assess, assess_faces, rates_of
from measure.cells import HEADER, Table, at_one_percent, percent
from measure.domain_thresholds import is_illustration
from measure.kinds import PHOTOGRAPHS, SCREENS, family_of, is_recent
from measure.matched import CROPS_FILE, PAIRS_FILE, kept_lines
from measure.measured import (
    DETECTORS,
    MODELS,
    PROFILE,
    ROOT,
    Measured,
    ai_groups,
    is_edited,
    is_of,
    kinds_of,
    score_files,
)
from measure.metrics import auc
from measure.target_fpr import PEOPLE, is_swap

DIGESTS = Path(__file__).with_name("accuracy.json")
BEGIN, END = "<!-- accuracy:begin -->", "<!-- accuracy:end -->"
LEAST_KIND, LEAST_FAMILY = 20, 14
"""Minimum number of images that have their own row: of a genuine kind; of a family of generators or a kind of AI image."""


def tasks(measured: Measured) -> list[str]:
    """Makes README's table: the verdict of both detectors by task, on sources outside training and thresholds."""
    table = Table(rows := measured.verdict("test", "later"))
    groups = ai_groups(rows)
    faces = Table(measured.of("face_specialist", "test"))
    lines = [
        HEADER.format(f"model {measured.model()}, profile `{PROFILE}`"),
        table.row("generated images: recall", groups == "generated", False),
        table.row("images edited by AI (whole, part or face): recall", is_edited(rows), False),
        table.row("images with a swapped face: recall", (groups == "face") & ~is_edited(rows), False),
        faces.row("face swaps (single faces): recall", is_swap(faces.rows), False),
        table.row("genuine photographs: FPR", is_of(rows, PHOTOGRAPHS), True),
        table.row("genuine art, games, renders: FPR", is_of(rows, ("art",)), True),
        table.row("genuine screens, documents, graphics: FPR", is_of(rows, SCREENS), True),
    ]
    if measured.has("matched"):
        matched = Table(measured.verdict("matched"))
        lines += [
            matched.row("matched sets, AI: recall", matched.rows.labels == 1, False),
            matched.row("matched sets, genuine: FPR", matched.rows.labels == 0, True),
        ]
    return lines


def by_set(measured: Measured) -> list[str]:
    """Makes the table of AUC, recall at 1% FPR and verdicts for each set."""
    lines = [HEADER.format("set and measure")]
    names = {
        "test split": ("test",),
        "found after the model": ("later",),
        "both": ("test", "later"),
        "matched sets": ("matched",),
    }
    for name, sets in names.items():
        if not measured.has(*sets):
            continue
        table = Table(measured.verdict(*sets))
        lines += [
            table.ranking(f"{name}: AUC", auc),
            table.ranking(f"{name}: recall at 1% FPR", at_one_percent),
            table.row(f"{name}: recall", table.rows.labels == 1, False),
            table.row(f"{name}: FPR", table.rows.labels == 0, True),
        ]
    return lines


def by_profile(profiles: list[str]) -> list[str]:
    """Makes the table of verdicts by profile for each set."""
    lines = [HEADER.format("profile, set and measure")]
    for profile in profiles:
        measured = Measured.read(profile)
        for name, stored in {"test split": "test", "found after the model": "later", "matched sets": "matched"}.items():
            if measured.has(stored):
                table = Table(measured.verdict(stored))
                for label, measure in ((1, "recall"), (0, "FPR")):
                    lines.append(table.row(f"`{profile}`, {name}: {measure}", table.rows.labels == label, label == 0))
    return lines


def face_lines(measured: Measured) -> list[str]:
    """Makes the tables of the face specialist, by method of the fake and by kind of face."""
    table = Table(measured.of("face_specialist", "test"))
    rows, swaps = table.rows, is_swap(table.rows)
    both = Table(measured.of("face_specialist", "test", "later"))
    kinds = {row["sha256"]: row["kind"] for row in read_csv(FOUND_FILE)}
    people = np.isin([kinds.get(image, kind) for image, kind in zip(both.rows.image, both.rows.kind)], PEOPLE)
    of_people = both.row(
        "photographs of people, test split and found after the model", people & (both.rows.labels == 0), True
    )
    return [
        HEADER.format("faces of the test split: recall"),
        table.row("face swaps, all methods", swaps, False),
        *table.groups(rows.generator, 1, LEAST_FAMILY),
        "",
        HEADER.format("genuine faces: FPR"),
        table.row("test split, all", rows.labels == 0, True),
        *table.groups(rows.kind, 0, LEAST_KIND, of_people),
    ]


def assessment_lines(measured: Measured) -> list[str]:
    """Makes the tables of assessments: for all levels, each level, single faces and matched sets."""
    edges = Edges.of(measured.bands, measured.bands["assessment"]["lower_edges"])
    whole, faces = (measured.of(detector, "test", "later") for detector in DETECTORS)
    assessed = assess(edges, whole, faces)
    lines = []
    for level in ("all", *LEVELS):
        mine = np.full(len(whole.labels), True) if level == "all" else whole.level == level
        rates = rates_of(whole.where(mine), assessed[mine])
        if level == "all" and rates != measured.bands["assessment"]["rates"]:
            raise SystemExit("bands.json has other rates of assessments: run python -m measure.assessment --write")
        lines += [
            f"| {'all levels' if level == 'all' else LEVEL_NAMES[level]} | n | sources | of AI images | of genuine images | AI at 1 in 10 | AI at 1 in 2 |",
            f"|{'---|' * 7}",
        ]
        for name in ASSESSMENTS:
            of = rates[name]
            shares = [
                f"{percent(of[key]['rate'])} ({100 * of[key]['low']:.1f} to {100 * of[key]['high']:.1f}%)"
                for key in PREVALENCES
            ]
            lines.append(
                f"| `{name}` | {of['images']:,} | {of['sources']} | {percent(of['of_ai'])} | {percent(of['of_genuine'])} | {' | '.join(shares)} |"
            )
        lines.append("")
    single, matched = measured.of("face_specialist", "test"), [measured.of(name, "matched") for name in DETECTORS]
    by_face, of_matched, swaps = assess_faces(edges, single), assess(edges, *matched), is_swap(single)
    lines += [f"| assessed as | {' | '.join(f'`{name}`' for name in ASSESSMENTS)} |", "|---|---|---|---|"]
    groups = {
        "swaps of the test split (single faces)": by_face[swaps],
        "genuine faces of the test split": by_face[single.labels == 0],
        "matched sets, AI": of_matched[matched[0].labels == 1],
        "matched sets, genuine": of_matched[matched[0].labels == 0],
    }
    for name, mine in groups.items():
        shares = [percent(float((mine == number).mean())) for number in range(len(ASSESSMENTS))]
        lines.append(f"| {name} | {' | '.join(shares)} |")
    return lines


def section(title: str, *lines: str) -> list[str]:
    """Makes a section below a heading."""
    return ["", f"### {title}", "", *lines]


HEADLINES = dict(zip(ASSESSMENTS, ("AI detected", "Unclear", "No AI detected"), strict=True))


def headline_lines(measured: Measured) -> list[str]:
    """Makes the table of docs/http.md: each combination of `is_ai` and headline, with its number of test images.

    Images count once for each degradation level.
    """
    edges = Edges.of(measured.bands, measured.bands["assessment"]["lower_edges"])
    rows = measured.verdict("test", "later")
    assessed = assess(
        edges, measured.of("full_image_specialist", "test", "later"), measured.of("face_specialist", "test", "later")
    )
    totals = [int((rows.labels == label).sum()) for label in (0, 1)]
    lines = [
        f"| `is_ai` | headline | of {totals[0]:,} genuine images | of {totals[1]:,} AI images |",
        "|---|---|---|---|",
    ]
    for number, name in enumerate(ASSESSMENTS):
        for flagged in (True, False):
            mine = (assessed == number) & (rows.fires == flagged)
            if not mine.any():
                continue
            cells = [
                f"{count:,} ({percent(count / totals[label])})"
                for label in (0, 1)
                for count in [int((mine & (rows.labels == label)).sum())]
            ]
            lines.append(f"| `{str(flagged).lower()}` | {HEADLINES[name]} | {' | '.join(cells)} |")
    return lines


def accuracy_page(measured: Measured) -> list[str]:
    """Makes the generated part of docs/accuracy.md."""
    table = Table(rows := measured.verdict("test", "later"))
    generated = (ai_groups(rows) == "generated") & (rows.labels == 1)
    families = np.where(generated, family_of(rows.generator), "")
    of_generators = Table(rows.where(generated)).groups(families[generated], 1, LEAST_FAMILY)
    recent = table.row("generators of 2024 to 2026", generated & is_recent(rows.generator), False)
    lines = [
        measured.title(),
        *section("By task", *tasks(measured)),
        *section("By set", *by_set(measured)),
        *section("By profile", *by_profile(list(measured.bands["profiles"]))),
        *section("By kind of AI image", HEADER.format("recall"), *table.groups(kinds_of(rows), 1, LEAST_FAMILY)),
        *section("By generator", HEADER.format("recall of generated images"), recent, *of_generators),
        *section("By kind of genuine image", HEADER.format("FPR"), *table.groups(rows.kind, 0, LEAST_KIND)),
        *section("Faces", *face_lines(measured)),
        *section("Assessment", *assessment_lines(measured)),
    ]
    if measured.has("matched"):
        matched = Table(measured.verdict("matched"))
        ai, genuine = (matched.groups(matched.rows.source, label) for label in (1, 0))
        tables = [HEADER.format("AI images: recall"), *ai, "", HEADER.format("genuine images: FPR"), *genuine]
        lines += section("Matched sets", *tables, "", *kept_lines(matched.rows))
    return lines


def full_image_card(measured: Measured) -> list[str]:
    """Makes the tables in the full-image specialist's model card."""
    table = Table(rows := measured.of("full_image_specialist", "test", "later"))
    lines = [
        measured.title(),
        "",
        HEADER.format("full image, test split" + " and sources found after the model" * measured.has("later")),
        table.ranking("AUC", auc),
        table.ranking("recall at 1% FPR", at_one_percent),
        table.row("recall", rows.labels == 1, False),
        table.row("FPR", rows.labels == 0, True),
    ]
    clean = {
        image: domain
        for image, domain, level in zip(rows.image, is_illustration(rows.illustration), rows.level, strict=True)
        if level == "clean"
    }
    illustration = np.array([clean.get(image, False) for image in rows.image])
    for domain, mine in (("looks photographed", ~illustration), ("looks drawn", illustration)):
        lines += [
            table.row(f"{domain}: recall", mine & (rows.labels == 1), False),
            table.row(f"{domain}: FPR", mine & (rows.labels == 0), True),
        ]
    if measured.has("matched"):
        matched = Table(measured.of("full_image_specialist", "matched"))
        lines += [
            matched.ranking("matched sets: AUC", auc),
            matched.ranking("matched sets: recall at 1% FPR", at_one_percent),
            "",
            *kept_lines(matched.rows),
        ]
    return lines


def face_card(measured: Measured) -> list[str]:
    """Makes the tables in the face specialist's model card."""
    rows = measured.of("face_specialist", "test")
    swaps = Table(rows.where((rows.labels == 0) | is_swap(rows)))
    return [
        measured.title(),
        "",
        *face_lines(measured),
        "",
        HEADER.format("faces of the test split"),
        Table(rows).ranking("all fakes against genuine faces: AUC", auc),
        swaps.ranking("swaps against genuine faces: AUC", auc),
        swaps.ranking("the same: recall at 1% FPR", at_one_percent),
    ]


DOCUMENTS: dict[str, Callable[[Measured], list[str]]] = {
    "README.md": tasks,
    "docs/accuracy.md": accuracy_page,
    "docs/http.md": headline_lines,
    "models/full_image_specialist/card.md": full_image_card,
    "models/face_specialist/card.md": face_card,
}


def block_of(text: str, name: str) -> str:
    """Returns the text between the markers in a document. Raises ValueError unless there is exactly one pair."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"{name}: expected {BEGIN} and {END} once each")
    return text.split(BEGIN)[1].split(END)[0].strip("\n")


def digest(content: bytes) -> str:
    """Computes the SHA-256 digest in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a document is out of date")
    check, measured, stale = parser.parse_args().check, Measured.read(), []
    inputs = [
        MODELS / "bands.json",
        *(path for path in (*score_files().values(), PAIRS_FILE, CROPS_FILE) if path.is_file()),
    ]
    kept = {"inputs": {str(path.relative_to(ROOT)): digest(path.read_bytes()) for path in inputs}, "blocks": {}}
    for name, make in DOCUMENTS.items():
        path, block = ROOT / name, "\n".join(make(measured))
        text = path.read_text()
        kept["blocks"][name] = digest(block.encode())
        if block_of(text, name) != block:
            stale.append(name)
            if not check:
                path.write_text(f"{text.split(BEGIN)[0]}{BEGIN}\n{block}\n{END}{text.split(END)[1]}")
    digests = json.dumps(kept, indent=2) + "\n"
    if not DIGESTS.is_file() or DIGESTS.read_text() != digests:
        stale.append(DIGESTS.name)
        if not check:
            DIGESTS.write_text(digests)
    print(f"{'out of date' if check else 'written'}: {', '.join(stale) or 'nothing'}")
    raise SystemExit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
