# A series on several devices leaves the files of one device, to the byte, and fails as one does. One device stands for
# several: named twice or three times, it is divided where it can be, and shared where not.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

frames() # NUMBER...
{
    printf 'rings/frame-%04d.png\n' "$@"
}

# The same exit code, errors and files as on one device; ARGUMENT... but -d and -o.
alike() # NAME CODE COMMAND ARGUMENT...
{
    local name=$1 wanted=$2 list

    shift 2
    expect "$wanted" "$@" -d 0 -o "$name"
    mv err "$name.err"
    for list in 0,0 0,0,0; do
        expect "$wanted" "$@" -d "$list" -o "$name-$list"
        sed "s|$name-$list|$name|g" err | diff "$name.err" - >differences || fail "$name on $list: $(cat differences)"
        diff -r -x .penta-run.json "$name" "$name-$list" >differences || fail "$name on $list: $(cat differences)"
        # the manifest: the same files of the same contents
        for folder in "$name" "$name-$list"; do
            jq -S '[.runs[] | .files | map_values({bytes, crc64})]' "$folder/.penta-run.json" >"$folder.files" ||
                fail "$folder has no manifest"
        done
        diff "$name.files" "$name-$list.files" >differences || fail "$name on $list, manifest: $(cat differences)"
    done
}

expect 0 sample autocorr --frames 30 --width 48 --height 48 -o rings -q
expect 0 sample autocorr --frames 2 --width 40 --height 48 -o others -q
head -c 300 rings/frame-0009.png >rings/frame-0109.png # cut short
cp others/frame-0001.png rings/frame-0117.png          # of another size

# ---- autocorr ----
alike series 0 autocorr -q --no-plots --numerators --interval 2 $(frames {0..29})
alike curve 0 autocorr -q --no-plots --bootstrap 20 --demean plane $(frames {0..6})
alike shifts 0 autocorr -q --no-plots --with rings/frame-0000.png -R 9 $(frames {1..12})
alike one 0 autocorr -q --no-plots rings/frame-0003.png
alike bad-first 1 autocorr -q --no-plots --keep-going rings/frame-0109.png $(frames {0..8})

# A bad frame: those before it are kept, and those behind it are not written, or with --keep-going all others are.
alike bad 1 autocorr -q --no-plots $(frames {0..16} 109 {17..29})
[ -e bad/frame-0016.c2d.npy ] || fail 'a frame before the bad one is missing'
[ ! -e bad/frame-0017.c2d.npy ] || fail 'a frame behind the bad one was written'
alike skipped 1 autocorr -q --no-plots --keep-going $(frames {0..8} 109 {9..20} 117 {21..29})
[ "$(grep -c skipped: skipped.err)" -eq 2 ] || fail "$(cat skipped.err)"
[ -e skipped/frame-0029.c2d.npy ] || fail 'a frame behind the bad ones is missing'

# Who did what.
expect 0 autocorr -d 0,0,0 --json --no-plots -o told $(frames {0..29})
json '[.ranks[].rank] == [0, 1, 2]'
json '[.ranks[] | .host != "" and .device != "" and .share >= 0 and .seconds >= 0] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
expect 0 autocorr -d 0 --json --no-plots -o told-1 $(frames 0)
json 'has("ranks") | not'
PENTACL_DEVICE=0,0 expect 0 autocorr --no-plots -o by-environment $(frames {0..4})
[ "$(grep -c '^member [01]: device 0' out)" -eq 2 ] || fail "$(cat out)"

# What works on one device alone says so.
expect 0 prepare --print-recipe
cp out rings/recipe.json
expect 2 autocorr -d 0,0 --recipe rings/recipe.json -o none $(frames 0)
grep -q -- '--recipe prepares a series on one device, and -d names 2' err || fail 'no reason is given'
[ ! -e none ] || fail 'something was written'
