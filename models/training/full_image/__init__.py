"""The full-image specialist: networks, training, evaluation."""
