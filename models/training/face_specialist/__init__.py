"""Modules for the face specialist, the detector of fake faces: aligned crops, fakes, training and measures."""
