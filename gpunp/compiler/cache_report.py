"""What ``python -m gpunp cache`` prints."""

from gpunp.compiler import cache, cache_files

# Lines for the kernels used most.
_MOST_USED = 10


def _bytes(count):
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.1f} KiB"


def report():
    """The folder of the disk cache, and what it holds.

    Returns
    -------
    str
    """
    entries = cache_files.entries()
    total = sum(size for _, _, size, _ in entries)
    lines = [
        f"folder   {cache.folder()}",
        f"state    {'on' if cache.is_on() else 'off (GPUNP_CACHE)'}",
        f"entries  {len(entries)}",
        f"bytes    {_bytes(total)} of at most {_bytes(cache_files.size_limit())}",
        f"uses     {sum(uses for _, _, _, uses in entries)} loads instead of compilations",
    ]
    if entries:
        lines += ["", *_table("for", entries, 1)]
        lines += ["", *_table("kernel", entries, 0)]
    return "\n".join(lines)


def _table(title, entries, column):
    """Lines with the number, bytes and uses of the entries that have the same text in a column."""
    sums = {}
    for entry in entries:
        count, size, uses = sums.get(entry[column], (0, 0, 0))
        sums[entry[column]] = (count + 1, size + entry[2], uses + entry[3])
    ordered = sorted(sums.items(), key=lambda item: (-item[1][2], item[0]))
    width = max(len(title), *(len(text) for text, _ in ordered[:_MOST_USED]))
    lines = [f"{title:<{width}}  entries       bytes    uses"]
    for text, (count, size, uses) in ordered[:_MOST_USED]:
        lines.append(f"{text:<{width}}  {count:>7}  {_bytes(size):>10}  {uses:>6}")
    if len(ordered) > _MOST_USED:
        lines.append(f"... and {len(ordered) - _MOST_USED} more")
    return lines


def clear():
    """Remove all entries, and say how many there were.

    Returns
    -------
    str
    """
    return f"removed {cache_files.clear()} entries from {cache.folder()}"
