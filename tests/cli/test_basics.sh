# The command as such: help, version, wrong usage, devices, options, selftest, sample.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ---- help and version ----
for spelling in help --help -h; do
    expect 0 $spelling
    silent
    for name in autocorr devices cache selftest sample bench options version help; do
        shows out "^  $name +[a-zA-Z]"
    done
done
for spelling in version --version -V; do
    expect 0 $spelling
    silent
    equal "$(wc -l <out)" 1 "lines of penta $spelling"
    shows out '^pentacl [0-9]+\.[0-9]+\.[0-9]+$'
done
expect 0 version --formats
shows out '^pentacl [0-9.]+$'
shows out '^images: PNG, .* and '
shows out '^movies: .* and numbers without a header'
for name in autocorr devices cache selftest sample options help version; do
    expect 0 $name --help
    silent
    shows out "^usage: penta $name"
    expect 0 $name -h
done
expect 0 autocorr --help
for flag in '-R, --max-offset' --method --estimator --demean --precision --fft --prominence --bootstrap --times --interval \
    --with --mask --numerators --keep-going --no-plots '-o, --output' '-d, --device' --json '-q, --quiet' \
    '-v, --verbose' --profile --color; do
    shows out "^  +$flag"
done
shows out 'auto\|naive\|lines\|tiled\|fft'
shows out 'eq1\|unbiased\|pearson'
shows out 'Images: PNG, .*NPY'
for name in autocorr prepare pca optmap; do
    expect 0 $name --help
    shows out 'NPY'
    if grep -q '[{}]' out; then fail "penta $name --help leaves a name of formats open"; fi
done
expect 0 sample autocorr --help
shows out '^usage: penta sample autocorr'
for name in autocorr optmap 'sample autocorr' sample bench help; do
    expect 0 $name --help
    cp out wanted
    expect 0 help $name
    same out wanted
done

# ---- wrong usage: exit code 2, one line; without a command the help goes to stderr ----
expect 2
[ ! -s out ] || fail "stdout is not empty"
shows err '^usage: penta COMMAND'
refuse 2 "unknown command 'autocor'" autocor
refuse 2 "unknown command ''" ''
refuse 2 "version: error: takes no operand, but got 'autocorr'" version autocorr
refuse 2 "version: error: takes no operand" --version extra
for spelling in help version; do
    refuse 2 "$spelling: error: unknown flag --frobnicate" $spelling --frobnicate
done
refuse 2 "'autocor' is none of .*did you mean autocorr\?" help autocor
refuse 2 'penta autocorr has no commands of its own' help autocorr stars
hash_pixels 20 20 | pgm 20 20 >image.pgm
refuse 2 'no image' autocorr -o out.d
refuse 2 '-o DIR is missing' autocorr image.pgm
refuse 2 '--frobnicate' autocorr --frobnicate -o out.d image.pgm
refuse 2 '-Z' autocorr -Z -o out.d image.pgm
refuse 2 'ambiguous.*--m' autocorr --m naive -o out.d image.pgm
refuse 2 'needs a value' autocorr -o out.d image.pgm --max-offset
refuse 2 'needs a value' autocorr image.pgm -o
refuse 2 'method.*naive.*fast' autocorr --method fast -o out.d image.pgm
refuse 2 'fft' autocorr --fft fftw -o out.d image.pgm
refuse 2 'estimator' autocorr --estimator '' -o out.d image.pgm
refuse 2 'prominence' autocorr --prominence 0 -o out.d image.pgm
refuse 2 'prominence' autocorr --prominence nan -o out.d image.pgm
refuse 2 'bootstrap' autocorr --bootstrap -1 -o out.d image.pgm
refuse 2 'interval' autocorr --interval -5 -o out.d image.pgm
refuse 2 'interval' autocorr --interval inf -o out.d image.pgm
refuse 2 '--times and --interval' autocorr --times t.csv --interval 5 -o out.d image.pgm
absent out.d
refuse 2 'operand' devices extra
refuse 2 '--frobnicate' devices --frobnicate
refuse 2 'operand' selftest extra
refuse 2 "'nosuch'" sample nosuch -o out.d
refuse 2 '-o DIR is missing' sample autocorr
refuse 2 'frames' sample autocorr -o out.d --frames 0
refuse 2 'operand' sample autocorr -o out.d extra
absent out.d

