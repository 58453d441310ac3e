"""Tests of tuning numbers: measured ones are unchanged, and those derived for other GPUs are sane."""

import numpy as np
import pytest

from gpunp import tuning

KIB, MIB = 1 << 10, 1 << 20
# L2 cache, shared memory and threads of a multiprocessor, as the driver reports them.
GPUS = {
    "T4": (75, 4 * MIB, 64 * KIB, 1024),
    "A100": (80, 40 * MIB, 164 * KIB, 2048),
    "L4": (89, 48 * MIB, 100 * KIB, 1536),
    "H100 part": (90, 6 * MIB, 228 * KIB, 2048),
    "B200": (100, 126 * MIB, 228 * KIB, 2048),
    "RTX 5090": (120, 96 * MIB, 100 * KIB, 1536),
    "virtual": (80, 0, 164 * KIB, 2048),
}
H100 = (50 * MIB, 228 * KIB, 2048)
LENGTHS = ("fft_own_columns", "fft_own_lines", "fft_own_scaled", "fft_own_real")


def exponents(*numbers):
    return sum(1 << number for number in numbers)


# The numbers with which the engines' speed was measured.
MEASURED_ON_H100 = {
    "loop_blocks": 8,
    "fill_blocks": 16,
    "transposed_copy_elements": 65536,
    "reduce_few_blocks": 8,
    "reduce_many_blocks": 32,
    "reduce_column_blocks": 8,
    "reduce_whole_blocks": 8,
    "reduce_resident_blocks": 3,
    "reduce_row_threads": 1024,
    "reduce_column_threads": 1024,
    "reduce_whole_threads": 4096,
    "reduce_general_threads": 2048,
    "reduce_short_rows": 256,
    "reduce_general_results": 64,
    "reduce_whole_bytes": 4194304,
    "reduce_whole_moments_bytes": 65536,
    "scan_lanes": 1024,
    "convolve_few_blocks": 2,
    "convolve_blocks": 4,
    "held_bytes": 41943040,
    "window_positions": 4194304,
    "window_array_bytes": 67108864,
    "window_bytes": 4194304,
    "window_most_bytes": 16777216,
    "window_order_blocks": 32,
    "cluster_positions": 16777216,
    "cluster_array_bytes": 131073,
    "cluster_most_bytes": 8388608,
    "cluster_block_bytes": 524288,
    "cluster_share_1": 100,
    "cluster_share_2": 50,
    "cluster_share_4": 42,
    "cluster_share_8": 36,
    "bins_positions": 2097152,
    "bins_array_bytes": 33554432,
    "bins_claim_bytes": 67108864,
    "bins_few_blocks": 8,
    "bins_count_blocks": 2,
    "tile_elements": 4194304,
    "tile_stretch_elements": 262144,
    "sort_count_blocks": 2,
    "search_threads": 2048,
    "selection_row_bytes": 98304,
    "selection_ranks": 128,
    "bitmap_elements": 16384,
    "bitmap_bytes": 33554432,
    "bitmap_blocks": 2,
    "bitmap_elements_per_word": 8,
    "extent_blocks": 3,
    "count_blocks": 8,
    "count_shared_blocks": 3,
    "count_few_bins": 2048,
    "count_many_bins_blocks": 2,
    "weigh_blocks": 4,
    "bucket_values": 8388608,
    "bucket_values_per_bin": 8,
    "guess_bytes": 67108864,
    "product_terms": 64,
    "product_elements": 4096,
    "cholesky_rows_f4": 512,
    "cholesky_rows_f8": 128,
    "cholesky_stack_rows": 2048,
    "cholesky_strip_columns": 2048,
    "cholesky_batched_rows": 1024,
    "fft_copies_elements": 262144,
    "fft_calls": 4,
    "fft_call_elements": 524288,
    "fft_passes_elements": 4194304,
    "fft_own_elements": 4194304,
    "fft_own_columns": exponents(9, 10, 11, 12),
    "fft_own_lines": exponents(22, 23, 24),
    "fft_own_scaled": exponents(8, 9, 10, 11, 12, 20, 21),
    "fft_own_real": exponents(12),
}


