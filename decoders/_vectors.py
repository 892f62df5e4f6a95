"""Vector instructions of the search over bins of lengths, written out.

The compiler leaves the last frames of a row to scalars, which for rows of a hundred frames is half
of the time, and does not join sums and minima of rows that may overlap. Here rows are read and
written in blocks of `LANES` frames, so tables need room for a whole number of them.

Shortfalls are whole numbers of 16 bits that are at most `MOST`, and costs at most `DEAREST`, so
that the sum of the two is never too much: a sum that stops at the greatest number takes twice the
time. Numbers that rows are added to come twice, in both halves of 32 bits: such numbers spread
over a vector as they are read.
"""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from align.decoders._llvm import loop, splat
from align.types import FloatArray

__all__ = [
    "DEAREST",
    "FEW",
    "LANES",
    "MOST",
    "ROWS",
    "TILE",
    "bounded_lines",
    "costs_of_bins",
    "extremes",
    "gaps_of_bins",
    "least_of_bins",
    "least_of_mixes",
    "least_of_rows",
    "least_sums",
    "lowest",
    "lowest_bit",
    "places_at_most",
]

LANES = 32  # frames in one go; one vector of AVX-512, two of AVX2
ROWS = 4  # rows in one go
FEW = LANES // ROWS  # frames of all of them that fit into one vector
TILE = 16  # lengths in one go
MOST = 5 * 2**13 - 1  # greatest shortfall
DEAREST = 3 * 2**13 - 1  # greatest cost

_Short = npt.NDArray[np.uint16]
_Twice = npt.NDArray[np.uint32]
_Float32 = npt.NDArray[np.float32]
_Float64 = npt.NDArray[np.float64]

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # the same in numpy

    def least_of_rows(
        rows: _Short, at: npt.NDArray[np.intp], n: int, table: _Short, to: int, blocks: int
    ) -> None:
        frame = np.arange(blocks * LANES)
        table[to + frame] = rows[at[:n, None] + frame].min(axis=0)

    def least_sums(
        rows: _Short, at: npt.NDArray[np.intp], add: _Twice, n: int, to: int, blocks: int
    ) -> None:
        frame = np.arange(blocks * LANES)
        total = rows[at[:n, None] + frame] + (add[:n, None] >> 16)
        rows[to + frame] = np.minimum(total.min(axis=0), MOST)

    def least_of_mixes(
        rows: _Short,
        source: int,
        stride: int,
        lower: _Twice,
        upper: _Twice,
        more: _Twice,
        first: int,
        n: int,
        to: int,
        blocks: int,
    ) -> None:
        frame = source + np.arange(n)[:, None] + np.arange(blocks * LANES)
        part, rest, plus = (each[first : first + n, None] >> 16 for each in (lower, upper, more))
        total = (rows[frame] * part >> 16) + (rows[frame + stride] * rest >> 16) + plus
        rows[to : to + blocks * LANES] = np.minimum((total & 65535).min(axis=0), MOST)

    def least_of_bins(
        rows: _Short,
        at: npt.NDArray[np.intp],
        begin: int,
        add: _Twice,
        n: int,
        plus: int,
        less: int,
        to: int,
        stride: int,
        table: _Short,
        place: int,
        size: int,
        of_all: _Short,
        least: int,
        slack: _Short,
        row: int,
        blocks: int,
        few: int,
    ) -> None:
        frame = np.arange(blocks * LANES + few * FEW)
        costs = add[: n * ROWS].reshape(n, ROWS) >> 16
        for r in range(ROWS):
            total = (rows[at[begin : begin + n, None] + frame] + costs[:, r, None]).min(axis=0)
            total = np.maximum(np.minimum(total, MOST), less) - less
            total = np.minimum(total + rows[plus + frame], MOST)
            rows[to + r * stride + frame] = table[place + r * size + frame] = total
            below = np.maximum(total, slack[row + r]) - slack[row + r]
            of_all[least + frame] = np.minimum(of_all[least + frame], below)

    def lowest(table: _Short, at: int, blocks: int) -> int:
        return int(table[at : at + blocks * LANES].min())

    def places_at_most(table: _Short, at: int, n: int, most: int) -> tuple[int, int]:
        places = np.flatnonzero(table[at : at + n] <= most)
        return (int(places[0]), int(places[-1])) if places.size else (n, n - 1)

    def extremes(table: FloatArray, at: int, n: int, found: _Float64) -> None:
        values = table.ravel()[at : at + n]
        found[:] = values.max(), np.min(values, where=values > -np.inf, initial=np.inf)

    def lowest_bit(bits: int) -> int:
        return int(bits & -bits).bit_length() - 1

    def costs_of_bins(
        low: _Float32,
        high: _Float32,
        least: _Float32,
        begin: int,
        n: int,
        below: _Float32,
        above: _Float32,
        slope: _Float32,
        row: int,
        less: float,
        add: _Twice,
    ) -> None:
        at = slice(begin, begin + n)
        below, above, slope = (table[row : row + ROWS] for table in (below, above, slope))
        gap = np.maximum(low[at, None] - above, below - high[at, None])
        gap = np.maximum(gap, np.float32(0.0))
        cost = gap * gap + slope * least[at, None] - np.float32(less)
        cost = np.clip(cost, np.float32(0.0), np.float32(DEAREST)).astype(np.uint32)
        add[: n * ROWS] = cost.ravel() * np.uint32(65537)

    gaps_of_bins = costs_of_bins

    def bounded_lines(
        slope: _Float64,
        level: _Float64,
        n: int,
        first: int,
        own: _Float64,
        onset: float,
        after: _Short,
        at: int,
        unit: float,
        base: float,
        threshold: float,
        value: _Float64,
        to: int,
        last: int,
    ) -> int:
        length = first + np.arange(TILE)
        best = (level[:n, None] + slope[:n, None] * length).max(axis=0)
        total = value[to : to + TILE] = onset + (own[length] + best)
        reached = total >= (threshold - base) + after[at : at + TILE] * unit
        return int(((reached & (length <= last)) << np.arange(TILE)).sum())

