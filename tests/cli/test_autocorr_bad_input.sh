# Bad input of penta autocorr: one clear line on stderr, the right exit code, nothing on stdout, no output.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rejects() # CODE PATTERN ARGUMENT...: with and without --json, as a first frame; no file is left
{
    local wanted=$1 pattern=$2

    shift 2
    rm -rf out.d
    refuse "$wanted" "$pattern" autocorr --no-plots -o out.d "$@"
    refuse "$wanted" "$pattern" autocorr --no-plots -o out.d --json -q "$@"
    [ ! -e out.d ] || holds out.d
}

hash_pixels 24 20 | pgm 24 20 >good.pgm
hash_pixels 24 20 7 7 | pgm 24 20 >more.pgm
hash_pixels 30 20 | pgm 30 20 >wider.pgm
expect 0 sample autocorr -n 1 --width 64 --height 48 -q -o .
frame=frame-0000.png

# ---- files that are no image, or not a whole one ----
size=$(wc -c <$frame)
for keep in 4 20 40 $((size / 2)) $((size - 1)); do
    head -c $keep $frame >cut.png
    rejects 1 'cut\.png: .' cut.png
done
{ head -c $((size / 2)) $frame && printf 'garbage' && tail -c +$((size / 2 + 8)) $frame; } >damaged.png
rejects 1 'damaged\.png: .' damaged.png
: >empty.png
rejects 1 'empty\.png: .*empty' empty.png
printf 'not an image\n' >text.png
rejects 1 'text\.png: .' text.png
head -c 100 good.pgm >cut.pgm
rejects 1 'cut\.pgm: .' cut.pgm
printf 'P5 99999999 99999999 255\n' >huge.pgm # far more pixels than the file could hold
rejects 1 'huge\.pgm: .' huge.pgm
printf 'P5 0 20 255\n' >none.pgm
rejects 1 'none\.pgm: .' none.pgm
npy '<f8' '1000000, 1000000' 0000000000000000 >huge.npy
rejects 1 'huge\.npy: .' huge.npy
npy '<c16' '1, 1' 00000000000000000000000000000000 >complex.npy
rejects 1 'complex\.npy: .*c16' complex.npy
npy '<f8' '3,' 0000000000000000 0000000000000000 0000000000000000 >line.npy
rejects 1 'line\.npy: .' line.npy
rejects 1 'no/such/file\.png: .*no such file' no/such/file.png
mkdir folder
rejects 1 'folder: .*directory' folder
rejects 1 'name.*empty' ''
mkfifo pipe
for json in '' '--json -q'; do
    : >pipe & # a pipe waits for who writes to it: one writer a run, or both could meet the first run
    refuse 1 'pipe: .*empty' autocorr --no-plots -o out.d $json pipe
    wait
done
rejects 1 '/dev/null: .' /dev/null
if [ "$(id -u)" -ne 0 ]; then
    cp good.pgm secret.pgm
    chmod 0 secret.pgm
    rejects 1 'secret\.pgm: .*permission' secret.pgm
else
    note "root may read everything; an unreadable file is not tried"
fi

