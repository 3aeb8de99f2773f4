"""Modules that train the encoder's blocks together with heads, on crops made during training (GPU) or before (CPU)."""
