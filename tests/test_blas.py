"""Results do not depend on the number of threads that BLAS may use."""

import ast
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy  # noqa: F401  # brings a BLAS
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from align._blas import one_thread

TESTS = Path(__file__).resolve().parent
SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def threads() -> set[int]:
    """Numbers of threads of the BLAS libraries that are loaded."""
    found = {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}
    assert found
    return found


# Models and alignments --------------------------------------------------------------------------


def chosen_kernels() -> dict[str, str]:
    """The kernels for Haswell give other digits with two threads even for small networks.

    With OpenBLAS 0.3.34, which numpy 2.5 brings, they end the process on a Zen 4 or 5 where they
    are forced (OpenMathLib/OpenBLAS#6021): there the machine's own kernels are tested.
    """
    versions = {str(info["version"]) for info in threadpool_info() if info["user_api"] == "blas"}
    damaged = any(version.startswith("0.3.34") for version in versions)
    return {} if damaged else {"OPENBLAS_CORETYPE": "Haswell"}


def start(n_threads: int | None) -> "subprocess.Popen[str]":
    """Start `blas_program` with a number of threads set from outside, or none."""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    if n_threads is not None:
        environment |= dict.fromkeys(SETTINGS, str(n_threads))
    environment |= chosen_kernels() | {"PYTHONPATH": str(TESTS)}
    return subprocess.Popen(
        [sys.executable, TESTS / "blas_program.py"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_models_and_alignments_are_the_same_bytes_with_any_number_of_threads() -> None:
    found = []
    for pair in ((None, 1), (2, 4)):  # two at once: most of the time is start-up
        processes = [start(n) for n in pair]
        outputs = [process.communicate()[0] for process in processes]
        assert [process.returncode for process in processes] == [0, 0]
        found += map(json.loads, outputs)
    expected = {"speech", "adapted", "of a user", "music", "text", "spectrum"}
    assert set(found[0]) == expected
    for other in found[1:]:
        assert other == found[0]


def test_what_is_sent_to_other_processes_uses_one_thread() -> None:
    """Whatever joblib is given is decorated, so that a process does as the main one does."""
    sent, limited = set(), set()
    for path in (TESTS.parent / "align").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if "one_thread" not in source and "delayed" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                if "one_thread()" in map(ast.unparse, node.decorator_list):
                    limited.add((path, node.name))
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "delayed":
                sent.add((path, ast.unparse(node.args[0])))
    assert len(sent) >= 4
    assert sent <= limited


# The limit itself -------------------------------------------------------------------------------


def test_the_number_of_threads_comes_back() -> None:
    with threadpool_limits(3):
        with one_thread():
            assert threads() == {1}
            with one_thread():
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == {3}
        with pytest.raises(ZeroDivisionError), one_thread():
            1 / 0  # noqa: B018
        assert threads() == {3}


def test_a_function_can_be_limited() -> None:
    @one_thread()
    def inside(n: int) -> tuple[int, set[int]]:
        """Count down."""
        return (n, threads()) if n == 0 else inside(n - 1)

    assert inside.__doc__ == "Count down."
    with threadpool_limits(2):
        assert inside(3) == (0, {1})
        assert threads() == {2}


def test_the_last_of_several_threads_puts_the_number_back() -> None:
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))
    seen = []

    def first() -> None:
        with one_thread():
            first_is_in.set()
            second_is_in.wait(10)
        first_is_out.set()

    def second() -> None:
        first_is_in.wait(10)
        with one_thread():
            second_is_in.set()
            first_is_out.wait(10)
            seen.append(threads())

    with threadpool_limits(2):
        running = [threading.Thread(target=target) for target in (first, second)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join(10)
        assert seen == [{1}]
        assert threads() == {2}


def test_many_threads_leave_the_number_as_it_was() -> None:
    seen = set()
    library = ThreadpoolController().select(user_api="blas").lib_controllers[0]

    def work() -> None:
        for _ in range(200):
            with one_thread():
                seen.add(library.get_num_threads())

    with threadpool_limits(2):
        running = [threading.Thread(target=work) for _ in range(4)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        assert seen == {1}
        assert threads() == {2}


def test_a_library_that_is_loaded_inside_is_limited_at_the_next_entry() -> None:
    program = """
import os, sys
import numpy
from align._blas import one_thread
from threadpoolctl import threadpool_info
def threads():
    return sorted(i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas")
with one_thread():
    before = threads()
    import scipy.linalg
    with one_thread():
        print(before, threads())
print(threads())
"""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**environment, "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
    )
    inside, after = done.stdout.splitlines()
    assert "1" in inside
    assert "2" not in inside
    assert "1" not in after
