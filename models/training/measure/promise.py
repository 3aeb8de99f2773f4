"""One promise for both detectors: thresholds at which a profile's share of genuine pictures is accused by anything, whole picture or face.

    python -m measure.promise --full-image VALIDATION.csv --faces VALIDATION.csv [--profile balanced] [--bands ../bands.json]
    python -m measure.promise --full-image VALIDATION.csv TEST.csv --faces VALIDATION.csv TEST.csv --version 2026-11-25.1 --model telltale-2.11.0 --out ../bands.json

The face's threshold comes first, from genuine pictures with a face: those by photographers, of events, teams, press and sports (PEOPLE) weigh half, all others the other half;
within a half sources weigh alike, as in `measure.medium_thresholds`. Then those of the whole picture are fitted as `measure.medium_thresholds` fits them, with every genuine picture that its
face accuses counted as fired: what the face spends the whole picture has no more. A higher threshold of the face gives the whole picture more; SPARED says how much the
face leaves of what it may take, and the command prints what every choice finds of generated pictures and of swaps, from which it was chosen, and intervals over owners.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from data.mix import owner_of
from data.split import FOUND_FILE, read_csv
from measure.bands import PROFILES, measured, measured_mediums
from measure.kinds import ai_group_of
from measure.medium_thresholds import FULL_SOURCE, MEDIUMS, Genuine, fit_mediums, genuine_of, apply_thresholds, log_odds, is_drawn, rounded_up, threshold_weighing, weights_of
from measure.metrics import rate_up
from measure.score_file import Scores, read_scores

PEOPLE = ("portrait-photo", "group-photo", "event", "press", "sports")
"""Kinds of picture that photographers take of people."""
SWAPS = ("dfdc", "deepfakes", "deepfacelive", "classical", "two-people", "facefusion", "roop", "triangle-swap", "inswapper", "simswap", "faceswap", "sber-swap", "diffreface")
"""What the names of methods have in them that give a face another's identity."""
SURE = 19.0
"""Log odds of a genuine picture that its face accuses: it fires at any threshold."""
SHARES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15)
"""Of the rate, that the face may accuse of pictures with a face."""
SPARED = 0.25
"""The share that ships. On pictures of people of no list the face accuses three to four times as many as on those of the lists, which are milder: at a quarter of the rate
here the promise holds there. It costs swaps a quarter of what is found, and the whole picture nothing (experiments/0019)."""


def sources_alike(sources: np.ndarray, pictures: np.ndarray) -> np.ndarray:
    """Weights of rows, sum 1: sources alike once they have FULL_SOURCE pictures, one with fewer as many parts."""
    _, number, count = np.unique(sources, return_inverse=True, return_counts=True)
    having = np.array([len(np.unique(pictures[number == each])) for each in range(len(count))])
    weights = (np.minimum(having, FULL_SOURCE) / count)[number]
    return weights / weights.sum()


def face_weights(faces: Scores, people: np.ndarray) -> np.ndarray:
    """Weights of genuine rows with a face, sum 1: PEOPLE, `people`, half."""
    weights = np.zeros(len(faces.score))
    for mine in (people, ~people):
        if mine.any():
            weights[mine] = sources_alike(faces.source[mine], faces.picture[mine])
    return weights / weights.sum()


def people_pictures() -> frozenset[str]:
    """Pictures of PEOPLE in the lists: only what was found by a hunt has these kinds."""
    return frozenset(row["sha256"] for row in read_csv(FOUND_FILE) if row["kind"] in PEOPLE)


def is_people(faces: Scores, people: frozenset[str]) -> np.ndarray:
    """Whether each row of a face's score file is of a picture of `people`; names that a bootstrap gave end with the picture's."""
    return np.array([picture.rsplit(" ", 1)[-1] in people for picture in faces.picture])


def names_swap(method: str) -> bool:
    """Whether a method of fakes is one of SWAPS."""
    return any(name in method for name in SWAPS)


