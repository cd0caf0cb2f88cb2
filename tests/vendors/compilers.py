"""Offline compilers of OpenCL for devices that are not here: what a program's kernels take on each. A kernel is a dict: name;
registers, as its vendor counts them; spills, of registers to memory; scalars, AMD's scalar registers that spill into lanes of vector
registers; local and scratch, in bytes."""
import os
import pathlib
import re
import struct
import subprocess
import tempfile


class Failed(Exception):
    """The compiler refused a program."""


def run(words, environment=None):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if done.returncode:
        raise Failed(done.stdout.strip()[:2000])
    return done.stdout


class Amd:
    """clang and the device libraries of ROCm. Without these the compiler would count what calls of sqrt and exp take.
    LIBRARIES: the folder with their files."""

    maker = "AMD"
    registers = "vector/scalar registers"

    def __init__(self, device, libraries):
        self.device = device
        self.command = ["clang-16", "--rocm-device-lib-path=%s" % libraries, "-target", "amdgcn-amd-amdhsa", "-mcpu=" + device, "-x", "cl", "-Xclang",
                        "-finclude-default-header", "-O3", "-S", "-o", "-"]

    def version(self):
        return run(["clang-16", "--version"]).splitlines()[0]

    def compile(self, source, options):
        kernels = []
        for line in self.metadata(run(self.command + options + [str(source)])):
            found = re.match(r"^(  - |    )\.(\w+): +(\S+)", line)
            if line.startswith("  - "):
                kernels.append({})
            if found:
                kernels[-1][found[2]] = found[3]
        return [{"name": k["name"], "registers": k["vgpr_count"] + "/" + k["sgpr_count"],
                 "spills": int(k["vgpr_spill_count"]), "scalars": int(k["sgpr_spill_count"]),
                 "local": int(k["group_segment_fixed_size"]), "scratch": int(k["private_segment_fixed_size"])}
                for k in kernels]

    @staticmethod
    def metadata(assembly):
        """The lines of amdhsa.kernels."""
        text = assembly.partition("\namdhsa.kernels:\n")[2]
        return re.split(r"^amdhsa\.", text, maxsplit=1, flags=re.M)[0].splitlines()


class Intel:
    """ocloc, from Debian's packages; FOLDER: where they are unpacked."""

    maker = "Intel"
    registers = "work-items a thread"

    def __init__(self, device, folder):
        libraries = sorted({str(f.parent) for f in pathlib.Path(folder).rglob("*.so*")})
        self.device = device
        self.command = next(iter(map(str, pathlib.Path(folder).rglob("bin/ocloc"))), "ocloc")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=":".join(libraries))

    def version(self):
        """It has no flag that says it."""
        return "ocloc of Debian's intel-opencl-icd " + run(
            ["apt-cache", "show", "--no-all-versions", "intel-opencl-icd"]).partition("Version: ")[2].split("\n")[0]

    def compile(self, source, options):
        with tempfile.TemporaryDirectory() as folder:
            said = run([self.command, "compile", "-file", str(source), "-device", self.device, "--format", "zebin",
                        "-options", " ".join(options), "-out_dir", folder], self.environment)
            (binary,) = pathlib.Path(folder).glob("*.bin")
            about = section(binary.read_bytes(), ".ze_info").decode()
        spills = dict(re.findall(r"kernel (\w+) +compiled SIMD\d+ .* spilled around (\d+)", said))
        return [self.kernel(block, spills) for block in about.partition("\nkernels_misc_info:")[0].split("\n  - name:")[1:]]

    @staticmethod
    def kernel(block, spills):
        name = block.split()[0]
        number = lambda key: int((re.findall(r"^ +%s: +(\d+)" % key, block, flags=re.M) or [0])[0])
        return {"name": name, "registers": "SIMD%d" % number("simd_size"), "spills": int(spills.get(name, 0)), "scalars": 0,
                "local": number("slm_size"),
                "scratch": sum(map(int, re.findall(r"type: +scratch\n(?: +usage: .*\n)? +size: +(\d+)", block)))}


def section(elf, name):
    """A section of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    rows = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    start = rows[names][4]
    for row in rows:
        at = start + row[0]
        if elf[at:elf.index(b"\0", at)].decode() == name:
            return elf[row[4]:row[4] + row[5]]
    raise Failed("the binary has no section " + name)
