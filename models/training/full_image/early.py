"""Ends checks early: after a round of some views a picture whose score leaves no doubt shows no more of them.

    python -m full_image.early choose --features VALIDATION --heads ../encoder --manifest ../full_image_specialist/manifest.json
    python -m full_image.early show --features TEST --part test --heads ../encoder --manifest ../full_image_specialist/manifest.json

`choose` fits the plan of each of ROUNDS on validation, finds the bounds of doubt, writes both into the manifest and prints the table that `show` prints;
`full_image.plans fit` does the same. The bounds lie a margin, in log odds, below the lowest and above the highest threshold that
validation gives (`measure.looks`), for photographed and for drawn pictures. The margins are those that cost least among those of which no profile gets another verdict,
against all views, for more than MOST_CHANGED of the pictures of either class.
"""
