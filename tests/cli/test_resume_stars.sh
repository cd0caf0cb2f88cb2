# stars --track --resume: frames that are done stay, and the others are drawn as one run would have, after SIGTERM, a kill and a
# power cut at changes of the directory, on two devices and in ranks; what is refused. PENTA_STEPS: the library to preload.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

: "${PENTA_STEPS:?the library to preload}"

expect 0 sample stars -q --frames 24 -o sky
line=(stars -d "$one" --track sky/track.csv --fov 12 --size 90x60 --amplitude 50000 --read-noise 5 --bits 12 --format npy)

# ---- the truth beside the frames: one run ----
expect 0 "${line[@]}" --truth whole --json -o whole
exists whole/.penta-resume whole/frame-0023.npy whole/frame-0023.truth.csv
cp out whole.json
with_truth() # DIR ARGUMENT...
{
    local folder=$1

    shift
    cp -a "$folder" "$folder.d" # the line names the directory of the truth, so it has the same name each time
    rm -rf whole
    mv "$folder.d" whole
    expect 0 "$@" --truth whole --resume -o whole
    as_whole whole undisturbed
}
cp -a whole undisturbed
mkdir fresh
with_truth fresh "${line[@]}"
shows err 'has no record of a run to go on with'
expect 0 "${line[@]}" --truth whole --resume --json -o whole
json '.status == "ok" and (.notes[-1] | test("all is done"))'
equal "$(jq -S '[.stars_drawn, .flux_total, .flux_in_frame, .engine, .frames]' out)" \
    "$(jq -S '[.stars_drawn, .flux_total, .flux_in_frame, .engine, .frames]' whole.json)" 'the answer of a run that was done'
valid
as_whole whole undisturbed

# ---- frames alone ----
rm -rf whole
expect 0 "${line[@]}" -o whole
killed dead .penta-resume "${line[@]}"
cp -a dead dead-two
go_on dead "${line[@]}"
shows_done 1
go_on dead-two stars -d "$two" "${line[@]:3}"
shows_done 1

# A frame that is gone, or was changed, is drawn again.
killed torn .penta-resume "${line[@]}"
for f in torn/frame-*.tmp.*; do
    printf x >>"$f"
done
go_on torn "${line[@]}"
shows err 'missing, or not what the run wrote'

told_to_stop stopped frame-0003.npy "${line[@]}"
go_on stopped "${line[@]}"

go_on_from_each 41 "${line[@]}"
[ "$most" -gt 0 ] || fail 'nothing was ever taken over'

# A file of a run that was done is missing.
cp -a whole gone
rm gone/frame-0007.npy
go_on gone "${line[@]}"
shows err 'frame-0007.npy is missing'

# ---- what does not fit ----
refuse 2 'had --seed 1, and this one has 2' "${line[@]}" --seed 2 --resume -o whole
refuse 2 'it is for the frames of --track' stars -n 10 --resume -o one.npy
refuse 2 'not a pipe' "${line[@]:0:3}" --track - --resume -o whole <sky/track.csv
touch sky/track.csv
refuse 1 'sky/track.csv has changed since' "${line[@]}" --resume -o whole
