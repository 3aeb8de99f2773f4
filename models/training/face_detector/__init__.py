"""Modules for the network that locates faces: labels by a teacher network, the network, training and tests."""
