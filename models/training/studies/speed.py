"""Milliseconds of a view on one thread in the arithmetic that ships for CPUs and in float, and which operators take them.

    python -m studies.speed --encoder ../encoder [--views 20]

Both graphs end at the tokens; the heads behind them cost next to nothing. On a processor with VNNI and CPUID faulting `LD_PRELOAD` of `bench/preload/hide-vnni.c` shows
what one without VNNI does.
"""
import argparse
import json
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnxruntime

from encoder.graph import GraphWriter
from encoder.unpack import read_constants, unpack_tower
from encoder.tower import TOKENS, VIEW_PX, WIDTH

SHOWN = 6
"""Operators that are told."""


def measure(model: bytes, views: int, folder: Path) -> tuple[float, Counter]:
    """Median milliseconds of a view, and milliseconds a view by operator."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    plain = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    options.enable_profiling, options.profile_file_prefix = True, str(folder / "profile")
    profiled = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    pixels = np.random.default_rng(0).integers(0, 256, (1, VIEW_PX, VIEW_PX, 3), dtype=np.uint8)
    times = []
    for session in (plain, profiled):
        for index in range(views + 2):
            start = time.perf_counter()
            session.run(None, {"pixels": pixels})
            if session is plain and index >= 2:
                times.append(1000 * (time.perf_counter() - start))
    operators = Counter()
    for event in json.loads(Path(profiled.end_profiling()).read_text()):
        if event.get("cat") == "Node" and event["name"].endswith("kernel_time"):
            operators[event["args"]["op_name"]] += event["dur"] / 1000 / (views + 2)
    return float(np.median(times)), operators


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--views", type=int, default=20)
    arguments = parser.parse_args()
    tower = unpack_tower(read_constants(arguments.encoder))
    for arithmetic in ("int8", "float"):
        writer = GraphWriter(arithmetic)
        last = writer.tokens(tower)[-1]
        model = writer.model({last: ["N", TOKENS + 1, WIDTH]}).SerializeToString()
        with TemporaryDirectory() as folder:
            median, operators = measure(model, arguments.views, Path(folder))
        told = ", ".join(f"{name} {value:.1f}" for name, value in operators.most_common(SHOWN))
        print(f"{arithmetic}: {median:.1f} ms a view ({told})")


if __name__ == "__main__":
    main()
