"""What tests of captures share."""


def content(buffer):
    """The bytes of a buffer, which is waited for."""
    result = bytearray(buffer.nbytes)
    buffer.copy_to(result)
    return bytes(result)


def lasting_bytes(device):
    """The bytes in use once there is what captures need, such as the counters of reductions."""
    import gpunp.device

    from gpunp import cuda

    for prepare in gpunp.device.preparations:
        prepare(device)
    return cuda.get_default_memory_pool().used_bytes()
