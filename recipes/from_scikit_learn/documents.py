"""Real text as sparse rows: docstrings, which are on every machine, and two sets of Mulan.

A document is a docstring of 20 words or more, hashed to 2**20 features; its class is the package.
Whole files are for training or for testing, four to one.

Mulan's mail of Enron and reports of radiologists (`ml_enron.npz`, `ml_medical.npz`) are 0 and 1
for words, with several labels each, split as there. The class of a document is that of its labels
which is the most frequent for training.
"""

import ast
import zlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import HashingVectorizer
from vector_sets import Set, read_arrays

PACKAGES = ("joblib", "librosa", "numba", "numpy", "scipy", "sklearn")
SHORTEST = 20  # words


def docstrings(path):
    """Yield the docstrings of a file of Python that are long enough."""
    tree = ast.parse(path.read_bytes())  # which may name its encoding
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            if len(text.split()) >= SHORTEST:
                yield text


def read_documents():
    """Return the documents as a set, in an order drawn with seed 0; without names of packages."""
    texts, labels, tested = [], [], []
    for label, package in enumerate(PACKAGES):
        folder = Path(find_spec(package).origin).parent
        for path in sorted(folder.rglob("*.py")):
            found = list(docstrings(path))
            texts += found
            labels += [label] * len(found)
            part = zlib.crc32(path.relative_to(folder.parent).as_posix().encode()) % 5 == 0
            tested += [part] * len(found)
    X = HashingVectorizer(stop_words=list(PACKAGES)).transform(texts)
    order = np.random.default_rng(0).permutation(len(texts))
    y, test = np.array(labels)[order], np.array(tested)[order]
    X = X[order]
    return Set("docstrings", X[~test], y[~test], X[test], y[test])


def read_labelled_text(folder, name):
    """Return a set of Mulan, with the most frequent of its labels as the class of a document."""
    found = read_arrays(folder, f"ml_{name}")
    common = np.argsort(-found["Y_train"].sum(axis=0, dtype=int), kind="stable")
    parts = []
    for part in ("train", "test"):
        words = sp.csr_array(found[f"X_{part}"].astype(np.float64))
        parts += [words, common[np.argmax(found[f"Y_{part}"][:, common], axis=1)]]
    return Set(name, *parts)