# ---- devices ----
expect 0 devices
silent
shows out '^0: .+ \((gpu|cpu|other)\)$'
count=$(grep -Ec '^[0-9]+: ' out)
expect 0 devices --json
silent
json '.command == "devices"'
json ".devices | length == $count"
json '[.devices[].index] == [range(.devices | length)]'
json 'all(.devices[]; .type == "gpu" or .type == "cpu" or .type == "other")'
json 'all(.devices[]; (.name, .vendor, .platform, .version, .driver | type == "string") and (.fp64 | type == "boolean"))'
json 'all(.devices[]; .compute_units > 0 and .memory > 0 and .max_allocation > 0 and .local_memory > 0)'
type=$(jq -r '.devices[0].type' out)
name=$(jq -r '.devices[0].name' out)
platform=$(jq -r '.devices[0].platform' out)

# ---- choosing one; an upper-case part of a name will do ----
for device in 0 "$type" "$name" "$(tr a-z A-Z <<<"${platform:0:8}")"; do
    [ "$device" = other ] && continue
    expect 0 autocorr -d "$device" --json -R 3 --no-plots -o devices.d image.pgm
    silent
    [ "$device" = 0 ] && json ".device == {platform: \"$platform\", name: \"$name\", type: \"$type\"}"
done
refuse 1 "'nosuchdevice'.*0:" autocorr -d nosuchdevice -o out.d image.pgm
refuse 1 "'999'" autocorr -d 999 -o out.d image.pgm
refuse 1 "'nosuchdevice'" selftest -d nosuchdevice
refuse 2 "'0, 0' names 2 devices" selftest -d '0, 0'
refuse 2 'empty place' selftest -d 0,
refuse 1 "'nosuchdevice'" selftest -d '0,nosuchdevice*'
PENTACL_DEVICE=0,0 refuse 2 "PENTACL_DEVICE, '0,0' names 2 devices" prepare --watch . -o out.d
PENTACL_DEVICE=nosuchdevice refuse 1 "'nosuchdevice'" autocorr -o out.d image.pgm
PENTACL_DEVICE=nosuchdevice expect 0 autocorr -d 0 -R 3 --no-plots -o devices.d image.pgm

# ---- options: one table a workload, from which bindings are made ----
expect 0 options --json
silent
json '.autocorr.summary | length > 0'
json '[.autocorr.options[].name] == ["max_offset", "method", "estimator", "demean", "precision", "fft", "prominence", "bootstrap"]'
json '.autocorr.options[] | select(.name == "max_offset") | .type == "int" and .default == 0 and .min == 0 and .unit == "px"'
json '.autocorr.options[] | select(.name == "method") | .choices == ["auto", "naive", "lines", "tiled", "fft", "ntt"]'
json 'all(.autocorr.options[]; .help | length > 0)'
jq .commands out >options.json
expect 0 options
jq . out | cmp -s - options.json || fail "penta options prints something else than the \"commands\" of --json"

# ---- selftest ----
expect 0 selftest
silent
shows out '^autocorr +ok'
expect 0 selftest --json
silent
valid
json '.command == "selftest" and .ok == true'
json '[.workloads[] | select(.workload == "autocorr")][0] | .ok == true and .error == "" and .seconds > 0'
json '.device | keys == ["name", "platform", "type"]'

# ---- sample ----
expect 2 sample
shows err '^usage: penta sample'
expect 0 sample autocorr -n 3 --width 40 --height 30 -s 7 -o frames
silent
shows out '^3 frames of 40 x 30'
holds frames frame-0000.png frame-0001.png frame-0002.png times.csv
equal "$(head -1 frames/times.csv)" file,time,r_max 'header of times.csv'
equal "$(sed -n 3p frames/times.csv)" frame-0001.png,60,15.2 'second row of times.csv'
equal "$(head -c 8 frames/frame-0000.png | od -A n -t x1 | tr -d ' ')" 89504e470d0a1a0a 'start of a sample frame'
equal "$(od -A n -t x1 -j 16 -N 10 frames/frame-0000.png | tr -d ' ')" 000000280000001e0800 'width, height, depth and type'
expect 0 sample autocorr -n 3 --width 40 --height 30 -s 7 -q -o deep/er/again
[ ! -s out ] || fail "sample -q printed something"
for f in frame-0000.png frame-0001.png frame-0002.png times.csv; do
    same frames/$f deep/er/again/$f
done
expect 0 sample autocorr -n 1 --width 40 --height 30 -s 8 -q -o other
cmp -s frames/frame-0000.png other/frame-0000.png && fail "another seed gave the same frame"
echo file >blocked
refuse 1 'blocked' sample autocorr -n 1 -o blocked/frames

# ---- a stdout that cannot be written ----
if [ -c /dev/full ]; then
    code=0
    "$PENTA" devices --json >/dev/full 2>err || code=$?
    equal "$code" 1 'exit code with a full stdout'
    one_line 'stdout'
fi
