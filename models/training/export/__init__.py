"""ONNX export, verification and quantisation."""
