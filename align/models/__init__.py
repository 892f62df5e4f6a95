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
        "list_models": "align.models.bundled",
        "load": "align.models.file",
        "model_card": "align.models.bundled",
        "model_path": "align.models.file",
        "read_model": "align.models.file",
        "write_model": "align.models.file",
    },
)
