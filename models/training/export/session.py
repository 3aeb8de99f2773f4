"""Opens exported ONNX files on the CPU and measures their time.

Input: a path. Output: a session, and times in milliseconds of processor time.
"""

import time
from pathlib import Path

import numpy as np
import onnxruntime


def open_session(path: Path, threads: int = 1) -> onnxruntime.InferenceSession:
    """Opens a session on the CPU with the given number of threads per operator."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def milliseconds(path: Path, shape: tuple[int, ...], repeats: int = 20) -> float:
    """Measures the median processor time of one run on one thread in ms, for pixels of `shape` [N,H,W,3].

    Processor time depends little on other programs that run meanwhile.
    """
    session = open_session(path)
    pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    times = []
    for _ in range(repeats):
        started = time.process_time()
        session.run(None, {"pixels": pixels})
        times.append(time.process_time() - started)
    return float(np.median(times) * 1e3)
