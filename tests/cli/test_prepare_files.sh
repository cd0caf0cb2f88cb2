# penta prepare: the names, headers and keys that other programs rely on, the flags about output, and that pieces of the
# series change nothing.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

W=96 H=80
hash_pixels $W $H | pgm $W $H >a.pgm
hash_pixels $W $H 3 0 | pgm $W $H >b.pgm # the content moved 3 px to the left
hash_pixels $W $H 1 -4 | pgm $W $H >c.pgm
flat='--flatten none --dust none' # frames as they are

values() # NPY TYPE: elements one a line; TYPE as of od, with its size
{
    od -A n -v -w"${2#?}" -t "$2" -j 128 "$1" | awk '{ print $1 }'
}

header() # NPY DESCR: W x H elements of it
{
    equal "$(head -c 128 "$1" | tail -c 118 | sed 's/ *$//')" \
        "{'descr': '$2', 'fortran_order': False, 'shape': ($H, $W), }" "header of $1"
}

# ---- one image ----
expect 0 prepare -o one a.pgm
holds one a.png a.mask.png drift.csv report
holds one/report sheet.png
shows out '^a\.pgm  dx = 0\.00  dy = 0\.00 px'
shows out '^results in one$'
one_line 'a single frame is registered with nothing'
equal "$(cat one/drift.csv)" "$(printf 'index,file,dx,dy,angle,score,places,others\n0,a.pgm,0,0,0,1,1,')" drift.csv

# ---- frames that nothing is asked of come out as they went in ----
for format in npy png tiff fits; do
    suffix=${format/tiff/tif}
    case $format in tiff | fits) has_format $suffix || continue ;; esac
    expect 0 prepare -q $flat --register none --depth input --format $format --no-sheet -o same-$format a.pgm
    silent
    holds same-$format a.$suffix a.mask.png drift.csv
    expect 0 prepare -q $flat --register none --depth input --format npy -o back-$format same-$format/a.$suffix
    header back-$format/a.npy '|u1'
    cmp -s <(tail -c +129 back-$format/a.npy) <(tail -c $((W * H)) a.pgm) || fail "$format does not hold the image"
done
equal "$(tail -1 same-npy/drift.csv)" 0,a.pgm,0,0,0,,1, 'row of a frame that is not registered'
expect 0 prepare -q $flat --register none --depth input --format npy -o mask same-npy/a.mask.png
equal "$(values mask/a.mask.npy u1 | sort -u)" 255 'values of a mask of all that counts'

# ---- types of the output: integers span black to white ----
expect 0 prepare -q $flat --register none --format npy -o deep a.pgm
header deep/a.npy '<u2'
paste <(values deep/a.npy u2) <(hash_pixels $W $H) | awk '$1 != 257 * $2 { bad = 1 } END { exit bad }' ||
    fail 'levels of u16 are not 257 times those of u8'
expect 0 prepare -q $flat --register none --format npy --depth f32 -o real a.pgm
header real/a.npy '<f4'
paste <(values real/a.npy f4) <(hash_pixels $W $H) | awk '$1 != $2 { bad = 1 } END { exit bad }' ||
    fail 'levels of f32 are not those of the input'
expect 0 prepare -q $flat --register none --format npy --depth u8 --contrast 0,100 -o wide a.pgm
equal "$(values wide/a.npy u1 | sort -n | sed -n '1p;$p' | paste -sd ' ')" '0 255' 'range after --contrast 0,100'

# ---- crop, key, copies ----
expect 0 prepare -q $flat --register none --depth input --format npy --crop 10,20,32,16 -o crop a.pgm
cmp -s <(values crop/a.npy u1) <(hash_pixels 32 16 10 20) || fail 'another part of the image than asked for'
expect 0 prepare --json --flatten none --register none --dust-key 0,250 --dust-limit 0 --dust-grow 0 -o key a.pgm
beyond=$(hash_pixels $W $H | awk '$1 > 250' | wc -l)
json ".frames[0].dust_pixels == $beyond and $beyond > 0"
expect 0 prepare -q $flat --register none --depth input --format npy -o key key/a.mask.png
cmp -s <(values key/a.mask.npy u1) <(hash_pixels $W $H | awk '{ print ($1 > 250 ? 0 : 255) }') ||
    fail 'the mask is not the key'
