"""A report of what fusion did in this process."""

from gpunp.device import living_devices
from gpunp.fusion import trace


def _counts():
    """The sums of the devices' counts."""
    total = {}
    for device in living_devices():
        for name, count in trace.counts_of(device).items():
            total[name] = total.get(name, 0) + count
    return total


def report():
    """Return what fusion has done since the start, or since `reset_report`.

    Returns
    -------
    str
        Counts of the deferred calls and of kernels, bytes that were not moved, and what went wrong. Calls
        that are still deferred run first.

    See Also
    --------
    observe

    Examples
    --------
    >>> import gpunp
    >>> gpunp.fusion.reset_report()
    >>> print(gpunp.fusion.report())
    calls    0 deferred: 0 fused in 0 kernels, 0 one by one, 0 not needed
    moved    0 B
    kernels  0 compiled in 0 ms, 0 loaded from disk, 0 failed
    """
    # Not at the first deferred call, which imports this module.
    from gpunp.fusion import flush, generated, worker
    from gpunp.fusion.summary import as_bytes, as_number

    flush()
    total = _counts()

    def count(name):
        return total.get(name, 0)

    kernels = worker.counts()
    lines = [
        f"calls    {count('recorded')} deferred: {count('fused')} fused in "
        f"{as_number(count('groups'), 'kernel')}, {count('alone')} one by one, {count('dropped')} not needed"
    ]
    if count("reductions"):
        lines.append(f"         {as_number(count('reductions'), 'reduction')} of deferred calls")
    share = ""
    if count("nbytes"):
        saved = count("nbytes") - count("moved")
        share = f", {saved / count('nbytes'):.0%} of {as_bytes(count('nbytes'))} saved"
    lines += [
        f"moved    {as_bytes(count('moved'))}{share}",
        f"kernels  {kernels['compiled']} compiled in {kernels['milliseconds']:.0f} ms, "
        f"{generated.loaded()} loaded from disk, {kernels['failed']} failed",
    ]
    for group, message in worker.failures():
        lines.append(f"  {group}: {message.partition(chr(10))[0]}")
    return "\n".join(lines)


def reset_report():
    """Let `report` count from now on. Calls that are still deferred run first."""
    from gpunp.fusion import flush, generated, worker

    flush()
    for device in living_devices():
        trace.reset_counts(device)
    worker.reset_counts()
    generated.reset_loaded()