def test_the_measured_record():
    assert tuning.tuning_of(90, *H100) == MEASURED_ON_H100
    assert set(tuning.CPU) == set(MEASURED_ON_H100)


def test_the_rules_give_the_measured_numbers():
    derived = tuning.derive(*H100)
    assert {name for name in derived if derived[name] != MEASURED_ON_H100[name]} == set(LENGTHS)


@pytest.mark.parametrize("name", GPUS)
def test_derived_numbers_are_sane(name):
    architecture, cache, shared, threads = GPUS[name]
    t = tuning.tuning_of(architecture, cache, shared, threads)
    assert set(t) == set(MEASURED_ON_H100)
    assert all(isinstance(value, int) and value >= 0 for value in t.values())
    assert all(value > 0 for field, value in t.items() if field not in LENGTHS)
    cache = max(cache, MIB)
    # Two windows fit into the cache, but the smallest array for windows does not.
    assert 2 * t["window_most_bytes"] <= cache <= t["window_array_bytes"] <= 2 * cache
    assert t["window_bytes"] < t["window_most_bytes"]
    assert cache // 2 < t["held_bytes"] < cache
    assert t["bins_array_bytes"] <= cache <= t["bins_claim_bytes"]
    assert t["bitmap_bytes"] <= cache
    # The resident blocks fit on a multiprocessor.
    assert 256 * t["reduce_resident_blocks"] <= threads
    for field in ("extent_blocks", "count_shared_blocks", "weigh_blocks"):
        assert 512 * t[field] <= threads
    for field in ("sort_count_blocks", "bitmap_blocks"):
        assert 1024 * t[field] <= threads
    assert 256 * t["loop_blocks"] <= threads
    # Besides its row, a block needs 3 KiB of shared memory, and the system reserves 1 KiB.
    assert t["selection_row_bytes"] + 3 * KIB <= shared - KIB
    # No lengths, since none were compared with cuFFT.
    assert t["fft_own_columns"] == t["fft_own_lines"] == t["fft_own_real"] == 0


def test_the_cpu_device_has_numbers_of_its_own():
    import gpunp

    assert gpunp.Device("cpu").tuning == tuning.CPU


@pytest.mark.fake_driver
def test_a_device_has_the_measured_record(cuda_device):
    assert cuda_device.tuning == MEASURED_ON_H100


@pytest.mark.fake_driver
def test_an_unknown_device_has_a_derived_record(fake):
    from gpunp.device import Device

    # An A100: compute capability, multiprocessors, L2 cache, shared memory per multiprocessor and per block.
    for attribute, value in ((75, 8), (76, 0), (16, 108), (38, 40 * MIB), (81, 164 * KIB), (97, 163 * KIB)):
        fake.fake_set_attribute(attribute, value)
    device = Device("cuda", 0)
    assert device.compute_capability == (8, 0)
    assert device.tuning == tuning.derive(40 * MIB, 164 * KIB, 2048)
    assert device.tuning["selection_row_bytes"] == 64 * KIB
    assert device.tuning["held_bytes"] == 32 * MIB


@pytest.mark.fake_driver
def test_launches_follow_the_record(fake, units):
    """With the attributes of an L4, a fill launches as many blocks as its multiprocessors hold."""
    import ctypes

    from gpunp.creation.fill import fill_range
    from gpunp.device import Device

    for attribute, value in ((75, 8), (76, 9), (16, 58), (38, 48 * MIB), (39, 1536), (81, 100 * KIB)):
        fake.fake_set_attribute(attribute, value)
    units("creation", "range_f4")
    fill_range(1 << 22, 0, 1, np.dtype("f4"), Device("cuda", 0)).device.synchronize()
    launch = (ctypes.c_long * 9)()
    fake.fake_last_launch(launch)
    assert launch[0] == 58 * 12
