"""The face detector: teacher, labels, network, training, export and evaluation."""
