# autocorr --resume: after SIGKILL at several moments, SIGTERM and a bad frame the rest is done, on one device or two, and all
# files are those of a run that was not disturbed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

mkdir frames
hash_pixels 64 48 >pixels
pgm 64 48 <pixels >frames/f0.pgm
hash_pixels 64 48 5 9 | pgm 64 48 >frames/f1.pgm
for ((i = 2; i < 200; i++)); do
    cp frames/f$((i % 2)).pgm frames/f$i.pgm
done
series=()
for ((i = 0; i < 200; i++)); do
    series+=("frames/f$i.pgm")
done
line=(autocorr -d "$one" -R 20 --method naive --interval 60 --numerators "${series[@]}")
two_devices=(autocorr -d "$two" "${line[@]:3}")
expect 0 "${line[@]}" -o whole
exists whole/.penta-resume whole/series.csv

# Nothing there, and all there.
go_on fresh "${line[@]}"
shows err 'begins at the beginning'
expect 0 "${line[@]}" --resume --json -o fresh
json '.status == "ok" and (.notes[0] | test("all is done"))'
valid
as_whole fresh

# SIGKILL: files that wait are taken over where they were synced, and are not seen before.
for at in 1 70 120; do
    killed dead "f$at.c1d.csv" "${line[@]}"
    absent dead/series.csv dead/f0.c1d.csv
    cp -a dead dead-2
    if [ $at -gt 1 ]; then
        go_on dead "${line[@]}"
        shows_done 1
        go_on dead-2 "${two_devices[@]}"
    else
        go_on dead "${line[@]}"
    fi
    rm -rf dead dead-2
done

# On two devices.
killed dead f100.c1d.csv "${two_devices[@]}"
go_on dead "${line[@]}"
shows_done 1

# SIGTERM keeps what was finished; two more ends, and each goes on.
for flags in "-d $one" "-d $two"; do
    # shellcheck disable=SC2206
    words=(autocorr $flags "${line[@]:3}")
    told_to_stop stopped f1.c1d.csv "${words[@]}"
    begin "${words[@]}" --resume -o stopped
    await stopped/f100.c1d.csv
    stop TERM # it may come after the last frame
    go_on stopped "${line[@]}"
done

# A frame that cannot be read: it is mended, or left out.
cp -p frames/f150.pgm good.pgm
echo rubbish >frames/f150.pgm
expect 1 "${line[@]}" -o bad
shows err 'f150'
cp -a bad bad-2
expect 1 "${line[@]}" --keep-going -o left-out
expect 1 "${line[@]}" --keep-going --resume -o bad-2
shows_done 100
shows err 'skipped: .*f150'
as_whole bad-2 left-out
expect 1 "${line[@]}" --keep-going --resume -o bad-2
shows err 'all is done .*but for inputs'
cp -p good.pgm frames/f150.pgm
go_on bad "${line[@]}"
shows_done 100

# Files of a longer run that was there before, and have been removed, are not missed.
more=(autocorr -R 5 --bootstrap 0 --no-plots)
expect 0 "${more[@]}" -o twice frames/f10{0..9}.pgm
rm twice/f10[89].*
expect 0 "${more[@]}" -o twice frames/f10{0..7}.pgm
for i in 1 2; do
    expect 0 "${more[@]}" --resume -o twice frames/f10{0..7}.pgm
    shows err 'all is done'
done
rm twice/f107.c1d.csv
expect 0 "${more[@]}" --resume -o twice frames/f10{0..7}.pgm
shows err 'f107\.c1d\.csv is missing'
