"""Tunes the encoder's blocks and the heads of both specialists together, on crops that processes make meanwhile."""
