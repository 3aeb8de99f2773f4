"""Writes the accuracy tables of README, docs/accuracy.md, docs/http.md and the model cards from stored score files.

    python -m measure.table [--check]

Tables are between the markers <!-- accuracy:begin --> and <!-- accuracy:end -->. The score files are in
`full_image/run` and `face_specialist/run`: the test split, `later` (sources found after the model was made) and
`matched` (sets that other people made), all scored by the released model. The thresholds come from the balanced profile
in `models/bands.json`. `accuracy.json` contains digests of the score files and of each table block, so that a test
without Python can compare documents and scores. `--check` writes nothing and exits with 1 if a document is out of date.

Brackets contain 95% intervals, from drawing sources with replacement. If none or all of n images are flagged, the
interval extends to 3 / n from there, which is the 95% limit for independent images.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.degrade import LEVEL_NAMES, LEVELS
from data.mix import source_of
from data.split import FOUND_FILE, read_csv
from export.command import command_parser
from measure.assessment import ASSESSMENTS, PREVALENCES, Edges, assess, assess_faces, rates_of
from measure.domain_thresholds import DOMAINS, Classified, apply_thresholds, either, is_illustration
from measure.kinds import PHOTOGRAPHS, SCREENS, ai_group_of, family_of, group_of, is_recent
from measure.matched import CROPS_FILE, PAIRS_FILE, kept_lines
from measure.metrics import auc, rate_up, recall_at, source_bootstrap
from measure.score_file import Scores, read_all
from measure.target_fpr import PEOPLE, is_swap

ROOT = Path(__file__).parents[3]
TRAINING, MODELS = ROOT / "models/training", ROOT / "models"
DIGESTS = Path(__file__).with_name("accuracy.json")
BEGIN, END = "<!-- accuracy:begin -->", "<!-- accuracy:end -->"
SETS = ("test", "later", "matched")
DETECTORS = {"full_image_specialist": "full_image", "face_specialist": "face_specialist"}
PROFILE = "balanced"
LEAST_KIND, LEAST_FAMILY = 20, 14
"""Minimum number of images of a genuine kind, and of a family of generators, that has its own row."""
LEAST_SOURCES = 3
"""Minimum number of sources of a rate that has an interval. With fewer, sources can't be drawn in different ways."""
RESAMPLES = 1000
HEADER = f"| {{}} | n | sources | {' | '.join(LEVEL_NAMES.values())} |\n|---|---|---|{'---|' * len(LEVEL_NAMES)}"


def score_files() -> dict[tuple[str, str], Path]:
    """Lists the paths of the score files by detector and set."""
    return {
        (detector, name): TRAINING / folder / "run" / f"{name}_scores.csv"
        for detector, folder in DETECTORS.items()
        for name in SETS
    }


def rate_interval(fires: np.ndarray, sources: np.ndarray) -> tuple[float, float]:
    """Computes the 95% interval of the flagged share by drawing sources with replacement.

    If none or all images are flagged, it extends 3 / n from there.
    """
    beyond = min(1.0, 3 / len(fires))
    if not fires.any():
        return 0.0, beyond
    if fires.all():
        return 1 - beyond, 1.0
    names, number = np.unique(sources, return_inverse=True)
    counts = np.stack((np.bincount(number, fires), np.bincount(number)), axis=1)
    sampled = counts[np.random.default_rng(1).integers(0, len(names), (RESAMPLES, len(names)))].sum(axis=1)
    low, high = np.percentile(sampled[:, 0] / sampled[:, 1], (2.5, 97.5))
    return float(low), float(high)


def rate_cell(fires: np.ndarray, sources: np.ndarray, false: bool) -> str:
    """Formats recall with two decimals, or FPR in percent, rounded up. With LEAST_SOURCES, adds the interval."""
    if not len(fires):
        return "-"
    low, high = (None, None) if len(np.unique(sources)) < LEAST_SOURCES else rate_interval(fires, sources)
    if false:
        text = f"{100 * rate_up(float(fires.mean()), 3):.1f}%"
        return text if low is None else f"{text} ({100 * low:.1f} to {100 * rate_up(high, 3):.1f}%)"
    return f"{fires.mean():.2f}" if low is None else f"{fires.mean():.2f} ({low:.2f} to {high:.2f})"