else:
    _SHORTS = ir.VectorType(ir.IntType(16), LANES)
    _TWICE = ir.VectorType(ir.IntType(32), LANES // 2)
    _FEW = ir.VectorType(ir.IntType(16), FEW)
    _FLOATS = ir.VectorType(ir.FloatType(), ROWS)
    _EACH = ir.VectorType(ir.IntType(32), ROWS)
    _WORDS = ir.VectorType(ir.IntType(32), TILE)
    _DOUBLES = ir.VectorType(ir.DoubleType(), TILE)
    _SHORT = ir.IntType(16)

    def _data(context: Any, builder: Any, signature: Any, args: Any, i: int) -> Any:
        return context.make_array(signature.args[i])(context, builder, args[i]).data

    def _load(builder: Any, data: Any, place: Any, kind: Any, align: int = 2) -> Any:
        pointer = builder.bitcast(builder.gep(data, [place]), kind.as_pointer())
        return builder.load(pointer, align=align)

    def _store(builder: Any, value: Any, data: Any, place: Any, align: int = 2) -> None:
        pointer = builder.bitcast(builder.gep(data, [place]), value.type.as_pointer())
        builder.store(value, pointer, align=align)

    def _shuffle(builder: Any, vector: Any, lanes: list[int]) -> Any:
        index = ir.VectorType(ir.IntType(32), len(lanes))
        return builder.shuffle_vector(vector, vector, ir.Constant(index, lanes))

    def _lesser(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.icmp_unsigned("<", a, b), a, b)

    def _stopping(builder: Any, name: str, a: Any, b: Any) -> Any:
        """Add b to a, or take it from a, as far as 16 bits go."""
        name = f"llvm.{name}.sat.v{a.type.count}i16"
        function = builder.module.globals.get(name)
        if function is None:
            kind = ir.FunctionType(a.type, [a.type, a.type])
            function = ir.Function(builder.module, kind, name)
        return builder.call(function, [a, b])

    def _greater_float(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", a, b), a, b)

    def _least(
        builder: Any,
        rows: Any,
        at: Any,
        add: Any,
        n_adds: int,
        n: Any,
        shifts: list[Any],
        after: Any = None,
    ) -> tuple[list[list[Any]], Any]:
        """Write the loop over n rows: the least of blocks of them, or least sums for each add.

        At most `MOST`. With `after`, and `ROWS` adds, that of the `FEW` frames from there on as
        well: a vector that all adds share.
        """
        most = ir.Constant(_SHORTS, [MOST] * LANES)
        again = [i % FEW for i in range(LANES)]
        each = [i * ROWS // _TWICE.count for i in range(_TWICE.count)]
        width, n_rows = len(shifts), max(1, n_adds)

        def source(j: Any, *least: Any) -> list[Any]:
            place = builder.load(builder.gep(at, [j]))
            read = [_load(builder, rows, builder.add(place, s), _SHORTS) for s in shifts]
            first = builder.mul(j, ir.Constant(j.type, n_adds))
            following = []
            for r in range(n_rows if width else 0):
                cost = None
                if n_adds:
                    cost = builder.gep(add, [builder.add(first, ir.Constant(j.type, r))])
                    cost = builder.bitcast(splat(builder, builder.load(cost), _TWICE), _SHORTS)
                for row, found in zip(read, least[r * width :], strict=False):
                    total = row if cost is None else builder.add(row, cost)
                    following.append(_lesser(builder, total, found))
            if after is not None:
                row = _load(builder, rows, builder.add(place, after), _FEW)
                row = _shuffle(builder, row, again)
                costs = _shuffle(builder, _load(builder, add, first, _EACH, align=4), each)
                total = builder.add(row, builder.bitcast(costs, _SHORTS))
                following.append(_lesser(builder, total, least[-1]))
            return following

        start = [most] * (n_rows * width + (after is not None))
        found = loop(builder, start, n, source)
        return [found[r * width : (r + 1) * width] for r in range(n_rows)], found[-1]

    def _blocks(builder: Any, n: Any, few: Any, body: Any) -> None:
        """Write ``body(shifts, after)`` over n blocks, three at once as long as there are three.

        If `few` is 1 rather than 0 or None, frames that follow are done with the last three
        blocks, or where it is not three that are last, alone. The end of every loop over rows
        costs as much as some rows.
        """
        count = [ir.Constant(n.type, i) for i in range(4)]
        threes, rest = builder.udiv(n, count[3]), builder.urem(n, count[3])
        if few is not None:
            whole = builder.icmp_signed("==", rest, count[0])
            some = builder.icmp_signed(">", threes, count[0])
            joined = builder.and_(few, builder.zext(builder.and_(whole, some), n.type))
            threes = builder.sub(threes, joined)

        def place(i: Any) -> Any:
            return builder.mul(i, ir.Constant(n.type, LANES))

        def write(width: int, first: Any, times: Any, with_few: bool) -> None:
            def again(i: Any) -> list[Any]:
                begin = builder.add(first, builder.mul(i, count[width]))
                shifts = [place(builder.add(begin, count[j])) for j in range(width)]
                body(shifts, place(builder.add(begin, count[width])) if with_few else None)
                return []

            loop(builder, [], times, again, none=True)

        after = builder.mul(threes, count[3])
        write(3, count[0], threes, False)
        for width in (1, 2):
            here = builder.icmp_signed("==", rest, count[width])
            write(width, after, builder.zext(here, n.type), False)
        if few is not None:
            write(3, after, joined, True)
            write(0, n, builder.sub(few, joined), True)

    def _fill_least(
        builder: Any, rows: Any, at: Any, add: Any, n: Any, table: Any, to: Any, blocks: Any
    ) -> None:
        """Write the least of n rows, or with `add` the least sums, into a table."""

        def body(shifts: list[Any], _: Any) -> None:
            (found,), _ = _least(builder, rows, at, add, int(add is not None), n, shifts)
            for shift, least in zip(shifts, found, strict=True):
                _store(builder, least, table, builder.add(to, shift))

        _blocks(builder, blocks, None, body)

    @intrinsic
    def least_of_rows(
        typing: Any, rows: Any, at: Any, n: Any, table: Any, to: Any, blocks: Any
    ) -> Any:
        """Set ``table[to + i]`` to ``min { rows[at[j] + i] : j < n }`` for i < blocks * LANES.

        All places are within the tables, those written apart from those read, and `n` and
        `blocks` at least 1.
        """
        integer = types.intp
        signature = types.void(rows, at, integer, table, integer, integer)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, _, n, _, to, blocks = args
            rows, at, table = (_data(context, builder, signature, args, i) for i in (0, 1, 3))
            _fill_least(builder, rows, at, None, n, table, to, blocks)
            return context.get_dummy_value()

        return signature, generate

    @intrinsic
    def least_sums(typing: Any, rows: Any, at: Any, add: Any, n: Any, to: Any, blocks: Any) -> Any:
        """Set ``rows[to + i]`` to ``min { rows[at[j] + i] + add[j] : j < n }``, at most `MOST`.

        `add` has its numbers twice. All else is as in `least_of_rows`.
        """
        integer = types.intp
        signature = types.void(rows, at, add, integer, integer, integer)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, _, _, n, to, blocks = args
            rows, at, add = (_data(context, builder, signature, args, i) for i in range(3))
            _fill_least(builder, rows, at, add, n, rows, to, blocks)
            return context.get_dummy_value()

        return signature, generate

    @intrinsic
    def least_of_mixes(
        typing: Any,
        rows: Any,
        source: Any,
        stride: Any,
        lower: Any,
        upper: Any,
        more: Any,
        first: Any,
        n: Any,
        to: Any,
        blocks: Any,
    ) -> Any:
        """Set ``rows[to + i]`` to the least of n mixes of two rows, for i < blocks * LANES.

        That of j mixes ``rows[source + j + i]`` and ``rows[source + stride + j + i]``;
        ``lower[first + j]`` and ``upper[first + j]`` are their parts in 2**-16, not more than 1
        together, which are cut to whole numbers, and ``more[first + j]`` is added to them: it may
        be negative, modulo 2**16, if the sum is not. All of them come twice. All else is as in
        `least_sums`.
        """
        integer = types.intp
        signature = types.void(
            rows, integer, integer, lower, upper, more, integer, integer, integer, integer
        )

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source, stride, first, n, to, blocks = (args[i] for i in (1, 2, 6, 7, 8, 9))
            rows, *numbers = (_data(context, builder, signature, args, i) for i in (0, 3, 4, 5))
            wide = ir.VectorType(ir.IntType(32), LANES)
            half = ir.Constant(wide, [16] * LANES)

            def part_of(place: Any, part: Any) -> Any:
                row = builder.zext(_load(builder, rows, place, _SHORTS), wide)
                product = builder.mul(row, builder.zext(part, wide))
                return builder.trunc(builder.lshr(product, half), _SHORTS)

            def body(shifts: list[Any], _: Any) -> None:
                def mix(j: Any, *least: Any) -> list[Any]:
                    place, at = builder.add(source, j), builder.add(first, j)
                    lower, upper, more = (
                        splat(builder, builder.load(builder.gep(each, [at])), _TWICE)
                        for each in numbers
                    )
                    lower, upper, more = (
                        builder.bitcast(each, _SHORTS) for each in (lower, upper, more)
                    )
                    following = []
                    for shift, found in zip(shifts, least, strict=True):
                        here = builder.add(place, shift)
                        total = builder.add(part_of(here, lower), more)
                        then = part_of(builder.add(here, stride), upper)
                        following.append(_lesser(builder, builder.add(total, then), found))
                    return following

                most = ir.Constant(_SHORTS, [MOST] * LANES)
                found = loop(builder, [most] * len(shifts), n, mix)
                for shift, least in zip(shifts, found, strict=True):
                    _store(builder, least, rows, builder.add(to, shift))

            _blocks(builder, blocks, None, body)
            return context.get_dummy_value()

        return signature, generate

    @intrinsic
    def least_of_bins(
        typing: Any,
        rows: Any,
        at: Any,
        begin: Any,
        add: Any,
        n: Any,
        plus: Any,
        less: Any,
        to: Any,
        stride: Any,
        table: Any,
        place: Any,
        size: Any,
        of_all: Any,
        least: Any,
        slack: Any,
        row: Any,
        blocks: Any,
        few: Any,
    ) -> Any:
        """Fill `ROWS` rows of shortfalls, in two tables, and lower a row to the least of them.

        ``rows[to + r stride + i]`` and ``table[place + r size + i]`` are the least of
        ``rows[at[begin + j] + i] + add[ROWS j + r]`` for j < n, at most `MOST`, less `less`, but
        not below 0, plus ``rows[plus + i]``, at most `MOST`; ``of_all[least + i]`` is lowered to
        the least of them less ``slack[row + r]``, but not below 0. All for i < blocks * LANES +
        few * FEW, where `few` is 0 or 1. All else is as in `least_sums`.
        """
        integer = types.intp
        signature = types.void(
            rows, at, integer, add, integer, integer, integer, integer, integer, table, integer,
            integer, of_all, integer, slack, integer, integer, integer,
        )  # fmt: skip

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            begin, n, plus, less, to, stride = (args[i] for i in (2, 4, 5, 6, 7, 8))
            place, size, least, row, blocks, few = (args[i] for i in (10, 11, 13, 15, 16, 17))
            rows, at, add, table, of_all, slack = (
                _data(context, builder, signature, args, i) for i in (0, 1, 3, 9, 12, 14)
            )
            less = builder.trunc(less, _SHORT)
            slacks = [
                builder.load(builder.gep(slack, [builder.add(row, ir.Constant(n.type, r))]))
                for r in range(ROWS)
            ]
            at = builder.gep(at, [begin])
            count = [ir.Constant(n.type, r) for r in range(ROWS)]
            tos = [builder.add(to, builder.mul(stride, r)) for r in count]
            places = [builder.add(place, builder.mul(size, r)) for r in count]

            def finish(found: list[Any], shift: Any) -> None:
                kind = found[0].type
                more = _load(builder, rows, builder.add(plus, shift), kind)
                lowest = _load(builder, of_all, builder.add(least, shift), kind)
                for sums, to, place, slack in zip(found, tos, places, slacks, strict=True):
                    total = _stopping(builder, "usub", sums, splat(builder, less, kind))
                    total = _stopping(builder, "uadd", total, more)
                    total = _lesser(builder, total, ir.Constant(kind, [MOST] * kind.count))
                    _store(builder, total, rows, builder.add(to, shift))
                    _store(builder, total, table, builder.add(place, shift))
                    total = _stopping(builder, "usub", total, splat(builder, slack, kind))
                    lowest = _lesser(builder, total, lowest)
                _store(builder, lowest, of_all, builder.add(least, shift))

            def body(shifts: list[Any], after: Any) -> None:
                found, shared = _least(builder, rows, at, add, ROWS, n, shifts, after)
                for i, shift in enumerate(shifts):
                    finish([sums[i] for sums in found], shift)
                if after is not None:
                    lanes = [list(range(r * FEW, (r + 1) * FEW)) for r in range(ROWS)]
                    finish([_shuffle(builder, shared, each) for each in lanes], after)

            _blocks(builder, blocks, few, body)
            return context.get_dummy_value()

        return signature, generate

    @intrinsic
    def lowest(typing: Any, table: Any, at: Any, blocks: Any) -> Any:
        """Return the least of ``table[at + i]`` for i < blocks * LANES."""
        integer = types.intp

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, at, blocks = args
            data = _data(context, builder, signature, args, 0)

            def block(i: Any, least: Any) -> list[Any]:
                shift = builder.mul(i, ir.Constant(i.type, LANES))
                found = _load(builder, data, builder.add(at, shift), _SHORTS)
                return [_lesser(builder, found, least)]

            most = ir.Constant(_SHORTS, [MOST] * LANES)
            (least,), half = loop(builder, [most], blocks, block), LANES
            while half > 1:
                half //= 2
                low = _shuffle(builder, least, list(range(half)))
                high = _shuffle(builder, least, list(range(half, 2 * half)))
                least = _lesser(builder, low, high)
            least = builder.extract_element(least, ir.Constant(ir.IntType(32), 0))
            return builder.zext(least, blocks.type)

        return integer(table, integer, integer), generate

    @intrinsic
    def places_at_most(typing: Any, table: Any, at: Any, n: Any, most: Any) -> Any:
        """Return the first and the last i < n for which ``table[at + i]`` is at most `most`.

        `most` is 0 to `MOST`, and n at least 1. What is first is n or more if there is none; what
        is last may be n - 1 if there are some beyond. Whole blocks are read.
        """
        integer = types.intp
        result = types.UniTuple(integer, 2)  # type: ignore[no-untyped-call]

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, at, n, most = args
            data = _data(context, builder, signature, args, 0)
            most = splat(builder, builder.trunc(most, _SHORT), _SHORTS)
            size = ir.Constant(n.type, LANES)
            blocks = builder.udiv(builder.add(n, ir.Constant(n.type, LANES - 1)), size)

            def block(i: Any, first: Any, last: Any) -> list[Any]:
                begin = builder.mul(i, size)
                found = _load(builder, data, builder.add(at, begin), _SHORTS)
                bits = builder.icmp_unsigned("<=", found, most)
                bits = builder.zext(builder.bitcast(bits, ir.IntType(LANES)), n.type)
                some = builder.icmp_signed("!=", bits, ir.Constant(n.type, 0))
                low = builder.cttz(bits, ir.Constant(ir.IntType(1), 0))
                high = builder.ctlz(bits, ir.Constant(ir.IntType(1), 0))
                low = builder.add(begin, low)
                high = builder.sub(builder.add(begin, ir.Constant(n.type, 63)), high)
                sooner = builder.and_(some, builder.icmp_signed("<", low, first))
                return [builder.select(sooner, low, first), builder.select(some, high, last)]

            end = builder.sub(n, ir.Constant(n.type, 1))
            first, last = loop(builder, [n, end], blocks, block)
            last = builder.select(builder.icmp_signed("<", last, end), last, end)
            return context.make_tuple(builder, result, [first, last])

        return result(table, integer, integer, integer), generate

    @intrinsic
    def extremes(typing: Any, table: Any, at: Any, n: Any, found: Any) -> Any:
        """Set ``found[0]`` to the greatest of ``table.ravel()[at + i]`` for i < n, at least 1.

        And ``found[1]`` to the least of those that are not -inf, or to inf. There is no NaN.
        """
        integer = types.intp

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, at, n, _ = args
            table, found = (_data(context, builder, signature, args, i) for i in (0, 3))
            data = builder.gep(table, [at])
            kind = context.get_data_type(signature.args[0].dtype)
            vector, size = ir.VectorType(kind, TILE), ir.Constant(n.type, TILE)
            tiles, rest = builder.udiv(n, size), builder.urem(n, size)

            def lesser(a: Any, b: Any) -> Any:
                return builder.select(builder.fcmp_ordered("<", a, b), a, b)

            def both(value: Any, none: Any, most: Any, top: Any, low: Any) -> list[Any]:
                finite = builder.fcmp_ordered(">", value, none)
                value_or_most = builder.select(finite, value, most)
                return [_greater_float(builder, value, top), lesser(value_or_most, low)]

            def tile(i: Any, top: Any, low: Any) -> list[Any]:
                value = _load(builder, data, builder.mul(i, size), vector, align=4)
                return both(value, none, most, top, low)

            def single(i: Any, top: Any, low: Any) -> list[Any]:
                place = builder.add(builder.mul(tiles, size), i)
                value = builder.load(builder.gep(data, [place]))
                none, most = (ir.Constant(kind, x) for x in (-np.inf, np.inf))
                return both(value, none, most, top, low)

            none, most = (ir.Constant(vector, [x] * TILE) for x in (-np.inf, np.inf))
            (top, low), width = loop(builder, [none, most], tiles, tile, none=True), TILE
            while width > 1:
                width //= 2
                halves = list(range(width)), list(range(width, 2 * width))
                top = _greater_float(builder, *(_shuffle(builder, top, half) for half in halves))
                low = lesser(*(_shuffle(builder, low, half) for half in halves))
            zero = ir.Constant(ir.IntType(32), 0)
            top, low = (builder.extract_element(each, zero) for each in (top, low))
            for i, value in enumerate(loop(builder, [top, low], rest, single, none=True)):
                if kind != ir.DoubleType():
                    value = builder.fpext(value, ir.DoubleType())
                builder.store(value, builder.gep(found, [ir.Constant(n.type, i)]))
            return context.get_dummy_value()

        return types.void(table, integer, integer, found), generate

    @intrinsic
    def lowest_bit(typing: Any, bits: Any) -> Any:
        """Return the place of the lowest bit that is set, of at least one."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.intp(types.intp), generate

    def _costs(sloping: bool) -> Any:
        """Write `costs_of_bins`, or without slopes `gaps_of_bins`."""

        def costs(
            typing: Any,
            low: Any,
            high: Any,
            least: Any,
            begin: Any,
            n: Any,
            below: Any,
            above: Any,
            slope: Any,
            row: Any,
            less: Any,
            add: Any,
        ) -> Any:
            """Fill ``add[ROWS j + r]`` with the costs of n bins for each of `ROWS` before them.

            Of bins `begin` and those that follow, and `row` and those that follow, whole numbers,
            twice each, 0 to `DEAREST`: of ``gap**2 + slope * least - less``, where `gap` is how
            far the interval low .. high of a bin is from below .. above of the row before. Room
            is needed for 3 bins more.
            """
            integer = types.intp
            signature = types.void(
                low, high, least, integer, integer, below, above, slope, integer, types.float64,
                add,
            )  # fmt: skip

            def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                low, high, least, *of_rows, add = (
                    _data(context, builder, signature, args, i) for i in (0, 1, 2, 5, 6, 7, 10)
                )
                begin, n, first, count = args[3], args[4], args[8], LANES // 2
                n_bins = count // ROWS
                floats, words = (
                    ir.VectorType(kind, count) for kind in (ir.FloatType(), ir.IntType(32))
                )
                zero, most = (
                    ir.Constant(floats, [value] * count) for value in (0.0, float(DEAREST))
                )
                half = ir.Constant(words, [16] * count)
                less = splat(builder, builder.fptrunc(args[9], ir.FloatType()), floats)
                of_bins = [i // ROWS for i in range(count)]

                def of_row(data: Any) -> Any:
                    few = _load(builder, data, first, _FLOATS, align=4)
                    return _shuffle(builder, few, [i % ROWS for i in range(count)])

                below, above, *slope = (of_row(data) for data in of_rows[: 2 + sloping])

                def tile(i: Any) -> list[Any]:
                    to = builder.mul(i, ir.Constant(i.type, n_bins))
                    place = builder.add(begin, to)

                    def of_bin(data: Any) -> Any:
                        few = _load(
                            builder, data, place, ir.VectorType(ir.FloatType(), n_bins), align=4
                        )
                        return _shuffle(builder, few, of_bins)

                    gap = _greater_float(
                        builder,
                        builder.fsub(of_bin(low), above),
                        builder.fsub(below, of_bin(high)),
                    )
                    gap = _greater_float(builder, gap, zero)
                    cost = builder.fmul(gap, gap)
                    if sloping:
                        cost = builder.fadd(cost, builder.fmul(slope[0], of_bin(least)))
                    cost = _greater_float(builder, builder.fsub(cost, less), zero)
                    cost = builder.select(builder.fcmp_ordered("<", cost, most), cost, most)
                    cost = builder.fptosi(cost, words)
                    cost = builder.or_(cost, builder.shl(cost, half))
                    to = builder.mul(to, ir.Constant(i.type, ROWS))
                    _store(builder, cost, add, to, align=4)
                    return []

                tiles = builder.add(n, ir.Constant(n.type, n_bins - 1))
                tiles = builder.udiv(tiles, ir.Constant(n.type, n_bins))
                loop(builder, [], tiles, tile)
                return context.get_dummy_value()

            return signature, generate

        return intrinsic(costs)

    costs_of_bins, gaps_of_bins = _costs(True), _costs(False)

    @intrinsic
    def bounded_lines(
        typing: Any,
        slope: Any,
        level: Any,
        n: Any,
        first: Any,
        own: Any,
        onset: Any,
        after: Any,
        at: Any,
        unit: Any,
        base: Any,
        threshold: Any,
        value: Any,
        to: Any,
        last: Any,
    ) -> Any:
        """Fill the values of lengths first .. first + TILE - 1; return which reach the threshold.

        That of length d is ``onset + (own[d] + max { level[p] + slope[p] d : p < n })``, n at
        least 1, at ``value[to + d - first]``. Bit ``d - first`` of what is returned says whether d
        is at most `last` and that value ``+ base - unit * after[at + d - first]`` reaches the
        threshold. `last` is at least `first`.
        """
        integer, number = types.intp, types.float64
        signature = types.intp(
            slope, level, integer, integer, own, number, after, integer, number, number, number,
            value, integer, integer,
        )  # fmt: skip

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            n, first, at = args[2], args[3], args[7]
            slope, level, own, after, value = (
                _data(context, builder, signature, args, i) for i in (0, 1, 4, 6, 11)
            )
            onset, unit = splat(builder, args[5], _DOUBLES), splat(builder, args[8], _DOUBLES)
            needed = splat(builder, builder.fsub(args[10], args[9]), _DOUBLES)
            ramp = ir.Constant(_DOUBLES, [float(r) for r in range(TILE)])
            length = splat(builder, builder.sitofp(first, ir.DoubleType()), _DOUBLES)
            length = builder.fadd(length, ramp)

            def line(p: Any, top: Any) -> list[Any]:
                rise = splat(builder, builder.load(builder.gep(slope, [p])), _DOUBLES)
                start = splat(builder, builder.load(builder.gep(level, [p])), _DOUBLES)
                total = builder.fadd(start, builder.fmul(rise, length))
                return [_greater_float(builder, total, top)]

            best = loop(builder, [ir.Constant(_DOUBLES, [-np.inf] * TILE)], n, line)[0]
            total = builder.fadd(_load(builder, own, first, _DOUBLES), best)
            total = builder.fadd(onset, total)
            _store(builder, total, value, args[12])
            rest = _load(builder, after, at, ir.VectorType(_SHORT, TILE))
            rest = builder.sitofp(builder.zext(rest, _WORDS), _DOUBLES)
            needed = builder.fadd(needed, builder.fmul(rest, unit))
            bits = builder.bitcast(builder.fcmp_ordered(">=", total, needed), ir.IntType(TILE))
            # those beyond the last are shifted out
            most = ir.Constant(n.type, TILE - 1)
            left = builder.sub(args[13], first)
            left = builder.select(builder.icmp_signed("<", left, most), left, most)
            beyond = builder.trunc(builder.sub(most, left), bits.type)
            every = ir.Constant(bits.type, 2**TILE - 1)
            return builder.zext(builder.and_(bits, builder.lshr(every, beyond)), n.type)

        return signature, generate
