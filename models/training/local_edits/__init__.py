"""Images of which a part was made by a generator: how they are made, and the head that finds the part."""
