"""The parameter `update` of the passive-aggressive learners, which 0.1.0 called `variant`."""

import warnings
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from align.learners.parts.parameters import check_choice
from align.learners.parts.updates import PA_UPDATES

_OLD = dict(zip(("PA", "PA-I", "PA-II"), PA_UPDATES, strict=True))


@dataclass(eq=False, repr=False, kw_only=True)
class NamedUpdate:
    """Give a learner `update` and C; `variant` is the name that `update` had, and warns."""

    update: str = "pa1"
    C: float = 1.0
    variant: str | None = None

    def _update_name(self) -> str:
        """Return "pa", "pa1" or "pa2"; raise `ParameterError` for any other update."""
        given = self.update if self.variant is None else self.variant
        if not isinstance(given, str) or given not in _OLD:
            check_choice(given, "update", PA_UPDATES)
            return given
        warnings.warn(
            f"variant={given!r} is called update={_OLD[given]!r} now; the old name will be "
            "removed in a later version.",
            FutureWarning,
            stacklevel=2,
        )
        return _OLD[given]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a state of a pickle or of a model file, also of before the name changed."""
        super().__setstate__(_with_new_name(state))  # type: ignore[misc]  # of `Saved`
        if isinstance(began := state.get("_began"), SimpleNamespace):
            vars(began).update(_with_new_name(vars(began)))


def _with_new_name(state: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with `update` for a `variant` that stands alone."""
    if "variant" not in state or "update" in state:
        return state
    old = state["variant"]
    return {**state, "update": _OLD.get(old, old), "variant": None}
