"""Opens exported ONNX files on the CPU and measures their time.

In: a path. Out: a session; times in milliseconds of processor time.
"""

import time
from pathlib import Path

import numpy as np
import onnxruntime


def open_session(path: Path, threads: int = 1) -> onnxruntime.InferenceSession:
    """Opens a CPU session with the given number of intra-op threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def milliseconds(path: Path, shape: tuple[int, ...], repeats: int = 20) -> float:
    """Measures the median processor time of a run on one thread for pixels of `shape` [N,H,W,3], which other load
    changes little.
    """
    session = open_session(path)
    pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    times = []
    for _ in range(repeats):
        started = time.process_time()
        session.run(None, {"pixels": pixels})
        times.append(time.process_time() - started)
    return float(np.median(times) * 1e3)
