# Bad input of penta prepare: one clear line on stderr, the right exit code, nothing on stdout, finished frames kept.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rejects() # CODE PATTERN ARGUMENT...: with and without --json; no file is left
{
    local wanted=$1 pattern=$2

    shift 2
    rm -rf out.d
    refuse "$wanted" "$pattern" prepare -o out.d "$@"
    refuse "$wanted" "$pattern" prepare -o out.d --json -q "$@"
    [ ! -e out.d ] || holds out.d
}

W=64 H=48
hash_pixels $W $H | pgm $W $H >a.pgm
hash_pixels $W $H 2 1 | pgm $W $H >b.pgm
hash_pixels $W $H 0 3 | pgm $W $H >c.pgm
hash_pixels 70 48 | pgm 70 48 >wider.pgm
hash_pixels $W $H 5000 7000 | pgm $W $H >other.pgm
hash_pixels $W $H | awk '{ print 250 }' | pgm $W $H >white.pgm
{
    printf 'P5 %d %d 65535\n' $W $H
    printf '%b' "$(hash_pixels $W $H | awk '{ printf "\\x%02x\\x%02x", $1, $1 }')"
} >deep.pgm
{
    printf 'P6 %d %d 255\n' $W $H
    printf '%b' "$(hash_pixels $W $H | awk '{ printf "\\x%02x\\x%02x\\x%02x", $1, $1, $1 }')"
} >colour.ppm
head -c 1000 a.pgm >cut.pgm
plain='--flatten none --dust none --register none'

# ---- files that are no image, or not a whole one ----
rejects 1 'no/such/file\.png: .*no such file' no/such/file.png
rejects 1 'cut\.pgm: .*truncated' cut.pgm
printf 'not an image\n' >text.png
rejects 1 'text\.png: unknown format' text.png
rejects 1 'none of 2 frames can be read; the first: cut\.pgm' --keep-going cut.pgm text.png
: >empty.png
rejects 1 'empty\.png: .*empty' empty.png

# ---- images that cannot be prepared; a crop that is not inside ----
hash_pixels 10 10 | pgm 10 10 >small.pgm
rejects 1 '10 x 10' small.pgm
for crop in 10,10,60,20 0,0,64,49 1e9,0,20,20; do
    rejects 1 "--crop $crop is not inside frames of 64 x 48 px" --crop="$crop" a.pgm
done

# ---- texts that no frame could make right are wrong usage, and found before any frame is looked for ----
for crop in -1,0,20,20 1.5,0,20,20 1,2,3 a,b,c,d 0,0,20,20,5 2e9,0,20,20 0,0,nan,20 ''; do
    rejects 2 "--crop needs four whole numbers X,Y,W,H, not '$crop'" --crop="$crop" gone.pgm
done
rejects 2 '--crop to 15 x 20 px leaves too few; there must be 16 x 16' --crop 0,0,15,20 gone.pgm
for range in 5 x,y 1,2,3 nan,1 x ''; do
    rejects 2 "--contrast needs two numbers LO,HI, not '$range'" --contrast="$range" gone.pgm
    rejects 2 "--dust-key needs two numbers LO,HI, not '$range'" --dust-key="$range" gone.pgm
done
for range in 5,1 98,2 7,7; do
    rejects 2 "--contrast is $range; LO must be below HI" --contrast="$range" gone.pgm
    rejects 2 "--dust-key is $range; LO must be below HI" --dust-key="$range" gone.pgm
done
for range in -1,50 1,101; do
    rejects 2 "--contrast is $range; both must be between 0 and 100" --contrast="$range" gone.pgm
done
refuse 2 '--contrast is 98,2' prepare --contrast 98,2 --print-recipe

