"""The full-image specialist: heads on native, middle and whole crops, and the rule that joins them."""
