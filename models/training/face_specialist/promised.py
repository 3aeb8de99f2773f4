"""What sets of heads find where each keeps the promise on genuine faces of validation: the choice between them. A table in Markdown.

    python -m face_specialist.promised --features VALIDATION [VALIDATION ...] --heads ../encoder --heads ../encoder further.npz

FEATURES are what `face_specialist.features pictures` wrote. For each set the scales are fitted as `face_specialist.calibrate fit` does, then the threshold at which the face accuses a share
of genuine pictures, weighed as `measure.promise` weighs them. All tiers alike. A set's difference to the first one is told with its 90% interval over owners drawn with replacement, the same
for both, thresholds fitted anew for each drawing; DFDC's videos count as owners.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.mix import owner_of
from face_specialist.calibrate import fit_heads, joining_of
from face_specialist.face_scores import ScoredFace, ScoredPicture, join_faces, read_faces, scores_of
from face_specialist.groups import MADE_GROUP
from face_specialist.roster import DFDC, SECOND_DFDC
from measure.bands import PROFILES
from measure.medium_thresholds import log_odds, threshold_weighing
from measure.metrics import auc
from measure.promise import PEOPLE, SPARED, names_swap, sources_alike

RATES = tuple(share * PROFILES["balanced"] for share in (SPARED, 0.5, 1.0))
"""Shares of genuine pictures that the face may accuse; the first is what the balanced profile spares it."""
ROUNDS = 400


@dataclass(frozen=True)
class Judged:
    """Pictures in their tiers: log odds of each row by the set of heads, and what it is."""

    odds: np.ndarray
    genuine: np.ndarray
    people: np.ndarray
    """Genuine pictures by photographers."""
    swap: np.ndarray
    edit: np.ndarray
    """Manipulated faces that are no swap."""
    generated: np.ndarray
    owner: np.ndarray
    base: np.ndarray
    """What a genuine row weighs in its half, before owners are drawn."""

    def weights(self, times: np.ndarray) -> np.ndarray:
        """Weights of rows whose owners were drawn so many `times`, sum 1, 0 of fakes: pictures by photographers half."""
        weights = np.zeros(len(self.odds))
        for mine in (self.people, self.genuine & ~self.people):
            drawn = self.base[mine] * times[mine]
            weights[mine] = drawn / drawn.sum() if drawn.sum() else 0
        return weights / weights.sum()

    def at(self, rate: float, times: np.ndarray) -> dict[str, float]:
        """The threshold of `rate` in log odds, and the shares of rows that reach it."""
        rows = np.flatnonzero(self.genuine)
        threshold = threshold_weighing(self.odds[rows], self.weights(times)[rows], rate)
        fires = self.odds >= threshold
        shares = {name: float(times[mine] @ fires[mine] / max(times[mine].sum(), 1)) for name, mine in
                  (("swaps", self.swap), ("edits", self.edit), ("generated", self.generated), ("people accused", self.people), ("accused", self.genuine))}
        return {"threshold": threshold, **shares}


def drawn_by(line: dict) -> str:
    """Who is drawn together: the owner of a repository, or a video."""
    return f"video {line['group']}" if line["source"] in (DFDC, SECOND_DFDC) else owner_of(line["source"])


def judge(faces: list[ScoredFace]) -> Judged:
    """The pictures of faces, on scales that are fitted on them."""
    heads = fit_heads(faces)
    scores = scores_of(faces, {"heads": heads, "joining": joining_of(faces, heads)})
    pictures: Sequence[ScoredPicture] = [picture for picture in join_faces(faces, scores) if picture.line["kind"] != MADE_GROUP]
    lines = [picture.line for picture in pictures]
    column = lambda tell: np.array([tell(line) for line in lines])
    genuine, swap = column(lambda line: line["label"] == "genuine"), column(lambda line: line["label"] == "manipulated" and names_swap(line["method"]))
    people, base = genuine & column(lambda line: line["kind"] in PEOPLE), np.zeros(len(lines))
    for mine in (people, genuine & ~people):
        base[mine] = sources_alike(column(lambda line: line["source"])[mine], column(lambda line: line["sha256"])[mine]) if mine.any() else 0
    return Judged(log_odds(np.array([picture.score for picture in pictures])), genuine, people, swap, column(lambda line: line["label"] == "manipulated") & ~swap,
                  column(lambda line: line["label"] == "generated"), column(drawn_by), base)


def drawings(owners: np.ndarray, rounds: int = ROUNDS, seed: int = 1) -> list[np.ndarray]:
    """How often each row's owner came in each of `rounds` drawings with replacement."""
    rng, (names, number) = np.random.default_rng(seed), np.unique(owners, return_inverse=True)
    return [np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))[number].astype(float) for _ in range(rounds)]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--heads", type=Path, nargs="+", action="append", required=True, help="a set, as face_specialist.calibrate takes it; once for each set")
    arguments = parser.parse_args()
    sets = [judge([face for folder in arguments.features for face in read_faces(folder, heads)]) for heads in arguments.heads]
    first, once = sets[0], np.ones(len(sets[0].odds))
    print(f"{first.genuine.sum()} genuine rows, {first.people.sum()} of people by photographers, {first.swap.sum()} swaps, {first.edit.sum()} edits, {first.generated.sum()} generated; {len(np.unique(first.owner))} owners")
    times = drawings(first.owner)
    print("| heads | AUC of swaps, edits | accused, weighed | threshold | swaps found | edits | generated | of people accused |\n|---|---|---|---|---|---|---|---|")
    for heads, mine in zip(arguments.heads, sets, strict=True):
        told = ", ".join(f"{auc(np.r_[np.ones(kind.sum()), np.zeros(mine.genuine.sum())], np.r_[mine.odds[kind], mine.odds[mine.genuine]]):.3f}" for kind in (mine.swap, mine.edit))
        for rate in RATES:
            found, before = mine.at(rate, once), first.at(rate, once)
            cells = [f"{found[name]:.3f}" for name in ("swaps", "edits", "generated")]
            if mine is not first:
                for place, name in enumerate(("swaps", "edits", "generated")):
                    low, high = np.percentile([mine.at(rate, drawn)[name] - first.at(rate, drawn)[name] for drawn in times], (5, 95))
                    cells[place] += f" ({found[name] - before[name]:+.3f}, {low:+.3f} to {high:+.3f})"
            print(f"| {' '.join(path.stem for path in heads)} | {told} | {rate:.2%} | {1 / (1 + np.exp(-found['threshold'])):.4f} | {' | '.join(cells)} | {found['people accused']:.2%} |")


if __name__ == "__main__":
    main()
