"""Constructor parameters of estimators, compatible with scikit-learn without importing it.

An estimator's constructor only stores its arguments under their own names. From its signature this
mixin derives what scikit-learn's ``BaseEstimator`` would: ``get_params``, ``set_params``, a
``repr`` that shows what differs from the defaults, and the errors and tags that
``sklearn.base.clone``, pipelines and searches ask for.
"""

import inspect
from collections import defaultdict
from functools import cache
from typing import Any, Self

from align.errors import ParameterError


class ParamsMixin:
    """Give an estimator ``get_params``, ``set_params`` and ``repr``.

    The constructor must name its parameters (no ``*args`` or ``**kwargs``) and store each,
    unchanged, as the attribute of that name.

    Examples
    --------
    >>> class Ridge(ParamsMixin):
    ...     def __init__(self, alpha=1.0, *, kernel="linear"):
    ...         self.alpha = alpha
    ...         self.kernel = kernel
    >>> Ridge(alpha=2.0)
    Ridge(alpha=2.0)
    >>> Ridge().set_params(kernel="gaussian").get_params()
    {'alpha': 1.0, 'kernel': 'gaussian'}
    """

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        """Return the constructor's parameters by name, sorted."""
        if cls.__init__ is object.__init__:
            return {}
        found = list(inspect.signature(cls.__init__).parameters.values())[1:]
        for parameter in found:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(
                    f"{cls.__name__}.__init__ must name its parameters, not *{parameter.name}."
                )
        return {p.name: p for p in sorted(found, key=lambda p: p.name)}

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters, sorted; scikit-learn asks for this."""
        return list(cls._parameters())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters.

        Parameters
        ----------
        deep : bool
            Also return the parameters of parameters that are estimators, as ``outer__inner``.

        Returns
        -------
        dict of str to object
        """
        params: dict[str, Any] = {}
        for name in self._parameters():
            value = getattr(self, name)
            params[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params.update({f"{name}__{k}": v for k, v in value.get_params().items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters, ``outer__inner=value`` those of a parameter that is an estimator.

        Parameters
        ----------
        **params : object
            New values.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            Where the estimator has no parameter of that name. Nothing is changed then.
        """
        names = self._parameters()
        nested: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        plain: dict[str, Any] = {}
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in names:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; "
                    f"it has {', '.join(names) or 'none'}."
                )
            if inner:
                nested[name][inner] = value
            else:
                plain[name] = value
        for name, value in plain.items():
            setattr(self, name, value)
        for name, values in nested.items():
            getattr(self, name).set_params(**values)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, parameter in self._in_signature_order()
            if not _same(getattr(self, name, parameter.default), parameter.default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    @classmethod
    def _in_signature_order(cls) -> list[tuple[str, inspect.Parameter]]:
        if cls.__init__ is object.__init__:
            return []
        return list(inspect.signature(cls.__init__).parameters.items())[1:]

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's default tags; only scikit-learn calls this."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            regressor_tags=None,
            classifier_tags=None,
            input_tags=InputTags(),
        )


def not_fitted_error(estimator: object) -> ParameterError:
    """Return the error to raise where an estimator is used before it is fitted.

    It is a `ParameterError` and also scikit-learn's ``NotFittedError``.
    """
    name = type(estimator).__name__
    error: ParameterError = _not_fitted_class()(f"this {name} is not fitted yet; call fit first.")
    return error


@cache
def _not_fitted_class() -> Any:
    from sklearn.exceptions import NotFittedError  # imported only when there is an error to raise

    return type("NotFittedError", (ParameterError, NotFittedError), {"__module__": __name__})


def _same(value: Any, default: Any) -> bool:
    """Whether a value is its default; arrays and other odd values never are."""
    if value is default:
        return True
    try:
        return type(value) is type(default) and bool(value == default)
    except (TypeError, ValueError):
        return False
