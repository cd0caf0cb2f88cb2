# What holds for every command alike: exit codes of the same fault, the kinds and colours of messages, -q and -v, signals
# that end a shell's loop.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir in
hash_pixels 24 20 | pgm 24 20 >in/image.pgm
expect 0 sample stars -q -n 5 --frames 2 --width 32 --height 32 -o in
expect 0 sample nbody -q -n 16 -o in
expect 0 sample pca -q -o in
expect 0 sample optmap -q --width 16 --height 16 -n 200 --beats 1 -o in
: >empty
echo 'nothing that any reader knows' >text
echo file >blocked
mkdir folder

# ---- the same fault has the same exit code, one line on stderr and nothing on stdout in every command ----
line() # COMMAND INPUT: words of a run of this input, but for -o
{
    case $1 in
    autocorr | pca | prepare) echo "$1 $2" ;;
    stars) echo "stars --size 32x32 --list $2" ;;
    nbody) echo "nbody --steps 1 --input $2" ;;
    optmap) echo "optmap --rate 1000 $2" ;;
    esac
}

while read -r command input out; do
    good=$(line "$command" "in/$input")
    absent "$out"
    refuse 1 'missing' $(line $command missing.npy) -o "$out"
    refuse 1 'empty' $(line $command empty) -o "$out"
    refuse 1 'text' $(line $command text) -o "$out"
    refuse 1 'folder' $(line $command folder) -o "$out"
    refuse 1 'stdin' $(line $command -) -o "$out" # /dev/null is empty
    refuse 1 "no OpenCL device matches 'nosuch'" $good -d nosuch -o "$out"
    refuse 1 "no OpenCL device matches 'nosuch'" $good -d 0,nosuch -o "$out"
    refuse 1 'blocked' $good -o "blocked/$out"
    refuse 2 '-o [A-Z]+ is missing' $good
    refuse 2 'unknown flag --frobnicate' $good --frobnicate -o "$out"
    refuse 2 'unknown flag -Z' $good -Z -o "$out"
    refuse 2 '--json is a switch and takes no value' $good --json=yes -o "$out"
    refuse 2 '-o needs a value' $good -o
    refuse 2 '--color needs one of' $good --color=blue -o "$out"
    refuse 2 '--quite; did you mean --quiet\?' $good --quite -o "$out"
    case $command in
    stars) refuse 2 'nothing to draw' stars -o "$out" ;;
    nbody) refuse 2 'bodies' nbody -o "$out" ;;
    *) refuse 2 'given|needs one' $command -o "$out" ;;
    esac
    absent "$out"
    no_temporaries .
done <<'END'
autocorr image.pgm out.d
stars list.csv out.png
nbody plummer.npy out.d
pca exact.npy out.d
optmap movie.npy out.d
prepare image.pgm out.d
END
for name in autocorr stars nbody pca optmap prepare; do
    refuse 2 'DIR is missing' sample $name
    refuse 2 'unknown flag --frobnicate' sample $name --frobnicate -o out.d
    refuse 1 'blocked' sample $name -o blocked/out.d
    refuse 2 'takes no operand' sample $name -o out.d extra
done
for name in devices cache selftest sample bench options version help; do
    [ $name = sample ] || refuse 2 'unknown flag --frobnicate' $name --frobnicate
    refuse 2 "'nosuch'" $name nosuch
done
refuse 2 "penta: error: unknown command 'nbdy'; did you mean nbody\\?" nbdy
refuse 2 "penta: error: unknown command 'elephant'; see penta --help" elephant
refuse 2 "penta sample: error: unknown command 'star'; did you mean stars\\?" sample star
absent out.d

# ---- a short flag means the same in every command that has it; -n is how many are made ----
"$PENTA" options --json | jq -r '[.. | .options? // empty | arrays | .[] | select(type == "object" and .letter) |
    "\(.letter) \(.name)"] | unique[]' | sed -E 's/^n (bodies|frames|random|stars)$/n number/' | sort -u >letters
