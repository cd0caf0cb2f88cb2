# penta sample prepare: its files, and that they are what truth.csv says.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

small=(--width 64 --height 48 --r0 8)
expect 0 sample prepare -n 3 "${small[@]}" -o a
silent
shows out '^3 frames of 64 x 48, '
holds a clean frame-0000.png frame-0001.png frame-0002.png truth truth.csv
holds a/truth dust.png illumination.npy
holds a/clean frame-0000.png frame-0001.png frame-0002.png
equal "$(head -1 a/truth.csv)" 'index,file,dx,dy,angle,r_max' 'header of truth.csv'
equal "$(sed -n 2p a/truth.csv)" '0,frame-0000.png,0,0,0,8' 'first row of truth.csv'
equal "$(wc -l <a/truth.csv)" 4 'lines of truth.csv'
awk -F, 'NR > 1 { d = 20 * ($3 < 0 ? -$3 : $3); r = d - int(d + 0.5); if (d > 240 || r * r > 1e-12) exit 1 }' a/truth.csv || fail 'a drift is no 20th of a pixel up to 12'
equal "$(head -c 128 a/truth/illumination.npy | tail -c 118 | sed 's/ *$//')" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (48, 64), }" 'header of illumination.npy'
near "$(od -A n -v -w4 -t f4 -j 128 a/truth/illumination.npy | head -1)" 0.25 1e-6 'light at the left'

# The pattern at rest is the same in all frames; the photographs are not; other seeds give others, the same the same.
same a/clean/frame-0000.png a/clean/frame-0002.png
cmp -s a/frame-0000.png a/frame-0001.png && fail 'two frames are equal'
expect 0 sample prepare -n 3 "${small[@]}" -q -o b
[ ! -s out ] || fail 'stdout is not empty'
for f in frame-0002.png truth.csv truth/dust.png truth/illumination.npy clean/frame-0001.png; do
    same a/$f b/$f
done
expect 0 sample prepare -n 1 "${small[@]}" -s 2 -q -o c
cmp -s a/frame-0000.png c/frame-0000.png && fail 'seed 2 gives the frame of seed 1'

# With nothing wrong they are the clean ones, and what grows or turns is told.
expect 0 sample prepare -n 2 "${small[@]}" --drift 0 --illumination 1 --dust 0 --snr 0 -q -o still
for i in 0 1; do
    same still/frame-000$i.png still/clean/frame-000$i.png
done
expect 0 sample prepare -n 3 "${small[@]}" --speed 0.5 --angle 2 --depth u8 --shape vignette -q -o turned
equal "$(column turned/truth.csv r_max | paste -sd ' ')" '8 8.5 9' 'r_max'
awk -F, 'NR > 2 && $5 != 0 { n++ } END { exit !n }' turned/truth.csv || fail 'nothing is turned'
equal "$(head -c 25 turned/frame-0000.png | tail -c 1 | od -A n -t u1 | tr -d ' ')" 8 'bits of an 8-bit PNG'
equal "$(head -c 25 a/frame-0000.png | tail -c 1 | od -A n -t u1 | tr -d ' ')" 16 'bits of a 16-bit PNG'

refuse 2 'shape' sample prepare -o d --shape square
refuse 2 'dust' sample prepare -o d --dust 2
refuse 2 '-o DIR is missing' sample prepare
absent d
