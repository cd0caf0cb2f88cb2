# optmap --resume: movies that are done stay, the others are done as one run would have; a kill and a power cut at any change of
# a movie's directory; SIGTERM; on two devices. PENTA_STEPS: the library to preload.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

: "${PENTA_STEPS:?the library to preload}"

movies=()
for i in 1 2 3 4; do
    expect 0 sample optmap -q --kind plane --width 32 --height 24 --seed $i -o m
    mv m/movie.npy m$i.npy
    movies+=("m$i.npy")
done
line=(optmap -d "$one" --rate 1000 --pixel-size 0.02 --no-report)
expect 0 "${line[@]}" "${movies[@]}" -o whole
exists whole/m1/.penta-resume whole/m4/snr.npy

go_on fresh "${line[@]}" "${movies[@]}"
shows err 'no movie is done'
expect 0 "${line[@]}" "${movies[@]}" --resume --json -o fresh
json '.status == "ok" and (.notes[0] | test("all is done")) and [.inputs[].status] == ["not_run", "not_run", "not_run", "not_run"]'
valid
as_whole fresh

# Killed in one of them; the others are not touched.
killed dead m2/snr.npy "${line[@]}" "${movies[@]}"
time=$(stat -c %y dead/m1/snr.npy)
cp -a dead dead-2
go_on dead "${line[@]}" "${movies[@]}"
shows err '[1-3] of 4 movies are done'
equal "$(stat -c %y dead/m1/snr.npy)" "$time" 'time of a file that was there'
go_on dead-2 optmap -d "$two" "${line[@]:3}" "${movies[@]}"
shows err '[1-3] of 4 movies are done'

begin optmap -d "$two" "${line[@]:3}" "${movies[@]}" -o stopped
await stopped/m2/snr.npy
stop TERM
go_on stopped "${line[@]}" "${movies[@]}"

# A bad movie is mended.
cp -p m3.npy good.npy
head -c 2000 good.npy >m3.npy
expect 1 "${line[@]}" "${movies[@]}" -o bad
expect 1 "${line[@]}" "${movies[@]}" --keep-going --resume -o bad
shows err '2 of 4 movies are done'
cp -p good.npy m3.npy
go_on bad "${line[@]}" "${movies[@]}"
shows err '3 of 4 movies are done'

# One movie; each change of its directory.
rm -rf whole
expect 0 "${line[@]}" m1.npy -o whole
go_on_from_each 43 "${line[@]}" m1.npy

# What does not fit.
refuse 2 'had --average off, and this one has on' "${line[@]}" --average m1.npy --resume -o res
refuse 2 'had m1.npy, and this one has m2.npy' "${line[@]}" m2.npy --resume -o res
touch m1.npy
refuse 1 'm1.npy has changed since' "${line[@]}" m1.npy --resume -o res
rm -rf whole
expect 0 "${line[@]}" m1.npy -o whole
printf x >>whole/.penta-resume
refuse 1 'is cut short, or no record' "${line[@]}" m1.npy --resume -o whole

# The report has the line and the settings of the run that began; times differ.
expect 0 optmap -d "$one" --rate 1000 --no-movie m2.npy -o report
sed -i '/times real time/d' report/report.html
mv report report-1
expect 0 optmap -d "$one" --rate 1000 --no-movie m2.npy --resume -o report
sed -i '/times real time/d' report/report.html
as_whole report report-1
