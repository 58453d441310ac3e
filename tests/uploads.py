"""Copies between host and device without kernels, for tests on the stand-in driver.

gpunp is imported in the functions, as a module of tests is also imported where the stand-in is not loaded.
"""


def uploaded(host, device):
    from gpunp.array import transfer

    return transfer.upload(host, device)


def downloaded(array):
    from gpunp.array import transfer

    host = transfer.host_empty(array)
    transfer.download(array, host)
    return host
