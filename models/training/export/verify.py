"""Checks an exported ONNX file against its PyTorch network, for several batch sizes."""
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch

TOLERANCE = 1e-4
"""Greatest absolute difference of an output, in logits."""


def open_session(path: Path, threads: int = 1) -> onnxruntime.InferenceSession:
    """A CPU session with the given intra-op threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def verify(path: Path, network: torch.nn.Module, shape: tuple[int, int, int], batches: tuple[int, ...] = (1, 2, 9)) -> float:
    """Greatest difference over batches of random uint8 pixels [N,*shape]; raises ValueError above TOLERANCE."""
    session = open_session(path)
    rng = np.random.default_rng(1)
    worst = 0.0
    for count in batches:
        # smooth and noisy pictures alike, as flat and textured patches come
        noise = rng.integers(0, 256, (count, *shape)).astype(np.float32)
        ramp = np.linspace(0, 255, shape[1])[None, None, :, None]
        pixels = (noise * 0.4 + ramp * 0.6).astype(np.uint8)
        with torch.no_grad():
            expected = network(torch.from_numpy(pixels))
        found = session.run(None, {"pixels": pixels})
        worst = max(worst, *(float(np.abs(f - e.numpy()).max()) for f, e in zip(found, expected, strict=True)))
    if not worst <= TOLERANCE:
        raise ValueError(f"{path}: differs from PyTorch by {worst:.2e}, allowed {TOLERANCE:.0e}")
    return worst


def milliseconds(path: Path, shape: tuple[int, ...], rounds: int = 20) -> float:
    """Median processor time of one run on one thread for pixels of `shape` [N,H,W,3] (other load on the machine counts little)."""
    session = open_session(path)
    pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    times = []
    for _ in range(rounds):
        started = time.process_time()
        session.run(None, {"pixels": pixels})
        times.append(time.process_time() - started)
    return float(np.median(times) * 1e3)
