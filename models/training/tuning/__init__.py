"""Tunes the encoder's blocks and the heads of both specialists together, on views that processes make meanwhile."""
