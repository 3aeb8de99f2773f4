"""The face finder: teacher, labels, network, training, export and evaluation."""
