# --resume where what is there does not fit the line: refused with a line, and nothing changes; files that are missing are made
# again.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

mkdir frames
hash_pixels 64 48 | pgm 64 48 >frames/f0.pgm
series=()
for ((i = 0; i < 200; i++)); do
    [ -e frames/f$i.pgm ] || cp frames/f0.pgm frames/f$i.pgm
    series+=("frames/f$i.pgm")
done
line=(autocorr -d "$one" -R 20 --method naive --interval 60 --numerators --no-plots "${series[@]}")

killed dead f100.c1d.csv "${line[@]}"
cp -a dead kept
untouched()
{
    diff -r dead kept >differences || fail "it has changed: $(cat differences)"
}
refuse 2 'had --max-offset 20, and this one has 19' "${line[@]}" -R 19 --resume -o dead
untouched
refuse 2 'had --numerators on, and this one has off' autocorr -d "$one" -R 20 --method naive --interval 60 --no-plots "${series[@]}" --resume -o dead
untouched
refuse 2 'had 200 inputs, and this one has 199' "${line[@]::${#line[@]}-1}" --resume -o dead
refuse 2 'had frames/f0.pgm, and this one has frames/f1.pgm' autocorr -d "$one" "${line[@]:3:8}" frames/f1.pgm "${series[@]:1}" --resume -o dead
untouched
touch -d '2020-01-01' frames/f0.pgm
refuse 1 'frames/f0.pgm has changed since' "${line[@]}" --resume -o dead
untouched
touch frames/f0.pgm
refuse 1 'frames/f0.pgm has changed since' "${line[@]}" --resume -o dead
cp -a kept torn
truncate -s -1 torn/.penta-resume
refuse 1 'is cut short' "${line[@]}" --resume -o torn
cp kept/.penta-resume torn/
printf 'x' | dd of=torn/.penta-resume bs=1 seek=2000 conv=notrunc status=none
refuse 1 'is damaged: its checksum' "${line[@]}" --resume -o torn
echo 'another file altogether' >torn/.penta-resume
refuse 1 'no record of a run' "${line[@]}" --resume -o torn
refuse 2 'inputs that can be read again' autocorr --resume -o dead - <frames/f1.pgm

# Files that were changed are made again.
rm -rf fresh whole dead kept
expect 0 "${line[@]}" -o whole # an input has another time now
killed dead f100.c1d.csv "${line[@]}"
file=$(find dead -name 'f2.c1d.csv.tmp.*')
echo changed >"$file"
go_on dead "${line[@]}"
shows err 'files of frames/f2.pgm are missing'
cp -a whole lost
rm lost/f7.c1d.csv
go_on lost "${line[@]}"
shows err 'f7.c1d.csv is missing, or not as the run left it; all is done again'
