"""Pieces of LLVM code that the vector kernels are written of."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]

__all__ = ["loop", "splat"]


def loop(builder: Any, start: list[Any], n: Any, body: Any, *, none: bool = False) -> list[Any]:
    """Run ``body(count, *variables)`` n times from `start`; return what it returned last.

    `n` is at least 1, or with `none` at least 0: what is returned then is `start`.
    """
    entry, nothing = builder.basic_block, ir.Constant(n.type, 0)
    again, done = builder.append_basic_block("loop"), builder.append_basic_block("done")
    if none:
        builder.cbranch(builder.icmp_signed(">", n, nothing), again, done)
    else:
        builder.branch(again)
    builder.position_at_end(again)
    count, *variables = (builder.phi(kind) for kind in [n.type, *(v.type for v in start)])
    following = body(count, *variables)
    after = builder.add(count, ir.Constant(n.type, 1))
    last = builder.basic_block
    for phi, first, then in zip(
        [count, *variables], [nothing, *start], [after, *following], strict=True
    ):
        phi.add_incoming(first, entry)
        phi.add_incoming(then, last)
    builder.cbranch(builder.icmp_signed("<", after, n), again, done)
    builder.position_at_end(done)
    if not none:
        return list(following)
    found = []
    for first, then in zip(start, following, strict=True):
        phi = builder.phi(first.type)
        phi.add_incoming(first, entry)
        phi.add_incoming(then, last)
        found.append(phi)
    return found


def splat(builder: Any, value: Any, kind: Any) -> Any:
    """Return a vector of this type that holds one value everywhere."""
    index = ir.IntType(32)
    none = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(none, value, ir.Constant(index, 0))
    zeros = ir.Constant(ir.VectorType(index, kind.count), [0] * kind.count)
    return builder.shuffle_vector(one, none, zeros)
