"""Chooses the number format in which PyTorch multiplies: bfloat16 if the processor supports it, otherwise float32.

    python -m export.arithmetic

It prints the time of a matrix product and a convolution in both formats on this machine, and the chosen format.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

MULTIPLY_BFLOAT16 = {"amx_bf16", "avx512_bf16", "bf16"}
"""Flags in Linux's /proc/cpuinfo of processors that multiply bfloat16: the first two are for x86, the third for ARM."""


def multiplies_bfloat16(processor: str) -> bool:
    """Returns whether the processor described by a /proc/cpuinfo text multiplies bfloat16.

    Others take many times as long as for float32 (experiments/0027).
    """
    return not MULTIPLY_BFLOAT16.isdisjoint(processor.split())


HERE = multiplies_bfloat16(Path("/proc/cpuinfo").read_text())
"""True if this machine's processor multiplies bfloat16."""


def fast_numbers(device: str) -> torch.dtype:
    """Returns the number format for matrix products on a PyTorch device ("cpu" or "cuda")."""
    return torch.bfloat16 if HERE or device != "cpu" else torch.float32


def fast_products(device: str) -> torch.autocast:
    """Returns the context in which matrix products on that device use that format."""
    return torch.autocast(device, torch.bfloat16, enabled=fast_numbers(device) == torch.bfloat16)


def milliseconds(work: Callable[[], object], numbers: torch.dtype, repeats: int = 5) -> float:
    """Measures the median time of `repeats` runs on the processor in ms, after one run that is not counted."""
    times = []
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=numbers == torch.bfloat16):
        for _ in range(repeats + 1):
            start = time.perf_counter()
            work()
            times.append(1000 * (time.perf_counter() - start))
    return float(np.median(times[1:]))


def main() -> None:
    widen, tokens = torch.nn.Linear(768, 3072), torch.randn(8 * 197, 768)
    convolution, plane = torch.nn.Conv2d(64, 64, 3, padding=1), torch.randn(1, 64, 256, 256)
    works = {
        "a product (8 crops of 197 tokens, 768 to 3072)": lambda: widen(tokens),
        "a convolution (3 x 3, 64 to 64 planes of 256 x 256)": lambda: convolution(plane),
    }
    for name, work in works.items():
        print(
            f"{name}: {milliseconds(work, torch.bfloat16):.0f} ms in bfloat16, {milliseconds(work, torch.float32):.0f} ms in float32"
        )
    print(f"{torch.get_num_threads()} threads; used is {fast_numbers('cpu')}")


if __name__ == "__main__":
    main()