equal "$(cut -d ' ' -f 1 letters | uniq -d)" '' 'letters with two meanings'
shows letters '^k components$'
shows letters '^r rate$'

# ---- --rate 0, the default, can be said ----
if has_format tif; then
    expect 0 optmap -q --rate 0 --no-report -o rate in/movie.tif
fi
refuse 2 '--rate is 1e-06 Hz' optmap --rate 1e-6 -o none in/movie.npy

# ---- with --keep-going all else is done, and the exit code is 1 ----
expect 1 autocorr --no-plots --keep-going -R 4 -o kept text in/image.pgm
exists kept/image.c2d.npy kept/series.csv
one_line 'penta autocorr: error: skipped: text'
expect 1 prepare --no-sheet --keep-going -o kept.prepare text in/image.pgm
exists kept.prepare/image.png
expect 1 optmap -q --rate 1000 --no-report --keep-going -o kept.optmap text in/movie.npy
exists kept.optmap/movie/filtered.npy

# ---- kinds of messages; -q leaves results and warnings, -v tells what was chosen and why ----
expect 0 autocorr --no-plots -R 8 -o doubt in/image.pgm
expect 0 autocorr --no-plots -q -R 8 -o doubt in/image.pgm
shows out '^in/image\.pgm '
lacks out 'results in'
lacks err ': note: '
expect 0 optmap -q --rate 1000 --no-report -o quiet in/movie.npy
lacks err ': note: '
shows out 'valid pixels'
expect 0 stars --size 16x16 --attitude 0,0,0 --mag-limit -5 -q -o none.png
one_line 'penta stars: warning: no star was drawn'
chosen() # COMMAND WHAT...
{
    local command=$1 what

    shift
    for what in 'device .+ \((cpu|gpu|other), .+\): ' 'compiled programs (not )?kept.*: ' 'kernels in the form for a [CG]PU: ' 'precision [a-z]+: ' "$@"; do
        shows err "^penta $command: note: $what"
    done
}
expect 0 autocorr -v --no-plots -R 4 --method naive -o v in/image.pgm
chosen autocorr 'method naive: option --method$' 'batch of up to [0-9]+ frames?: '
expect 0 autocorr -v --no-plots -R 4 -o v2 in/image.pgm
chosen autocorr 'method [a-z]+: least estimated time a frame: [0-9.e-]+ ms; [a-z]+ [0-9.e-]+ ms$' 'precision exact: images of type u8 '
equal "$(grep -c ': note: method ' err)" 1 'choices of a method'
expect 0 autocorr -v --no-plots -R 4 --demean plane -o v3 in/image.pgm
chosen autocorr 'precision double: option --demean '
expect 0 stars -v --random 3 --size 24x24 -o v.png
chosen stars 'engine tile: ' 'ROI of 10 px: option --roi$' 'batch of up to [0-9]+ stars: '
expect 0 stars -v --random 3 --size 24x24 -A 50000 --read-noise 1 -o v.png
chosen stars 'option --engine is fixed: with a detector ' 'engine fixed: option --engine$'
expect 0 nbody -v --input in/plummer.npy --steps 1 -o v
chosen nbody 'kernel [a-z0-9]+: '
expect 0 nbody -v --input in/plummer.npy --steps 1 --integrator yoshida4 -o v2
chosen nbody 'precision double: option --integrator is of fourth order$'
expect 0 pca -v -o v in/exact.npy
chosen pca 'covariance triangle: ' 'slabs of [0-9]+ pixels: '
expect 0 optmap -v --rate 1000 --no-report -o v in/movie.npy
chosen optmap 'engine fast: option --engine, ' 'batches of up to [0-9]+ rows: ' 'drift (none|of degree [0-9]): the survey '
expect 0 prepare -v --no-sheet -o v in/image.pgm
chosen prepare 'batch of up to [0-9]+ frames?: '

