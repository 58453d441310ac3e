"""The cost of the queries that libraries make about an array."""

import importlib.util

from rows import Above, row

CHAPTER = "Questions to an array"
GOAL = Above(1e-6)


@row("ask_namespace", "`a.__array_namespace__()`", CHAPTER, GOAL, "host")
def ask_namespace(lib, size):
    return "a.__array_namespace__()", {"a": lib.values(8)}


@row("ask_device", "`a.device`", CHAPTER, GOAL, "host")
def ask_device(lib, size):
    return "a.device", {"a": lib.values(8)}


@row("ask_dtype", "`a.dtype`", CHAPTER, GOAL, "host")
def ask_dtype(lib, size):
    return "a.dtype", {"a": lib.values(8)}


if importlib.util.find_spec("array_api_compat"):

    @row("ask_compat", "`array_api_compat.array_namespace(a)`", CHAPTER, GOAL, "host")
    def ask_compat(lib, size):
        from array_api_compat import array_namespace

        return "array_namespace(a)", {"a": lib.values(8), "array_namespace": array_namespace}
