# What every command prints with --json keeps to docs/penta.schema.json, whatever becomes of the run; docs/json.md names what
# all answers have. validate.py also tries whether the schema refuses members that are not in it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

mkdir answers
keep() # STATUS: the answer is one JSON value of this status; it is kept to be validated
{
    json ".status == \"$1\""
    json 'if .status == "ok" or .status == "partial" then .error == null or .status == "partial" else .error | length > 0 end'
    cp out "answers/$(ls answers | wc -l).json"
}

answers() # STATUS CODE ARGUMENT...: the command with --json
{
    local status=$1 code=$2

    shift 2
    expect "$code" "$@" --json
    keep "$status"
}

fails() # STATUS CODE ARGUMENT...: with a line on stderr that is the error of the answer
{
    answers "$@"
    no_result "$1"
}

writes() # DIR: the outputs of the answer are all files below it but its lock; each has a kind
{
    equal "$(jq -r '.outputs[].path' out | sort)" "$(find "$1" -type f ! -name lock ! -name .penta-run.json ! -name .penta-resume | sort)" 'outputs'
    json 'all(.outputs[]; .kind != "file")'
}

# ---- commands without input ----
answers ok 0 version
json '.formats.images[0] == {name: "PNG", extensions: [".png"], read: true, write: true, library: "libpng", install: null}'
json '.formats | keys == ["bodies", "catalogs", "cubes", "images", "movies"]'
json '.command == "version" and .version == "'"$("$PENTA" version | cut -d ' ' -f 2)"'"'
answers ok 0 --version
answers ok 0 help
json '[.commands[].name] | index("autocorr") != null and index("help") != null'
answers ok 0 devices
json 'all(.devices[]; has("choices") | not)'
answers ok 0 devices --verbose
silent
json '(.devices | length > 0) and all(.devices[]; .error == null and .largest_group >= 64
    and (.fp64_rate != null) == .fp64 and (.fp64_rate == null or .fp64_rate < 4)
    and ([.choices[].what] | unique | length) == (.choices | length)
    and (["device", "kernels", "double precision", "local memory", "work-groups", "SIMD width", "sub-groups", "FFT", "driver",
        "compiled programs"] - [.choices[].what]) == [] and all(.choices[]; .chosen != "" and .why != ""))'
PENTACL_FP64=never answers ok 0 devices --verbose
json 'all(.devices[]; .fp64_rate == null and ([.choices[] | select(.what == "double precision") | .chosen] == ["not used"]))'
answers ok 0 cache
PENTACL_CACHE_DIR=$PWD/programs answers ok 0 cache --clear
json ".removed == {programs: 0, bytes: 0}"
PENTACL_CACHE_DIR=$PWD/answers/0.json answers error 1 cache --clear
answers ok 0 options
json '.command == "options" and (.version | has("summary")) and .commands.autocorr == .autocorr'
jq '.commands' out >commands.json
expect 0 options
jq . out | diff -q - commands.json >/dev/null || fail 'penta options prints something else than its "commands"'

# ---- samples: what is made, and every file ----
answers ok 0 sample autocorr -n 3 --width 64 --height 64 -o frames
silent
writes frames
json '.command == "sample autocorr" and (.description | startswith("3 frames of 64 x 64"))'
answers ok 0 sample autocorr -q --kind spinodal --width 32 --height 32 --times 1,2 --npy -o mixture
writes mixture
answers ok 0 sample pca -o cubes
writes cubes
answers ok 0 sample nbody -n 50 -o bodies
writes bodies
answers ok 0 sample stars -o sky
writes sky
answers ok 0 sample prepare -n 3 --width 64 --height 64 -o photos
writes photos
answers ok 0 sample optmap --beats 1 --frames 200 --width 16 --height 12 -o heart
writes heart

