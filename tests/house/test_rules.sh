#!/bin/bash
# Do the checks of tests/house find what they are for? Made-up trees, one fault each.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

tree() { # a tree that keeps to the rules
    rm -rf tree
    mkdir -p tree/{include/pentacl/io,src/{core,math,io,stars,pca},tools/{shared,figures,commands,stars,pca},bench/{run,stars,pca},tests}
    echo '#include <pentacl/stars.h>' >tree/src/stars/plan.c
    echo '' >tree/include/pentacl/stars.h
    echo '' >tree/include/pentacl/io/image.h
    echo '' >tree/src/core/core.h
    echo '#include "core/core.h"' >>tree/src/stars/plan.c
    echo '' >tree/tools/stars/run.h
    printf '#include "stars/run.h"\n#include <pentacl/io/image.h>\n' >tree/tools/stars/run.c
    echo '' >tree/src/pca/slab.h
}
refuses() { # TEXT: the check fails and says TEXT
    if "$here/includes" tree 2>err; then
        echo "not found: $1" >&2
        exit 1
    fi
    grep -q "$1" err || { echo "expected '$1' in:" >&2; cat err >&2; exit 1; }
}

tree
"$here/includes" tree >out
grep -q 'keep to the rules' out
echo '#include "pca/slab.h"' >>tree/src/stars/plan.c
refuses 'src/stars/plan.c includes src/pca/slab.h'
tree
echo '#include <pentacl/io/image.h>' >>tree/src/stars/plan.c
refuses 'src/stars/plan.c includes include/pentacl/io/image.h'
tree
echo '#include "stars/run.h"' >tree/tools/pca/run.c
refuses 'tools/pca/run.c includes tools/stars/run.h'
tree
echo '#include "stars/run.h"' >tree/tools/shared/cli.c
refuses 'tools/shared/cli.c includes tools/stars/run.h'
tree
echo '' >tree/bench/stars/input.h
echo '#include "stars/input.h"' >tree/bench/run/rows.c
echo '#include "stars/input.h"' >tree/bench/pca/bench.c
refuses 'bench/run/rows.c includes bench/stars/input.h'
refuses 'bench/pca/bench.c includes bench/stars/input.h'
tree
echo '#include "../tools/stars/run.h"' >tree/src/io/image.c
printf '#include "a.h"\n' >tree/src/math/b.h
printf '#include "b.h"\n' >tree/src/math/a.c
echo '' >tree/src/math/a.h
refuses 'a circle of files'
tree
echo '#include <clFFT.h>' | tee tree/src/math/one.c >tree/src/math/two.c
refuses '<clFFT.h> is included by several files'
rm -rf tree && mkdir tree
refuses 'there is nothing to read'

# Calls: two objects that call each other, then one way only.
mkdir -p build/src/x.dir
compile() { printf '%s\n' "$2" | ${CC:-cc} -x c -c -o "build/src/$1.c.o" -; }
compile one 'int two(void); int one(void) { return two(); }'
compile two 'int one(void); int two(void) { return one(); }'
if "$here/circles" build 2>err; then
    echo "not found: a circle of calls" >&2
    exit 1
fi
grep -q 'src/one -> src/two: two' err
compile two 'int two(void) { return 2; }'
"$here/circles" build | grep -q 'none among 2 files'
rm -rf build && mkdir build
if "$here/circles" build 2>/dev/null; then
    echo "a folder without objects passed" >&2
    exit 1
fi

# Numbers: each way to read or write one as the locale says, and what looks like one.
finds() { # CODE TEXT: the check refuses this code in src and says TEXT
    rm -rf tree && mkdir -p tree/src/pca
    printf '%s\n' "$1" >tree/src/pca/a.c
    if "$here/numbers" tree 2>err; then
        echo "not found: $1" >&2
        exit 1
    fi
    grep -qF "$2" err || { echo "expected '$2' in:" >&2; cat err >&2; exit 1; }
}
finds 'double f(char *t) { return strtod(t, 0); }' 'a.c:1: strtod'
finds 'double f(char *t) { return atof (t); }' 'a.c:1: atof'
finds $'int\nf(FILE *f, va_list v) { return vfprintf(f, "%d", v); }' 'a.c:2: vfprintf'
finds $'/* "\n*/ int f(char *t, double x) {\n  return snprintf(t, 8, "a)%%d"\n    " b%-5.*f", 3, x); }' 'a.c:3: snprintf'
finds 'int f(char *t, double *x) { return sscanf(t, "\"%lf", x); }' 'a.c:1: sscanf'
finds 'int f(FILE *f, double x) { return fprintf(f, "%" PRIu64 " %.17e", 1, x); }' 'a.c:1: fprintf'
finds 'void f(void) { setlocale(LC_ALL, ""); }' 'a.c:1: setlocale'
rm -rf tree && mkdir -p tree/src/pca tree/tools
cat >tree/src/pca/a.c <<'END'
// strtod(t) and "%g" of comments
/* snprintf(t, 8, "%g", x); */
int f(char *t) { return snprintf(t, 8, "%d %% goes, %" PRIu64 " grey", 1, 2) + penta_snprintf(t, 8, "%g", 0.5) + '"'; }
const char *text = "strtod(x) and printf(\"%g\")";
END
echo 'void f(double x) { printf("%g", x); }' >tree/tools/a.c
"$here/numbers" tree | grep -q '2 files keep to the rule' || { cat err >&2; exit 1; }
rm -rf tree && mkdir tree
if "$here/numbers" tree 2>/dev/null; then
    echo "a folder without files passed" >&2
    exit 1
fi
