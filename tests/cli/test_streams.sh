# "-" is standard input and output where one file is meant, pipes and FIFOs are read; -o - never makes a directory.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export TMPDIR=$PWD/temporary
mkdir temporary in
hash_pixels 24 20 | pgm 24 20 >in/image.pgm
expect 0 sample stars -q -n 5 --frames 2 --width 32 --height 32 -o in
expect 0 sample nbody -q -n 16 -o in
expect 0 sample pca -q -o in
expect 0 sample optmap -q --width 16 --height 16 -n 200 --beats 1 -o in

piped() # FILE ARGUMENT...: with the file as standard input, through a pipe
{
    local file=$1

    shift
    last=("$@" "<$file")
    code=0
    cat "$file" | "$PENTA" "$@" >out 2>err || code=$?
    [ $code -eq 0 ] || fail "exit code $code"
    [ -z "$(ls -A temporary)" ] || fail 'a temporary file is left'
    lacks out temporary
    lacks err temporary
}

# ---- each command reads its input from a pipe, and gives what it gives of the file ----
while read -r input result flags; do
    expect 0 ${flags//FILE/in/$input} -o "file.${result%%/*}"
    piped in/$input ${flags//FILE/-} -o "pipe.${result%%/*}"
    mkfifo "$input"
    cat in/$input >"$input" &
    expect 0 ${flags//FILE/$input} -o "fifo.${result%%/*}"
    rm "$input"
    same "file.$result" "fifo.$result"
    stdin=${result/image/stdin}
    same "file.$result" "pipe.$stdin"
done <<'END'
image.pgm a/image.c2d.npy autocorr --no-plots -R 4 FILE
image.pgm p/image.png prepare --no-sheet FILE
list.csv s.npy stars --size 32x32 --list FILE
plummer.npy n/final.npy nbody --steps 1 --input FILE
exact.npy c/components.npy pca FILE
movie.npy m/filtered.npy optmap --rate 1000 --no-report FILE
END
piped in/image.pgm autocorr --no-plots --json -R 4 -o named -
json '.frames[0].file == "stdin"'
json '.inputs[0].path == "stdin"'
piped in/image.pgm autocorr --no-plots -R 4 -o named /dev/stdin
exists named/stdin.c2d.npy
code=0
"$PENTA" autocorr --no-plots -R 4 -o named - <in/image.pgm >out 2>err || code=$?
equal $code 0 'exit code'
expect 0 autocorr --no-plots -R 4 --mask in/image.pgm -o mask.file in/image.pgm
piped in/image.pgm autocorr --no-plots -R 4 --mask - -o mask.pipe in/image.pgm
same mask.file/image.c2d.npy mask.pipe/image.c2d.npy
head -c 100 in/image.pgm >cut.pgm
code=0
"$PENTA" autocorr -o cut - <cut.pgm >out 2>err || code=$?
equal $code 1 'exit code'
one_line 'penta autocorr: error: stdin: '
lacks err temporary
refuse 2 'standard input is named twice' autocorr -o twice - -
refuse 2 'standard input is named twice' autocorr -o twice --mask - -

# ---- one file to standard output ----
for suffix in png npy fits; do
    has_format $suffix || continue
    expect 0 stars --list in/list.csv --size 32x32 -o frame.$suffix
    expect 0 stars --list in/list.csv --size 32x32 --format $suffix -o -
    same out frame.$suffix # and nothing else
    silent
done
expect 0 stars --list in/list.csv --size 32x32 --truth truth.csv -o frame.png
expect 0 stars --list in/list.csv --size 32x32 --truth - -o frame.png
same out truth.csv
refuse 2 'two files cannot both' stars --list in/list.csv --size 32x32 --truth - -o -
expect 2 stars --list in/list.csv --size 32x32 --json -o -
shows err '--json and a file cannot both'
refuse 2 'with --track' stars --track in/track.csv -o -
for command in 'autocorr in/image.pgm' 'prepare in/image.pgm' 'nbody --input in/plummer.npy' 'pca in/exact.npy' \
    'optmap --rate 1000 in/movie.npy' 'sample autocorr'; do
    refuse 2 '-o - is standard output, which takes one file' $command -o -
done
absent ./-
expect 0 sample stars -q -o ./-
exists ./-/list.csv
mkfifo pipe.png
cat pipe.png >passed.png &
expect 0 stars --list in/list.csv --size 32x32 -o pipe.png
wait
expect 0 stars --list in/list.csv --size 32x32 -o frame.png
same passed.png frame.png
if [ -w /dev/full ]; then
    code=0
    "$PENTA" stars --random 3 --size 16x16 -o - >/dev/full 2>err </dev/null || code=$?
    equal $code 1 'exit code with a full stdout'
    one_line 'cannot write to stdout: No space left'
fi
[ -z "$(ls -A temporary)" ] || fail 'a temporary file is left'
TMPDIR=$PWD/none refuse 1 'set TMPDIR' autocorr -o none.d -
