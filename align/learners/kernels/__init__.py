"""The passive-aggressive learners with kernels.

==================  =====================================================================
module              what
==================  =====================================================================
`functions`         kernel functions: linear, polynomial, Gaussian
`kernel_pa`         classes, and sets of labels; with a budget of supports
`kernel_regressor`  numbers; with a budget of supports
`kernel_uniclass`   one class: a ball in the space of the kernel, and what is outside it
==================  =====================================================================
"""

from align.learners.kernels.functions import (
    KERNELS,
    gaussian_kernel,
    linear_kernel,
    make_kernel,
    polynomial_kernel,
)
from align.learners.kernels.kernel_pa import KernelPA
from align.learners.kernels.kernel_regressor import KernelPARegressor
from align.learners.kernels.kernel_uniclass import KernelPAUniclass

__all__ = [
    "KERNELS",
    "KernelPA",
    "KernelPARegressor",
    "KernelPAUniclass",
    "gaussian_kernel",
    "linear_kernel",
    "make_kernel",
    "polynomial_kernel",
]
