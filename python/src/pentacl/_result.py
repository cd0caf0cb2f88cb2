"""What results have in common: a short text, a picture of their own, plots by matplotlib, a dictionary."""

from __future__ import annotations

import base64
import collections
import dataclasses
import html
import struct
import zlib

import numpy as np

from ._types import Any

LOOKED_AT = 1 << 20  # elements: the text of larger arrays says no range
SIDE = 480  # px of a picture in a notebook, at most


def host(array):
    """An array in host memory, of NumPy."""
    return array.get() if hasattr(array, "get") and hasattr(array, "queue") else array


def short(value, unit=""):
    """A value in some words; "" where there is nothing to say."""
    if isinstance(value, Result):
        return value._brief()
    if isinstance(value, (list, tuple)):
        counts = collections.Counter(text for item in value if (text := str(item)))
        words = [word if n == 1 else f"{n} {word}" for word, n in counts.items()]
        return "; ".join(words) if len(words) <= 8 else f"{len(value)}: {words[0]}, {words[1]} ..."
    if isinstance(value, dict):
        return ", ".join(f"{key} {_number(item)}".rstrip() for key, item in value.items())
    text = _array(value) if getattr(value, "shape", ()) else _number(value)
    return f"{text} {unit}" if unit and text else text


def _number(value):
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.6g}"
    return str(value) if isinstance(value, (bool, np.bool_, str, int, np.integer)) else ""


def _array(value):
    size = " x ".join(map(str, value.shape))
    if not isinstance(value, np.ndarray):
        return f"{size} {value.dtype} in device memory"
    if value.dtype.names:
        return f"{size} rows: {', '.join(value.dtype.names)}"
    if isinstance(value, np.ma.MaskedArray):
        size, value = f"{size} with {np.ma.count_masked(value)} masked", value.compressed()
    if value.dtype == bool:
        return f"{size}, {100 * value.mean():.4g} % True" if value.size else size
    if 0 < value.size <= 7 and value.dtype.kind in "iuf":
        return " ".join(f"{number:.6g}" for number in value.ravel()) if (value == value).any() else ""
    known = value[np.isfinite(value)] if value.dtype.kind in "fiu" and value.size <= LOOKED_AT else value[:0]
    return f"{size} {value.dtype}" + (f", {known.min():.4g} to {known.max():.4g}" if known.size else "")