# ---- frames that do not belong together: those before are kept ----
stops() # PATTERN FRAME ARGUMENT...: at FRAME, after a.pgm and b.pgm
{
    local pattern=$1 frame=$2

    shift 2
    rm -rf out.d
    refuse 1 "$pattern" prepare --no-sheet -o out.d "$@" a.pgm b.pgm "$frame" c.pgm
    holds out.d {a,b}.png {a,b}.mask.png drift.csv
    equal "$(cut -d, -f1,2 out.d/drift.csv | tail -n +2 | paste -sd ' ')" '0,a.pgm 1,b.pgm' 'rows of drift.csv'
    rm -rf out.d
    expect 1 prepare --json --keep-going -o out.d "$@" a.pgm b.pgm "$frame" c.pgm
    one_line "skipped: $pattern"
    holds out.d {a,b,c}.png {a,b,c}.mask.png drift.csv report
    equal "$(cut -d, -f1,2 out.d/drift.csv | tail -n +2 | paste -sd ' ')" '0,a.pgm 1,b.pgm 2,c.pgm' 'rows of drift.csv'
    json '.frames | length == 4 and ([.[].status] | .[0] == "ok" and .[1] == "ok" and .[3] == "ok")'
    expect 0 prepare -q -o without "$@" a.pgm b.pgm c.pgm
    for f in {a,b,c}.png {a,b,c}.mask.png drift.csv; do # as if it had not been there
        same out.d/$f without/$f
    done
    expect 1 prepare --json --keep-going -o out.d "$@" a.pgm b.pgm "$frame" c.pgm
}

for flags in "$plain" ''; do
    stops 'wider\.pgm is 70 x 48, but the series began with 64 x 48' wider.pgm $flags
    json '.frames[2] | .status == "error" and .dx == null and .dust_pixels == null'
done
stops 'deep\.pgm holds u16 pixels, but the series began with u8' deep.pgm $plain
stops 'colour\.ppm is in colour, but the series began grey' colour.ppm $plain
stops 'cut\.pgm: .*truncated' cut.pgm $plain
stops 'gone\.pgm: .*no such file' gone.pgm $plain
stops 'white\.pgm: 100\.0 % of it is dust' white.pgm --dust-key 0,249 --dust-limit 0 --dust-grow 0 --register none
json '.frames[2] | .status == "dust" and .dx == null and .dust_pixels == 64 * 48'
stops 'other\.pgm: its shift cannot be found: no place where it may lie fits clearly better than others; more of the picture in common helps .*--register none leaves all frames where they are, --keep-going leaves this one out$' other.pgm --min-score 0.5
json '.frames[2] | .status == "lost" and .dx == null and .score == -1'
for level in 0 255 77; do
    hash_pixels $W $H | awk -v v=$level '{ print v }' | pgm $W $H >flat.pgm
    stops 'flat\.pgm: there is nothing in it to register: all its pixels are alike$' flat.pgm
    json '.frames[2] | .status == "blank" and .dx == null and .score == null and .dust_pixels == 0'
done
hash_pixels $W $H | awk 'NR == 777 { print 255; next } { print 3 }' | pgm $W $H >flat.pgm # and a hot pixel
stops 'flat\.pgm: there is nothing in it to register: all its pixels are alike, dust aside$' flat.pgm --dust-key 0,254 --dust-limit 0
json '.frames[2].dust_pixels == 21'
rm -rf out.d # of smoothed drifts a frame that is left out keeps its place in time
refuse 1 'other\.pgm: its shift cannot be found' prepare --no-sheet -o out.d --min-score 0.5 --smooth-drift 1 {a,b,other,c}.pgm
holds out.d {a,b}.png {a,b}.mask.png drift.csv
expect 1 prepare --json --keep-going -o out.d --min-score 0.5 --smooth-drift 1 {a,b,other,c}.pgm
one_line 'skipped: other\.pgm: its shift cannot be found'
json '[.frames[].status] == ["ok", "ok", "lost", "ok"]'