def sources_of(rows: Scores) -> np.ndarray:
    """Returns the source of each row: the owner of its repository."""
    return np.array([source_of(repository) for repository in rows.source])


@dataclass(frozen=True)
class Table:
    """Makes table rows from one set of images."""

    rows: Classified

    def row(self, name: str, mine: np.ndarray, false: bool) -> str:
        """Makes a row: the number of images and sources at level none, and the flagged share at each level."""
        chosen = self.rows.where(mine)
        sources = sources_of(chosen)
        cells = [
            rate_cell(chosen.fires[chosen.level == level], sources[chosen.level == level], false) for level in LEVELS
        ]
        return f"| {name} | {(chosen.level == 'clean').sum():,} | {len(np.unique(sources))} | {' | '.join(cells)} |"

    def groups(self, names: np.ndarray, label: int, least: int = 1, last: str | None = None) -> Iterator[str]:
        """Yields a row for each of `names`, str [rows], the largest group first, then the row `last` if given.

        Groups with less than `least` images are only named below the table.
        """
        mine = (self.rows.labels == label) & (self.rows.level == "clean")
        count = dict(zip(*(each.tolist() for each in np.unique(names[mine], return_counts=True)), strict=True))
        ordered = sorted(count, key=lambda name: (-count[name], name))
        for name in ordered:
            if count[name] >= least:
                yield self.row(name, (names == name) & (self.rows.labels == label), label == 0)
        if last is not None:
            yield last
        if omitted := [f"{name} {count[name]}" for name in ordered if count[name] < least]:
            yield from ("", f"Without a row, because they have fewer than {least} images: {', '.join(omitted)}.")

    def ranking(self, name: str, measure: Callable[[np.ndarray, np.ndarray], float]) -> str:
        """Makes a row of a measure that needs labels and scores, but no threshold."""
        cells = []
        for level in LEVELS:
            mine = self.rows.where(self.rows.level == level)
            if not len(mine.labels):
                cells.append("-")
                continue
            low, high = source_bootstrap(
                mine.labels, sources_of(mine), lambda index, mine=mine: measure(mine.labels[index], mine.score[index])
            )
            cells.append(f"{measure(mine.labels, mine.score):.3f} ({low:.3f} to {high:.3f})")
        return f"| {name} | {(self.rows.level == 'clean').sum():,} | {len(np.unique(sources_of(self.rows)))} | {' | '.join(cells)} |"


def at_one_percent(labels: np.ndarray, scores: np.ndarray) -> float:
    """Computes the recall at an FPR of 1% on the same images."""
    return recall_at(labels, scores, 0.01)


@dataclass(frozen=True)
class Measured:
    """Score rows by detector and set, flagged by the released thresholds."""

    bands: dict
    rows: dict[tuple[str, str], Classified]

    @classmethod
    def read(cls) -> "Measured":
        """Reads the stored score files. Sets without a file are left out."""
        bands = json.loads((MODELS / "bands.json").read_text())
        found = {
            key: apply_thresholds(read_all([path]), bands["profiles"][PROFILE][key[0]])
            for key, path in score_files().items()
            if path.is_file()
        }
        return cls(bands, found)

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
    if ("full_image_specialist", "matched") in measured.rows:
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
        if ("full_image_specialist", sets[0]) not in measured.rows:
            continue
        table = Table(measured.verdict(*sets))
        lines += [
            table.ranking(f"{name}: AUC", auc),
            table.ranking(f"{name}: recall at 1% FPR", at_one_percent),
            table.row(f"{name}: recall", table.rows.labels == 1, False),
            table.row(f"{name}: FPR", table.rows.labels == 0, True),
        ]
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


def percent(share: float) -> str:
    """Formats a share in percent with one decimal."""
    return f"{100 * share:.1f}%"


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
        *section("By kind of AI image", HEADER.format("recall"), *table.groups(kinds_of(rows), 1, LEAST_KIND)),
        *section("By generator", HEADER.format("recall of generated images"), recent, *of_generators),
        *section("By kind of genuine image", HEADER.format("FPR"), *table.groups(rows.kind, 0, LEAST_KIND)),
        *section("Faces", *face_lines(measured)),
        *section("Assessment", *assessment_lines(measured)),
    ]
    if ("full_image_specialist", "matched") in measured.rows:
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
        HEADER.format("full image, test split and sources found after the model"),
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
    if ("full_image_specialist", "matched") in measured.rows:
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
