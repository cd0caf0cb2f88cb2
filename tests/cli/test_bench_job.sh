# penta bench --job: rows and stages, scripts that are missing, fail or answer wrongly, and the scripts themselves.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
unset PENTACL_CACHE PENTACL_CACHE_DIR

if [ ! -x "$(dirname "$PENTA")/penta-bench" ]; then
    note "this build has no penta-bench"
    exit 0
fi
mkdir tmp
export TMPDIR=$PWD/tmp

# Nothing of a run is left over.
tidy()
{
    equal "$(ls tmp)" '' 'files in the temporary folder'
}

# ---- wrong usage, and cases ----
refuse 2 "no case of --job of stars has 'nosuch' in its name; --list lists them" bench --job stars --case nosuch
refuse 2 "'nosuch' is none of autocorr," bench --job nosuch
refuse 2 '--scaling and --job both say what to do' bench --scaling --job
refuse 2 '--python does nothing without --job' bench stars --python python3
refuse 2 '--output is for --all' bench --job stars -o somewhere
expect 0 bench --job --list
equal "$(cut -d ' ' -f 1 out | uniq -c | tr -s ' \n' ' ')" ' 3 autocorr 3 prepare 3 stars 3 nbody 3 pca 3 optmap ' 'cases'
expect 0 bench --job nbody --list --json
valid
json '.names == ["nbody 1024-40", "nbody 256-16", "nbody 8192-40"]'
stars=(bench --job stars --case =500-256x256 --seconds 0.001)

# ---- the bare program opens the device of -d, by its number where that says more than the name ----
bare=$(dirname "$PENTA")/penta-bench-bare
"$PENTA" devices --json >devices
for index in $(jq -r '.devices | keys[]' devices); do
    platform=$(jq -r ".devices[$index].platform" devices)
    name=$(jq -r ".devices[$index].name" devices)
    "$bare" "$platform" "$name" "$index" || fail "the bare program does not run on device $index"
    "$bare" "$platform" "$name" cpu || fail "the bare program does not find device $index by its name"
    "$bare" "$platform" "$name" 99 2>err && fail 'the bare program runs on a device that there is not'
done
shows err 'penta-bench-bare: error: '

# ---- a script that cannot run ----
without() # PATTERN: the row of the script is missing, and one line says why
{
    valid
    json '.jobs | length == 1 and .[0].modules == null and .[0].ratio == null and .[0].checks == []
        and (.[0].rows | map([.who, .cold]) == [["penta", true], ["penta", false], ["bare", false]])'
    json ".jobs[0].reason | test(\"$1\")"
    equal "$(grep -c "no script beside stars: .*$1" err)" 1 'lines about it'
    tidy
}
expect 0 "${stars[@]}" --python ./nosuch --json
without 'there is no program ./nosuch'
printf '#!/bin/sh\necho "{\\"missing\\": \\"numpy\\"}"\n' >no-numpy
chmod +x no-numpy
expect 0 "${stars[@]}" --python ./no-numpy --json
without 'no-numpy has no module numpy; install it'

# ---- programs in the place of Python ----
program() # NAME, its text on stdin: of a shell with IN and OUT
{
    {
        echo '#!/usr/bin/env bash'
        echo "PENTA='$PENTA'"
        echo 'IN=$2 OUT=$3'
        cat
    } >"$1"
    chmod +x "$1"
}
program alike <<'END'
"$PENTA" stars -q --list "$IN/list.csv" --size "$4x$4" -o "$OUT/frame.npy" --json |
    jq -c '{seconds: {start: 0.001, compute: 0.002}, modules: ["jq 1"], values: {flux_in_frame: .flux_in_frame}}'
END
expect 0 "${stars[@]}" --python ./alike --json
valid
tidy
json '.jobs | length == 1 and .[0].modules == ["jq 1"] and .[0].reason == null and (.[0].checks | map(.difference) == [0])'
json '.jobs[0].rows | map([.who, .cold, .runs]) == [["penta", true, 1], ["penta", false, 1], ["script", false, 1], ["bare", false, 1]]'
json '.jobs[0] | .start_ratio * .rows[3].median_seconds / .rows[1].stages.start | . > 0.9999 and . < 1.0001'
json '.jobs[0].rows[3] | .stages.start == .median_seconds and .median_seconds > 0.01'
json '.jobs[0] | .ratio * .rows[1].median_seconds / .rows[2].median_seconds | . > 0.9999 and . < 1.0001'
json 'all(.jobs[0].rows[]; (.stages | .start + .read + .compute + .pictures + .write) as $all
    | .median_seconds - $all | fabs < 1e-6)'
json '.jobs[0].rows | all(.cpu_seconds > 0 and .min_seconds == .median_seconds) and .[0].stages.device.kernels > 0'
json '.jobs[0].rows[2].stages | .compute == 0.002 and .start > 0.01 and (has("device") | not)'
json '.device.name != "" and .machine != ""'
POCL_CACHE_DIR=$PWD/kept expect 0 "${stars[@]}" --python ./alike
absent kept # its caches are its own
shows out '^stars 500-256x256: 500 stars on 256 x 256 px$'
shows out '^  penta, cold +1 +[0-9.]+ '
shows out '^  script +1( +[0-9.]+){4}( +[0-9.]+ %){5}$'
shows out '^  bare +1( +[0-9.]+){4} +100.0 %'
shows out '^  start: [0-9.]+ bare programs$'
shows out '^  the script: jq 1; flux in the frame differ at most by 0 of it \(1e-06 allowed\)$'
shows out '^  penta is [0-9.]+ times as fast; with no kernel compiled yet [0-9.]+ times$'
program other <<'END'
echo '{"seconds": {}, "modules": [], "values": {"flux_in_frame": 1}}'
END
refuse 1 'stars 500-256x256: WRONG RESULT: flux in the frame of penta and script differ by 1, and 1e-06 are allowed' \
    "${stars[@]}" --python ./other --json
tidy
program nothing <<'END'
echo '{"seconds": {}, "modules": [], "values": {}}'
END
refuse 1 'WRONG RESULT: flux in the frame cannot be compared: the script has not as many numbers' "${stars[@]}" --python ./nothing
program fails <<'END'
echo 'there is something wrong' >&2
exit 3
END
refuse 1 'the script failed \(3\): there is something wrong' "${stars[@]}" --python ./fails
program rests <<'END' # bodies stay where they are
cp "$IN/plummer.npy" "$OUT/final.npy"
echo '{"seconds": {}, "modules": [], "values": {}}'
END
refuse 1 'WRONG RESULT: final positions and velocities of penta and script differ by 0\.' \
    bench --job nbody --case =256-16 --seconds 0.001 --python ./rests
tidy

# ---- Ctrl-C leaves nothing behind ----
program sleeps <<'END'
echo $$ >"$TMPDIR/../asleep"
exec sleep 100
END
begin "${stars[@]}" --python ./sleeps
await asleep
interrupted INT 'interrupted'
tidy

# ---- how long it will take and what is left out, before it begins ----
begin bench --job --python ./sleeps
for ((i = 0; i < 1200; i++)); do
    grep -q 'note' err && break
    sleep 0.05
done
stop INT
equal "$code" "$(by_signal INT)" 'exit code'
shows err 'error: interrupted'
shows err 'note: 6 of 18 cases, about [0-9]+ s on two cores; WORKLOAD .*--thorough times all \([0-9]+ minutes\), --case TEXT '
tidy