# ---- colours: on a terminal that takes them, unless told otherwise ----
escape=$'\e'
refuse 2 'unknown flag' version --frobnicate
lacks err "$escape"
expect 2 stars --frobnicate --color always
shows err "^penta stars: $escape\[1;31merror:$escape\[0m unknown flag"
expect 2 stars --color=always --frobnicate --color never
lacks err "$escape"
expect 2 --color always stars --frobnicate # before the command, too
shows err "^penta stars: $escape\[1;31merror:$escape\[0m unknown flag"
for word in '--color never' --color=never '--color always --color never'; do
    expect 0 $word version
    expect 2 $word stars --frobnicate
    lacks err "$escape"
done
refuse 2 '--color needs one of auto,always,never, not .blue.' --color blue stars --random 1 -o x.png
refuse 2 '--color needs a value' --color
expect 0 -q --color never sample nbody -n 20 -o front
equal "$(cat out err)" '' 'what -q before two words of a command leaves'
expect 0 -o front.npy stars --random 1 --size 8x8
exists front.npy
refuse 2 'unknown flag --random; flags of a command stand behind it' --random 1 stars -o x.png
refuse 2 'no command before --noise, which stands behind it; see penta sample --help' sample --noise 1 optmap -o x
expect 0 --color never --help
shows out '^usage: penta'
if command -v script >/dev/null; then
    on_terminal() # COMMAND: with a terminal as stderr; what it shows goes to shown
    {
        script -qec "$*" shown </dev/null >/dev/null || :
        sed -i '/^Script /d' shown
    }
    unset NO_COLOR
    TERM=xterm on_terminal "'$PENTA' stars --frobnicate"
    shows shown "$escape\[1;31merror:"
    TERM=dumb on_terminal "'$PENTA' stars --frobnicate"
    lacks shown "$escape"
    NO_COLOR=1 TERM=xterm on_terminal "'$PENTA' stars --frobnicate"
    lacks shown "$escape"
    NO_COLOR=1 TERM=dumb on_terminal "'$PENTA' stars --frobnicate --color always"
    shows shown "$escape\[1;31merror:"
    for seconds in 4 20 80; do # until kernels are compiled, and the device has begun
        long="timeout -s INT $seconds '$PENTA' nbody --ic plummer -n 1000 --steps 100000000 -o long"
        TERM=xterm on_terminal "$long"
        ! grep -q '/100000000 steps' shown || break
    done
    shows shown "nbody \[[#.]+\] [0-9]+/100000000 steps"
    TERM=dumb on_terminal "$long"
    lacks shown "$escape|100000000 steps, "
    TERM=xterm on_terminal "$long -q"
    lacks shown 'nbody \[[#.]+\]'
else
    note 'there is no script; colours on a terminal are not tested'
fi

# ---- Ctrl-C ends a loop of the shell, SIGTERM the command alone ----
cat >loop.sh <<'END'
for i in 1 2 3; do
    "$PENTA" nbody --ic plummer -n 1000 --steps 100000000 --snapshot-every 20 -o "loop$i"
    echo "$?" >>codes
done
END
set -m # a group of its own, as a terminal has them
bash loop.sh >out 2>err </dev/null &
process=$!
await loop1/checkpoint.bin
kill -s INT -- -$process
code=0
wait $process || code=$?
equal "$code" 130 'exit code of the loop'
absent codes loop2
exists loop1/checkpoint.bin
one_line 'interrupted after .* steps; --restart loop1/checkpoint.bin goes on'
rm -rf loop1
bash loop.sh >out 2>err </dev/null &
process=$!
await loop1/checkpoint.bin
kill -s TERM "$(pgrep -P $process)"
await loop2/checkpoint.bin
kill -s INT -- -$process
code=0
wait $process || code=$?
equal "$code" 130 'exit code of the loop'
equal "$(<codes)" 143 'exit code of the command that SIGTERM ended'