# ---- series ----
echo damaged >damaged.png
autocorr=(autocorr -R 8 --no-plots)
answers ok 0 "${autocorr[@]}" -o series frames/*.png
writes series
json '[.inputs[] | .path, .status] == ["frames/frame-0000.png", "ok", "frames/frame-0001.png", "ok", "frames/frame-0002.png", "ok"]'
json '[.inputs[].frames[]] == .frames and (.frames | length == 3)'
run "${autocorr[@]}" --keep-going -o keep frames/frame-0000.png damaged.png --json
keep partial
json '[.inputs[].status] == ["ok", "error"] and (.inputs[1].error | test("damaged.png")) and .inputs[0].error == null'
fails error 1 "${autocorr[@]}" -o none damaged.png frames/frame-0000.png
json '[.inputs[].status] == ["error", "not_run"] and .outputs == [] and .error == .inputs[0].error'
answers ok 0 "${autocorr[@]}" -d 0,0 -o devices frames/*.png
json '[.ranks[].rank] == [0, 1]'
answers ok 0 "${autocorr[@]}" --with frames/frame-0001.png -o shift frames/frame-0000.png
json '.frames[0] | has("dx") and (has("r_max") | not)'
prepare=(prepare --flatten none --register none --dust none)
answers ok 0 "${prepare[@]}" -o clean photos/frame-000[01].png
writes clean
answers ok 0 "${prepare[@]}" -d 0,0 -o clean-2 photos/frame-000[01].png
json '[.ranks[].rank] == [0, 1]'
run "${prepare[@]}" --keep-going --no-sheet -o clean2 photos/frame-0000.png damaged.png --json
keep partial
json '[.inputs[].status] == ["ok", "error"] and .frames[1].status == "error"'
answers ok 0 prepare --print-recipe
json '.recipe | type == "object" and length > 5'
mkdir arriving
cp photos/frame-000[012].png arriving
answers ok 0 "${prepare[@]}" --watch arriving --watch-idle 0.1 --watch-every 0.05 -o watched
writes watched
json '[.inputs[].path] == ["arriving/frame-0000.png", "arriving/frame-0001.png", "arriving/frame-0002.png"]'
json 'all(.frames[]; has("r_max")) and (.growth | length > 0)'

# ---- one input: its entry has what the top has ----
alike() # the entry of the only input has all members of the answer but the common ones
{
    json '([.inputs[] | select(has("role") | not)] | length == 1) and (. as $a | .inputs[0] | to_entries
        | all(.[]; .key == "path" or .key == "error" or $a[.key] == .value))'
    json '(keys - (.inputs[0] | keys) - ["command", "version", "device", "seconds", "stages", "notes", "warnings", "inputs", "outputs"]) == []'
}
answers ok 0 stars --list sky/list.csv --size 32x32 -o list.npy
alike
json '.inputs[0].path == "sky/list.csv" and .outputs == [{path: "list.npy", kind: "frame"}]'
answers ok 0 stars --track sky/track.csv --fov 30 --size 32x32 --mag-limit 5 -o night
alike
writes night
json '.inputs[0].path == null and (.frames | length > 1) and .catalog.format != ""'
answers ok 0 nbody --input bodies/plummer.npy --steps 2 --snapshot-every 2 -o moved
alike
writes moved
json '.inputs[0].path == "bodies/plummer.npy"'
answers ok 0 nbody --ic plummer -n 50 --forces-only -o forces
alike
writes forces
json '.inputs[0].path == null and .energy_error == null'
run nbody --ic plummer -n 50 --steps 5 --dt 10 --max-energy-error 1e-30 -o doubtful --json
equal "$code" 1 'exit code'
keep error
no_result error
json '.inputs[0].status == "error" and (.outputs | length > 2) and .steps > 0'
answers ok 0 nbody --ic plummer -n 50 --steps 5 --dt 10 -o doubtful
json '.warnings | length == 1 and (.[0] | test("energy error"))'
answers ok 0 pca -k 3 -q -o principal cubes/exact.npy
alike
writes principal
if "$PENTA" pca -q -k 3 --format envi -o envi cubes/exact.npy >/dev/null 2>err; then
    answers ok 0 pca -k 3 --format envi -o envi cubes/exact.npy
    writes envi
else
    note "this build writes no ENVI: $(cat err)"
fi
wave_npy 100 8 7 1 >wave.npy
optmap=(optmap --rate 1000 --no-report)
answers ok 0 "${optmap[@]}" -o maps wave.npy
writes maps
json '(.inputs | length == 1) and .inputs[0].path == "wave.npy" and .inputs[0].apd80 == .apd80 and (has("movies") | not)'
json '.notes | length > 0'
npy '<u2' '1, 2, 2' 0000000000000000 >one.npy
run "${optmap[@]}" -q --keep-going -o several wave.npy one.npy --json
keep partial
json '(.movies | length == 2) and [.inputs[].status] == ["ok", "error"] and .inputs[1].error == .movies[1].error'
json '.movies[0].apd80 == .inputs[0].apd80 and .movies[0].movie == .inputs[0].path'
answers ok 0 "${optmap[@]}" -d 0,0 -o two wave.npy wave.npy
json '[.ranks[].rank] == [0, 1] and (.movies | length == 2)'
fails error 1 "${optmap[@]}" -o neither one.npy wave.npy
json '[.inputs[].status] == ["error", "not_run"] and .outputs == []'

# ---- Ctrl-C ----
begin nbody --ic plummer -n 2048 --steps 1000000 --snapshot-every 1 -o long --json
await long/checkpoint.bin
sleep 0.5
stop INT
[ "$code" -ne 0 ] || fail 'exit code 0 after Ctrl-C'
keep interrupted
no_result interrupted
json '.inputs[0].status == "interrupted" and .steps > 0 and ([.outputs[].path] | index("long/checkpoint.bin") != null)'

# ---- every fault is an answer ----
fails usage 2 autocorr --frobnicate
json '.command == "autocorr" and .inputs == []'
fails usage 2 nosuch
json '.command == null'
fails usage 2 sample nosuch -o x
fails usage 2 sample autocorr
fails usage 2 devices extra
fails usage 2 version extra
fails usage 2 options --completion bash
fails error 1 selftest -d nosuchdevice
for command in "${autocorr[*]} -o no missing.png" "${prepare[*]} -o no missing.png" 'stars --list missing.csv -o no.png' \
    'nbody --input missing.npy -o no' 'pca -o no missing.npy' "${optmap[*]} -o no missing.npy"; do
    fails error 1 $command
    json '.error | test("missing")'
    json '(.inputs | length == 1) and (.inputs[0] | (.path | test("^missing")) and .status == "error" and (.error | test("missing")))'
    fails error 1 ${command/-o/-d nosuchdevice -o}
    fails usage 2 ${command/-o/--frobnicate -o}
    fails usage 2 $(sed 's/ -o no[^ ]*//' <<<"$command")
