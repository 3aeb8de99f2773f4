"""Modules for the full-image specialist, the detector for whole images: heads by crop type, and crop plans."""
