"""Modules that run exported ONNX files, and the steps that make a model again."""

VERSION = "2.15.0"
"""Version in the manifests of models that are released together."""
