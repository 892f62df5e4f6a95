"""Vector instructions of the search over bins of lengths, written out.

The compiler leaves the last frames of a row to scalars, which for rows of a hundred frames is half
of the time, and does not join sums and maxima of rows that may overlap. Here rows are read and
written in blocks of `LANES` frames, so tables need room for a whole number of them.
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
    "LANES",
    "TILE",
    "bounded_lines",
    "costs_of_bins",
    "lengthen",
    "lowest_bit",
    "max_plus",
    "max_plus_pair",
    "prefetch",
    "shorten_row",
]

LANES = 32  # frames in one go; two vectors of AVX-512, four of AVX2
TILE = 16  # lengths, or bins, in one go

_LEAST = -1e30  # costs stay finite in float32, even their sums

_Row = npt.NDArray[np.float32]
_Short = npt.NDArray[np.uint16]  # the upper half of a float32
_Float64 = npt.NDArray[np.float64]

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # the same in numpy

    def max_plus(
        rows: _Row,
        at: npt.NDArray[np.intp],
        add: _Row,
        n: int,
        plus: int,
        to: int,
        blocks: int,
    ) -> np.float32:
        frame = np.arange(blocks * LANES)
        best = (rows[at[:n, None] + frame] + add[:n, None]).max(axis=0)
        rows[to + frame] = best + rows[plus + frame]
        return np.float32(rows[to + frame].max())

    def max_plus_pair(
        rows: _Row,
        at: npt.NDArray[np.intp],
        add: _Row,
        second: int,
        n: int,
        plus: int,
        to: int,
        then_to: int,
        blocks: int,
    ) -> np.float32:
        return max(
            max_plus(rows, at, add, n, plus, to, blocks),
            max_plus(rows, at, add[second:], n, plus, then_to, blocks),
        )

    def shorten_row(rows: _Row, source: int, table: _Short, to: int, blocks: int) -> None:
        n = blocks * LANES
        table[to : to + n] = rows[source : source + n].view(np.uint32) >> 16

    def lengthen(short: int) -> float:
        return float(np.array(short, dtype=np.uint32)[None].__lshift__(16).view(np.float32)[0])

    def lowest_bit(bits: int) -> int:
        return (bits & -bits).bit_length() - 1

    def costs_of_bins(
        low: _Float64,
        high: _Float64,
        least: _Float64,
        n: int,
        below: float,
        above: float,
        slope: float,
        less: float,
        add: _Row,
        to: int,
    ) -> None:
        for i in range(0, n, TILE):
            at = slice(i, i + TILE)
            gap = np.maximum(np.maximum(low[at] - above, below - high[at]), 0.0)
            cost = np.maximum(-(gap * gap + slope * least[at]), _LEAST)
            add[to + i : to + i + TILE] = cost - less

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
        last: int,
    ) -> int:
        length = first + np.arange(TILE)
        best = (level[:n, None] + slope[:n, None] * length).max(axis=0)
        value[length] = onset + (own[length] + best)
        bound = (after[at : at + TILE].astype(np.uint32) << 16).view(np.float32)
        reached = (value[length] + base) + bound.astype(np.float64) * unit >= threshold
        return int(((reached & (length <= last)) << np.arange(TILE)).sum())

    def prefetch(table: npt.NDArray[Any], at: int, n: int) -> None:
        pass

else:
    _FLOATS = ir.VectorType(ir.FloatType(), LANES)
    _BITS = ir.VectorType(ir.IntType(32), LANES)
    _DOUBLES = ir.VectorType(ir.DoubleType(), TILE)
    _SINGLES = ir.VectorType(ir.FloatType(), TILE)
    _HALF = ir.IntType(16)
    _CACHE_LINE = 64  # bytes

    def _data(context: Any, builder: Any, signature: Any, args: Any, i: int) -> Any:
        return context.make_array(signature.args[i])(context, builder, args[i]).data

    def _load(builder: Any, data: Any, place: Any, kind: Any) -> Any:
        pointer = builder.bitcast(builder.gep(data, [place]), kind.as_pointer())
        return builder.load(pointer, align=2)

    def _store(builder: Any, value: Any, data: Any, place: Any) -> None:
        pointer = builder.bitcast(builder.gep(data, [place]), value.type.as_pointer())
        builder.store(value, pointer, align=2)

    def _greater(builder: Any, a: Any, b: Any) -> Any:
        """Of floats that are not positive, as bits: the smaller unsigned number.

        Integers are compared where floats are not added.
        """
        return builder.select(builder.icmp_unsigned("<", a, b), a, b)

    def _greater_double(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", a, b), a, b)

    def _max_plus(
        builder: Any, rows: Any, at: Any, adds: list[Any], n: Any, plus: Any, tos: Any, blocks: Any
    ) -> Any:
        """Write the loops of `max_plus`, for one row or more."""
        least = builder.bitcast(ir.Constant(_FLOATS, [-np.inf] * LANES), _BITS)

        def block(i: Any, greatest: Any) -> list[Any]:
            shift = builder.mul(i, ir.Constant(i.type, LANES))

            def source(j: Any, *best: Any) -> list[Any]:
                place = builder.add(builder.load(builder.gep(at, [j])), shift)
                row, following = _load(builder, rows, place, _FLOATS), []
                for add, found in zip(adds, best, strict=True):
                    score = splat(builder, builder.load(builder.gep(add, [j])), _FLOATS)
                    total = builder.bitcast(builder.fadd(row, score), _BITS)
                    following.append(_greater(builder, total, found))
                return following

            more = _load(builder, rows, builder.add(plus, shift), _FLOATS)
            found = loop(builder, [least] * len(adds), n, source)
            for to, best in zip(tos, found, strict=True):
                total = builder.fadd(builder.bitcast(best, _FLOATS), more)
                _store(builder, total, rows, builder.add(to, shift))
                greatest = _greater(builder, builder.bitcast(total, _BITS), greatest)
            return [greatest]

        (best,), half = loop(builder, [least], blocks, block), LANES
        while half > 1:
            half //= 2
            index = ir.VectorType(ir.IntType(32), half)
            low = ir.Constant(index, list(range(half)))
            high = ir.Constant(index, list(range(half, 2 * half)))
            best = _greater(
                builder,
                builder.shuffle_vector(best, best, low),
                builder.shuffle_vector(best, best, high),
            )
        best = builder.extract_element(best, ir.Constant(ir.IntType(32), 0))
        return builder.bitcast(best, ir.FloatType())

    @intrinsic
    def max_plus(
        typing: Any, rows: Any, at: Any, add: Any, n: Any, plus: Any, to: Any, blocks: Any
    ) -> Any:
        """Set ``rows[to + i]`` to ``max { rows[at[j] + i] + add[j] : j < n } + rows[plus + i]``.

        For ``i < blocks * LANES``; returns the greatest of them. All places are within `rows`,
        those written apart from those read, `n` and `blocks` at least 1, and no sum is positive.
        """
        integer = types.intp
        signature = types.float32(rows, at, add, integer, integer, integer, integer)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, _, _, n, plus, to, blocks = args
            rows, at, add = (_data(context, builder, signature, args, i) for i in range(3))
            return _max_plus(builder, rows, at, [add], n, plus, [to], blocks)

        return signature, generate

    @intrinsic
    def max_plus_pair(
        typing: Any,
        rows: Any,
        at: Any,
        add: Any,
        second: Any,
        n: Any,
        plus: Any,
        to: Any,
        then_to: Any,
        blocks: Any,
    ) -> Any:
        """`max_plus` to row `to`, and with ``add[second + j]`` to row `then_to`.

        The rows that are read are read once.
        """
        integer = types.intp
        signature = types.float32(
            rows, at, add, integer, integer, integer, integer, integer, integer
        )

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, _, _, second, n, plus, to, then_to, blocks = args
            rows, at, add = (_data(context, builder, signature, args, i) for i in range(3))
            adds = [add, builder.gep(add, [second])]
            return _max_plus(builder, rows, at, adds, n, plus, [to, then_to], blocks)

        return signature, generate

    @intrinsic
    def shorten_row(typing: Any, rows: Any, source: Any, table: Any, to: Any, blocks: Any) -> Any:
        """Copy ``blocks * LANES`` scores to the upper halves of their bits, `blocks` at least 1.

        Scores that are not positive are rounded up by less than one in 128.
        """
        integer = types.intp
        signature = types.void(rows, integer, table, integer, integer)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, source, _, to, blocks = args
            rows, table = (_data(context, builder, signature, args, i) for i in (0, 2))
            sixteen = ir.Constant(_BITS, [16] * LANES)

            def block(i: Any) -> list[Any]:
                shift = builder.mul(i, ir.Constant(i.type, LANES))
                row = _load(builder, rows, builder.add(source, shift), _BITS)
                row = builder.trunc(builder.lshr(row, sixteen), ir.VectorType(_HALF, LANES))
                _store(builder, row, table, builder.add(to, shift))
                return []

            loop(builder, [], blocks, block)
            return context.get_dummy_value()

        return signature, generate

    @intrinsic
    def lengthen(typing: Any, short: Any) -> Any:
        """Return what `shorten_row` left of a score."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bits = builder.zext(builder.trunc(args[0], _HALF), ir.IntType(32))
            bits = builder.shl(bits, ir.Constant(ir.IntType(32), 16))
            return builder.fpext(builder.bitcast(bits, ir.FloatType()), ir.DoubleType())

        return types.float64(types.uint16), generate

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
        n: Any,
        below: Any,
        above: Any,
        slope: Any,
        less: Any,
        add: Any,
        to: Any,
    ) -> Any:
        """Fill ``add[to:]`` with ``-gap**2 - slope * least - less`` for n bins, in whole tiles.

        `gap` is how far the interval low .. high of a bin is from below .. above.
        """
        integer, number = types.intp, types.float64
        signature = types.void(
            low, high, least, integer, number, number, number, number, add, integer
        )

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            low, high, least, add = (
                _data(context, builder, signature, args, i) for i in (0, 1, 2, 8)
            )
            n = args[3]
            below, above, slope, less = (splat(builder, args[i], _DOUBLES) for i in range(4, 8))
            zero, bottom = (ir.Constant(_DOUBLES, [value] * TILE) for value in (0.0, _LEAST))

            def tile(i: Any) -> list[Any]:
                place = builder.mul(i, ir.Constant(i.type, TILE))
                gap = _greater_double(
                    builder,
                    builder.fsub(_load(builder, low, place, _DOUBLES), above),
                    builder.fsub(below, _load(builder, high, place, _DOUBLES)),
                )
                gap = _greater_double(builder, gap, zero)
                cost = builder.fadd(
                    builder.fmul(gap, gap),
                    builder.fmul(slope, _load(builder, least, place, _DOUBLES)),
                )
                cost = _greater_double(builder, builder.fsub(zero, cost), bottom)
                cost = builder.fptrunc(builder.fsub(cost, less), _SINGLES)
                _store(builder, cost, add, builder.add(args[9], place))
                return []

            tiles = builder.add(n, ir.Constant(n.type, TILE - 1))
            tiles = builder.sdiv(tiles, ir.Constant(n.type, TILE))
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
        last: Any,
    ) -> Any:
        """Fill the values of lengths first .. first + TILE - 1; return which reach the threshold.

        ``value[d] = onset + (own[d] + max { level[p] + slope[p] d : p < n })``, n at least 1, and
        bit ``d - first`` of what is returned says whether d is at most `last` and ``(value[d] +
        base) + unit * lengthen(after[at + d - first])`` reaches the threshold.
        """
        integer, number = types.intp, types.float64
        signature = types.intp(
            slope, level, integer, integer, own, number, after, integer, number, number, number,
            value, integer,
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
            _store(builder, total, value, first)
            words = ir.VectorType(ir.IntType(32), TILE)
            rest = _load(builder, after, at, ir.VectorType(_HALF, TILE))
            rest = builder.shl(builder.zext(rest, words), ir.Constant(words, [16] * TILE))
            rest = builder.fpext(builder.bitcast(rest, _SINGLES), _DOUBLES)
            bound = builder.fadd(builder.fadd(total, base), builder.fmul(rest, unit))
            reached = builder.fcmp_ordered(">=", bound, threshold)
            place = ir.Constant(words, list(range(TILE)))
            left = builder.trunc(builder.sub(args[12], first), words.element)
            reached = builder.and_(
                reached, builder.icmp_signed("<=", place, splat(builder, left, words))
            )
            return builder.zext(builder.bitcast(reached, ir.IntType(TILE)), n.type)

        return signature, generate

    @intrinsic
    def prefetch(typing: Any, table: Any, at: Any, n: Any) -> Any:
        """Ask for n >= 1 items of a table, which are read soon and are not in the cache."""
        signature = types.void(table, types.intp, types.intp)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, at, n = args
            table = _data(context, builder, signature, args, 0)
            size = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
            line, kind = ir.Constant(n.type, max(1, _CACHE_LINE // size)), ir.IntType(32)
            byte = ir.IntType(8).as_pointer()
            function = builder.module.declare_intrinsic(
                "llvm.prefetch", (byte,), ir.FunctionType(ir.VoidType(), [byte, kind, kind, kind])
            )
            flags = [ir.Constant(kind, flag) for flag in (0, 3, 1)]  # read, keep, data

            def ask(i: Any) -> list[Any]:
                place = builder.gep(table, [builder.add(at, builder.mul(i, line))])
                builder.call(function, [builder.bitcast(place, byte), *flags])
                return []

            lines = builder.add(builder.sdiv(n, line), ir.Constant(n.type, 1))
            loop(builder, [], lines, ask)
            return context.get_dummy_value()

        return signature, generate
