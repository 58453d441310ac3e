"""Docstrings of functions that NumPy has too, put together from ours and NumPy's when they are asked for."""
