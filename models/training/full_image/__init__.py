"""The full-image specialist: heads on native, middle and whole views, and the rule that joins them."""
