"""Models from their files, and the models that come with Align.

`loading`   models and learners, found by path or by name
`bundled`   the models of this package and their cards

The files are those of `align.files.model_file`.
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.files.model_file import read_model, write_model
    from align.models.bundled import list_models, model_card
    from align.models.loading import load, model_path

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
        "align.files.model_file": "read_model write_model",
        "align.models.loading": "load model_path",
    },
)
