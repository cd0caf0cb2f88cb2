# Runs where several users write: links and manifests of others. Another user than the one of the test is needed, which only
# root can be.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
unset PENTACL_CACHE PENTACL_CACHE_DIR

if [ "$(id -u)" -ne 0 ]; then
    note 'only root can act as another user; links and manifests of others are not tried'
    exit 0
fi
if ! command -v setpriv >/dev/null; then
    note 'setpriv (util-linux) is missing; links and manifests of others are not tried'
    exit 0
fi
readonly one=65534 other=65533
chmod 755 .
if ! setpriv --reuid $one --regid $one --clear-groups "$PENTA" version >/dev/null 2>&1; then
    note "$PENTA cannot be run by another user, as its folder is not open to others; links and manifests are not tried"
    exit 0
fi

kernels=$PWD/kernels
mkdir -m 777 kernels kernels/{0,$one}

as() # USER ARGUMENT...: as run
{
    local user=$1

    shift
    last=("$@" "as user $user")
    code=0
    (cd home && POCL_CACHE_DIR=$kernels/$user setpriv --reuid "$user" --regid "$user" --clear-groups "$PENTA" "$@" >../out 2>../err </dev/null) || code=$?
}

begin_home() # home/, of the first user
{
    rm -rf home victim
    mkdir home
    echo precious >victim
    chmod 666 victim
    chown $one home
}

untouched()
{
    equal "$(cat victim)" precious 'what the link leads to'
}

bodies='sample nbody -q -n 20 -o'

# ---- links in the user's own directory: by root, by another user, by the user ----
for user in 0 $other; do
    begin_home
    mkdir home/res
    ln -s ../../victim home/res/plummer.npy
    chown -h $user home/res/plummer.npy
    chown $one home/res
    as $one $bodies res
    equal "$code" 1 "exit code with a link of user $user"
    one_line 'plummer\.npy: is a symbolic link of another user and is not followed'
    untouched
    equal "$(ls -A home/res)" plummer.npy 'what is there'
    begin_home
    mkdir home/elsewhere
    ln -s elsewhere home/res # as the directory itself
    chown -h $user home/res
    chown $one home/elsewhere
    as $one $bodies res
    equal "$code" 1 "exit code with a directory that is a link of user $user"
    one_line 'res: is a symbolic link of another user and is not followed'
    equal "$(ls -A home/elsewhere)" '' 'what is there'
done
begin_home
mkdir home/res
ln -s ../../victim home/res/plummer.npy
chown -h $one home/res/plummer.npy
chown $one home/res victim .
as $one $bodies res
equal "$code" 0 "exit code with a link of one's own"
silent
[ -L home/res/plummer.npy ] || fail 'the link was replaced'
[ "$(head -c 6 victim | tail -c 5)" = NUMPY ] || fail 'what the link leads to was not written'
chown 0 .

# ---- links of root where only root makes them are followed ----
begin_home
as $one stars --random 5 --size 8x8 --format npy -o -
equal "$code" 0 'exit code for standard output'
: >err
chown $one . err # which stderr is
as $one stars -q --random 5 --size 8x8 --truth /dev/stderr -o frame.npy
equal "$code" 0 'exit code for /dev/stderr, a link of root'
equal "$(wc -l <err)" 6 'lines of the table'
chown 0 .

# ---- a manifest of another user where everybody writes: it is none ----
common() # OWNER-OF-THE-MANIFEST
{
    rm -rf home
    mkdir -m 1777 home
    "$PENTA" sample pca -q -o home/cube
    cp home/cube/exact.npy home/exact.npy
    echo precious >home/mine.csv
    mkdir home/results
    chown $one home/mine.csv home/exact.npy home/results
    printf '%s' '{"version": 1, "runs": [], "pending": {"remove": ["mine.csv"], "keep": {"exact.npy": "taken.npy"}}}' \
        >home/.penta-run.json
    chown "$1" home/.penta-run.json
}
common $other
as $one pca -q -k 2 -o results exact.npy
equal "$code" 0 'exit code of a reader in a common directory'
exists home/mine.csv home/exact.npy home/results/model.json
common $one # his own
as $one pca -q -k 2 -o results exact.npy
equal "$code" 1 'exit code when his own pending steps took the file away'
absent home/mine.csv home/exact.npy
exists home/taken.npy

# ---- pending steps of a user are not done, by root or another user, where that user could not do them ----
below() # OWNER OF home/ ITS-MANIFEST AND home/below
{
    rm -rf home
    mkdir -p home/below
    echo precious >home/below/mine.csv
    printf '%s' '{"version": 1, "runs": [], "pending": {"remove": ["below/mine.csv"], "keep": {"below/mine.csv": "below/x"}}}' \
        >home/.penta-run.json
    chown "$1" home
    chown "$2" home/.penta-run.json
    chown "$3" home/below
}
below $one $one 0
as 0 $bodies .
equal "$code" 1 'exit code of root'
one_line 'results, which are incomplete: below/mine\.csv: its name is damaged, or in a directory of another user'
exists home/below/mine.csv
below 0 $one $one
as 0 $bodies .
equal "$code" 1 'exit code of root'
exists home/below/mine.csv
below $one $one $one
as 0 $bodies .
equal "$code" 0 'exit code of root where the user could do it'
absent home/below/mine.csv
exists home/below/x home/plummer.npy
