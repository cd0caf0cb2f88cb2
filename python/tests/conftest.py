"""What the tests share: one context, numbers that are the same in every run, pictures with known properties."""

import os
import subprocess
import sys

import numpy as np
import pytest

import pentacl


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def context():
    return pentacl.context.shared()


@pytest.fixture
def in_process():
    """Runs Python code in a process of its own and returns its output."""

    def run(code, check=True, timeout=300, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **environment},
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


def layouts(array):
    """The same numbers in other orders and strides of memory, by name."""
    wide = np.zeros((array.shape[0] * 2, array.shape[1] * 3), array.dtype)
    wide[::2, ::3] = array
    backwards = array[::-1, ::-1].copy()
    return {
        "rows": np.ascontiguousarray(array),
        "columns": np.asfortranarray(array),
        "steps": wide[::2, ::3],
        "backwards": backwards[::-1, ::-1],
        "other bytes": array.astype(array.dtype.newbyteorder()),
        "read only": _locked(array),
        "list of rows": np.stack(list(array)),
    }


def _locked(array):
    array = array.copy()
    array.flags.writeable = False
    return array
