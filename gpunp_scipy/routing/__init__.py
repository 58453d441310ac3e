"""Calls of SciPy's functions with device arrays, routed to the functions of this package.

gpunp's import finder calls `functions.route` after each import of a module of SciPy.
"""
