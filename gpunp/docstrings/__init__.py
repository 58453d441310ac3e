"""Docstrings of functions with a NumPy counterpart, composed on demand from ours and NumPy's."""
