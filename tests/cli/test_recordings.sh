# Pictures and movies that others made, with what is known of them. PENTACL_TEST_DATA: the directory that holds autocorrelation/
# and cardiac/; their licences keep them out of this tree.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

data=${PENTACL_TEST_DATA:-}
if [ -z "$data" ]; then
    note 'left out: set PENTACL_TEST_DATA to the directory that holds autocorrelation/ and cardiac/'
    exit 0
fi

# ---- simulated patterns: the parabola through the first maximum of C1D and its neighbours, by NumPy from the definition ----
expect 0 autocorr --no-plots --json -o lamellae "$data/autocorrelation/lamSIM1.png"
json '.frames[0] | .status == "ok" and (.r_max - 11.26 | fabs < 0.3)'
expect 0 autocorr --no-plots --json -o hexagons "$data/autocorrelation/hexSIM1.png"
json '.frames[0] | .status == "ok" and (.r_max - 19.15 | fabs < 0.3)'

# ---- waves of 20 and 50 cm/s from the middle ----
has_format tif || exit 0
wave() # MOVIE SPEED FLAG...
{
    local movie=$1 speed=$2

    shift 2
    expect 0 optmap --rate 1000 --pixel-size 0.01 --no-report --json "$@" -o wave "$data/cardiac/$movie.tif"
    json ".beats == 1 and .rotors == 0 and .drift.degree == null and (.cv.median - $speed | fabs < 0.03 * $speed)"
}

wave ModelStackPropagation_vm 20
wave ModelStackPropagation_ca 20 --polarity up
wave ModelStackPropagationNoise_vm 50 --signed
