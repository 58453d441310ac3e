"""Tests of work on a second stream, concurrent with the caller's stream."""

import pytest
from threads import run_together

pytestmark = pytest.mark.fake_driver()


def test_a_branch_begins_on_a_stream_of_the_thread_and_leaves_it(cuda_device):
    from gpunp.cuda import Stream, get_current_stream
    from gpunp.linalg.branches import Branch

    for caller in (get_current_stream(), Stream(), Stream()):
        with caller:
            with Branch(cuda_device) as branch:
                inside = get_current_stream()
                assert inside.ptr != caller.ptr
                branch.leave()
                assert get_current_stream() is caller
                branch.join()
                assert get_current_stream() is caller
            assert get_current_stream() is caller
            with Branch(cuda_device):
                assert get_current_stream() is inside
            assert get_current_stream() is caller


def test_an_error_leaves_the_branch(cuda_device):
    from gpunp.cuda import get_current_stream
    from gpunp.linalg.branches import Branch

    before = get_current_stream()
    with pytest.raises(ZeroDivisionError), Branch(cuda_device):
        raise ZeroDivisionError
    assert get_current_stream() is before


def test_threads_have_streams_of_their_own(cuda_device):
    from gpunp.cuda import get_current_stream
    from gpunp.linalg.branches import Branch

    found = []

    def run():
        with Branch(cuda_device):
            found.append(get_current_stream())

    run_together(*[run] * 3)
    run()
    assert len({stream.ptr for stream in found}) == 4