expect 0 prepare -q --flatten none --register none --dust copy --dust-key 0,250 --dust-limit 0 --dust-grow 0 \
    --depth input --format npy -o copy a.pgm
values copy/a.npy u1 | awk '$1 > 250 { bad = 1 } END { exit bad }' || fail 'pixels beyond the key are left'

# ---- colour ----
{
    printf 'P6 %d %d 255\n' $W $H
    printf '%b' "$(hash_pixels $W $H | awk '{ printf "\\x%02x\\x%02x\\x00", $1, 255 - $1 }')"
} >colour.ppm
for grey in red green blue mean luminance; do
    expect 0 prepare -q $flat --register none --depth f32 --format npy --grey $grey -o $grey colour.ppm
    paste <(values $grey/colour.npy f4) <(hash_pixels $W $H) | awk -v grey=$grey '
        {
            r = $2; g = 255 - $2
            w = grey == "red" ? r : grey == "green" ? g : grey == "blue" ? 0 : grey == "mean" ? (r + g) / 3 : .299 * r + .587 * g
            d = $1 - w
            if (d > 1e-4 || d < -1e-4) bad = 1
        }
        END { exit bad }' || fail "--grey $grey is not that"
done

# ---- dark and flat frames ----
hash_pixels $W $H | awk '{ print 10 }' | pgm $W $H >dark.pgm
hash_pixels $W $H | awk '{ print NR % 2 ? 110 : 60 }' | pgm $W $H >light.pgm # 100 and 50 of light: 75 on the mean
expect 0 prepare -q $flat --register none --depth f32 --format npy --dark dark.pgm --flat light.pgm -o lit a.pgm
paste <(values lit/a.npy f4) <(hash_pixels $W $H) | awk '
    { d = $1 - ($2 - 10) * 75 / (NR % 2 ? 100 : 50); if (d > 1e-3 || d < -1e-3) bad = 1 }
    END { exit bad }' || fail 'dark and flat frame are not taken out'

# ---- a series: where its content lies ----
expect 0 prepare --json -o series a.pgm b.pgm c.pgm
silent
json 'keys - ["error", "inputs", "notes", "outputs", "status", "warnings"]
    == ["command", "device", "frames", "seconds", "stages", "version"] and .command == "prepare"'
json 'all(.frames[]; keys == ["ambiguous", "angle", "dust_pixels", "dx", "dy", "file", "others", "score", "status"])'
json '[.frames[].file] == ["a.pgm", "b.pgm", "c.pgm"] and all(.frames[]; .status == "ok" and .angle == 0)'
json '[.frames[].dx] | .[0] == 0 and (.[1] + 3 | fabs) < 0.1 and (.[2] + 1 | fabs) < 0.1'
json '[.frames[].dy] | .[0] == 0 and (.[1] | fabs) < 0.1 and (.[2] - 4 | fabs) < 0.1'
json '.frames[0].score == 1 and all(.frames[1:][]; .score > 0.7 and .score <= 1.0000001)'
json 'all(.frames[]; .ambiguous == false and .others == [])'
holds series {a,b,c}.png {a,b,c}.mask.png drift.csv report
equal "$(head -1 series/drift.csv)" index,file,dx,dy,angle,score,places,others 'header of drift.csv'
equal "$(cut -d, -f1,2 series/drift.csv | tail -n +2 | paste -sd ' ')" '0,a.pgm 1,b.pgm 2,c.pgm' 'rows of drift.csv'
near "$(column series/drift.csv dx | sed -n 2p)" -3 0.1 'dx of the second frame'
for c in dx dy angle score; do # the digits that give the numbers back
    equal "$(column series/drift.csv $c | jq -s -c 'map(. + 0)')" "$(jq -c "[.frames[].$c + 0]" out)" "column $c"
