"""Options, from the library's tables: values from keywords, signatures and the text of the help."""

import difflib
import inspect
import operator

from . import errors
from ._arrays import in_unit
from ._library import ffi, lib, text

__all__ = ["Table", "documented", "preset_names", "tables"]

MESSAGE = 512  # bytes of a message


class Row:
    """One option."""

    def __init__(self, row):
        self.row = ffi.addressof(row)
        self.name, self.type = text(row.name), row.type
        self.initial, self.least, self.most = row.initial, row.min, row.max
        self.unit, self.help = text(row.unit) or "", text(row.help)
        self.placeholder = text(row.choices) if row.type == lib.PENTA_OPTION_TEXT else None
        self.choices = self._choices()

    def _choices(self):
        if self.type not in (lib.PENTA_OPTION_CHOICE, lib.PENTA_OPTION_INT) or not self.row.choices:
            return []
        word, names = ffi.new("char[128]"), []
        while lib.penta_option_choice(self.row, len(names), word, 128):
            names.append(text(word))
        return names

    @property
    def default(self):
        """As a keyword's default."""
        if self.type == lib.PENTA_OPTION_CHOICE:
            return self.choices[int(self.initial)]
        if self.type == lib.PENTA_OPTION_FLAG:
            return bool(self.initial)
        if self.type == lib.PENTA_OPTION_TEXT:
            return None
        if self.type == lib.PENTA_OPTION_REAL:
            return self.initial
        index = int(self.initial - self.least)
        return self.choices[index] if index < len(self.choices) else int(self.initial)

    @property
    def annotation(self):
        """The type of its values."""
        names = ", ".join(f'"{name}"' for name in self.choices)
        return {
            lib.PENTA_OPTION_INT: f"int | Literal[{names}]" if names else "int",
            lib.PENTA_OPTION_REAL: "float",
            lib.PENTA_OPTION_CHOICE: f"Literal[{names}]",
            lib.PENTA_OPTION_FLAG: "bool",
            lib.PENTA_OPTION_TEXT: "str | float | tuple[float, ...] | slice | None",
        }[self.type]

    @property
    def doc(self):
        """Two lines of a docstring."""
        names = ", ".join(f'"{name}"' for name in self.choices)
        kind = {
            lib.PENTA_OPTION_INT: f"int, {{{names}}}" if names else "int",
            lib.PENTA_OPTION_REAL: "float",
            lib.PENTA_OPTION_CHOICE: f"{{{names}}}",
            lib.PENTA_OPTION_FLAG: "bool",
            lib.PENTA_OPTION_TEXT: f"{self.placeholder}, as text, number or tuple",
        }[self.type]
        kind += f", {self.unit}" if self.unit else ""
        if self.type in (lib.PENTA_OPTION_INT, lib.PENTA_OPTION_REAL):
            kind += f", {self.least:g} to {self.most:g}"
        return f"{self.name} : {kind}, default {self.default!r}\n    {self.help[:1].upper()}{self.help[1:]}.\n"

    def set(self, options, value, keep):
        """Writes a value into the struct. Memory of a text goes to ``keep``."""
        if self.type == lib.PENTA_OPTION_REAL and not isinstance(value, str):
            try:
                setattr(options, self.name_in_struct(options), float(in_unit(value, self.unit)))
            except TypeError:
                raise TypeError(f"`{self.name}` needs a number, not {value!r}") from None
            return
        if self.type == lib.PENTA_OPTION_FLAG:
            setattr(options, self.name_in_struct(options), bool(value))
            return
        if self.type == lib.PENTA_OPTION_TEXT and value is None:
            return
        word = ffi.new("char[]", self._word(value).encode())
        keep.append(word)
        message = ffi.new("char[]", MESSAGE)
        errors.check_options(
            lib.penta_option_parse(self.row, ffi.cast("void *", ffi.addressof(options)), word, message, MESSAGE),
            message,
        )

    def name_in_struct(self, options):
        """The field at the row's offset: an option's name need not be its field's (`register`)."""
        for name, field in ffi.typeof(options).fields:
            if field.offset == self.row.offset:
                return name
        raise errors.InternalError(f"no field for {self.name}")

    def _word(self, value):
        if isinstance(value, str):
            return value
        if self.type == lib.PENTA_OPTION_TEXT:
            if isinstance(value, slice):
                return f"{value.start}:{value.stop}"
            values = value if isinstance(value, (tuple, list)) else (value,)
            return ",".join(f"{part:.17g}" for part in values)
        try:
            number = operator.index(value)
        except TypeError:
            kind = "a whole number" if self.type != lib.PENTA_OPTION_CHOICE else f"one of {', '.join(self.choices)}"
            raise TypeError(f"`{self.name}` needs {kind}, not {value!r}") from None
        if self.type == lib.PENTA_OPTION_CHOICE:
            if not 0 <= number < len(self.choices):
                raise errors.InvalidError(f"`{self.name}` is {number}; it must be one of {', '.join(self.choices)}")
            return self.choices[number]
        return str(number)


