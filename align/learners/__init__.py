"""Online learners, flat and structured.

A learner is a complexity function times a loss times a dual step times a rule for c; a conversion
makes one hypothesis of the many it goes through. The names that ``__init__.pyi`` lists are loaded
on first use; each can be imported from its folder, too.

==============  ===============================================================================
folder          what lies there
==============  ===============================================================================
`parts`         what learners are made of: complexity, loss, dual step, rule for c, conversion
`theory`        rounds and traces, bounds and certificates; finite classes, experts, PAC
`structured`    the structured learner, its problems, costs and dual state; on shards, too
`flat`          vectors: PA, PA-I, PA-II, Perceptron, Winnow, any combination, ellipsoids
`ranking`       rankings of labels and of instances, and their exact steps
`kernels`       passive-aggressive learners with kernels: classes, numbers, one class
`boosting`      boosting as a primal-dual game
`compat`        scikit-learn's passive-aggressive learners and Perceptron, by one import line
==============  ===============================================================================

`parts` imports no other folder, `theory` only `parts`, and the rest only these two; but `ranking`
and `kernels` print what the theory promises of them as `flat` does. Each folder lists its modules.
A module whose name begins with an underscore holds kernels, or the state around them, and belongs
to its folder.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
