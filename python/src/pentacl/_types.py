"""Names for annotations."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

__all__ = ["Any", "ArrayLike", "Callable", "DTypeLike", "Iterable", "Sequence"]
