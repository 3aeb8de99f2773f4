"""Measures of detectors: metrics, plots, bands."""
