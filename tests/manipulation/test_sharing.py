import numpy as np

import gpunp

COVERS = ("may_share_memory", "shares_memory")


def test_sharing():
    a = gpunp.arange(12).reshape(3, 4)
    assert np.shares_memory(a, a[1:, ::2])
    assert np.shares_memory(a[:, 1:3], a[:, 2:])
    # Interleaved views: their memory bounds overlap, but they share no element.
    assert np.may_share_memory(a[:, ::2], a[:, 1::2])
    assert not np.shares_memory(a[:, ::2], a[:, 1::2])
    assert not np.may_share_memory(a[:1], a[1:])
    assert not np.may_share_memory(a, a.copy())
    assert not np.may_share_memory(a, np.arange(3))
