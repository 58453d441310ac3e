"""Kernels that users write: elementwise and reduction kernels around lines of C++, and whole kernels."""
