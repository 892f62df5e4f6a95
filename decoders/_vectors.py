"""Vector instructions of the search over bins of lengths, written out.

The compiler leaves the last frames of a row to scalars, which for rows of a hundred frames is half
of the time, and does not join sums and minima of rows that may overlap. Here rows are read and
written in blocks of `LANES` frames, so tables need room for a whole number of them.

Shortfalls are whole numbers of 16 bits that are at most `MOST`, so that the sum of two is never
too much. Those that rows are added to come twice, in both halves of 32 bits: such numbers spread
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

__all__ = [
    "COARSE",
    "LANES",
    "MOST",
    "ROWS",
    "TILE",
    "bounded_lines",
    "costs_of_bins",
    "least_of_bins",
    "least_of_rows",
    "least_sums",
    "lowest_bit",
]

LANES = 32  # frames in one go; one vector of AVX-512, two of AVX2
ROWS = 4  # rows in one go
TILE = 16  # lengths, or bins, in one go
MOST = 2**15 - 1  # greatest shortfall
COARSE = 64  # units in one of the shortfalls of 8 bits

_WIDE = 8  # costs in one go

_Short = npt.NDArray[np.uint16]
_Byte = npt.NDArray[np.uint8]
_Twice = npt.NDArray[np.uint32]
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
        total = rows[at[:n, None] + frame] + (add[:n, None] >> 16).astype(np.uint16)
        rows[to + frame] = np.minimum(total.min(axis=0), MOST)

    def least_of_bins(
        rows: _Short,
        at: npt.NDArray[np.intp],
        begin: int,
        add: _Twice,
        second: int,
        n: int,
        less: int,
        plus: int,
        to: int,
        stride: int,
        table: _Byte,
        place: int,
        blocks: int,
    ) -> int:
        frame, greatest = np.arange(blocks * LANES), MOST
        for r in range(ROWS):
            costs = (add[r * second : r * second + n, None] >> 16).astype(np.uint16)
            total = (rows[at[begin : begin + n, None] + frame] + costs).min(axis=0)
            total = total - np.uint16(less)
            total = np.minimum(np.minimum(total, MOST) + rows[plus + frame], MOST)
            rows[to + r * stride + frame] = total
            table[place + r * frame.size + frame] = np.minimum(total // COARSE, 255)
            greatest = min(greatest, int(total.min()))
        return greatest

    def lowest_bit(bits: int) -> int:
        return int(bits & -bits).bit_length() - 1

    def costs_of_bins(
        low: _Float64,
        high: _Float64,
        least: _Float64,
        begin: int,
        n: int,
        of_rows: _Float64,
        less: float,
        add: _Twice,
        second: int,
    ) -> None:
        at = slice(begin, begin + n + -n % _WIDE)
        for r in range(ROWS):
            below, above, slope = of_rows[r]
            gap = np.maximum(np.maximum(low[at] - above, below - high[at]), 0.0)
            cost = np.clip(gap * gap + slope * least[at] - less, 0.0, float(MOST))
            add[r * second : r * second + cost.size] = cost.astype(np.uint32) * 65537

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
        bound = (total + base) - after[at : at + TILE] * unit
        reached = bound >= threshold
        return int(((reached & (length <= last)) << np.arange(TILE)).sum())

else:
    _SHORTS = ir.VectorType(ir.IntType(16), LANES)
    _BYTES = ir.VectorType(ir.IntType(8), LANES)
    _TWICE = ir.VectorType(ir.IntType(32), LANES // 2)
    _WORDS = ir.VectorType(ir.IntType(32), TILE)
    _DOUBLES = ir.VectorType(ir.DoubleType(), TILE)
    _SHORT = ir.IntType(16)

    def _data(context: Any, builder: Any, signature: Any, args: Any, i: int) -> Any:
        return context.make_array(signature.args[i])(context, builder, args[i]).data

    def _load(builder: Any, data: Any, place: Any, kind: Any) -> Any:
        pointer = builder.bitcast(builder.gep(data, [place]), kind.as_pointer())
        return builder.load(pointer, align=2)

    def _store(builder: Any, value: Any, data: Any, place: Any, align: int = 2) -> None:
        pointer = builder.bitcast(builder.gep(data, [place]), value.type.as_pointer())
        builder.store(value, pointer, align=align)

    def _lesser(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.icmp_unsigned("<", a, b), a, b)

    def _greater_double(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", a, b), a, b)

    def _least(
        builder: Any,
        rows: Any,
        at: Any,
        adds: list[Any] | None,
        n: Any,
        shifts: list[Any],
    ) -> list[list[Any]]:
        """Write the loop over n rows: the least of blocks of them, or least sums for each add."""
        most = ir.Constant(_SHORTS, [2**16 - 1] * LANES)
        width = len(shifts)

        def source(j: Any, *least: Any) -> list[Any]:
            place = builder.load(builder.gep(at, [j]))
            read = [_load(builder, rows, builder.add(place, s), _SHORTS) for s in shifts]
            following = []
            for r in range(len(least) // width):
                cost = None
                if adds is not None:
                    cost = splat(builder, builder.load(builder.gep(adds[r], [j])), _TWICE)
                    cost = builder.bitcast(cost, _SHORTS)
                for row, found in zip(read, least[r * width :], strict=False):
                    total = row if cost is None else builder.add(row, cost)
                    following.append(_lesser(builder, total, found))
            return following

        n_rows = 1 if adds is None else len(adds)
        found = loop(builder, [most] * (n_rows * width), n, source)
        return [found[r * width : (r + 1) * width] for r in range(n_rows)]

    def _blocks(builder: Any, start: list[Any], n: Any, body: Any) -> list[Any]:
        """Run ``body(shifts, *variables)`` over blocks, two at once as long as there are two.

        The end of every loop over rows costs as much as some rows.
        """
        one, lanes = ir.Constant(n.type, 1), ir.Constant(n.type, LANES)
        pairs, rest = builder.ashr(n, one), builder.and_(n, one)

        def two(i: Any, *variables: Any) -> list[Any]:
            first = builder.mul(builder.shl(i, one), lanes)
            return list(body([first, builder.add(first, lanes)], *variables))

        def last(_: Any, *variables: Any) -> list[Any]:
            return list(body([builder.mul(builder.shl(pairs, one), lanes)], *variables))

        return loop(builder, loop(builder, start, pairs, two, none=True), rest, last, none=True)

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

            def body(shifts: list[Any]) -> list[Any]:
                (found,) = _least(builder, rows, at, None, n, shifts)
                for shift, least in zip(shifts, found, strict=True):
                    _store(builder, least, table, builder.add(to, shift))
                return []

            _blocks(builder, [], blocks, body)
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
            most = ir.Constant(_SHORTS, [MOST] * LANES)

            def body(shifts: list[Any]) -> list[Any]:
                (found,) = _least(builder, rows, at, [add], n, shifts)
                for shift, least in zip(shifts, found, strict=True):
                    _store(builder, _lesser(builder, least, most), rows, builder.add(to, shift))
                return []

            _blocks(builder, [], blocks, body)
            return context.get_dummy_value()

        return signature, generate

    @intrinsic
    def least_of_bins(
        typing: Any,
        rows: Any,
        at: Any,
        begin: Any,
        add: Any,
        second: Any,
        n: Any,
        less: Any,
        plus: Any,
        to: Any,
        stride: Any,
        table: Any,
        place: Any,
        blocks: Any,
    ) -> Any:
        """Fill `ROWS` rows of shortfalls, and of a table of 8 bits; return their least.

        ``rows[to + r stride + i]`` is the least of ``rows[at[begin + j] + i] + add[r second + j]``
        for j < n, less `less`, plus ``rows[plus + i]``, at most `MOST`. `COARSE` is in it
        ``table[place + r blocks LANES + i]`` times or more often, for i < blocks * LANES. `less`
        is at most that least. All else is as in `least_sums`.
        """
        integer = types.intp
        signature = types.intp(
            rows, at, integer, add, integer, integer, integer, integer, integer, integer, table,
            integer, integer,
        )  # fmt: skip

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, _, begin, _, second, n, less, plus, to, stride, _, place, blocks = args
            rows, at, add, table = (
                _data(context, builder, signature, args, i) for i in (0, 1, 3, 10)
            )
            at = builder.gep(at, [begin])
            count = [ir.Constant(n.type, r) for r in range(ROWS)]
            adds = [builder.gep(add, [builder.mul(second, r)]) for r in count]
            tos = [builder.add(to, builder.mul(stride, r)) for r in count]
            size = builder.mul(blocks, ir.Constant(n.type, LANES))
            places = [builder.add(place, builder.mul(size, r)) for r in count]
            most = ir.Constant(_SHORTS, [MOST] * LANES)
            nothing = splat(builder, builder.trunc(less, _SHORT), _SHORTS)

            def body(shifts: list[Any], lowest: Any) -> list[Any]:
                found = _least(builder, rows, at, adds, n, shifts)
                for i, shift in enumerate(shifts):
                    more = _load(builder, rows, builder.add(plus, shift), _SHORTS)
                    for least, to, place in zip(found, tos, places, strict=True):
                        total = _lesser(builder, builder.sub(least[i], nothing), most)
                        total = _lesser(builder, builder.add(total, more), most)
                        _store(builder, total, rows, builder.add(to, shift))
                        coarse = builder.udiv(total, ir.Constant(_SHORTS, [COARSE] * LANES))
                        coarse = _lesser(builder, coarse, ir.Constant(_SHORTS, [255] * LANES))
                        coarse = builder.trunc(coarse, _BYTES)
                        _store(builder, coarse, table, builder.add(place, shift), align=1)
                        lowest = _lesser(builder, total, lowest)
                return [lowest]

            (lowest,), half = _blocks(builder, [most], blocks, body), LANES
            while half > 1:
                half //= 2
                index = ir.VectorType(ir.IntType(32), half)
                low = ir.Constant(index, list(range(half)))
                high = ir.Constant(index, list(range(half, 2 * half)))
                lowest = _lesser(
                    builder,
                    builder.shuffle_vector(lowest, lowest, low),
                    builder.shuffle_vector(lowest, lowest, high),
                )
            lowest = builder.extract_element(lowest, ir.Constant(ir.IntType(32), 0))
            return builder.zext(lowest, n.type)

        return signature, generate

    @intrinsic
    def lowest_bit(typing: Any, bits: Any) -> Any:
        """Return the place of the lowest bit that is set, of at least one."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.intp(types.intp), generate

    @intrinsic
    def costs_of_bins(
        typing: Any,
        low: Any,
        high: Any,
        least: Any,
        begin: Any,
        n: Any,
        of_rows: Any,
        less: Any,
        add: Any,
        second: Any,
    ) -> Any:
        """Fill ``add[r second :]`` with the costs of n bins for each of `ROWS` bins before them.

        Of bins `begin` and those that follow, whole numbers, twice each, 0 to `MOST`: of
        ``gap**2 + slope * least - less``, where `gap` is how far the interval low .. high of a bin
        is from below .. above. ``of_rows[r]`` is below, above and slope. Room is needed for 7 bins
        more.
        """
        integer = types.intp
        signature = types.void(
            low, high, least, integer, integer, of_rows, types.float64, add, integer
        )

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            low, high, least, of_rows, add = (
                _data(context, builder, signature, args, i) for i in (0, 1, 2, 5, 7)
            )
            begin, n, second = args[3], args[4], args[8]
            doubles, words = (
                ir.VectorType(kind, _WIDE) for kind in (ir.DoubleType(), ir.IntType(32))
            )
            zero, most = (ir.Constant(doubles, [value] * _WIDE) for value in (0.0, float(MOST)))
            less = splat(builder, args[6], doubles)
            rows = []
            for r in range(ROWS):
                three = [
                    builder.load(builder.gep(of_rows, [ir.Constant(n.type, 3 * r + i)]))
                    for i in range(3)
                ]
                rows.append([splat(builder, value, doubles) for value in three])

            def tile(i: Any) -> list[Any]:
                to = builder.mul(i, ir.Constant(i.type, _WIDE))
                place = builder.add(begin, to)
                lows, highs, leasts = (
                    _load(builder, table, place, doubles) for table in (low, high, least)
                )
                for r, (below, above, slope) in enumerate(rows):
                    gap = _greater_double(
                        builder, builder.fsub(lows, above), builder.fsub(below, highs)
                    )
                    gap = _greater_double(builder, gap, zero)
                    cost = builder.fadd(builder.fmul(gap, gap), builder.fmul(slope, leasts))
                    cost = _greater_double(builder, builder.fsub(cost, less), zero)
                    cost = builder.select(builder.fcmp_ordered("<", cost, most), cost, most)
                    cost = builder.fptosi(cost, words)
                    cost = builder.mul(cost, ir.Constant(words, [65537] * _WIDE))
                    row = builder.mul(second, ir.Constant(n.type, r))
                    _store(builder, cost, add, builder.add(row, to))
                return []

            tiles = builder.add(n, ir.Constant(n.type, _WIDE - 1))
            tiles = builder.sdiv(tiles, ir.Constant(n.type, _WIDE))
            loop(builder, [], tiles, tile)
            return context.get_dummy_value()

        return signature, generate

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
        threshold.
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
            onset, unit, base, threshold = (
                splat(builder, args[i], _DOUBLES) for i in (5, 8, 9, 10)
            )
            ramp = ir.Constant(_DOUBLES, [float(r) for r in range(TILE)])
            length = splat(builder, builder.sitofp(first, ir.DoubleType()), _DOUBLES)
            length = builder.fadd(length, ramp)

            def line(p: Any, top: Any) -> list[Any]:
                rise = splat(builder, builder.load(builder.gep(slope, [p])), _DOUBLES)
                start = splat(builder, builder.load(builder.gep(level, [p])), _DOUBLES)
                total = builder.fadd(start, builder.fmul(rise, length))
                return [_greater_double(builder, total, top)]

            best = loop(builder, [ir.Constant(_DOUBLES, [-np.inf] * TILE)], n, line)[0]
            total = builder.fadd(_load(builder, own, first, _DOUBLES), best)
            total = builder.fadd(onset, total)
            _store(builder, total, value, args[12])
            rest = _load(builder, after, at, ir.VectorType(_SHORT, TILE))
            rest = builder.sitofp(builder.zext(rest, _WORDS), _DOUBLES)
            bound = builder.fsub(builder.fadd(total, base), builder.fmul(rest, unit))
            reached = builder.fcmp_ordered(">=", bound, threshold)
            place = ir.Constant(_WORDS, list(range(TILE)))
            left = builder.trunc(builder.sub(args[13], first), _WORDS.element)
            reached = builder.and_(
                reached, builder.icmp_signed("<=", place, splat(builder, left, _WORDS))
            )
            return builder.zext(builder.bitcast(reached, ir.IntType(TILE)), n.type)

        return signature, generate