done
expect 0 prepare -q --batch 1 -o ones a.pgm b.pgm c.pgm
expect 0 prepare -q --batch 2 -o twos a.pgm b.pgm c.pgm
for f in {a,b,c}.png {a,b,c}.mask.png drift.csv report/sheet.png; do
    same ones/$f series/$f
    same twos/$f series/$f
done
expect 0 prepare -q --interpolation nearest $flat --depth input --format npy -o still a.pgm b.pgm
paste <(values still/b.npy u1) <(hash_pixels $W $H) | awk -v w=$W '
    (NR - 1) % w >= 3 && $1 != $2 { bad = 1 }
    END { exit bad }' || fail 'the content was not moved back by whole pixels'
expect 0 prepare -q $flat --register none --depth input --format npy -o still still/b.mask.png
values still/b.mask.npy u1 | awk -v w=$W '($1 == 255) != ((NR - 1) % w >= 3) { bad = 1 } END { exit bad }' ||
    fail 'what moved in from outside should not count, and all else should'
expect 0 prepare -q --smooth-drift 2 -o smooth a.pgm b.pgm c.pgm
silent
expect 0 prepare --no-sheet --smooth-drift 2 -o smooth a.pgm b.pgm c.pgm
silent
for pair in '100 a.pgm b.pgm c.pgm|100 is longer than the series of 3 frames' '100 a.pgm b.pgm|nothing: 2 frames have a drift' \
    '1 a.pgm|nothing: 1 frame has a drift'; do
    expect 0 prepare --no-sheet -o short --smooth-drift ${pair%|*}
    shows err "^penta prepare: note: --smooth-drift .*${pair#*|}"
    equal "$(grep -c smooth err)" 1 'lines about smoothing'
done
rm -rf short
equal "$(wc -l <smooth/drift.csv)" 4 'lines of drift.csv of smoothed drifts'
expect 0 prepare -q --flatten series -o survey a.pgm b.pgm c.pgm
silent

# ---- what a second run of another series leaves is named ----
expect 0 prepare --no-sheet -o series c.pgm
shows err 'earlier run'

# ---- names: equal stems do not write over one another ----
mkdir x y
cp a.pgm x/same.pgm
cp b.pgm y/same.pgm
cp a.pgm 'comma, "quote" and space.pgm'
cp a.pgm -- -dash.pgm
expect 0 prepare --json --no-sheet -o names x/same.pgm y/same.pgm 'comma, "quote" and space.pgm' -- -dash.pgm
holds names {same,same-2,'comma, "quote" and space',-dash}.png {same,same-2,'comma, "quote" and space',-dash}.mask.png \
    drift.csv
shows names/drift.csv '^2,"comma, ""quote"" and space\.pgm",'
cat a.pgm b.pgm >stack.pgm
expect 0 prepare -q --no-sheet -o stack stack.pgm
holds stack stack-000{0,1}.png stack-000{0,1}.mask.png drift.csv
same stack/stack-0001.png series/b.png

# ---- what is printed ----
expect 0 prepare -q --no-sheet -o quiet a.pgm
silent
shows out '^a\.pgm  dx'
lacks out 'results in'
expect 0 prepare --profile --no-sheet -o quiet a.pgm
shows err '^prepare_[a-z_]+ +[0-9]+ '
no_temporaries .

# ---- a picture that is brighter than white once it is flattened: a spot of 8 x 8 in each of 32 x 32, on a dim ground ----
awk 'BEGIN { for (y = 0; y < 96; y++) for (x = 0; x < 128; x++) print x % 32 < 8 && y % 32 < 8 ? 250 : 40 }' | pgm 128 96 >spots.pgm
for of in 0 0,0; do
    expect 0 prepare -d $of -q --no-sheet --dust none --json -o spots spots.pgm spots.pgm
    shows err 'warning: [56]\.[0-9] % of spots\.pgm is white in what is written \(2 of 2 frames have over 5 %\)'
done
for as in '--contrast 1,99' '--depth f32 --format npy'; do
    expect 0 prepare -q --no-sheet --dust none $as -o spots-2 spots.pgm spots.pgm
    lacks err 'is white'
done
