"""The version that the models which ship together bear in their manifests."""

VERSION = "2.13.0"
