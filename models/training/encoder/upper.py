"""The tower's upper blocks in PyTorch with low-rank adapters, which training tunes while the blocks below stay as they ship.

A tuned matrix is W + up @ down (Hu et al., 2021): few enough numbers that a few thousand pictures do not spoil what the tower knows.
"""

import numpy as np
import torch
from torch import nn

from encoder.graph import EPSILON, QUICK_GELU
from encoder.tower import HEADS, WIDTH, Block, Matrix, Norm

RANK = 16


class Adapted(nn.Linear):
    """A frozen product (bfloat16) with a trained one of low rank beside it; at first the two are the frozen one."""

    def __init__(self, matrix: Matrix):
        dense = torch.from_numpy(matrix.dense().T.copy())
        super().__init__(dense.shape[1], dense.shape[0], device="meta")
        self.weight = nn.Parameter(dense.bfloat16(), requires_grad=False)
        self.bias = nn.Parameter(torch.from_numpy(matrix.bias.astype(np.float32)).bfloat16(), requires_grad=False)
        self.down = nn.Parameter(torch.randn(RANK, self.in_features) / np.sqrt(self.in_features))
        self.up = nn.Parameter(torch.zeros(self.out_features, RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[..., in] -> [..., out]."""
        return super().forward(x) + nn.functional.linear(nn.functional.linear(x, self.down), self.up)

    def change(self) -> np.ndarray:
        """What the adapter adds to the matrix, float32 [in, out]."""
        return (self.up @ self.down).detach().numpy().T


class TunedBlock(nn.Module):
    """One block of the tower; its norms are trained as they are."""

    def __init__(self, block: Block):
        super().__init__()
        self._start = block
        self.before_attention, self.before_mlp = (self._norm(norm) for norm in (block.before_attention, block.before_mlp))
        self.qkv, self.projection, self.widen, self.narrow = (Adapted(m) for m in (block.qkv, block.projection, block.widen, block.narrow))

    @staticmethod
    def _norm(norm: Norm) -> nn.LayerNorm:
        layer = nn.LayerNorm(WIDTH, EPSILON)
        layer.load_state_dict({"weight": torch.from_numpy(norm.gain.copy()), "bias": torch.from_numpy(norm.bias.copy())})
        return layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Tokens [N,T,768] -> the same shape."""
        views, tokens, _ = x.shape
        q, k, v = self.qkv(self.before_attention(x)).view(views, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(views, tokens, WIDTH)
        x = x + self.projection(attended)
        hidden = self.widen(self.before_mlp(x))
        return x + self.narrow(hidden * torch.sigmoid(QUICK_GELU * hidden))

    def merged(self) -> Block:
        """The block with its adapters folded in: float matrices, for `quantise.even_block` to quantise."""

        def matrix(start: Matrix, layer: Adapted) -> Matrix:
            dense = start.dense() + layer.change()
            return Matrix(dense, np.ones(dense.shape[1], np.float32), start.bias)

        def norm(layer: nn.LayerNorm) -> Norm:
            return Norm(layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())

        start = self._start
        return Block(norm(self.before_attention), matrix(start.qkv, self.qkv), matrix(start.projection, self.projection),
                     norm(self.before_mlp), matrix(start.widen, self.widen), matrix(start.narrow, self.narrow))