class Table:
    """The options of one struct."""

    def __init__(self, name, size, first, presets):
        self.name, self.size, self.first, self.presets = name, size, first, presets
        self.struct = f"penta_{name}_options"
        self.rows = {}
        i = 0
        while first[i].type != lib.PENTA_OPTION_END:
            row = Row(first[i])
            self.rows[row.name] = row
            i += 1

    def make(self, given):
        """(options struct, what must be kept with it) of keywords."""
        options = ffi.new(f"{self.struct} *")
        options.size = ffi.sizeof(self.struct)
        lib.penta_options_init(self.first, options)
        keep = []
        preset = given.get("preset")
        if preset is not None:
            message = ffi.new("char[]", MESSAGE)
            status = lib.penta_preset_apply(self.presets, str(preset).encode(), self.first, options, message, MESSAGE)
            errors.check_options(status, message)
        for name, value in given.items():
            row = self.rows.get(name)
            if row is not None:
                row.set(options[0], value, keep)
            elif name != "preset":
                raise TypeError(self.unknown(name))
        return options, keep

    def unknown(self, name):
        """What is said of a keyword that is no option."""
        guess = difflib.get_close_matches(name, self.rows, 1)
        return f"there is no option '{name}'" + (f"; did you mean '{guess[0]}'?" if guess else "")

    def parameters(self):
        """For a signature."""
        rows = self.rows.values()
        return [inspect.Parameter(r.name, inspect.Parameter.KEYWORD_ONLY, default=r.default) for r in rows]


def _read():
    found, which = {}, 0
    while workload := lib.penta_workload_at(which):
        which += 1
        presets, i = lib.penta_workload_presets(workload), 0
        name, size = ffi.new("char const **"), ffi.new("size_t *")
        while first := lib.penta_workload_table(workload, i, name, size):
            found[text(name[0])] = Table(text(name[0]), size[0], first, presets if i == 0 else ffi.NULL)
            i += 1
    return found


tables = _read()


def preset_names(table):
    """Names of the presets of a table, with their help."""
    found, i = {}, 0
    presets = tables[table].presets
    while presets and presets[i].name:
        found[text(presets[i].name)] = text(presets[i].help)
        i += 1
    return found


def documented(*names, without=()):
    """Adds the options of these tables, ``without`` some, to the docstring and the signature of a function or class."""

    def decorate(function):
        rows = "".join(row.doc for name in names for row in tables[name].rows.values() if row.name not in without)
        presets = "".join(
            f'preset : "{name}"\n    {what[:1].upper()}{what[1:]}.\n'
            for table in names
            for name, what in preset_names(table).items()
        )
        doc = inspect.cleandoc(function.__doc__) + "\n"
        head, _, tail = doc.partition("{options}\n")
        function.__doc__ = head + rows + presets + tail
        signature = inspect.signature(function)
        fixed = [p for p in signature.parameters.values() if p.kind != inspect.Parameter.VAR_KEYWORD]
        taken = {p.name for p in fixed} | set(without)
        added = [p for name in names for p in tables[name].parameters() if p.name not in taken]
        if presets:
            added.append(inspect.Parameter("preset", inspect.Parameter.KEYWORD_ONLY, default=None))
        function.__options__ = {row.name: row for name in names for row in tables[name].rows.values()}
        function.__signature__ = signature.replace(parameters=fixed + added)
        return function

    return decorate
