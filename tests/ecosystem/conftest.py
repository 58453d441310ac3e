"""Limit BLAS to one thread: the data is small, and many test processes run at once."""

import contextlib

import pytest


@pytest.fixture(scope="package", autouse=True)
def _one_thread_for_blas():
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError):
            import threadpoolctl

            stack.enter_context(threadpoolctl.threadpool_limits(1, user_api="blas"))
        yield
