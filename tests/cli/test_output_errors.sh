# A place that is full, or closed: one line with the reason, exit code 1, whatever is written there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ ! -w /dev/full ]; then
    note 'there is no /dev/full; nothing is tested'
    exit 0
fi

one='--random 10 --size 64x48'
many='--random 300000 --size 1064x1048' # more than a stream holds back

# ---- images and tables ----
for suffix in png tif npy fits; do
    has_format $suffix || continue
    ln -s /dev/full "full.$suffix"
    refuse 1 "full\\.$suffix: cannot be written: No space left" stars $one -o "full.$suffix"
    refuse 1 "full\\.$suffix: cannot be written: No space left" stars $many -o "full.$suffix"
    refuse 1 "full\\.$suffix: cannot be written: No space left" stars $one --truth truth.csv -o "full.$suffix"
    absent truth.csv # both or neither
    [ -L "full.$suffix" ] || fail "the link full.$suffix is gone"
done
ln -s /dev/full full.csv
for stars in "$one" "$many"; do
    refuse 1 'full\.csv: cannot be written: No space left' stars $stars --truth full.csv -o frame.npy
    absent frame.npy
done
ln -s /dev/null null.csv
refuse 1 'full\.npy' stars $one --truth null.csv -o full.npy
[ -L null.csv ] || fail 'a link was taken for a table to take back'

# ---- stdout: full, or not there ----
fails() # PATTERN REDIRECTION ARGUMENT...
{
    local pattern=$1 where=$2

    shift 2
    last=("$@" "$where")
    code=0
    if [ "$where" = closed ]; then
        "$PENTA" "$@" 2>err >&- </dev/null || code=$?
    else
        "$PENTA" "$@" 2>err >"$where" </dev/null || code=$?
    fi
    [ "$code" -eq 1 ] || fail "exit code $code instead of 1"
    one_line "$pattern"
}

for where in /dev/full closed; do
    reason='No space left'
    [ $where = /dev/full ] || reason='Bad file descriptor'
    for command in "stars $one -o text.npy" version help 'stars --help' devices selftest; do
        fails "cannot write to stdout: $reason" $where $command
    done
    exists text.npy # it was written before
    fails "cannot write JSON to stdout: $reason" $where stars $one --json -o json.npy
    fails "cannot write JSON to stdout: $reason" $where options
    fails "cannot write JSON to stdout: $reason" $where devices --json
    fails "/dev/stdout: cannot be written: $reason" $where stars $one --truth /dev/stdout -q -o truth.npy
    absent truth.npy
done
"$PENTA" sample stars -q -o quiet.d >&- 2>err </dev/null || fail 'a closed stdout matters though nothing is printed'
fails 'cannot write to stdout: Bad file descriptor' closed stars $one -q -o quiet.npy
expect 0 stars $one -o still.npy
same still.npy text.npy # no line of text in the image, which might have got the descriptor of stdout
same still.npy quiet.npy

# ---- a table on stdout: behind what is there, before what comes ----
echo before >table
"$PENTA" stars $one --truth /dev/stdout -o frame.npy >>table 2>err </dev/null || fail "$(cat err)"
equal "$(head -1 table)" before 'first line'
equal "$(sed -n 2p table)" id,ra,dec,mag,x,y,flux,flux_in_frame,saturated,x_mean,y_mean,x_start,y_start,x_end,y_end,electrons,dn,ra_catalog,dec_catalog,ra_apparent,dec_apparent,variable 'second line'
equal "$(tail -1 table)" 'results in frame.npy' 'last line'
expect 0 stars $one --truth truth.csv -o frame.npy
equal "$(sed -n "3,$(($(wc -l <truth.csv) + 1))p" table)" "$(tail -n +2 truth.csv)" 'the rows'
no_temporaries .
