"""Pieces of LLVM code that the vector kernels are written of."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]

__all__ = ["loop", "splat"]


def loop(builder: Any, start: list[Any], n: Any, body: Any) -> list[Any]:
    """Run ``body(count, *variables)`` n >= 1 times from `start`; return what it returned last."""
    entry = builder.basic_block
    again, done = builder.append_basic_block("loop"), builder.append_basic_block("done")
    builder.branch(again)
    builder.position_at_end(again)
    count, *variables = (builder.phi(kind) for kind in [n.type, *(v.type for v in start)])
    following = body(count, *variables)
    after = builder.add(count, ir.Constant(n.type, 1))
    for phi, first, then in zip(
        [count, *variables], [ir.Constant(n.type, 0), *start], [after, *following], strict=True
    ):
        phi.add_incoming(first, entry)
        phi.add_incoming(then, builder.basic_block)
    builder.cbranch(builder.icmp_signed("<", after, n), again, done)
    builder.position_at_end(done)
    return list(following)


def splat(builder: Any, value: Any, kind: Any) -> Any:
    """Return a vector of this type that holds one value everywhere."""
    index = ir.IntType(32)
    none = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(none, value, ir.Constant(index, 0))
    zeros = ir.Constant(ir.VectorType(index, kind.count), [0] * kind.count)
    return builder.shuffle_vector(one, none, zeros)
