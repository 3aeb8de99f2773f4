"""Modules for the encoder, the network that both detectors use: weights, crops, features, heads and ONNX graphs."""
