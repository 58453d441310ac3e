"""The CPU device, which runs the same kernel sources, built by the host compiler."""
