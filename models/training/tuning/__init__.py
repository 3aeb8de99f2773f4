"""Trains the encoder's blocks together with heads:

on a GPU with crops made meanwhile, or on a CPU with packed crops.
"""
