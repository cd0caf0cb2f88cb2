# Movies for the tests of penta optmap. Sourced after lib.sh.

# u16 little-endian numbers, frame after frame, of a plane wave to the right: F = 40000 - 10000 u(t - T), T = 50 + x / SPEED
# ms and 200, 400 .. ms later, u(t) = s(t) (1 - s((t - 60) / 8)), s(t) = 1 / (1 + exp -t): the upstroke is steepest at T
# and APD30, 50, 80, 90 are 53.22, 60, 71.09, 77.58 ms. Frames are 1 ms apart; SPEED in px/ms.
wave() # FRAMES WIDTH HEIGHT SPEED
{
    printf '%b' "$(awk -v n="$1" -v w="$2" -v h="$3" -v v="$4" '
        function s(t) { return t < -30 ? 0 : t > 30 ? 1 : 1 / (1 + exp(-t)) }
        BEGIN {
            for (f = 0; f < n; f++) {
                row = ""
                for (x = 0; x < w; x++) {
                    u = 0
                    for (t = f - 50 - x / v; t > -50; t -= 200)
                        u += s(t) * (1 - s((t - 60) / 8))
                    F = int(40000 - 10000 * u + 0.5)
                    row = row sprintf("\\x%02x\\x%02x", F % 256, int(F / 256))
                }
                for (y = 0; y < h; y++)
                    printf "%s", row
            }
        }')"
}

wave_npy() # FRAMES WIDTH HEIGHT SPEED
{
    npy '<u2' "$1, $3, $2"
    wave "$@"
}

# The header of an NPY file.
npy_header() # FILE
{
    head -c $((10 + $(od -A n -t u2 -j 8 -N 2 "$1"))) "$1" | tail -c +11 | sed 's/ *$//'
}

npy_shape() # FILE DESCR SHAPE
{
    equal "$(npy_header "$1")" "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" "header of $1"
}

# Element of a float32 file whose header has 128 bytes: from FIRST on, COUNT of them, one a line.
floats() # FILE FIRST COUNT
{
    od -A n -v -w4 -t f4 -j $((128 + 4 * $2)) -N $((4 * $3)) "$1" | awk '{ print $1 }'
}
