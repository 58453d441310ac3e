"""Which device computes which product of the blocks of two distributed matrices, and in which order."""

import collections

from gpunp.distributed.array.index_maps import meet, meet_axis, size_of

# Rough speeds, by which products are given to devices: operations and copied bytes in a second.
_OPERATIONS, _BYTES = 5e13, 1e11


class Product:
    """A product of two blocks: their rows, columns and common range, and the device for it."""

    def __init__(self, left, right, common):
        self.left, self.right, self.common = left, right, common
        self.rows, self.columns = left[0], right[1]
        self.size = size_of((self.rows, self.columns, common))
        self.number = None

    def needs(self):
        """The parts of both operands."""
        return (self.rows, self.common), (self.common, self.columns)


class _Plan:
    """A device for each product, and an estimate of the seconds until the last device is done.

    Parameters
    ----------
    products : list of Product
        Those come first that have devices with both blocks; they take one of these.
    lefts, rights : dict
        The devices of each block.
    itemsizes : tuple of int
        Bytes of an element of both operands.
    choice : {"left", "right", "both"}
        Other products take a device that has their left or right block, or any of both.
    """

    def __init__(self, products, lefts, rights, itemsizes, choice):
        self.lefts, self.rights, self.itemsizes = lefts, rights, itemsizes
        # The seconds of each device, the devices of each block of the result, and the parts that devices got.
        self.loads = collections.Counter()
        self.results = collections.defaultdict(set)
        self.there = set()
        self.numbers = []
        for each in products:
            holders = {"left": lefts[each.left], "right": rights[each.right]}
            both = [number for number in holders["left"] if number in holders["right"]]
            if choice == "both":
                others = dict.fromkeys((*holders["left"], *holders["right"]))
            else:
                others = holders[choice]
            self._give(each, both or others)
        self.seconds = max(self.loads.values(), default=0.0)

    def _give(self, product, candidates):
        """Let that device compute a product which has finished it first."""
        finished = {number: self.loads[number] + self._cost(product, number) for number in candidates}
        number = min(finished, key=finished.get)
        self.numbers.append(number)
        self.loads[number] = finished[number]
        self.results[product.rows, product.columns].add(number)
        self.there.update((number, part) for part in product.needs())

    def _cost(self, product, number):
        """The seconds of a product on a device, with the copies that it needs."""
        seconds = 2 * product.size / _OPERATIONS
        holders = self.lefts[product.left], self.rights[product.right]
        for owners, part, itemsize in zip(holders, product.needs(), self.itemsizes, strict=True):
            if number not in owners and (number, part) not in self.there:
                seconds += size_of(part) * itemsize / _BYTES
        results = self.results[product.rows, product.columns]
        # A result that is on two devices has to be added up later.
        if results and number not in results:
            seconds += 2 * size_of((product.rows, product.columns)) * self.itemsizes[0] / _BYTES
        return seconds


def planned(a, b):
    """All products of blocks of two distributed matrices, with their devices.

    The plan is the one of three that ends first: each product by an owner of its left block, of its right
    block, or by the device that is free first. With rows of both matrices on each of several devices, only
    the first of these gives all of them the same work.

    Returns
    -------
    list of Product
        Those that need no copy come first. Others follow in an order in which devices receive from
        different ones at a time.

    Raises
    ------
    ValueError
        If chunks of an operand overlap in part, or do not cover it.
    """
    lefts, rights = _blocks("a", a), _blocks("b", b)
    products = [
        Product(left, right, common)
        for left in lefts
        for right in rights
        if (common := meet_axis(left[1], right[0])) is not None
    ]
    if sum(each.size for each in products) != a.shape[0] * a.shape[1] * b.shape[1]:
        raise ValueError(
            "matmul: no chunk holds some of the elements of a or b; give index maps that cover them"
        )
    # Products that need no copy come first, and of these the ones with the least choice.
    both = {
        (left, right): len(set(lefts[left]) & set(rights[right])) or len(products)
        for left in lefts
        for right in rights
    }
    products.sort(key=lambda each: both[each.left, each.right])
    plans = (
        _Plan(products, lefts, rights, (a.itemsize, b.itemsize), choice)
        for choice in ("left", "right", "both")
    )
    best = min(plans, key=lambda plan: plan.seconds)
    for each, number in zip(products, best.numbers, strict=True):
        each.number = number
    count = 1 + max(
        (number for owners in (*lefts.values(), *rights.values()) for number in owners), default=0
    )
    products.sort(
        key=lambda each: max(
            min((owner - each.number) % count for owner in owners)
            for owners in (lefts[each.left], rights[each.right])
        )
    )
    return products


def _blocks(name, array):
    """For each block the devices that have it."""
    found = {}
    for each in array._flat():
        found.setdefault(each.index, []).append(each.number)
    indices = list(found)
    for place, one in enumerate(indices):
        if any(meet(one, other) is not None for other in indices[:place]):
            raise ValueError(
                f"matmul: chunks of {name} overlap in part; reshard it so that they are equal or apart"
            )
    return found
