"""What results have in common."""

import dataclasses

import numpy as np


def _short(value):
    if isinstance(value, np.ndarray):
        return f"<{' x '.join(map(str, value.shape))} {'rows' if value.dtype.names else value.dtype}>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_short(item)}" for key, item in value.items()) + "}"
    return repr(value)


class Result:
    """A dataclass whose text shows arrays by their shape and type."""

    def __repr__(self):
        fields = ", ".join(f"{f.name}={_short(getattr(self, f.name))}" for f in dataclasses.fields(self))
        return f"{type(self).__name__}({fields})"


result = dataclasses.dataclass(repr=False, eq=False)
