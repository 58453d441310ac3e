"""The CPU device: the same kernel sources, built by the host compiler."""
