"""Questions that were answered once: what a study measured stands in EXPERIMENTS.md or a card, and no release needs it again."""
