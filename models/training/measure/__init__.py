"""Modules that measure detectors: metrics, thresholds, tables and plots."""
