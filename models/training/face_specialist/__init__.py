"""The face specialist: aligned crops, fakes, network, training, export and evaluation."""
