"""Modules that collect training images, split and degrade them, and make fakes."""
