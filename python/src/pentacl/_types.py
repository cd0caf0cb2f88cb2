"""Names for annotations."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional, Protocol, Union

from numpy.typing import ArrayLike, DTypeLike

__all__ = ["Any", "ArrayLike", "Callable", "DTypeLike", "Iterable", "Progress", "Sequence"]


class Bar(Protocol):
    """A progress bar of tqdm."""

    n: Any
    total: Any

    def update(self, n: Any = ..., /) -> object: ...


Progress = Optional[Union[Callable[[float, float], object], Bar, bool]]
