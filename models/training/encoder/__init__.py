"""The tower that both specialists share: its weights, its views, its features, its heads and its graph."""
