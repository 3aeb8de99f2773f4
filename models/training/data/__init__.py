"""Training data: collecting, splitting, degrading, fakes."""
