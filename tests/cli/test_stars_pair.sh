# penta stars -o FILE --truth FILE: both files appear by one commit, wherever they are, also when the run is killed before
# any of its steps. PENTA_STEPS: the library to preload; PENTA_STATES: the program that looks at what was left.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

: "${PENTA_STEPS:?the library to preload}" "${PENTA_STATES:?the program that looks at states}"
sanitizer=$(ldd "$PENTA" | awk '/lib[at]san/ { printf "%s:", $3 }') # it must come first

# ---- each step, with files of an earlier run: beside each other, one below the other, side by side ----
pair() # IMAGE TRUTH
{
    rm -rf res old copies
    mkdir -p "$(dirname "$1")" "$(dirname "$2")" copies
    expect 0 stars --random 20 --seed 1 --size 32x32 --truth "$2" -q -o "$1"
    cp -r res old
    PENTA_STEPS_DIR=$PWD/res PENTA_STEPS_COPY=$PWD/copies LD_PRELOAD=$sanitizer$PENTA_STEPS \
        expect 0 stars --random 20 --seed 2 --size 32x32 --truth "$2" -q -o "$1"
    cmp -s "old/${1#res/}" "$1" && fail 'the runs do not differ'
    "$PENTA_STATES" copies old res >states 2>wrong || fail "$(cat wrong)"
    read -r before after <states
    [ "$before" -ge 8 ] && [ "$after" -ge 3 ] || fail "few steps: $(cat states)"
    no_temporaries res
}

pair res/frame.npy res/frame.csv
pair res/frame.png res/truth/frame.csv
suffix=npy
has_format fits && suffix=fits
pair res/images/frame.$suffix res/truth/frame.csv
shows res/.penta-run.json '"images/frame\.'$suffix'"'
shows res/.penta-run.json '"truth/frame\.csv"'
absent res/images/.penta-run.json

# ---- one frame alone leaves no manifest ----
mkdir alone
expect 0 stars --random 20 --size 32x32 -q -o alone/frame.png
equal "$(ls -A alone)" frame.png 'what a frame without a table leaves'

# ---- many at once in one directory wait for each other ----
mkdir many
processes=()
for i in 1 2 3 4 5 6; do
    "$PENTA" stars --random 20 --seed $i --size 32x32 --truth many/$i.csv -q -o many/$i.npy >/dev/null 2>err.$i &
    processes+=($!)
done
for i in "${!processes[@]}"; do
    wait "${processes[i]}" || fail "$(cat err.$((i + 1)))"
done
for i in 1 2 3 4 5 6; do
    exists many/$i.csv many/$i.npy
    shows many/.penta-run.json "\"$i\.npy\""
done
exec 9<many
flock -n 9
(
    sleep 1
    flock -u 9
) &
last=(stars with a lock)
expect 0 stars --random 20 --size 32x32 --truth many/last.csv -q -o many/last.npy
exec 9<&-
wait

# ---- where others write too, each file appears by itself ----
mkdir -m 1777 common
expect 0 stars --random 20 --size 32x32 --truth common/t.csv -q -o common/f.npy
equal "$(ls -A common | tr '\n' ' ')" 'f.npy t.csv ' 'files in a common directory'
if [ "$(id -u)" -eq 0 ]; then
    mkdir other
    chown 65534 other
    expect 0 stars --random 20 --size 32x32 --truth other/t.csv -q -o other/f.npy
    equal "$(ls -A other | tr '\n' ' ')" 'f.npy t.csv ' "files in another user's directory"
else
    note 'only root can give a directory to another user; that is not tried'
fi
