# penta stars --track: frames by number, their truth, formats, noise of their own, Ctrl-C; penta sample stars.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ---- the sample is the same every time ----
expect 0 sample stars -o sky
silent
shows out '^list\.csv \(500 stars for 1024x1024 px\), track\.csv \(24 attitudes\)'
holds sky list.csv track.csv exposure.csv
expect 0 sample stars -q -o again/and/again
[ ! -s out ] || fail '-q printed something'
for f in list track exposure; do
    same sky/$f.csv again/and/again/$f.csv
done
expect 0 sample stars -n 10 --frames 3 -s 2 --width 64 --height 32 -q -o small
equal "$(wc -l <small/list.csv)" 11 'lines of a list of 10'
equal "$(wc -l <small/track.csv)" 4 'lines of a track of 3'
equal "$(sed -n 3p small/track.csv)" 1,84.000000,-1.000000,15.000000 'the middle of the track'
equal "$(awk -F, 'NR > 1 && ($2 < -0.5 || $2 > 63.5 || $3 < -0.5 || $3 > 31.5)' small/list.csv)" '' 'stars out of the frame'
refuse 2 '-o DIR is missing' sample stars
refuse 2 'operand' sample stars -o x extra
refuse 2 'frames' sample stars -o x --frames 1
expect 0 stars --list sky/list.csv --json -o list.npy
json '.stars_in == 500 and .stars_drawn == 500'
expect 0 stars --exposure-track sky/exposure.csv --json -o shaken.png
json '.stars_drawn > 100 and .engine != "fixed"'

# ---- a frame is the same alone and in a track ----
small='--size 200x100 --fov 12'
expect 0 stars --track small/track.csv $small --truth truth --json -o frames
silent
holds frames frame-0000.png frame-0001.png frame-0002.png
holds truth frame-0000.truth.csv frame-0001.truth.csv frame-0002.truth.csv
json '[.frames[].file] == ["frames/frame-0000.png", "frames/frame-0001.png", "frames/frame-0002.png"]'
json '[.frames[].time] == [0, 1, 2]'
json '.stars_drawn == ([.frames[].stars_drawn] | add) and .stars_in == 9096'
json '(.flux_in_frame - ([.frames[].flux_in_frame] | add) | fabs) < 1e-6'
expect 0 stars --attitude 84,-1,15 $small --truth alone.csv -o alone.png
same alone.png frames/frame-0001.png
same alone.csv truth/frame-0001.truth.csv
expect 0 stars --track small/track.csv $small --rate 0,1,0 --exposure 0.2 --format npy --truth turning -o turning
expect 0 stars --attitude 84,-1,15 $small --rate 0,1,0 --exposure 0.2 --truth alone.csv -o alone.npy
same alone.npy turning/frame-0001.npy
same alone.csv turning/frame-0001.truth.csv

# ---- formats, names, quaternions ----
for format in png fits tif npy; do
    has_format $format || continue
    expect 0 stars --track small/track.csv $small --format $format -q -o as-$format
    holds as-$format frame-0000.$format frame-0001.$format frame-0002.$format
done
if [ -d as-fits ]; then
    fold -w 80 as-fits/frame-0002.fits | head -60 >cards
    shows cards '^FRAMENO = +2 '
    shows cards '^FRAMETIM= +2\.'
fi
printf 'name,w,x,y,z\nfirst,1,0,0,0\n"second, turned",0.5,0.5,-0.5,0.5\n' >named.csv
printf 'q0,q1,q2,q3\n2,0,0,0\n-0.5,-0.5,0.5,-0.5\n' >other.csv # not normalised, and the other sign
expect 0 stars --track named.csv $small --json -o named
json '[.frames[].name] == ["first", "second, turned"] and (.frames[0] | has("time") | not)'
expect 0 stars --track other.csv $small -o other
same named/frame-0000.png other/frame-0000.png
same named/frame-0001.png other/frame-0001.png
expect 0 stars --quaternion 0.5,0.5,-0.5,0.5 $small -o alone.png
same alone.png named/frame-0001.png
printf 'ra,dec\n84,-1\n' >plain.csv
expect 0 stars --track plain.csv $small -o plain
expect 0 stars --attitude 84,-1,0 $small -o alone.png
same alone.png plain/frame-0000.png

# ---- noise: another one in each frame, the same when drawn again ----
printf 'ra,dec\n84,-1\n84,-1\n' >twice.csv
expect 0 stars --track twice.csv $small -A 50000 --read-noise 5 --bias 100 --bits 12 --format npy -o noise
! cmp -s noise/frame-0000.npy noise/frame-0001.npy || fail 'two frames have the same noise'
expect 0 stars --track twice.csv $small -A 50000 --read-noise 5 --bias 100 --bits 12 --format npy -o noise2
same noise/frame-0001.npy noise2/frame-0001.npy

# ---- a frame that cannot be written ends the run; nothing half-written stays ----
mkdir -p stopped/frame-0001.png
refuse 1 'frame-0001\.png.*directory' stars --track small/track.csv $small -o stopped
no_temporaries stopped

# ---- Ctrl-C: what was finished is kept ----
{ echo ra,dec && for ((i = 0; i < 30000; i++)); do echo 84,-1; done; } >long.csv
for signal in INT TERM; do
    begin stars --track long.csv -o long-$signal
    await long-$signal/frame-0005.png
    interrupted $signal 'interrupted after [0-9]+ of 30000 frames'
    no_temporaries long-$signal
    done=$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)
    equal "$(find long-$signal -name 'frame-*.png' | wc -l)" "$done" 'frames kept'
    same long-$signal/frame-0000.png long-$signal/frame-0005.png
done
