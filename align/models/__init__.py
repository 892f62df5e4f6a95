"""Models from their files, and the models that come with Align.

`loading`   models and learners, found by path or by name
`bundled`   the models of this package and their cards

The files are those of `align.files.model_file`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
