# pca --resume: statistics that were found are kept where a run ends in the second pass; all files are those of one run. Killed
# before any change of the directory, by power cuts there, by SIGTERM; on two devices. PENTA_STEPS: the library to preload.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

: "${PENTA_STEPS:?the library to preload}"

expect 0 sample pca -q -o in
line=(pca -d "$one" -k 3 --filter in/exact.npy)
expect 0 "${line[@]}" -o whole
exists whole/.penta-resume whole/reconstructed.npy
go_on fresh "${line[@]}"
shows err 'begins at the beginning'
expect 0 "${line[@]}" --json -o whole
jq -S 'del(.seconds, .stages, .outputs, .notes, .warnings, .inputs)' out >one.json
as_whole fresh
expect 0 "${line[@]}" --resume --json -o fresh
lacks err "of an earlier run"
json '.status == "ok" and (.notes[0] | test("all is done"))'
valid
jq -S 'del(.seconds, .stages, .outputs, .notes, .warnings, .inputs)' out | diff one.json - >differences || fail "$(cat differences)"
as_whole fresh

# A kill, and a power cut, before each change of the directory; with the statistics, and without.
kept=0
count()
{
    for ((i = 0; i < ${#all[@]}; i += $1)); do
        [ -e "${all[i]}/.penta-resume" ] && [ ! -e "${all[i]}/model.json" ] || continue
        go_on "${all[i]}" "${line[@]}"
        ! grep -q 'the statistics are there' err || kept=$((kept + 1))
    done
}
go_on_from_each 19 "${line[@]}"
all=(copies/0*)
count 7
[ $kept -gt 0 ] || fail 'no run went on with the statistics'

# SIGTERM in the second pass; the rest on two devices, and the other way round.
for of in "$one $two" "$two $one"; do
    rm -rf stopped
    export PENTACL_SAVE_EVERY=0
    PENTA_STEPS_DIR=$PWD/stopped PENTA_STEPS_KILL=6 LD_PRELOAD=$PENTA_STEPS run pca -d "${of% *}" "${line[@]:3}" -o stopped 2>/dev/null
    unset PENTACL_SAVE_EVERY
    [ -e stopped ] || continue
    go_on stopped pca -d "${of#* }" "${line[@]:3}"
done

# What does not fit, or is torn.
refuse 2 'had --components 3, and this one has 2' "${line[@]}" -k 2 --resume -o whole
touch in/exact.npy
refuse 1 'in/exact.npy has changed' "${line[@]}" --resume -o whole
rm -rf whole
expect 0 "${line[@]}" -o whole
truncate -s -3 whole/.penta-resume
refuse 1 'is cut short' "${line[@]}" --resume -o whole
rm -rf whole

# --transform has no first pass.
expect 0 "${line[@]}" -o whole
line=(pca -d "$one" --transform whole/model.json in/exact.npy)
expect 0 "${line[@]}" -o once
expect 0 "${line[@]}" -o again
expect 0 "${line[@]}" --resume -o again
shows err 'all is done'
as_whole again once
