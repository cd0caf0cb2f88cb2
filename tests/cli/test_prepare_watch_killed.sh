# prepare --watch goes on wherever it was killed, or the power cut: with the same files as a run that was not disturbed.
# PENTA_STEPS: the library to preload.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

: "${PENTA_STEPS:?the library to preload}"

expect 0 sample prepare -q -n 4 --width 64 --height 56 --r0 8 --speed 0.3 --drift 4 -o s
mkdir in
cp s/frame-*.png in/
watch=(prepare -q --watch in --watch-every 0.05 --watch-idle 0.5 --interval 60 --batch 1)
expect 0 "${watch[@]}" -o whole
copy_each_step "${watch[@]}"
[ ${#all[@]} -gt 200 ] || fail "only ${#all[@]} steps"
for ((i = 18; i < ${#all[@]}; i += 19)); do
    expect 0 "${watch[@]}" -o "${all[i]}"
    as_whole "${all[i]}"
done
