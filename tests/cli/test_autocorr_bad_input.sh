# Bad input of penta autocorr beside what refused_autocorr.txt has: a pipe, the limits of what is refused, frames of a series that
# are finished before a bad one, inputs that would be overwritten.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 24 20 | pgm 24 20 >good.pgm
hash_pixels 24 20 7 7 | pgm 24 20 >more.pgm
hash_pixels 30 20 | pgm 30 20 >wider.pgm
printf 'P5 24 20 255\n' >cut.pgm
{ printf 'P5 24 20 65535\n' && head -c 960 /dev/zero; } >deep.pgm
npy '<f8' '3, 4' $(printf '000000000000f87f %.0s' {1..12}) >nan.npy

mkfifo pipe
for json in '' '--json -q'; do
    : >pipe & # a pipe waits for who writes to it: one writer a run, or both could meet the first run
    refuse 1 'pipe: .*empty' autocorr --no-plots -o out.d $json pipe
    wait
done

# ---- what is allowed: the largest R, no pixel above 0 ----
expect 0 autocorr -R 19 --no-plots -o limits good.pgm
npy_is limits/good.c2d.npy '<f8' 39
expect 0 autocorr -R 0 --no-plots -o limits good.pgm
npy_is limits/good.c2d.npy '<f8' 13
{ printf 'P5 24 20 255\n' && head -c 480 /dev/zero; } >zeros.pgm
expect 0 autocorr --no-plots -o zeros zeros.pgm # all pixels 0: no answer, but no error either
npy_is zeros/zeros.c2d.npy '<f8' 13

# ---- a bad frame in a series ends it; what came before is kept, with its rows in series.csv ----
for bad in wider.pgm cut.pgm nan.npy deep.pgm missing.pgm; do
    rm -rf kept
    refuse 1 "${bad%.*}" autocorr --no-plots -o kept good.pgm more.pgm $bad wider.pgm
    holds kept good.c2d.npy good.c1d.csv more.c2d.npy more.c1d.csv series.csv
    equal "$(column kept/series.csv file | paste -sd ' ')" 'good.pgm more.pgm' "rows before $bad"
done
npy '<f8' '3, 4' $(printf '000000000000f03f %.0s' {1..12}) >real.npy
rm -rf kept
refuse 1 'nan\.npy.*NaN' autocorr --no-plots -o kept real.npy nan.npy real.npy
holds kept real.c2d.npy real.c1d.csv series.csv
no_temporaries .

# ---- inputs are never overwritten, under whatever name they come ----
mkdir place
hash_pixels 32 24 | pgm 32 24 >frame.pgm
for name in c1d.png c2d.svg growth.png frame.c2d.npy; do
    cp frame.pgm place/$name
    ln -sf place/$name frame.png
    for flags in "frame.pgm place/$name" "frame.pgm frame.png" "--with place/$name frame.pgm" "--mask frame.png frame.pgm"; do
        refuse 2 "(place/$name|frame\.png) is an input, and would be overwritten" autocorr -R 5 -o ./place/ $flags
    done
    same place/$name frame.pgm
    holds place $name
    rm place/$name
done
expect 0 autocorr -q -R 5 --no-plots -o place frame.pgm
cp place/series.csv series.csv
refuse 2 'place/series\.csv is an input' autocorr -R 5 --no-plots -o place --times place/series.csv frame.pgm
same place/series.csv series.csv
cp frame.pgm place/c1d.png # what is not written may be read
expect 0 autocorr -q -R 5 --no-plots -o place place/c1d.png
