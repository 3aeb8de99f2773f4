"""The backbone that both specialists share: its weights, its crops, its features, its heads and its graph."""
