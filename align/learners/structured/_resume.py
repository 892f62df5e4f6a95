"""The state of a structured learner's run as numbers and text, and back.

What is kept is all that later rounds depend on: the dual sum and its counts, what the conversions
have seen, the trace, and the generators of random numbers. Restored, a run goes on as if it had
never stopped, to the last bit: JSON keeps every float64.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ModelError
from align.learners.parts import Average, Best, Conversion, RandomStop
from align.learners.structured.ascent import DualAscent
from align.learners.theory import Trace

__all__ = ["restore_generator", "restore_run", "state_of_generator", "state_of_run"]

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

_COUNTS = ("n_rounds", "n_mistakes", "n_updates", "n_null")
_SUMS = ("c", "radius", "cost", "loss", "dual", "_gain")


def state_of_run(run: DualAscent) -> tuple[dict[str, Any], Arrays]:
    """Return the state of a run as values for JSON, and arrays."""
    header: dict[str, Any] = {name: int(getattr(run, name)) for name in _COUNTS}
    header.update({name: float(getattr(run, name)) for name in _SUMS})
    arrays: Arrays = {"v": run.v}
    arrays.update({f"trace.{name}": column for name, column in run.trace.as_dict().items()})
    if run.record_directions:
        arrays["trace.directions"] = run.trace.directions
    header["conversions"] = []
    for i, conversion in enumerate(run.conversions):
        own, kept = _state_of_conversion(conversion)
        header["conversions"].append(own)
        arrays.update({f"conversion{i}.{name}": array for name, array in kept.items()})
    return header, arrays


def restore_run(run: DualAscent, header: dict[str, Any], arrays: Arrays) -> None:
    """Give a fresh run the state that `state_of_run` returned.

    Raises
    ------
    ModelError
        If the state is of a run of another shape.
    """
    try:
        if arrays["v"].shape != run.v.shape or len(header["conversions"]) != len(run.conversions):
            raise ValueError("another shape")
        run.v[:] = arrays["v"]
        for name in _COUNTS:
            setattr(run, name, int(header[name]))
        for name in _SUMS:
            setattr(run, name, float(header[name]))
        columns = {name: arrays[f"trace.{name}"] for name in Trace().as_dict()}
        run.trace.extend(columns, list(arrays.get("trace.directions", ())))
        for i, (conversion, own) in enumerate(
            zip(run.conversions, header["conversions"], strict=True)
        ):
            prefix = f"conversion{i}."
            kept = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
            _restore_conversion(conversion, own, kept)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the checkpoint of the learner is damaged ({error!r}).") from error


def state_of_generator(rng: np.random.Generator) -> dict[str, Any]:
    """Return the state of a generator as values for JSON."""
    return dict(_plain(rng.bit_generator.state))


def restore_generator(rng: np.random.Generator, state: dict[str, Any]) -> None:
    """Set a generator of the same kind to the state that `state_of_generator` returned."""
    try:
        rng.bit_generator.state = state
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the checkpoint of the learner is damaged ({error!r}).") from error


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _state_of_conversion(conversion: Conversion) -> tuple[dict[str, Any], Arrays]:
    if isinstance(conversion, Average):
        late = {} if conversion._late is None else {"late": conversion._late}
        return {"rounds": conversion._rounds, "prefix": conversion._prefix}, late
    kept: Arrays = {}
    if isinstance(conversion, RandomStop | Best) and conversion._kept is not None:
        kept = {"kept": conversion._kept}
    if isinstance(conversion, RandomStop):
        rng = state_of_generator(conversion._rng)
        return {
            "rng": rng,
            "rounds": conversion._rounds,
            "stopped_before": conversion.stopped_before,
        }, kept
    if isinstance(conversion, Best):
        return {"costs": conversion.costs, "chosen": conversion.chosen}, kept
    return {}, {}


def _restore_conversion(conversion: Conversion, own: dict[str, Any], kept: Arrays) -> None:
    if isinstance(conversion, Average):
        conversion._rounds, conversion._prefix = int(own["rounds"]), float(own["prefix"])
        conversion._late = kept["late"].copy() if "late" in kept else None
    elif isinstance(conversion, RandomStop):
        restore_generator(conversion._rng, own["rng"])
        conversion._rounds, conversion.stopped_before = (
            int(own["rounds"]),
            int(own["stopped_before"]),
        )
        conversion._kept = kept.get("kept")
    elif isinstance(conversion, Best):
        conversion.costs = [float(cost) for cost in own["costs"]]
        conversion.chosen = int(own["chosen"])
        conversion._kept = kept.get("kept")
