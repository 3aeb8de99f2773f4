"""What corrections of an operator's own are learned on: the embedding, and the reference that none may forget."""
