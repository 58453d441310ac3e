"""Imports what sets the hooks of fusion."""

from gpunp.fusion import pending, trace  # noqa: F401
