"""Python functions on the device."""