def is_swap(faces: Scores) -> np.ndarray:
    """Whether each row of a face's score file is of a fake by one of SWAPS."""
    return (faces.labels == 1) & np.array([names_swap(method) for method in faces.generator], bool)


def face_threshold(faces: Scores, people: np.ndarray, rate: float) -> float:
    """The lowest threshold, rounded up, at which `rate` of genuine pictures with a face fire, weighed by `face_weights`."""
    genuine = faces.labels == 0
    rows = faces.where(genuine)
    odds = threshold_weighing(log_odds(rows.score), face_weights(rows, people[genuine]), rate)
    return min(1.0, float(rounded_up(1 / (1 + np.exp(-odds)))))


def by_face(whole: Scores, faces: Scores, threshold: float) -> np.ndarray:
    """Whether a face of each row's picture fires, bool [rows]."""
    fired = set(zip(faces.picture[faces.score >= threshold], faces.tier[faces.score >= threshold], strict=True))
    return np.array([key in fired for key in zip(whole.picture, whole.tier, strict=True)])


def left_by_face(whole: Scores, faces: Scores, threshold: float) -> Genuine:
    """The genuine rows, on which thresholds of the whole picture are fitted; those that a face accuses are sure to fire."""
    genuine, accused = genuine_of(whole), by_face(whole, faces, threshold)[whole.labels == 0]
    return replace(genuine, odds=np.where(accused, SURE, genuine.odds))


def fit_both(whole: Scores, faces: Scores, rate: float, people: frozenset[str], share: float = SPARED) -> dict[str, float]:
    """Thresholds of a profile: `face`, and by medium those of the whole picture."""
    face = face_threshold(faces, is_people(faces, people), share * rate)
    looks = fit_mediums(left_by_face(whole, faces, face), rate)
    return {"face": face, **{medium: float(rounded_up(value)) for medium, value in looks.items()}}


def of_owners(scores: Scores, owners: list[str]) -> Scores:
    """The rows of these owners, of the type of `scores`; one that is named twice is two."""
    mine = np.array([owner_of(source) for source in scores.source])
    parts = []
    for number, owner in enumerate(owners):
        rows = scores.where(mine == owner)
        name = np.char.add(f"{number} ", rows.picture.astype(str)) if len(rows.picture) else rows.picture
        parts.append(replace(rows, picture=name, source=np.array([f"{number} {source}" for source in rows.source], dtype=object)))
    return type(scores)(*(np.concatenate([getattr(part, column) for part in parts]) for column in vars(scores)))


def bootstrap_both(whole: Scores, faces: Scores, rate: float, people: frozenset[str], rounds: int = 100, seed: int = 1) -> dict[str, tuple[float, float]]:
    """5 to 95% interval of each threshold when owners are drawn with replacement."""
    rng = np.random.default_rng(seed)
    whole, faces = whole.where(whole.labels == 0), faces.where(faces.labels == 0)
    owners = np.unique([owner_of(source) for source in (*whole.source, *faces.source)])
    fits = []
    for _ in range(rounds):
        drawn = list(rng.choice(owners, len(owners)))
        fits.append(fit_both(of_owners(whole, drawn), of_owners(faces, drawn), rate, people))
    return {name: tuple(float(np.percentile([fit[name] for fit in fits], share)) for share in (5, 95)) for name in fits[0]}


