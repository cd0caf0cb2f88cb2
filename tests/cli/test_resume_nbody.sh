# nbody --resume: from the last checkpoint to the --steps of the line, with the snapshots, rows and pictures of one run; killed
# before any change of the directory, by power cuts there, by SIGTERM; on two devices. PENTA_STEPS: the library to preload.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

: "${PENTA_STEPS:?the library to preload}"

line=(nbody -d "$one" --ic plummer -n 200 --seed 3 --eps 0.02 --dt 0.01 --steps 40 --snapshot-every 8 --diagnose-every 3 --frames --size 64)
expect 0 "${line[@]}" -o whole
exists whole/snapshot_000032.npy whole/.penta-resume
go_on fresh "${line[@]}"
shows err 'begins at the beginning'
expect 0 "${line[@]}" --resume --json -o fresh
json '.status == "ok" and (.notes[0] | test("all steps are done")) and .steps == 0'
valid
as_whole fresh
expect 0 nbody --restart whole/checkpoint.bin --steps 1 -o else
refuse 2 'had --steps 40, and this one has 41' "${line[@]}" --steps 41 --resume -o fresh
as_whole fresh

# A kill, and a power cut, before each change of the directory.
go_on_from_each 71 "${line[@]}"
rm fresh/snapshot_000008.npy
go_on fresh "${line[@]}"
shows err 'snapshot_000008.npy is missing'

# A run that --max-energy-error has stopped stays where it is.
limited=(nbody -d "$one" --ic plummer -n 64 --steps 400 --dt 0.25 --eps 0.001 --max-energy-error 1e-3)
rm -rf whole
expect 1 "${limited[@]}" -o whole
one_line 'above --max-energy-error'
cp -r whole limited
expect 1 "${limited[@]}" --resume -o limited
shows err 'above --max-energy-error'
lacks err 'all steps are done'
as_whole limited

# SIGTERM at a step that has neither row nor snapshot; twice; with two devices between.
long=(nbody -d "$one" --ic plummer -n 3000 --seed 3 --eps 0.02 --dt 0.01 --steps 600 --snapshot-every 200 --diagnose-every 7)
rm -rf whole
expect 0 "${long[@]}" -o whole
begin "${long[@]}" -o stopped
await stopped/snapshot_000000.npy
stop TERM
shows err 'interrupted after [0-9]+ of 600 steps'
cp -a stopped kept
begin nbody -d "$two" "${long[@]:3}" --resume -o stopped
await stopped/snapshot_000200.npy
stop TERM
go_on stopped "${long[@]}"
shows err 'goes on from|all steps'

# What does not fit, or is damaged.
refuse 2 'had --eps 0.02[0-9]*, and this one has 0.5' "${long[@]}" --eps 0.5 --resume -o kept
refuse 2 'had --seed 3, and this one has 4' "${long[@]}" --seed 4 --resume -o kept
cp -a kept torn
printf damaged! | dd of=torn/checkpoint.bin bs=1 seek=3000 conv=notrunc status=none
refuse 1 'checkpoint.bin: is not what the run wrote' "${long[@]}" --resume -o torn
cp kept/checkpoint.bin torn/
truncate -s 100 torn/.penta-resume
refuse 1 'is cut short' "${long[@]}" --resume -o torn
refuse 2 'makes no step' nbody --ic plummer -n 10 --forces-only --resume -o kept
go_on kept "${long[@]}"
shows err 'goes on from kept/checkpoint.bin to step 600'
