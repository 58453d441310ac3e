"""Sources of kernels that hold rows in shared memory: elementwise passes, and reductions between them."""

from gpunp.dtype_codes import CHARS
from gpunp.fusion.description import ABSENT, CONSTANT, FOLD, FULL, LEAF, OF_COLUMNS, OF_ROWS, SINGLE
from gpunp.fusion.reduction_source import _split
from gpunp.fusion.source import _functions, _includes, _lines_of_step, _Values
from gpunp.reduction.functors import operation
from gpunp.ufunc.table.functions import c_type

# Blocks that must fit on a multiprocessor, which bounds the registers of a thread.
BLOCKS = 3


def row_source(rows):
    """Return the source of a kernel.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    str
        C++ for CUDA and for the CPU device; the kernel's name is `ROWS_NAME`.
    """
    return _Writer(rows).source()


class _Writer:
    """Writes the phases of a kernel.

    Attributes
    ----------
    numbers : dict of int
        The numbers of the values of rows, by step.
    """

    def __init__(self, rows):
        self.rows = rows
        computed = [step for step in rows.steps if step.kind != FOLD]
        self.names, self.functions = _functions(computed)
        self.includes = _includes(computed)
        self.values = _Values(rows)
        of_rows = [k for k, step in enumerate(rows.steps) if step.kind != FULL]
        self.numbers = {step: number for number, step in enumerate(of_rows)}
        self.folds = [k for k, step in enumerate(rows.steps) if step.kind == FOLD]

    def source(self):
        functors, elements = [], []
        for number, k in enumerate(self.folds):
            step = self.rows.steps[k]
            record, stored, compute = _split(step.symbol)
            stored = stored or self._type_of(step.source[0])
            functors.append(operation(record, f"Fold{number}", stored, compute))
            elements.append(
                f"template <> struct gpunp::reduction::Elements<gpunp::reduction::Fold{number}> : "
                f"gpunp::reduction::Held<gpunp::reduction::Fold{number}::In> {{}};\n"
            )
        return (
            self.includes
            + '#include "gpunp/fusion/rows.h"\n\nnamespace gpunp {\nnamespace {\n'
            + self.functions
            + "}  // namespace\nnamespace reduction {\nnamespace {\n"
            + "".join(functors)
            + "}  // namespace\n}  // namespace reduction\n}  // namespace gpunp\n\n"
            + "".join(elements)
            + "namespace gpunp {\nnamespace {\n"
            + self._function()
            + "}  // namespace\n}  // namespace gpunp\n\n"
            + f"GPUNP_ROWS_KERNEL(::gpunp::phases, {BLOCKS})\n"
        )

    def _function(self):
        lines = [
            "GPUNP_ROWS_PHASES void phases(const fusion::RowsParams& p, const fusion::Tile& tile) {",
            f"constexpr int W = {self.rows.loop[0]};",
            "const fusion::NegativeZero zero{p.single, p.wide};",
        ]
        for k, code in enumerate(self.rows.constants):
            kind = c_type(CHARS[code])
            lines.append(f"const {kind} constant{k} = fusion::constant_of<{kind}>(p, {k});")
        last = max(step.stage for step in self.rows.steps)
        for stage in range(last + 1):
            lines += self._row_phase(stage)
            lines += self._pass(stage, last)
            lines += self._fold_phase(stage)
        lines += self._row_stores()
        return "\n".join([*lines, "}", ""])

    # -- phases

    def _pass(self, stage, last):
        """The elementwise steps of a stage, over all vectors of the tile."""
        steps = [k for k, step in enumerate(self.rows.steps) if step.kind == FULL and step.stage == stage]
        stores = [
            k for k, (_, step) in enumerate(self.rows.stores)
            if self.rows.steps[step].kind == FULL and self._stage_of_store(step) == stage
        ]  # fmt: skip
        used = self._used(steps)
        loads = [k for k, leaf in enumerate(self.rows.leaves) if self._loaded(k, leaf, stage, used)]
        if not steps and not stores and not loads:
            return []
        if stage == 0 and not steps and not stores and all(self.rows.leaves[k][2] >= 0 for k in loads):
            return self._copies(loads)
        taken = self._taken(stage, steps, stores, used, loads)
        # What is in shared memory comes soon enough.
        count = self.rows.loop[1] if loads else 1
        lines = ["for (fusion::Walk walk(tile, p); walk.more();) {", f"constexpr int U = {count};"]
        lines.append("fusion::Chunk chunks[U];")
        lines.append("GPUNP_UNROLL\nfor (int u = 0; u < U; u++) chunks[u] = walk.next();")
        lines += [f"{self._type_of(LEAF + k)} leaves{k}[U][W];" for k in loads]
        if loads:
            lines += [
                "GPUNP_UNROLL\nfor (int u = 0; u < U; u++) {",
                "if (!chunks[u].live) continue;",
                "const int64_t index = tile.index(p, chunks[u].row, chunks[u].number * W);",
            ]
            for k in loads:
                at = "chunks[u].number * W" if self.rows.leaves[k][1] == OF_COLUMNS else "index"
                size = f"(int)sizeof({self._type_of(LEAF + k)})"
                lines.append(f"fusion::load_aligned<W>(leaves{k}[u], p.memory[{k}] + {at} * {size});")
            lines.append("}")
        lines += [
            "GPUNP_UNROLL\nfor (int u = 0; u < U; u++) {",
            "if (!chunks[u].live) continue;",
            "const int row = chunks[u].row, column = chunks[u].number * W;",
        ]
        lines += self._row_values(used)
        for origin, held in taken:
            lines.append(f"{self._type_of(origin)} {self._name(origin)}s[W];")
            lines.append(f"fusion::take({self._name(origin)}s, {self._held_at(origin, held)});")
        written = {self.rows.stores[number][1] for number in stores}
        kept = [k for k in steps if self.rows.steps[k].held >= 0 or k in written]
        lines += [f"{self._type_of(k)} step{k}s[W];" for k in kept if k not in dict(taken)]
        if steps:
            lines.append("GPUNP_UNROLL\nfor (int w = 0; w < W; w++) {")
            lines += [f"const {self._type_of(LEAF + k)} leaf{k} = leaves{k}[u][w];" for k in loads]
            lines += [
                f"const {self._type_of(origin)} {self._name(origin)} = {self._name(origin)}s[w];"
                for origin, _ in taken
            ]
            for k in steps:
                lines += _lines_of_step(k, self.rows.steps[k], self.values, self.names)
            lines += [f"step{k}s[w] = step{k};" for k in kept]
            lines.append("}")
        for k in loads:
            if self.rows.leaves[k][2] >= 0:
                lines.append(f"fusion::put({self._held_at(LEAF + k, self.rows.leaves[k][2])}, leaves{k}[u]);")
        for k in steps:
            if self.rows.steps[k].held >= 0:
                lines.append(f"fusion::put({self._held_at(k, self.rows.steps[k].held)}, step{k}s);")
        for number in stores:
            code, k = self.rows.stores[number]
            place = len(self.rows.leaves) + number
            size = f"(int)sizeof({c_type(CHARS[code])})"
            at = f"p.memory[{place}] + tile.index(p, row, column) * {size}"
            lines.append(f"fusion::put((unsigned char*){at}, step{k}s);")
        lines += ["}", "}"]
        if stage != last or any(self.rows.steps[k].stage == stage for k in self.folds):
            lines.append("tile.wait();")
        return lines

    def _copies(self, loads):
        """A pass that only holds leaves."""
        lines = ["{", "fusion::Copies copies(tile);"]
        for k in loads:
            held = self.rows.leaves[k][2]
            lines.append(f"copies.start<W, {self._type_of(LEAF + k)}>(tile, p, {k}, {held});")
        return [*lines, "copies.wait(tile);", "}"]

    def _fold_phase(self, stage):
        """The reductions that follow a pass."""
        lines = []
        for number, k in enumerate(self.folds):
            step = self.rows.steps[k]
            if step.stage == stage:
                arguments = f"{number}, {self._held(step.source[0])}, {self.numbers[k]}"
                lines.append(f"reduction::fold_held<reduction::Fold{number}>(tile, p, {arguments});")
        return [*lines, "tile.wait();"] if lines else []

    def _row_phase(self, stage):
        """The operations on values of rows that precede a pass."""
        steps = [k for k, step in enumerate(self.rows.steps) if step.kind == OF_ROWS and step.stage == stage]
        if not steps:
            return []
        lines = ["for (int row = tile.thread; row < tile.live; row += tile.threads) {"]
        lines += self._row_values(self._used(steps), steps)
        for k in steps:
            lines += _lines_of_step(k, self.rows.steps[k], self.values, self.names)
            lines.append(f"tile.set(p, {self.numbers[k]}, row, step{k});")
        return [*lines, "}", "tile.wait();"]

    def _row_stores(self):
        """Stores of values of rows, once nothing reads their memory any more."""
        stores = [k for k, (_, step) in enumerate(self.rows.stores) if self.rows.steps[step].kind != FULL]
        if not stores:
            return []
        lines = ["tile.wait();", "for (int row = tile.thread; row < tile.live; row += tile.threads) {"]
        for number in stores:
            code, k = self.rows.stores[number]
            kind = c_type(CHARS[code])
            place = len(self.rows.leaves) + number
            value = f"tile.get<{kind}>(p, {self.numbers[k]}, row)"
            lines.append(f"(({kind}*)p.memory[{place}])[tile.first + row] = {value};")
        return [*lines, "}"]

    # -- what a phase needs

    def _used(self, steps):
        """The origins of the operands of some steps."""
        return {origin for k in steps for origin in self.rows.steps[k].source if origin != ABSENT}

    def _loaded(self, k, leaf, stage, used):
        """Whether a pass loads a leaf of elements or columns from memory."""
        _, kind, held = leaf
        if kind not in (FULL, OF_COLUMNS):
            return False
        if held < 0:
            return LEAF + k in used
        return stage == self._first_stage(k)

    def _first_stage(self, k):
        """The first pass that a leaf is needed in."""
        return min(
            step.stage for step in self.rows.steps if LEAF + k in step.source and step.kind in (FULL, FOLD)
        )

    def _taken(self, stage, steps, stores, used, loads):
        """What a pass takes from shared memory: origins and held arrays."""
        needed = set(used) | {self.rows.stores[number][1] for number in stores}
        taken = []
        for origin in sorted(needed):
            if origin < LEAF:
                step = self.rows.steps[origin]
                if step.kind == FULL and origin not in steps:
                    taken.append((origin, step.held))
            elif origin < CONSTANT:
                _, kind, held = self.rows.leaves[origin - LEAF]
                if kind == FULL and origin - LEAF not in loads:
                    taken.append((origin, held))
        return taken

    def _stage_of_store(self, step):
        """The pass that stores a step: the last one, in which memory is written that others may read."""
        return max(each.stage for each in self.rows.steps if each.kind == FULL)

    def _row_values(self, used, computed=()):
        """The lines that read values of rows and numbers."""
        lines = []
        for origin in sorted(used):
            kind = None if origin >= CONSTANT else self._type_of(origin)
            if origin < LEAF:
                if origin in self.numbers and origin not in computed:
                    value = f"tile.get<{kind}>(p, {self.numbers[origin]}, row)"
                    lines.append(f"const {kind} step{origin} = {value};")
            elif origin < CONSTANT and self.rows.leaves[origin - LEAF][1] in (OF_ROWS, SINGLE):
                k = origin - LEAF
                of_row = self.rows.leaves[k][1] == OF_ROWS
                at = f" + (tile.first + row) * (int)sizeof({kind})" if of_row else ""
                lines.append(f"const {kind} leaf{k} = fusion::load_leaf<{kind}>(p.memory[{k}]{at});")
        return lines

    def _held(self, origin):
        return self.rows.leaves[origin - LEAF][2] if origin >= LEAF else self.rows.steps[origin].held

    def _held_at(self, origin, held):
        size = f"(int)sizeof({self._type_of(origin)})"
        return f"tile.room + tile.place(p, {held}, row, {size}) + column * {size}"

    def _name(self, origin):
        return f"leaf{origin - LEAF}" if origin >= LEAF else f"step{origin}"

    def _type_of(self, origin):
        code = self.rows.leaves[origin - LEAF][0] if origin >= LEAF else self.rows.steps[origin].code
        return c_type(CHARS[code])
