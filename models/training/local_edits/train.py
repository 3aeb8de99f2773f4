"""Trains the head that finds generated parts of a crop, on stored tokens.

    python -m local_edits.train --tokens TRAIN [TRAIN ...] --out head.npz [--seeds 2]
    python -m local_edits.train --tokens TRAIN [TRAIN ...] --start ../encoder --steps 1000 --out head.npz

With `--start` the head in an encoder is trained further, and the weights of the runs with all seeds are averaged.
Without it, new heads are trained and joined into one that returns the mean of their logits.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from encoder.continue_training import tune_head
from encoder.export import TOKEN_COLUMN
from encoder.heads import HeadSettings, average_heads, cell_weights, save_heads, train_head
from encoder.package import heads_of
from export.command import command_parser
from full_image.hard_negatives import mean_of
from local_edits.tokens import read_tokens

SHARES = {
    0: {"genuine": 0.4, "collage": 0.25, "edited": 0.35, "real": 0.3},
    1: {"generated": 0.35, "edited": 0.65, "real": 0.5},
}
"""Shares in which tokens of each label (0 genuine, 1 generated) are drawn: from unedited genuine or AI images, from
collages, from edits made by this code, and from edits by people (`real`). If a group is missing, the others share its
draws."""
CONTINUED = HeadSettings(rate=1e-4, decay=0.0, hidden_dropout=0.3)
"""Settings of a run that starts from a trained head, as for faces (face_specialist.continue_training)."""


def sort_of(method: str) -> str:
    """Returns the group of SHARES to which the tokens of an image belong."""
    return method if method in ("genuine", "collage", "generated", "real") else "edited"


def token_weights(lines: list[dict], answers: np.ndarray) -> np.ndarray:
    """Returns the probability with which each token is drawn, float64 [R] with sum 1.

    The SHARES of each label are kept. Within a group, tokens are drawn by source, generator and method.
    """
    cells = [(line["source"], line["generator"], line["method"]) for line in lines]
    weights, sorts = cell_weights(cells, answers), np.array([sort_of(line["method"]) for line in lines])
    for answer, shares in SHARES.items():
        for sort, share in shares.items():
            mine = (answers == answer) & (sorts == sort)
            if mine.any():
                weights[mine] *= share / weights[mine].sum()
    return weights / weights.sum()


def main() -> None:
    parser = command_parser(__doc__, "out", "tokens+")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=2, help="heads that are averaged into one")
    parser.add_argument("--start", type=Path, help="folder of the encoder whose token head goes on")
    args = parser.parse_args()
    torch.set_num_threads(1)
    lines, answers, values = read_tokens(args.tokens)
    methods = Counter(line["method"] for line in lines)
    print(f"{len({line['sha256'] for line in lines})} images", dict(methods), flush=True)
    weights, seeds = token_weights(lines, answers), range(1, args.seeds + 1)
    if args.start:
        head, settings = heads_of([args.start])[TOKEN_COLUMN], replace(CONTINUED, steps=args.steps)
        trained = mean_of([tune_head(head, values, answers, weights, settings, seed) for seed in seeds])
    else:
        settings = replace(HeadSettings(), steps=args.steps)
        trained = average_heads([train_head(values, answers, weights, TOKEN_COLUMN, settings, seed) for seed in seeds])
    save_heads(args.out, [trained])


if __name__ == "__main__":
    main()
