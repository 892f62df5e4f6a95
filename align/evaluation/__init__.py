"""How far onsets are from the truth, and how two systems differ.

`report`        errors of many recordings as tables
`comparison`    two reports side by side, with intervals of confidence
`matching`      labels of a result and of the truth that belong together
`mir_metrics`   the measures of onset detection and of score following
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
