"""The backbone in PyTorch with a low-rank adapter for each matrix, and the five heads that are trained with it.

A tuned matrix is W + up @ down (Hu et al., 2021). This trains so few numbers that some thousand images do not spoil
what the backbone has learned. Norms are trained directly. The state of the network contains the adapters, norms, heads
and moments, but not the backbone's own matrices.
"""

import numpy as np
import torch
from torch import nn

from encoder.backbone import DEVIATION, HEADS, MEAN, PATCH_PX, WIDTH, Backbone, Block, Matrix, Norm
from encoder.continue_training import unfold_head
from encoder.export import FoldedHead
from encoder.features import BLOCKS
from encoder.graph import EPSILON, QUICK_GELU
from encoder.heads import HeadSettings, fold_head, head_network
from encoder.package import TUNED
from encoder.quantise import with_outliers
from export.arithmetic import fast_numbers, fast_products

RANK = 16


def numbers(tensor: torch.Tensor) -> np.ndarray:
    """Copies the values of a tensor to main memory."""
    return tensor.detach().cpu().numpy()


class Adapted(nn.Module):
    """Adds a trained product of low rank, at first 0, to a fixed matrix product (in `fast_numbers`)."""

    def __init__(self, matrix: Matrix):
        super().__init__()
        self._start = matrix
        dense = matrix.dense().T.copy()
        self.squared_norm = float((dense**2).sum())
        frozen = fast_numbers("cuda" if torch.cuda.is_available() else "cpu")
        self.register_buffer("weight", torch.from_numpy(dense).to(frozen), persistent=False)
        self.register_buffer("bias", torch.from_numpy(matrix.bias.astype(np.float32)).to(frozen), persistent=False)
        self.down = nn.Parameter(torch.randn(RANK, dense.shape[1]) / np.sqrt(dense.shape[1]))
        self.up = nn.Parameter(torch.zeros(dense.shape[0], RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps [..., in] to [..., out]."""
        return nn.functional.linear(x, self.weight, self.bias) + nn.functional.linear(
            nn.functional.linear(x, self.down), self.up
        )

    def merged(self, share: float) -> Matrix:
        """Returns the float matrix with `share` of the trained change added."""
        dense = self._start.dense() + share * (numbers(self.up) @ numbers(self.down)).T
        return Matrix(dense.astype(np.float32), np.ones(dense.shape[1], np.float32), self._start.bias)


class TunedNorm(nn.LayerNorm):
    """A layer norm whose initial values are the backbone's."""

    def __init__(self, norm: Norm):
        super().__init__(WIDTH, EPSILON)
        self._start = norm
        self.load_state_dict({"weight": torch.from_numpy(norm.gain.copy()), "bias": torch.from_numpy(norm.bias.copy())})

    def merged(self, share: float) -> Norm:
        """Returns the norm with `share` of the trained change added."""
        gain, bias = self._start.gain, self._start.bias
        return Norm(gain + share * (numbers(self.weight) - gain), bias + share * (numbers(self.bias) - bias))


class TunedBlock(nn.Module):
    """One block of the backbone with adapters."""

    def __init__(self, block: Block):
        super().__init__()
        self.norm1, self.norm2 = TunedNorm(block.before_attention), TunedNorm(block.before_mlp)
        self.qkv, self.projection, self.widen, self.narrow = (
            Adapted(m) for m in (block.qkv, block.projection, block.widen, block.narrow)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps tokens [N,T,768] to tokens of the same shape."""
        crops, tokens, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(crops, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(crops, tokens, WIDTH)
        x = x + self.projection(attended)
        hidden = self.widen(self.norm2(x))
        return x + self.narrow(hidden * torch.sigmoid(QUICK_GELU * hidden))

    def merged(self, share: float) -> Block:
        """Returns the block in float with `share` of the trained change added, ready for quantisation."""
        return Block(
            *(
                part.merged(share)
                for part in (self.norm1, self.qkv, self.projection, self.norm2, self.widen, self.narrow)
            )
        )


class Judge(nn.Module):
    """Computes the heads of TUNED from features of `width` numbers. The heads are given by column or new.

    `mean` and `dev` standardise the features. They are the moments of the features before tuning.
    """

    def __init__(self, width: int, starts: dict[str, FoldedHead] | None = None):
        super().__init__()
        self._starts = starts
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("dev", torch.ones(width))
        self.heads = nn.ModuleList(head_network(width) for _ in TUNED) if starts is None else self._unfolded(starts)

    def _unfolded(self, starts: dict[str, FoldedHead]) -> nn.ModuleList:
        mean, dev = numbers(self.mean), numbers(self.dev)
        return nn.ModuleList(unfold_head(starts[column], mean, dev, HeadSettings()) for column in TUNED)

    def standardise(self, features: torch.Tensor) -> None:
        """Sets `mean` and `dev` to the moments of float32 features [N,F]. Given heads still return the same logits."""
        self.standardise_by(numbers(features.mean(0)), numbers(features.std(0).clamp(min=1e-3)))

    def standardise_by(self, mean: np.ndarray, deviation: np.ndarray) -> None:
        """Sets `mean` and `dev`, float32 [F] each. Given heads still return the same logits."""
        self.mean.copy_(torch.from_numpy(mean))
        self.dev.copy_(torch.from_numpy(deviation))
        if self._starts is not None:
            # Values are changed in place, because an optimiser may refer to the parameters.
            self.heads.load_state_dict(self._unfolded(self._starts).state_dict())

    def judge(self, features: torch.Tensor) -> torch.Tensor:
        """Maps features float32 [N,F] to logits [N,5]."""
        standard = (features - self.mean) / self.dev
        return torch.cat([head(standard) for head in self.heads], 1)

    def folded_heads(self) -> list[FoldedHead]:
        """Returns the heads in the order of TUNED with their standardisation. Requires the network in main memory."""
        return [
            fold_head(column, head, numbers(self.mean), numbers(self.dev))
            for column, head in zip(TUNED, self.heads, strict=True)
        ]


class TunedEncoder(Judge):
    """The backbone with heads on the features of `blocks`. Heads are new (`tune.start_heads`) or the released ones."""

    def __init__(
        self, backbone: Backbone, blocks: tuple[int, ...] = BLOCKS, heads: dict[str, FoldedHead] | None = None
    ):
        super().__init__(len(blocks) * 2 * WIDTH, heads)
        self._backbone, self._read = backbone, blocks
        fixed = {
            "patch": backbone.patch,
            "class_token": backbone.class_token,
            "positions": backbone.positions,
            "gain": backbone.before_blocks.gain,
            "bias": backbone.before_blocks.bias,
            "pixel_mean": 255 * MEAN,
            "pixel_deviation": 255 * DEVIATION,
        }
        for name, values in fixed.items():
            self.register_buffer(name, torch.from_numpy(values.astype(np.float32)), persistent=False)
        self.blocks = nn.ModuleList(TunedBlock(with_outliers(block)) for block in backbone.blocks)

    def features(self, crops: torch.Tensor) -> torch.Tensor:
        """Maps uint8 [N,224,224,3] to features float32 [N,F].

        They are the class token and the mean patch token after each block that heads read.
        """
        with fast_products(crops.device.type):
            x = ((crops.float() - self.pixel_mean) / self.pixel_deviation).permute(0, 3, 1, 2)
            x = nn.functional.conv2d(x, self.patch, stride=PATCH_PX).flatten(2).transpose(1, 2)
            x = torch.cat((self.class_token.expand(len(x), 1, -1), x), 1) + self.positions
            x, pooled = nn.functional.layer_norm(x, (WIDTH,), self.gain, self.bias, EPSILON), []
            for number, block in enumerate(self.blocks, 1):
                x = block(x)
                if number in self._read:
                    pooled += [x[:, 0].float(), x[:, 1:].float().mean(1)]
        return torch.cat(pooled, 1)

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        """Maps uint8 [N,224,224,3] to logits float32 [N,5] in the order of TUNED."""
        return self.judge(self.features(crops))

    def merged(self, share: float) -> Backbone:
        """Returns the backbone in float with `share` of the trained change added. 0 returns the original backbone."""
        start = self._backbone
        return Backbone(
            start.patch,
            start.class_token,
            start.positions,
            start.before_blocks,
            [block.merged(share) for block in self.blocks],
        )
