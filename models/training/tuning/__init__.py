"""Modules that train the encoder's blocks together with heads.

On a GPU, crops are made during training. On a CPU, they are made in advance (packs).
"""