done
absent no

# ---- flags before the command ----
fails error 1 --json "${autocorr[@]}" -o no missing.png
json '.command == "autocorr"'
fails usage 2 --json nonsense
json '.command == null and (.error | test("unknown command .nonsense."))'
fails usage 2 --frobnicate --json autocorr
json '.command == null and (.error | test("unknown flag --frobnicate; flags of a command stand behind it"))'
fails usage 2 --json
json '.error == "no command given; see penta --help"'
absent no

# ---- files that flags name besides ----
hash_pixels 64 64 | awk '{ print 255 }' | pgm 64 64 >mask.pgm
hash_pixels 64 64 | awk '{ print $1 % 3 }' | pgm 64 64 >dark.pgm
cp mask.pgm flat.pgm
answers ok 0 "${autocorr[@]}" --mask mask.pgm -o masked frames/frame-0000.png
json '.inputs | length == 2 and .[1] == {role: "mask", path: "mask.pgm", status: "ok", error: null}'
answers ok 0 "${prepare[@]}" --dark dark.pgm --flat flat.pgm -o calibrated frames/frame-0000.png
json '[.inputs[] | select(.role) | .role, .path, .status] == ["dark", "dark.pgm", "ok", "flat", "flat.pgm", "ok"]'
echo '{"flatten": "none", "register": "none", "dust": "none", "dark": "dark.pgm"}' >named.json
for command in "${autocorr[*]}" prepare; do
    answers ok 0 $command --recipe named.json -o named frames/frame-0000.png
    json '[.inputs[] | select(.role) | .role, .path] | sort == ["dark", "dark.pgm", "named.json", "recipe"]'
