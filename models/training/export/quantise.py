"""Static int8 quantisation of an exported network (weights per channel, QDQ), calibrated on views of a bank.

    python -m export.quantise --model model.onnx --bank BANK --out model.int8.onnx [--views 200]

prints size, time and how far the logits move; whether it ships is decided by the report on its scores, not here.
"""
import argparse
from pathlib import Path

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from export.verify import milliseconds, open_session
from full_image.view_bank import ViewBank


class ViewReader(CalibrationDataReader):
    """Feeds evenly spread rows of a bank, one picture at a time."""

    def __init__(self, bank: ViewBank, views: int):
        rows = bank.rows[::max(1, len(bank.rows) * 17 // views)]
        self._batches = iter({"pixels": np.ascontiguousarray(bank.views(row))} for row in rows)

    def get_next(self) -> dict | None:
        """The next batch, or None at the end."""
        return next(self._batches, None)


def quantise(model: Path, bank: ViewBank, views: int, out: Path) -> None:
    """Writes the int8 file; only convolutions are quantised, the statistics and heads stay float."""
    prepared = out.with_suffix(".prepared.onnx")
    quant_pre_process(str(model), str(prepared), skip_symbolic_shape=True)
    quantize_static(str(prepared), str(out), ViewReader(bank, views), quant_format=QuantFormat.QDQ, per_channel=True,
                    op_types_to_quantize=["Conv"], activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    prepared.unlink()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--views", type=int, default=200)
    arguments = parser.parse_args()
    bank = ViewBank(arguments.bank)
    quantise(arguments.model, bank, arguments.views, arguments.out)
    shape = (bank.max_patches + 1, bank.px, bank.px, 3)
    sessions = [open_session(path) for path in (arguments.model, arguments.out)]
    moved = []
    for row in bank.rows[5::max(1, len(bank.rows) // 40)]:
        before, after = (session.run(None, {"pixels": np.ascontiguousarray(bank.views(row))}) for session in sessions)
        moved.append([np.abs(a - b).mean() for a, b in zip(before, after)])
    print(f"{arguments.out.stat().st_size / 1e6:.2f} MB, {milliseconds(arguments.out, shape):.1f} ms for {shape[0]} views; "
          f"mean change of patch and global logits: {np.mean(moved, 0).round(3).tolist()}")


if __name__ == "__main__":
    main()
