"""The passive-aggressive classifier with kernels.

===========  ==============================================
module       what
===========  ==============================================
`functions`  kernel functions: linear, polynomial, Gaussian
`kernel_pa`  the classifier, with a budget of supports
===========  ==============================================
"""

from align.learners.kernels.functions import (
    KERNELS,
    gaussian_kernel,
    linear_kernel,
    make_kernel,
    polynomial_kernel,
)
from align.learners.kernels.kernel_pa import KernelPA

__all__ = [
    "KERNELS",
    "KernelPA",
    "gaussian_kernel",
    "linear_kernel",
    "make_kernel",
    "polynomial_kernel",
]
