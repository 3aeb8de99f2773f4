"""ONNX export, verification and quantisation."""

VERSION = "2.13.0"
"""Version in the manifests of models that ship together."""
