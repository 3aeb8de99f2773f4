"""ONNX export, verification and quantisation."""

VERSION = "2.13.0"
"""That the models which ship together bear in their manifests."""
