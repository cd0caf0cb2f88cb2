"""Writes pentacl/_abi.py: the declarations of the public headers for cffi's ABI mode.

declarations.py COMPILER INCLUDE OUTPUT. The preprocessor of the compiler expands the headers; empty files stand for
the system's, whose types cffi knows. The module that comes of it is plain Python: nothing is compiled here or later.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

SYSTEM = ("stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "math.h")
OPENCL = """typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
"""


def preprocess(compiler, include):
    """The declarations of all public headers but those of libpentacl_mpi, without the system's."""
    headers = sorted(path.relative_to(include) for path in include.glob("pentacl/**/*.h"))
    headers = [header for header in headers if not header.name.startswith("mpi")]
    with tempfile.TemporaryDirectory() as folder:
        fake = pathlib.Path(folder)
        for name in SYSTEM:
            (fake / name).write_text("")
        (fake / "CL").mkdir()
        (fake / "CL" / "cl.h").write_text(OPENCL)
        source = "".join(f"#include <{header}>\n" for header in headers)
        command = [
            compiler,
            "-E",
            "-P",
            "-nostdinc",
            "-D__attribute__(x)=",
            "-I",
            str(fake),
            "-I",
            str(include),
            "-xc",
            "-",
        ]
        return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def without_bodies(text):
    """Drops inline functions: ABI mode can only call what the libraries export."""
    kept, at = [], 0
    for match in re.finditer(r"static inline[^;{]*\{", text):
        if match.start() < at:
            continue
        kept.append(text[at : match.start()])
        depth, at = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return "".join(kept) + text[at:]


def declarations(compiler, include):
    """What cffi.FFI.cdef takes."""
    text = without_bodies(preprocess(compiler, include))
    # cffi cannot call functions that take a va_list; nobody calls them from Python.
    return re.sub(r"[^;{}]*\bva_list\b[^;]*;", "", text)


def main(compiler, include, output):
    ffi = cffi.FFI()
    ffi.set_source("_abi", None)
    ffi.cdef(declarations(compiler, pathlib.Path(include)))
    output = pathlib.Path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    ffi.emit_python_code(str(output))


if __name__ == "__main__":
    main(*sys.argv[1:])