class Pictured:
    """Something with lines of text (``_lines``) and panels of a picture (``_panels``), of which it may have none."""

    def _panels(self):
        return []

    def __repr__(self):
        lines = list(self._lines())
        width = max((len(name) for name, _ in lines), default=0)
        return "\n".join([type(self).__name__, *(f"  {name:{width}}  {text}" for name, text in lines)])

    def _repr_html_(self):
        rows = "".join(
            f'<tr><th style="text-align:left">{html.escape(name)}</th>'
            f'<td style="text-align:left">{html.escape(text)}</td></tr>'
            for name, text in self._lines()
        )
        images = "".join(panel.html() for panel in self._panels())
        return f"<div><b>{type(self).__name__}</b><table>{rows}</table>{images}</div>"

    def plot(self, ax: Any = None) -> Any:
        """Draws this with matplotlib and returns the figure; with ``ax``, the first of its panels there."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("plot needs matplotlib: pip install matplotlib") from None
        panels = self._panels()
        if not panels:
            raise ValueError(f"this {type(self).__name__} has nothing to draw")
        if ax is not None:
            panels[0].draw(ax)
            return ax.figure
        n = len(panels)
        figure, axes = pyplot.subplots(1, n, figsize=(5.4 * n, 4.4), squeeze=False, constrained_layout=True)
        for panel, place in zip(panels, axes[0]):
            panel.draw(place)
        return figure


class Result(Pictured):
    """A dataclass whose text is a short summary. ``_units`` has the units of fields."""

    _units = {}

    def _lines(self):
        for field in dataclasses.fields(self):
            text = short(getattr(self, field.name), self._units.get(field.name, ""))
            if text:
                yield field.name, text

    def _brief(self):
        """In one line, as part of another result."""
        return ", ".join(text if name == "status" else f"{name} {text}" for name, text in self._lines())

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, those of results within it as dictionaries, too; arrays as they are."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value.to_dict() if isinstance(value, Result) else value for name, value in given.items()}


result = dataclasses.dataclass(repr=False, eq=False)


def taken(kind, struct, /, **given):
    """A result whose fields are ``given``, and else those of a struct of the library by the same names."""
    return kind(**given, **{name: getattr(struct, name) for name in kind.__dataclass_fields__ if name not in given})


# ---- panels ----


def _filled(values):
    return values.astype(float).filled(np.nan) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)


class Image:
    """Numbers in a plane: most lie within the range of colours. ``stars``: few bright points, and dim ones show."""

    def __init__(self, values, title, unit="", extent=None, labels=("x, px", "y, px"), stars=False, limits=None):
        self.values, self.title, self.unit = _filled(host(values)), title, unit
        self.extent, self.labels, self.stars, self.limits = extent, labels, stars, limits

    def _range(self, values):
        known = values[np.isfinite(values)]
        if self.limits or not known.size:
            return self.limits or (0.0, 1.0)
        if self.stars:
            return 0.0, float(known.max()) or 1.0
        low, high = np.percentile(known, (0.5, 99.5))
        return (low, high) if high > low else (float(known.min()), float(max(known.max(), known.min() + 1)))

    def draw(self, ax):
        from matplotlib.colors import AsinhNorm, Normalize

        low, high = self._range(self.values)
        norm = AsinhNorm(high / 500, low, high) if self.stars else Normalize(low, high)
        cmap = "gray" if self.stars else "viridis"
        shown = ax.imshow(self.values, extent=self.extent, interpolation="nearest", cmap=cmap, norm=norm)
        ax.figure.colorbar(shown, ax=ax, label=self.unit)
        ax.set(title=self.title, xlabel=self.labels[0], ylabel=self.labels[1])

    def png(self):
        """A PNG file of it: grey, transparent where there is no number."""
        step = max(1, -(-max(self.values.shape) // SIDE))
        values = self.values.astype(float)
        height, width = (-(-n // step) for n in values.shape)
        room = np.full((height * step, width * step), np.nan)
        room[: values.shape[0], : values.shape[1]] = values
        blocks = room.reshape(height, step, width, step).swapaxes(1, 2).reshape(height, width, -1)
        values = np.fmax.reduce(blocks, axis=2)  # so that stars stay
        low, high = self._range(values)
        if self.stars:
            values, low, high = (np.arcsinh(part / (high / 500)) for part in (values, low, high))
        known = np.isfinite(values)
        grey = np.where(known, np.clip((values - low) / (high - low), 0, 1) * 255, 0)
        pixels = np.stack([np.rint(grey), known * 255], -1).astype(np.uint8).reshape(height, -1)
        lines = np.hstack([np.zeros((height, 1), np.uint8), pixels]).tobytes()
        head = struct.pack(">IIBBBBB", width, height, 8, 4, 0, 0, 0)
        parts = (b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in parts
        )

    def html(self):
        height, width = self.values.shape
        shown = round(width * min(SIDE / 2 / min(width, height), SIDE / max(width, height)))
        title = html.escape(f"{self.title}, {self.unit}" if self.unit else self.title)
        picture = base64.b64encode(self.png()).decode()
        return (
            f'<figure style="display:inline-block;margin:4px"><img alt="{title}" width="{max(shown, 1)}" '
            f'style="image-rendering:pixelated" src="data:image/png;base64,{picture}">'
            f"<figcaption>{title}</figcaption></figure>"
        )


class Curve:
    """Lines over one axis, by name: {"": y} or {"dx": y, ...}; ``band``: what they may be off; ``marks``: {x: name}."""

    def __init__(self, x, lines, title, labels, band=None, marks=None, log=False):
        self.x, self.lines, self.title, self.labels = x, lines, title, labels
        self.band, self.marks, self.log = band, marks or {}, log

    def draw(self, ax):
        marker = "." if len(self.x) <= 50 else None
        for name, y in self.lines.items():
            ax.plot(self.x, y, label=name or None, marker=marker)
            if self.band is not None:
                ax.fill_between(self.x, y - self.band, y + self.band, alpha=0.25)
        for x, name in self.marks.items():
            ax.axvline(x, color="0.4", linestyle="--", label=name)
        if self.marks or len(self.lines) > 1:
            ax.legend()
        if self.log:
            ax.set_yscale("log")
        ax.set(title=self.title, xlabel=self.labels[0], ylabel=self.labels[1])

    def html(self):
        return ""  # its numbers are in the text


def density(x, y, title, labels, backwards=False):
    """How many points are where, of most of them: an Image, y upwards, x perhaps backwards."""
    edges = [np.percentile(values, (1, 99)) for values in (x, y)]
    half = max(0.55 * max(high - low for low, high in edges), 1e-300)
    (a, b), (c, d) = (((low + high) / 2 - half, (low + high) / 2 + half) for low, high in edges)
    counts = np.histogram2d(y, x, 160, ((c, d), (a, b)))[0][::-1]
    if backwards:
        counts, a, b = counts[:, ::-1], b, a
    return Image(counts, title, "how many", (a, b, c, d), labels, stars=True)
