"""Changes of mode: overlaps of chunks are combined, or all but one of them get the identity."""

import itertools

import numpy

from gpunp.distributed.array.chunks import Chunk, Copies, device_of
from gpunp.distributed.array.index_maps import inside, meet
from gpunp.distributed.array.modes import MAX, MIN, combine, identity


def overlap(chunks):
    """Whether two chunks have an element in common."""
    return any(
        meet(one.index, other.index) is not None
        for place, one in enumerate(chunks)
        for other in chunks[:place]
    )


def to_replicas(chunks, mode, on_cpu):
    """Combine the overlaps of chunks of a mode, so that all have the result; the chunks are not changed."""
    made = [each._replace(array=_copied(each, on_cpu)) for each in chunks]
    groups = _groups(chunks)
    with Copies((each.number for each in chunks), on_cpu) as copies:
        if groups is None:
            _merge_pairs(made, mode, copies)
        else:
            for places in groups:
                _merge_replicas([chunks[i] for i in places], [made[i] for i in places], combine(mode), copies)
    return made


def _copied(chunk, on_cpu):
    with device_of(chunk.number, on_cpu):
        # Without dimensions it may be a scalar, whose memory is not to be written; [...] makes it an array.
        return chunk.array[...].copy()


def _groups(chunks):
    """Places of chunks by their index, or None if chunks overlap in part."""
    groups = {}
    for place, each in enumerate(chunks):
        groups.setdefault(each.index, []).append(place)
    indices = list(groups)
    for place, one in enumerate(indices):
        if any(meet(one, other) is not None for other in indices[:place]):
            return None
    return list(groups.values())


def _merge_replicas(old, new, ufunc, copies):
    """Combine chunks of one index: each adds up one part, and sends it to the others."""
    count = len(old)
    if count == 1:
        return
    sources = [each.array.reshape(-1) for each in old]
    targets = [each.array.reshape(-1) for each in new]
    cuts = numpy.linspace(0, sources[0].size, count + 1).astype(int)
    parts = [slice(int(low), int(high)) for low, high in itertools.pairwise(cuts)]
    numbers = [each.number for each in old]
    for turn in range(1, count):
        for mine in range(count):
            other, part = (mine + turn) % count, parts[mine]
            copies.put(targets[mine][part], numbers[mine], sources[other][part], numbers[other], ufunc)
    copies.turn()
    for turn in range(1, count):
        for mine in range(count):
            other, part = (mine + turn) % count, parts[mine]
            copies.put(targets[other][part], numbers[other], targets[mine][part], numbers[mine])


def _merge_pairs(chunks, mode, copies):
    """Combine chunks that overlap in any way: values move to the first chunk of each element, then to all."""
    neutral = identity("DistributedArray.change_mode", mode, chunks[0].array.dtype)
    for place in reversed(range(len(chunks))):
        for first in range(place):
            _join(chunks[first], chunks[place], combine(mode), copies)
            _clear(chunks[first], chunks[place], neutral, copies)
    for place in range(len(chunks)):
        for first in range(place):
            _join(chunks[place], chunks[first], None, copies)


def _join(target, source, ufunc, copies):
    common = meet(target.index, source.index)
    if common is not None:
        copies.put(
            target.array[inside(common, target.index)],
            target.number,
            source.array[inside(common, source.index)],
            source.number,
            ufunc,
        )
        copies.turn()


def _clear(first, chunk, neutral, copies):
    common = meet(first.index, chunk.index)
    if common is not None:
        with copies.receiving(chunk.number):
            chunk.array[inside(common, chunk.index)] = neutral
        copies.turn()


def from_replicas(chunks, mode, dtype, on_cpu):
    """Chunks of another mode with the same elements; the given ones are not changed."""
    neutral = identity("DistributedArray.change_mode", mode, dtype)
    if mode in (MAX, MIN):
        # The largest of equal values is that value.
        return chunks
    made = []
    for place, each in enumerate(chunks):
        array = each.array
        common = [found for other in chunks[:place] if (found := meet(each.index, other.index)) is not None]
        if common:
            array = _copied(each, on_cpu)
            with device_of(each.number, on_cpu):
                for index in common:
                    array[inside(index, each.index)] = neutral
        made.append(Chunk(array, each.number, each.index))
    return made
