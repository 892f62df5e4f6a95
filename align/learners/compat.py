"""scikit-learn's passive-aggressive learners and Perceptron, by one line of import.

    from align.learners.compat import PassiveAggressiveClassifier

takes the place of ``from sklearn.linear_model import PassiveAggressiveClassifier``, which
scikit-learn removes in 1.10: the same parameters, defaults and attributes, the same steps in the
same order of the same shuffles, so the same coefficients, to rounding.

What is different from `align.learners`: more than two classes are so many problems of one against
the rest; the intercept takes the same steps but does not count in the norm; `fit` goes on until
the loss of an epoch no longer falls by `tol`.

Refused, each with a sentence: ``early_stopping=True``, and of the Perceptron a `penalty`.

References
----------
Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, "Online Passive-Aggressive Algorithms", 2006.
"""
