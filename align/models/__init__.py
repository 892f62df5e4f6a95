"""Model files, and the models that come with Align.

`file`      a zip of JSON and arrays, read without executing anything
`bundled`   the models of this package and their cards
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.models.bundled import list_models, model_card
    from align.models.file import load, model_path, read_model, write_model

__all__ = [
    "list_models",
    "load",
    "model_card",
    "model_path",
    "read_model",
    "write_model",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "align.models.bundled": "list_models model_card",
        "align.models.file": "load model_path read_model write_model",
    },
)
