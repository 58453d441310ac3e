"""Parse memory sizes given in environment variables and arguments."""

_FACTORS = {
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "tib": 1 << 40,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "b": 1,
}


def parse_limit(text, total):
    """Convert a number of bytes, ``"4GiB"`` or ``"50%"`` (of ``total``) to an int of bytes."""
    cleaned = str(text).strip().lower()
    factor = 1
    for suffix, value in {**_FACTORS, "%": total / 100}.items():
        if cleaned.endswith(suffix):
            cleaned, factor = cleaned[: -len(suffix)], value
            break
    try:
        limit = int(float(cleaned) * factor)
    except (ValueError, OverflowError):
        limit = -1
    if limit < 0:
        raise ValueError(f"memory limit {text!r} is not understood; write bytes, '4GiB' or '50%'")
    return limit


def choose_limit(size, fraction, total):
    """Convert the arguments of ``MemoryPool.set_limit`` to bytes; 0 for no limit."""
    if fraction is None:
        return 0 if size is None else parse_limit(size, total)
    if size is not None:
        raise ValueError("set_limit: give size or fraction, not both")
    if not 0 <= fraction <= 1:
        raise ValueError(f"set_limit: fraction must be between 0 and 1, it is {fraction}")
    return int(total * fraction)
