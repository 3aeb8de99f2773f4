"""Fits and measures the assessment, which rates images as `likely_ai`, `unclear` or `no_ai_detected`.

    python -m measure.assessment            # prints edges and rates
    python -m measure.assessment --write    # writes them into ../bands.json, after measure.target_fpr

The limits are fitted on validation images, and the rates are measured on sources that set no limit. An image is
`likely_ai` if a detector's score reaches the threshold of the profile strict, which has the lowest FPR
(`bands.PROFILES`). It is `no_ai_detected` if no score reaches the detector's lower edge, and `unclear` otherwise.

A lower edge is the highest score below which at most MISSED of the AI validation images lie. All levels and sources
have equal weight. The edge of the full image is fitted for each image domain, on generated and edited images that their
face does not reveal. The edge of the face is fitted on face swaps. There are three limits. An edge is never above the
threshold of the profile sensitive, so that no image flagged as AI in any profile is `no_ai_detected`. It is never so
low that a check may exit early on its wrong side (`early_exit` of the manifest). The edge of the face is never so low
that more than DOUBTED of genuine images with a face are unclear because of it. If one of these limits applies, `missed`
states the share of AI images below the edge.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.mix import source_of
from export.command import command_parser
from measure.bands import PROFILES
from measure.domain_thresholds import DOMAINS, apply_thresholds, either, is_illustration, log_odds
from measure.metrics import source_bootstrap
from measure.score_file import Scores, read_all, read_scores
from measure.target_fpr import SURE, by_face, face_threshold, is_people, is_swap, people_images, sources_alike

MODELS = Path(__file__).parents[2]
TRAINING = MODELS / "training"
ASSESSMENTS = ("likely_ai", "unclear", "no_ai_detected")
MISSED = 0.1
"""Maximum share of AI images that may be `no_ai_detected`. If 1 of 10 images sent is AI, then about 1 of 100 images
assessed as `no_ai_detected` is AI."""
DOUBTED = PROFILES["sensitive"]
"""Maximum share of genuine images with a face that may be unclear because of their face."""
PREVALENCES = {"at_1_in_10": 0.1, "at_1_in_2": 0.5}
RESAMPLES = 1000
ITERATIONS = 50


def rounded_down(score: float) -> float:
    """Rounds down to four decimals, so that rounding never adds a missed image."""
    return float(np.floor(score * 1e4 + 1e-6) / 1e4)


def highest_missing(values: np.ndarray, weights: np.ndarray, rate: float) -> float:
    """Returns the highest edge below which at most the share `rate` of all weight lies, possibly infinity."""
    order = np.argsort(values)
    over = np.flatnonzero(np.cumsum(weights[order]) > rate * weights.sum() + 1e-12)
    return float(values[order[over[0]]]) if len(over) else np.inf


def weights_of_ai(rows: Scores) -> np.ndarray:
    """Returns weights of AI rows with sum 1, in which all sources have the same weight."""
    return sources_alike(np.array([source_of(repository) for repository in rows.source]), rows.image)


def early_exit_floor() -> dict[str, float]:
    """Returns for each image domain the score below which a check may exit early."""
    rounds = json.loads((MODELS / "full_image_specialist/manifest.json").read_text())["early_exit"]["rounds"]
    return {domain: max(each["bounds"][domain]["below"] for each in rounds) for domain in DOMAINS}


def fit_face(faces: Scores, most: float) -> dict[str, float]:
    """Fits the lower edge of faces. Returns the edge and the share of swaps below it."""
    swaps = faces.where(is_swap(faces))
    weights = weights_of_ai(swaps)
    floor = face_threshold(faces, is_people(faces, people_images()), DOUBTED)
    edge = rounded_down(min(most, max(floor, highest_missing(swaps.score, weights, MISSED))))
    return {"edge": edge, "missed": float(weights @ (swaps.score < edge))}


def fit_whole(whole: Scores, faces: Scores, face_edge: float, most: dict[str, float]) -> dict[str, dict[str, float]]:
    """Fits the lower edge of the full image for each domain.

    Returns the edges and the share of AI images below them whose face is below its own edge.
    """
    ai = whole.where(whole.labels == 1)
    odds, drawn = np.where(by_face(ai, faces, face_edge), SURE, log_odds(ai.score)), np.round(ai.illustration, 4)
    floor, illustration = early_exit_floor(), is_illustration(ai.illustration)
    rows = {domain: np.flatnonzero(illustration == (domain == "drawn")) for domain in DOMAINS}
    weights = {domain: weights_of_ai(ai.where(mine)) for domain, mine in rows.items()}
    edges = {domain: float(log_odds(most[domain])) for domain in DOMAINS}
    for _ in range(ITERATIONS):
        before = dict(edges)
        for domain, other in (DOMAINS, DOMAINS[::-1]):
            # Highest edge of this domain that a row still reaches, if the edge of the other domain is fixed.
            share = np.abs(drawn[rows[domain]] - (domain == "photographed"))
            reached = (odds[rows[domain]] - (1 - share) * edges[other]) / share
            fitted = np.clip(
                highest_missing(reached, weights[domain], MISSED), log_odds(floor[domain]), log_odds(most[domain])
            )
            edges[domain] = float(log_odds(max(floor[domain], rounded_down(1 / (1 + np.exp(-fitted))))))
        if edges == before:
            break
    between = (1 - drawn) * edges[DOMAINS[0]] + drawn * edges[DOMAINS[1]]
    return {
        domain: {
            "edge": round(float(1 / (1 + np.exp(-edges[domain]))), 4),
            "missed": float(weights[domain] @ (odds < between)[rows[domain]]),
        }
        for domain in DOMAINS
    }


def fit_edges(bands: dict) -> tuple[dict, dict[str, float]]:
    """Fits the field `lower_edges` of bands.json on validation. Also returns the share of AI images below each edge."""
    whole, faces = (
        read_scores(TRAINING / folder / "run/validation_scores.csv") for folder in ("full_image", "face_specialist")
    )
    sensitive = bands["profiles"]["sensitive"]
    face = fit_face(faces, sensitive["face_specialist"]["threshold"])
    looks = fit_whole(
        whole,
        faces,
        face["edge"],
        {domain: sensitive["full_image_specialist"][domain]["threshold"] for domain in DOMAINS},
    )
    edges = {
        "full_image_specialist": {domain: looks[domain]["edge"] for domain in DOMAINS},
        "face_specialist": face["edge"],
    }
    return edges, {**{domain: looks[domain]["missed"] for domain in DOMAINS}, "face": face["missed"]}


@dataclass(frozen=True)
class Edges:
    """The thresholds of an assessment, in the form of a profile in bands.json."""

    strict: dict
    lower: dict

    @classmethod
    def of(cls, bands: dict, lower: dict) -> "Edges":
        """Reads the thresholds from bands.json, with the given lower edges."""
        looks = {domain: {"threshold": lower["full_image_specialist"][domain]} for domain in DOMAINS}
        return cls(
            bands["profiles"]["strict"],
            {"full_image_specialist": looks, "face_specialist": {"threshold": lower["face_specialist"]}},
        )


def assess(edges: Edges, whole: Scores, faces: Scores) -> np.ndarray:
    """Assesses each row of full images by both detectors. Returns its index in ASSESSMENTS."""
    both = {"full_image_specialist": whole, "face_specialist": faces}
    reach = lambda band: either(*(apply_thresholds(rows, band[name]) for name, rows in both.items())).fires
    return np.where(reach(edges.strict), 0, np.where(reach(edges.lower), 1, 2))


def assess_faces(edges: Edges, faces: Scores) -> np.ndarray:
    """Assesses single faces by the face specialist only. Returns their index in ASSESSMENTS."""
    reach = lambda band: apply_thresholds(faces, band["face_specialist"]).fires
    return np.where(reach(edges.strict), 0, np.where(reach(edges.lower), 1, 2))


def share_of_ai(of_ai: float, of_genuine: float, prevalence: float) -> float:
    """Returns the share of AI among images with an assessment, or nan if no image has it.

    `of_ai` and `of_genuine` are the shares of AI and of genuine images that get this assessment. `prevalence` is the
    share of AI among all images.
    """
    total = prevalence * of_ai + (1 - prevalence) * of_genuine
    return prevalence * of_ai / total if total > 0 else float("nan")


def rates_of(rows: Scores, assessed: np.ndarray) -> dict[str, dict]:
    """Computes the field `rates` of bands.json. Rows have equal weight. Intervals draw sources of each class apart."""
    sources = np.array([source_of(repository) for repository in rows.source])
    found = {}
    for number, name in enumerate(ASSESSMENTS):
        mine = assessed == number
        shares = lambda index, mine=mine: tuple(
            float(mine[index][rows.labels[index] == label].mean()) for label in (1, 0)
        )
        of_ai, of_genuine = shares(np.arange(len(mine)))
        found[name] = {
            "images": len(np.unique(rows.image[mine])),
            "sources": len(np.unique(sources[mine])),
            "of_ai": round(of_ai, 4),
            "of_genuine": round(of_genuine, 4),
        }
        for prevalence, share in PREVALENCES.items():
            ai_share = lambda index, share=share, shares=shares: share_of_ai(*shares(index), share)
            low, high = source_bootstrap(rows.labels, sources, ai_share, RESAMPLES)
            rate = share_of_ai(of_ai, of_genuine, share)
            found[name][prevalence] = {"rate": round(rate, 4), "low": round(low, 4), "high": round(high, 4)}
    return found


def measured_rows() -> tuple[Scores, Scores]:
    """Reads full images and faces of the test split, and of sources found after the model was made, if they are there."""
    files = [
        [TRAINING / folder / f"run/{name}_scores.csv" for name in ("test", "later")]
        for folder in ("full_image", "face_specialist")
    ]
    return tuple(read_all([path for path in paths if path.is_file()]) for paths in files)


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="put edges and rates into bands.json")
    path = MODELS / "bands.json"
    bands = json.loads(path.read_text())
    edges, missed = fit_edges(bands)
    whole, faces = measured_rows()
    content = {"lower_edges": edges, "rates": rates_of(whole, assess(Edges.of(bands, edges), whole, faces))}
    print(json.dumps(content, indent=1))
    print("below the edge on validation: " + ", ".join(f"{name} {share:.1%}" for name, share in missed.items()))
    if parser.parse_args().write:
        path.write_text(json.dumps(bands | {"assessment": content}, indent=2) + "\n")


if __name__ == "__main__":
    main()
