# docs/examples/embed.c against the installed library, found by CMake's find_package and by pkg-config, gives its answer.
. "$(dirname "${BASH_SOURCE[0]}")/embed.sh"

answers() # PROGRAM: the pattern's true length is 15 px
{
    step "$1" "$1"
    equal "$(wc -l <log)" 1 "lines that $1 printed"
    shows log '\(ok\)$'
    near "$(sed 's/.*R_max = \([0-9.]*\) .*/\1/' log)" 15 0.1 "R_max of $1"
}

# ---- find_package ----
step "configuring with find_package" cmake -S "$examples" -B by-cmake -DCMAKE_PREFIX_PATH="$prefix"
shows by-cmake/CMakeCache.txt "^pentacl_DIR:PATH=$prefix/"
step "building with find_package" cmake --build by-cmake
answers by-cmake/embed

# ---- pkg-config ----
package=pentacl
exists "$PKG_CONFIG_PATH/pentacl.pc"
equal "$(pkg --modversion)" "$("$PENTA" version | cut -d' ' -f2)" "version in pentacl.pc"
step "building with pkg-config" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$examples/embed.c" $(pkg --cflags --libs) -lm \
    "-Wl,-rpath,$(pkg --variable=libdir)" -o by-pkg-config
answers ./by-pkg-config

# ---- an error reaches the host program as text and code ----
./by-pkg-config nosuchdevice >log 2>err && fail "embed accepted an unknown device"
[ ! -s log ] || fail "embed printed an answer after an error"
shows err "^embed: .*'nosuchdevice'"
