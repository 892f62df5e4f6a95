"""What a C programmer would write: multiclass PA-I in a plain loop, for whoever has a compiler."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

SOURCE = """
#include <math.h>
#include <stddef.h>

/* One pass of multiclass PA-I without averaging or constant; ends is NULL for dense rows. */
void pass(const double *data, const int *columns, const int *ends, const long *y, size_t m,
          size_t d, size_t k, double *W, double *scores, double C)
{
    for (size_t i = 0; i < m; i++) {
        size_t begin = ends ? ends[i] : i * d, n = ends ? ends[i + 1] - begin : d;
        const double *x = data + begin;
        const int *at = columns + begin;
        double square = 0.0;
        for (size_t j = 0; j < n; j++)
            square += x[j] * x[j];
        for (size_t r = 0; r < k; r++) {
            const double *w = W + r * d;
            double score = 0.0;
            if (ends)
                for (size_t j = 0; j < n; j++)
                    score += w[at[j]] * x[j];
            else
                for (size_t j = 0; j < d; j++)
                    score += w[j] * x[j];
            scores[r] = score;
        }
        size_t label = y[i], wrong = label ? 0 : 1;
        for (size_t r = 0; r < k; r++)
            if (r != label && scores[r] > scores[wrong])
                wrong = r;
        double loss = 1.0 - scores[label] + scores[wrong];
        if (loss > 0.0) {
            double step = fmin(C, loss / (2.0 * square));
            double *up = W + label * d, *down = W + wrong * d;
            if (ends)
                for (size_t j = 0; j < n; j++) {
                    up[at[j]] += step * x[j];
                    down[at[j]] -= step * x[j];
                }
            else
                for (size_t j = 0; j < d; j++) {
                    up[j] += step * x[j];
                    down[j] -= step * x[j];
                }
        }
    }
}
"""
OPTIONS = ("-O3", "-march=native", "-ffast-math", "-fPIC")


def compiler():
    """Return the path of a C compiler, or None."""
    return shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")


def plain_pass(folder):
    """Compile the loop in a folder; return ``call(X, codes, n_classes, C)``, which gives W."""
    source, compiled, library = (str(folder / f"loop.{suffix}") for suffix in ("c", "o", "so"))
    Path(source).write_text(SOURCE, encoding="utf-8")
    subprocess.run([compiler(), *OPTIONS, "-c", source, "-o", compiled], check=True)
    # Apart, since linking with -ffast-math makes the whole process take tiny numbers for zeros.
    subprocess.run([compiler(), "-shared", compiled, "-o", library, "-lm"], check=True)
    function = ctypes.CDLL(library)["pass"]
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    function.argtypes = [pointer] * 4 + [size] * 3 + [pointer] * 2 + [ctypes.c_double]
    function.restype = None

    def call(X, codes, n_classes, C):
        W, scores = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
        parts = (X, None, None) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)
        arrays = [None if part is None else part.ctypes.data for part in (*parts, codes)]
        function(*arrays, *X.shape, n_classes, W.ctypes.data, scores.ctypes.data, C)
        return W

    return call