def outcome(whole: Scores, faces: Scores, thresholds: dict[str, float], people: frozenset[str]) -> dict[str, float]:
    """Shares, all tiers alike: found of generated pictures and of manipulated faces, accused of genuine pictures by anything, by the face, and of those of PEOPLE by the face."""
    fires = apply_thresholds(whole, {medium: {"threshold": thresholds[medium]} for medium in MEDIUMS}).fires
    face = by_face(whole, faces, thresholds["face"])
    ai, drawn = whole.labels == 1, is_drawn(whole.drawn)
    generated = ai & np.isin(np.where(ai, whole.kind, "generated"), [kind for kind in set(whole.kind[ai]) if ai_group_of(np.array([kind]))[0] == "generated"])
    sent = [weights_of(genuine_of(whole.where(~ai & (drawn == painted))), medium) @ (fires | face)[~ai & (drawn == painted)] for medium, painted in zip(MEDIUMS, (False, True))]
    of_people = is_people(faces, people) & (faces.labels == 0)
    fakes = is_swap(faces)
    share = lambda values: float(values.mean()) if len(values) else float("nan")
    of_faces = faces.score >= thresholds["face"]
    return {"generated": share((fires | face)[generated]), "swaps": share(of_faces[fakes]), **{f"accused, {medium}": float(each) for medium, each in zip(MEDIUMS, sent)},
            "accused by the face": share(face[~ai]), "people accused by the face": share(of_faces[of_people])}


def bands_of(whole: Scores, faces: Scores, whole_test: Scores, faces_test: Scores) -> dict:
    """What bands.json holds of every profile: thresholds by validation, beside them what they give on test."""
    profiles = {}
    for profile, rate in PROFILES.items():
        fit = fit_both(whole, faces, rate, people_pictures())
        profiles[profile] = {"full_image_specialist": measured_mediums({medium: fit[medium] for medium in MEDIUMS}, whole_test), "face_specialist": measured(fit["face"], faces_test)}
    return profiles


def thresholds_of(profile: dict) -> dict[str, float]:
    """Those of a profile of bands.json, as `fit_both` gives them."""
    looks = profile["full_image_specialist"]
    return {"face": profile["face_specialist"]["threshold"], **{medium: looks[medium]["threshold"] for medium in MEDIUMS}}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("full-image", "faces"):
        parser.add_argument(f"--{name}", type=Path, nargs="+", required=True, help="score files of validation and, to write thresholds, of test")
    parser.add_argument("--profile", default="balanced")
    parser.add_argument("--rounds", type=int, default=100)
    for name in ("version", "model"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--bands", type=Path, help="bands.json whose thresholds are compared, too")
    parser.add_argument("--out", type=Path, help="bands.json; without it choices are compared")
    arguments = parser.parse_args()
    whole, faces, rate = read_scores(arguments.full_image[0]), read_scores(arguments.faces[0]), PROFILES[arguments.profile]
    if arguments.out:
        content = {"version": arguments.version, "model": arguments.model, "profiles": bands_of(whole, faces, *(read_scores(each[1]) for each in (arguments.full_image, arguments.faces)))}
        arguments.out.write_text(json.dumps(content, indent=2) + "\n")
        print(json.dumps(content, indent=1))
        return
    people = people_pictures()
    print("| the face may accuse, of the rate | face, photographed, drawn | generated found | swaps found | accused: photographed, drawn | by the face | of people by the face |")
    print("|---|---|---|---|---|---|---|")
    fits = {share: fit_both(whole, faces, rate, people, share) for share in SHARES}
    if arguments.bands:
        fits = {arguments.bands.name: thresholds_of(json.loads(arguments.bands.read_text())["profiles"][arguments.profile])} | fits
    for name, fit in fits.items():
        found = outcome(whole, faces, fit, people)
        print(f"| {name} | {fit['face']:.4f}, {fit['photographed']:.4f}, {fit['drawn']:.4f} | {found['generated']:.3f} | {found['swaps']:.3f} | "
              f"{rate_up(found['accused, photographed']):.2%}, {rate_up(found['accused, drawn']):.2%} | {rate_up(found['accused by the face']):.2%} | {rate_up(found['people accused by the face']):.2%} |")
    for name, (low, high) in bootstrap_both(whole, faces, rate, people, arguments.rounds).items():
        print(f"{arguments.profile}, {name}: 5 to 95% of drawings of owners {low:.4f} to {high:.4f}, in log odds {log_odds(low):.2f} to {log_odds(high):.2f}")


if __name__ == "__main__":
    main()