# ---- a first frame that cannot be used, and none that can ----
hash_pixels $W $H | awk '{ print 0 }' | pgm $W $H >black.pgm
rejects 1 'black\.pgm: there is nothing in it to register: all its pixels are alike' black.pgm
rejects 1 'black\.pgm: there is nothing in it to register' black.pgm a.pgm
for flags in '' '--flatten series' '--flatten poly --dust copy' '--smooth-drift 1' '--register rigid' \
    '--contrast 1,99 --contrast-of first'; do
    rm -rf out.d without
    expect 1 prepare -q --keep-going $flags -o out.d black.pgm a.pgm b.pgm black.pgm c.pgm
    equal "$(grep -c 'skipped: black\.pgm: there is nothing in it to register' err)" 2 "lines about black.pgm with $flags"
    equal "$(cut -d, -f1,2 out.d/drift.csv | tail -n +2 | paste -sd ' ')" '0,a.pgm 1,b.pgm 2,c.pgm' "rows with $flags"
    case $flags in *smooth* | *series*) continue ;; esac
    expect 0 prepare -q $flags -o without a.pgm b.pgm c.pgm
    for f in {a,b,c}.png drift.csv; do
        same out.d/$f without/$f
    done
done
hash_pixels $W $H | awk '{ print 100 + NR % 7 }' | pgm $W $H >light.pgm # a plain frame is one whatever the light
rejects 1 'black\.pgm: there is nothing in it to register' --flat light.pgm black.pgm
for flags in "$plain" '--register none'; do # where nothing is registered it may be
    expect 0 prepare -q $flags -o dark black.pgm white.pgm
    holds dark {black,white}.png {black,white}.mask.png drift.csv report
done
rm -rf out.d
expect 1 prepare -q --keep-going -o out.d black.pgm white.pgm
shows err 'no frame could be used'
expect 1 prepare --keep-going $plain -o late cut.pgm wider.pgm
holds late wider.png wider.mask.png drift.csv report
one_line 'skipped: cut\.pgm'
rm -rf out.d
refuse 1 'all|white\.pgm: 100' prepare --dust-key 0,249 --dust-limit 0 -o out.d white.pgm
absent out.d
expect 1 prepare --keep-going --dust-key 0,249 --dust-limit 0 -o out.d white.pgm
shows err 'no frame could be used'
absent out.d

# ---- companions ----
rejects 1 '--dark wider\.pgm is 70 x 48, the frames are 64 x 48' --dark wider.pgm a.pgm
rejects 1 '--flat deep\.pgm holds u16 pixels, the frames u8' --flat deep.pgm a.pgm
rejects 1 'cut\.pgm: .*truncated' --flat cut.pgm a.pgm
rejects 1 'no such file' --dark none.pgm a.pgm
rejects 1 'light|flat' --dark white.pgm --flat white.pgm a.pgm
rejects 1 'flatten series needs at least 3 frames' --flatten series a.pgm b.pgm

# ---- recipes ----
rejects 1 'none\.json' --recipe none.json a.pgm
printf '{"flaten": "poly"}' >wrong.json
rejects 1 'wrong\.json.*flaten.*flatten' --recipe wrong.json a.pgm
printf '{"dust_size": "big"}' >wrong.json
rejects 1 'wrong\.json.*dust_size' --recipe wrong.json a.pgm
printf '{"dust_size": 1}' >wrong.json
rejects 1 'wrong\.json.*dust_size' --recipe wrong.json a.pgm
printf '[1, 2' >wrong.json
rejects 1 'wrong\.json' --recipe wrong.json a.pgm

# ---- places ----
: >file
refuse 1 'file' prepare $plain -o file a.pgm
refuse 1 'no OpenCL device matches' prepare -d nosuchdevice -o out.e a.pgm
absent out.e
if [ -e /dev/full ]; then
    mkdir full
    ln -s /dev/full full/a.png
    refuse 1 'full/a\.png.*No space left' prepare $plain -o full a.pgm
fi
no_temporaries .