done
answers ok 0 stars --track sky/track.csv --fov 30 --size 32x32 --mag-limit 5 -o night2
json '.inputs[1] == {role: "track", path: "sky/track.csv", status: "ok", error: null}'
answers ok 0 stars --list sky/list.csv --size 32x32 --truth list.truth.csv -o list2.npy
json '.inputs | length == 1' # what is written is no input
answers ok 0 pca -q -k 2 --inverse principal/model.json -o back principal/components.npy
json '.inputs[1].role == "inverse" and .inputs[1].path == "principal/model.json"'
fails error 1 "${autocorr[@]}" --mask nowhere.pgm -o masked2 frames/frame-0000.png
json '.inputs[1].status == "error" and (.inputs[1].error | test("nowhere.pgm"))'
fails error 1 "${prepare[@]}" --dark dark.pgm -o no missing.png
json '[.inputs[] | select(.role) | .status] == ["not_run"]'

# ---- a signal before the work begins ----
mkfifo late
begin nbody --input late --eps 0.1 -o early --json
exec 9>late # now it waits for bodies
kill -s TERM $process
code=0
wait $process || code=$?
exec 9>&-
equal "$code" 143 'exit code'
keep interrupted
no_result interrupted
one_line 'penta nbody: error: interrupted; nothing was written'
json '.command == "nbody" and .inputs == [] and .outputs == []'
absent early
begin nbody --input late --eps 0.1 -o early # and without --json
exec 9>late
kill -s TERM $process
wait $process || code=$?
exec 9>&-
one_line 'penta nbody: error: interrupted; nothing was written'
no_result interrupted

# Where the line is not clear --json may be another flag's value.
expect 0 sample nbody -q -n 10 -o --json
[ ! -s out ] && [ -d ./--json ] || fail '-o --json is not a directory of that name'
expect 0 autocorr --help --json
shows out '^usage: penta autocorr'

# ---- the benchmark, where it is built ----
if expect 0 bench --list 2>/dev/null; then
    answers ok 0 bench --list
    json '.names | index("autocorr") != null'
    answers ok 0 bench nbody --list
    fails usage 2 bench nosuch
fi

# ---- the schema ----
valid answers/*.json
[ -e unseen ] || : >unseen # not looked at
# What no answer here had: members of the self-test and of a benchmark, which other tests validate, of builds with other
# formats, of maps with too few pixels, of ranks, of lamps that flicker.
elsewhere='source_hz seen_hz added date device machine peak_flops rows case variant clock runs median_ms min_ms q1_ms q3_ms max_ms rate unit remark
    clocks wall case_list default_names
    needs numbers flops bytes formula limits value title how reason cases limit limited_by share against peer ratio same_clock
    reports penta comparison comparison_limits rates
    allocation part parts members scaling rank efficiency kernel_seconds what wanted compute_units index
    jobs flags modules checks difference allowed start_ratio who cold median_seconds min_seconds max_seconds cpu_seconds
    ok workloads workload refused extensions read write formats library install images cubes movies bodies catalogs'
stale=$(grep -vxF "$(tr -s ' \n' '\n' <<<"$elsewhere")" unseen || :)
[ -z "$stale" ] || fail "the schema has members that no answer has: $stale"

# ---- docs/json.md names what every answer has; the schema, of which the reference is made, describes the rest ----
guide=$(dirname "${BASH_SOURCE[0]}")/../../docs/json.md
jq -r '[.properties, (.["$defs"] | .input, .output, .rank, .stages, .device, .seconds | .properties)] | map(keys) | add | unique | .[]' \
    "${guide%/*}/penta.schema.json" |
    while read -r name; do
        grep -q "\`$name\`" "$guide" || echo "$name"
    done >unnamed
[ ! -s unnamed ] || fail "docs/json.md does not name $(tr '\n' ' ' <unnamed)"
