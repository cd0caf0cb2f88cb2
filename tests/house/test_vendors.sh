#!/bin/bash
# Does tools/vendors find what it is for? Its reading of a table, and its comparison with an older one; no compiler runs.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }

PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$root/tests/vendors" <<'END'
import importlib.machinery
import importlib.util
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
loader = importlib.machinery.SourceFileLoader("report", sys.argv[1] + "/report")
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", loader))
loader.exec_module(report)


def found(spills, local=0):
    program = report.Program("pca/a.cl", pathlib.Path("none"), ["-w", "-DN=2"])
    kernel = {"name": "pca_a", "registers": "9/8", "spills": spills, "local": local, "scratch": 0, "scalars": 0}
    return {"gfx90a": {("pca/a.cl", "pca_a"): [(dict(kernel, spills=0), program), (kernel, program)]}}


def table(spills):
    return "\n".join(report.spill_table(found(spills)))


assert report.spills(table(3)) == {("gfx90a", "pca/a.cl pca_a"): 3}
assert report.spills(table(0)) == {}
assert report.findings(table(3), table(3)) == []
assert report.findings(table(3), table(2)) == []
assert report.findings(table(3), table(4)) == ["gfx90a: pca/a.cl pca_a spills 4, in tests/vendors/known.txt 3"]
assert report.findings("", table(1)) == ["gfx90a: pca/a.cl pca_a spills 1, in tests/vendors/known.txt none"]
assert report.findings("`pca/a.cl`", "`pca/a.cl`, `pca/b.cl`")[0].startswith("no run of tests/vendors builds cl/pca/b.cl")
assert "| pca/a.cl pca_a | 2 | 64 | 9/8, **spills 5** |" in report.kernel_table(found(5, 64))
END

"$root/tools/vendors" --help >"$work/said"
grep -q 'tools/vendors --write' "$work/said" || fail "the help does not say how tests/vendors/known.txt is written"
for words in nosuch '--write pvc'; do
    code=0
    "$root/tools/vendors" $words >"$work/said" 2>&1 || code=$?
    [ $code = 2 ] || fail "tools/vendors $words ends with $code"
done
echo ok
