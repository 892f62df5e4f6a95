from .bundled import list_models, model_card
from .loading import load, model_path, read_model, write_model

__all__ = [
    "list_models",
    "load",
    "model_card",
    "model_path",
    "read_model",
    "write_model",
]