# ---- images that cannot be correlated ----
printf 'P5 1 1 255\nx' >dot.pgm
rejects 1 'dot\.pgm.*1 x 1' dot.pgm
printf 'P5 9 1 255\nabcdefghi' >row.pgm
rejects 1 'row\.pgm.*9 x 1' row.pgm
one=000000000000f03f
nan=000000000000f87f
npy '<f8' '3, 4' $nan $nan $nan $nan $nan $nan $nan $nan $nan $nan $nan $nan >nan.npy
rejects 1 'nan\.npy: every pixel is NaN' nan.npy
npy '<f8' '3, 4' $one $one $one $one $one $one $one $one $one $one $one 000000000000f0ff >infinity.npy
rejects 1 'infinity\.npy.*pixel \(3, 2\).*infinite' infinity.npy
npy '<f4' '2, 3' 0000803f 0000807f 0000803f 0000803f 0000803f 0000803f >single.npy
rejects 1 'single\.npy.*pixel \(1, 0\).*infinite' single.npy
npy '<f8' '2, 2, 3, 1' $one >four.npy
rejects 1 'four\.npy.*4 dimensions' four.npy
npy '<f8' '3, 4' $one $one $one $one $one $one $one $one $one $one $one $one >grey.npy
rejects 1 'grey\.npy.*2 dimensions.*--axes nyx is of 3' --axes nyx grey.npy
rejects 1 'grey\.npy.*2 dimensions.*--axes yxc is of 3' --axes yxc grey.npy
rejects 2 'axes needs one of auto,yx,nyx,yxc' --axes xy grey.npy
npy '<f8' '3, 2, 2' $one $one $one $one $one $one $one $one $one $one $one $one >pages.npy
rejects 1 'pages\.npy.*--axes yxc with 2 channels' --axes yxc pages.npy
rejects 1 'pages\.npy.*3 dimensions.*--axes yx is of 2' --axes yx pages.npy

# ---- pictures where a table of times is expected ----
printf '\xff\xd8\xff\xe0 and so on' >photo.jpg
for times in "$frame" good.pgm grey.npy photo.jpg; do
    rejects 1 "times $times: is an? .*where a table of times is expected: a CSV file with a column time" --times $times good.pgm
done

# ---- R: too large or no number is wrong usage ----
for R in 20 24 1000 1000000; do
    rejects 2 "good\.pgm.*$R.*24 x 20" -R $R good.pgm
done
for R in -1 1000001 99999999999999999999 1.5 five 5px '' ' ' nan 0x; do
    rejects 2 'max-offset' -R "$R" good.pgm
done
expect 0 autocorr -R 19 --no-plots -o limits good.pgm
npy_is limits/good.c2d.npy '<f8' 39
expect 0 autocorr -R 0 --no-plots -o limits good.pgm
npy_is limits/good.c2d.npy '<f8' 13

# ---- the second image and the mask ----
rejects 1 'with.*wider\.pgm.*30 x 20.*24 x 20' --with wider.pgm good.pgm
rejects 1 'mask.*wider\.pgm.*30 x 20.*24 x 20' --mask wider.pgm good.pgm
rejects 1 'missing\.pgm: .*no such file' --with missing.pgm good.pgm
rejects 1 'missing\.pgm: .*no such file' --mask missing.pgm good.pgm
rejects 1 'empty\.png: .*empty' --mask empty.png good.pgm
{ printf 'P5 24 20 65535\n' && head -c 960 /dev/zero; } >deep.pgm
rejects 1 'with.*deep\.pgm.*u16.*u8' --with deep.pgm good.pgm
{ printf 'P5 24 20 255\n' && head -c 480 /dev/zero; } >zeros.pgm
rejects 1 'mask excludes every pixel' --mask zeros.pgm good.pgm
rejects 1 'mask excludes every pixel' --mask zeros.pgm --estimator pearson good.pgm
expect 0 autocorr --no-plots -o zeros zeros.pgm # all pixels 0: no answer, but no error either
npy_is zeros/zeros.c2d.npy '<f8' 13

# ---- a bad frame in a series ends it; what came before is kept, with its rows in series.csv ----
for bad in wider.pgm cut.png nan.npy deep.pgm missing.pgm; do
    rm -rf kept
    refuse 1 "${bad%.*}" autocorr --no-plots -o kept good.pgm more.pgm $bad wider.pgm
    holds kept good.c2d.npy good.c1d.csv more.c2d.npy more.c1d.csv series.csv
    equal "$(column kept/series.csv file | paste -sd ' ')" 'good.pgm more.pgm' "rows before $bad"
done
npy '<f8' '3, 4' $one $one $one $one $one $one $one $one $one $one $one $one >real.npy
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
