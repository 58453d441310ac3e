"""What tests of captures share."""


def content(buffer):
    """The bytes of a buffer, which is waited for."""
    result = bytearray(buffer.nbytes)
    buffer.copy_to(result)
    return bytes(result)
