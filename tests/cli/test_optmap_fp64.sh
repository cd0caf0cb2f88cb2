# penta optmap --fp64 never: maps, rotors and movies beside those with double precision, of simulated tissue and of recordings.
# The word double does not compile there, so each run also shows that no kernel has it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Greatest difference of two NPY maps of float32, over the range of the second; a number beside a NaN is no match. At most one
# in a thousand may be off, where two numbers are equal but for rounding.
expect_near() # GOT WANTED MOST WHAT
{
    paste <(od -A n -v -w4 -t f4 -j 128 "$1") <(od -A n -v -w4 -t f4 -j 128 "$2") >pairs
    awk -v most="$3" '
        NR == FNR { if ($2 !~ /nan/) { if (!seen++) low = high = $2; if ($2 < low) low = $2; if ($2 > high) high = $2 }; next }
        { n++; gap = $1 - $2; gap = gap < 0 ? -gap : gap
          if ($1 ~ /nan/ || $2 ~ /nan/ ? !($1 ~ /nan/ && $2 ~ /nan/) : gap > most * (high - low)) off++ }
        END { exit !(n > 100 && seen > 0 && off <= n / 1000) }' pairs pairs || fail "$4: $1 is off by over $3 of its range"
}

maps='activation apd30 apd80 rise amplitude snr cv dominant_frequency'

most=1e-4 # of a map's range

both() # NAME MAPS MOVIE FLAG...
{
    local name=$1 names=$2 movie=$3 map

    shift 3
    expect 0 optmap --no-report -q "$@" -o "$name.with" "$movie"
    expect 0 optmap --no-report -q "$@" --fp64 never -o "$name.without" "$movie"
    expect_near "$name.without/filtered.npy" "$name.with/filtered.npy" 1e-5 "$name"
    for map in $names; do
        expect_near "$name.without/$map.npy" "$name.with/$map.npy" $most "$name"
    done
}

# ---- tissue, with noise ----
expect 0 sample optmap -q --kind tissue --width 40 --height 40 --frames 240 --rate 500 --snr 3 -o paced
both beats "$maps" paced/movie.npy --rate 500 --pixel-size 0.03
expect 0 sample optmap -q --kind spiral --width 48 --height 48 --frames 300 --noise 200 -o spiral
both rotor dominant_frequency spiral/movie.npy --rate 1000
same <(cut -d, -f1,4- rotor.with/singularities.csv) <(cut -d, -f1,4- rotor.without/singularities.csv)
same <(cut -d, -f1-3 rotor.with/rotors.csv) <(cut -d, -f1-3 rotor.without/rotors.csv)

# ---- the model recordings, and what is known of them ----
data=${PENTACL_TEST_DATA:-}
if [ -z "$data" ] || [ ! -d "$data/cardiac" ]; then
    note 'recordings left out: set PENTACL_TEST_DATA to the directory that holds cardiac/'
elif has_format tif; then
    both wave 'activation rise' "$data/cardiac/ModelStackPropagation_vm.tif" --rate 1000 --pixel-size 0.01
    most=1e-3 both calcium 'activation cv' "$data/cardiac/ModelStackPropagation_ca.tif" --polarity up --rate 1000 --pixel-size 0.01
    both noise 'activation cv' "$data/cardiac/ModelStackPropagationNoise_vm.tif" --signed --rate 1000 --pixel-size 0.01
fi

# ---- movies made without double precision; the environment; what is said ----
PENTACL_FP64=never expect 0 sample optmap -q --kind spiral --width 48 --height 48 --frames 300 --noise 200 -o again
same again/movie.npy spiral/movie.npy
PENTACL_FP64=never expect 0 optmap --no-report -q --rate 500 --pixel-size 0.03 -o environment paced/movie.npy
same environment/activation.npy beats.without/activation.npy
expect 0 optmap --no-report --rate 500 --fp64 never -v -o told paced/movie.npy
shows err 'undecided shifts in double on the host'
