"""Kernels of second-order decoding by upper envelopes, in vector instructions.

For fixed k and t the bracket of the recursion of `align.decoders.second_order` is a set of lines
in d, one for each onset s of the event before, of slope ``c (t - s)``. The slopes come sorted, so
the best s moves one way as d grows: up if c < 0, down if c > 0. The frames of the next onset are
cut into tiles of 16, and for 16 onsets t at once

1. the best line of each onset at both ends of each tile is found, ends in the middle first, whose
   best lines limit the search at the ends on either side;
2. the lines between those at the ends of a tile are tried at its 16 frames. No other line can be
   best there.

That is at most ``2 + L / 16`` vector operations for each line of a state's onset, and about
five for each tile of real scores. All sums are of the same few terms as in a search of all lines,
so ties are decided as there: the greatest length before, which is the earliest onset.

States of event k lie in a table [onset t, length d], lengths ``shortest - 16 .. longest + 16``:
tiles may stick out, and those lengths score -inf. Tiles begin at frame ``first[k + 1]``.
Back-pointers lie in tables [onset, tile, frame in the tile] and say which of the lines of that
onset was best, the earliest s being 0.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from align._numba import compiled
from align.decoders._llvm import loop, splat
from align.decoders._windows import Windows
from align.types import FloatArray, IntArray

__all__ = ["TILE", "Problem", "advance", "begin"]

TILE = 16  # frames of the next onset, and onsets, in one go; four vectors of AVX2

_Float64 = npt.NDArray[np.float64]


class Problem(NamedTuple):
    """What the kernels read; see `align.decoders._states` for the last three."""

    onset: FloatArray
    start: IntArray
    windows: Windows
    own: _Float64
    cross: _Float64
    offset: IntArray


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # the same in numpy

    def _best_lines(
        states: _Float64, at: int, step: int, n: int, c: float, q: float, best: Any, to: int
    ) -> None:
        column = states[at + step * np.arange(n)[:, None] + np.arange(TILE)]
        value = column - (c * (q - np.arange(TILE))) * np.arange(n, dtype=np.float64)[:, None]
        found = value.argmax(axis=0)
        found[value.max(axis=0) == -np.inf] = 0
        best[to : to + TILE] = found

    def _fill_tile(
        here: _Float64,
        to: int,
        own: _Float64,
        own_at: int,
        back: npt.NDArray[Any],
        back_to: int,
        states: _Float64,
        at: int,
        step: int,
        n: int,
        x: float,
        c: float,
        q: float,
        score: float,
        line: float,
    ) -> None:
        base = states[at + step * np.arange(n)]
        value = base[:, None] + (x - np.arange(n)[:, None]) * (c * (q + np.arange(TILE)))
        found = value.argmax(axis=0)
        top = value.max(axis=0)
        here[to : to + TILE] = own[own_at : own_at + TILE] + (top + score)
        with np.errstate(all="ignore"):
            back[back_to : back_to + TILE] = (int(line) + found).astype(back.dtype)

else:
    _VECTOR = ir.VectorType(ir.DoubleType(), TILE)
    _SUM = ("contract",)  # may become one multiply-add

    def _constant(values: list[float]) -> Any:
        return ir.Constant(_VECTOR, values)

    def _place(context: Any, builder: Any, signature: Any, args: Any, i: int, at: Any) -> Any:
        array = context.make_array(signature.args[i])(context, builder, args[i])
        return builder.gep(array.data, [at])

    @intrinsic
    def _best_lines(
        typing: Any, states: Any, at: Any, step: Any, n: Any, c: Any, q: Any, best: Any, to: Any
    ) -> Any:
        """Which of n lines is best at lengths ``q - r`` of 16 onsets t + r; ties: the first.

        Line i of onset r is ``states[at + i step + r]`` at its own length, and that length is i
        less than the length of line 0, which need not be known.
        """
        integer, number = types.intp, types.float64
        signature = types.void(states, integer, integer, integer, number, number, best, integer)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, at, step, n, c, q, _, to = args
            ramp, one = _constant([float(r) for r in range(TILE)]), _constant([1.0] * TILE)
            slope = builder.fmul(
                splat(builder, c, _VECTOR), builder.fsub(splat(builder, q, _VECTOR), ramp)
            )

            def body(_: Any, at: Any, line: Any, top: Any, found: Any) -> list[Any]:
                place = _place(context, builder, signature, args, 0, at)
                place = builder.bitcast(place, _VECTOR.as_pointer())
                value = builder.fsub(
                    builder.load(place, align=8),
                    builder.fmul(slope, line, flags=_SUM),
                    flags=_SUM,
                )
                more = builder.fcmp_ordered(">", value, top)
                return [
                    builder.add(at, step),
                    builder.fadd(line, one),
                    builder.select(more, value, top),
                    builder.select(more, line, found),
                ]

            zero, least = _constant([0.0] * TILE), _constant([-np.inf] * TILE)
            found = loop(builder, [at, zero, least, zero], n, body)[3]
            kind = ir.VectorType(ir.IntType(32), TILE)
            place = _place(context, builder, signature, args, 6, to)
            place = builder.bitcast(place, kind.as_pointer())
            builder.store(builder.fptosi(found, kind), place, align=4)
            return context.get_dummy_value()

        return signature, generate

    @intrinsic
    def _fill_tile(
        typing: Any,
        here: Any,
        to: Any,
        own: Any,
        own_at: Any,
        back: Any,
        back_to: Any,
        states: Any,
        at: Any,
        step: Any,
        n: Any,
        x: Any,
        c: Any,
        q: Any,
        score: Any,
        line: Any,
    ) -> Any:
        """States of one onset at lengths q + r, and their pointers, ``line`` for the first line.

        Line i is ``states[at + i step] + c (x - i) (q + r)``; ties: the first.
        """
        integer, number = types.intp, types.float64
        signature = types.void(
            here, integer, own, integer, back, integer, states, integer, integer, integer,
            number, number, number, number, number,
        )  # fmt: skip

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            to, own_at, back_to = args[1], args[3], args[5]
            at, step, n, x, c, q, score, line = args[7:]
            ramp, one = _constant([float(r) for r in range(TILE)]), _constant([1.0] * TILE)
            length = builder.fmul(
                splat(builder, c, _VECTOR), builder.fadd(splat(builder, q, _VECTOR), ramp)
            )

            def body(_: Any, at: Any, x: Any, top: Any, found: Any) -> list[Any]:
                place = _place(context, builder, signature, args, 6, at)
                value = splat(builder, builder.load(place), _VECTOR)
                value = builder.fadd(value, builder.fmul(length, x, flags=_SUM), flags=_SUM)
                more = builder.fcmp_ordered(">", value, top)
                return [
                    builder.add(at, step),
                    builder.fsub(x, one),
                    builder.select(more, value, top),
                    builder.select(more, x, found),
                ]

            zero, least = _constant([0.0] * TILE), _constant([-np.inf] * TILE)
            start = [at, splat(builder, x, _VECTOR), least, zero]
            _, _, top, found = loop(builder, start, n, body)
            found = builder.fsub(splat(builder, builder.fadd(x, line), _VECTOR), found)
            place = _place(context, builder, signature, args, 2, own_at)
            place = builder.bitcast(place, _VECTOR.as_pointer())
            total = builder.fadd(
                builder.load(place, align=8),
                builder.fadd(top, splat(builder, score, _VECTOR)),
            )
            place = _place(context, builder, signature, args, 0, to)
            builder.store(total, builder.bitcast(place, _VECTOR.as_pointer()), align=8)
            pointer = builder.fptosi(found, ir.VectorType(ir.IntType(32), TILE))
            kind = ir.VectorType(context.get_value_type(signature.args[4].dtype), TILE)
            if kind.element.width < 32:
                pointer = builder.trunc(pointer, kind)
            place = _place(context, builder, signature, args, 4, back_to)
            builder.store(pointer, builder.bitcast(place, kind.as_pointer()), align=1)
            return context.get_dummy_value()

        return signature, generate


@compiled()
def advance(
    problem: Problem,
    low: int,
    high: int,
    here: _Float64,
    other: _Float64,
    back: npt.NDArray[Any],
    keep: bool,
) -> bool:
    """Go from the states of event low - 1 to those of high - 1; whether they are in `other`."""
    onset, start, windows, own, cross, offset = problem
    first, last = windows.first, windows.last
    padded = np.empty(own.shape[1] + 2 * TILE)
    n_ends = (np.max(last - first) + TILE) // TILE + 2
    ends = np.empty(n_ends * TILE, dtype=np.int32)
    for k in range(low, high):
        scores = onset[k, first[k] - start[k] : last[k] - start[k] + 1]
        shift = offset[k] - offset[low] if keep else 0
        _pad(own[k], windows.longest[k] - windows.shortest[k] + 1, padded)
        _extend(scores, windows, k, padded, cross[k], here, ends, other, back, shift)
        here, other = other, here
    return (high - low) % 2 == 1


@compiled()
def _pad(own: _Float64, n: int, padded: _Float64) -> None:
    padded[:TILE] = -np.inf
    padded[TILE : TILE + n] = own[:n]
    padded[TILE + n : 2 * TILE + n] = -np.inf


@compiled()
def begin(problem: Problem, here: _Float64) -> None:
    """Fill the states of the first event."""
    onset, start, windows, own = problem.onset, problem.start, problem.windows, problem.own
    n = windows.longest[0] - windows.shortest[0] + 1
    padded = np.empty(own.shape[1] + 2 * TILE)
    _pad(own[0], n, padded)
    for i in range(windows.last[0] - windows.first[0] + 1):
        score = float(onset[0, windows.first[0] - start[0] + i])
        for q in range(n + 2 * TILE):
            here[i * (n + 2 * TILE) + q] = score + padded[q]


@compiled()
def _extend(
    scores: FloatArray,
    windows: Windows,
    k: int,
    own: _Float64,
    c: float,
    before: _Float64,
    ends: npt.NDArray[np.int32],
    here: _Float64,
    back: npt.NDArray[Any],
    back_to: int,
) -> None:
    """States of event k from those of event k - 1."""
    first, last, shortest, longest = windows.first, windows.last, windows.shortest, windows.longest
    low, high, next_frame = shortest[k], longest[k], first[k + 1]
    low_before, high_before = shortest[k - 1], longest[k - 1]
    width = high - low + 1 + 2 * TILE
    width_before = high_before - low_before + 1 + 2 * TILE
    last_tile = (last[k + 1] - next_frame) // TILE
    n_tiles = min((high - low) // TILE + 2, last_tile + 1)
    for block in range(0, scores.size, TILE):
        t = first[k] + block
        size = min(TILE, scores.size - block)
        s = max(first[k - 1], t - high_before)
        n = min(last[k - 1], t + size - 1 - low_before) - s + 1
        # score of (s + i, t + r) is at ``source + i step + r``
        source = (s - first[k - 1]) * width_before + t - s - low_before + TILE
        step = width_before - 1
        tile = max(0, (t + low - next_frame) // TILE)
        stop = min(last_tile, (t + size - 1 + high - next_frame) // TILE) + 1
        _find_ends(before, source, step, n, c, next_frame - t, tile, stop, ends)
        for r in range(size):
            score = float(scores[block + r])
            lines = max(first[k - 1] - s, t + r - high_before - s)  # the first of this onset
            low_tile = max(0, (t + r + low - next_frame) // TILE)
            high_tile = min(last_tile, (t + r + high - next_frame) // TILE)
            pointers = back_to + (block + r) * n_tiles * TILE
            for j in range(low_tile, high_tile + 1):
                a, b = ends[j * TILE + r], ends[(j + 1) * TILE + r]
                if a > b:
                    a, b = b, a
                q = next_frame + j * TILE - t - r
                _fill_tile(
                    here,
                    (block + r) * width + q - low + TILE,
                    own,
                    q - low + TILE,
                    back,
                    pointers + (j - low_tile) * TILE,
                    before,
                    source + a * step + r,
                    step,
                    b - a + 1,
                    float(t + r - s - a),
                    c,
                    float(q),
                    score,
                    float(a - lines),
                )


@compiled()
def _find_ends(
    before: _Float64,
    source: int,
    step: int,
    n: int,
    c: float,
    q: int,
    low: int,
    high: int,
    ends: npt.NDArray[np.int32],
) -> None:
    """Best lines of 16 onsets at ends low .. high of tiles; end j is at length q + 16 j."""
    size = 1
    while size < high - low:
        size *= 2
    for j in (low, high):
        _best_lines(before, source, step, n, c, float(q + TILE * j), ends, j * TILE)
    while size > 1:
        half = size // 2
        for j in range(low + half, high, size):
            a, b = n, 0
            for r in range(TILE):
                left, right = ends[(j - half) * TILE + r], ends[min(j + half, high) * TILE + r]
                a, b = min(a, left, right), max(b, left, right)
            _best_lines(
                before, source + a * step, step, b - a + 1, c, float(q + TILE * j), ends, j * TILE
            )
            for r in range(TILE):
                ends[j * TILE + r] += a
        size = half
