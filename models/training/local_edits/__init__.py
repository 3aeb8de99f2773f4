"""Modules for images of which a generator made a part: making them, and the head that finds the part."""
