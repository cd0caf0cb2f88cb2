# prepare --resume, and autocorr --recipe: frames that need those before them find the series as it was, wherever the run was
# killed, or the power cut. PENTA_STEPS: the library to preload.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

: "${PENTA_STEPS:?the library to preload}"

frames() # FOLDER NUMBER...
{
    printf "$1/frame-%04d.png\n" "${@:2}"
}

size='--width 120 --height 96 --r0 8 --drift 6'
expect 0 sample prepare -q -n 8 $size -o still
expect 0 sample prepare -q -n 8 $size --speed 0.15 -o growing

each() # N ARGUMENT...
{
    rm -rf whole
    expect 0 "${@:2}" -o whole
    go_on_from_each "$@"
[ "$most" -ge 2 ] || fail "$most frames were taken over at most"
}

# The frame that others are compared with changes; all frames are looked at before the first; levels of the first one.
each 59 prepare -d "$one" --no-sheet --key-score 0.9 --batch 2 $(frames growing {0..7})
each 61 prepare -d "$one" --smooth-drift 3 --flatten series --contrast 1,99 --contrast-of first --batch 2 $(frames still {0..7})
expect 0 prepare --print-recipe --key-score 0.9
cp out recipe.json
each 53 autocorr -d "$one" --recipe recipe.json --no-plots $(frames growing {0..7})

# Two devices share frames; the rest is done by one, and the other way round. Frames in order are done by the first.
for way in '--register none --flatten series' '--key-score 0.9'; do
    line=($way --batch 2 $(frames growing {0..7}))
    rm -rf whole dead
    expect 0 prepare -d "$one" "${line[@]}" -o whole
    for of in "$one $two" "$two $one"; do
        killed dead frame-0005.mask.png prepare -d "${of% *}" "${line[@]}"
        go_on dead prepare -d "${of#* }" "${line[@]}"
    done
done

# A frame that cannot be used: those before it are kept, and it is mended.
cp -p growing/frame-0006.png good.png
head -c 300 good.png >growing/frame-0006.png
PENTACL_SAVE_EVERY=0 expect 1 prepare -d "$one" "${line[@]}" -o bad
cp -p good.png growing/frame-0006.png
go_on bad prepare -d "$one" "${line[@]}"
shows_done 4
expect 0 prepare -d "$one" "${line[@]}" --resume -o bad
shows err 'all is done'

# Where the look at all frames saw another one, all is done again.
line=(--flatten series $(frames growing {0..7}))
expect 0 prepare -d "$one" "${line[@]}" -o whole
head -c 300 good.png >growing/frame-0006.png
PENTACL_SAVE_EVERY=0 expect 1 prepare -d "$one" "${line[@]}" -o bad-2
cp -p good.png growing/frame-0006.png
go_on bad-2 prepare -d "$one" "${line[@]}"
shows err 'inputs have changed, on all of which'
refuse 2 'without effect|--watch goes on' prepare --watch growing --resume -o dead
