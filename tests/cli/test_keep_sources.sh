# PENTACL_KEEP_SOURCES: the text and the options of every program that is built, each pair once.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 24 20 | pgm 24 20 >image.pgm

pairs() # the names of the files without their endings, those of texts and of options must be the same
{
    (cd "$1" && ls | sed -n 's/\.cl$//p') >texts
    (cd "$1" && ls | sed -n 's/\.options$//p') >options
    same texts options
    equal "$(ls "$1" | wc -l)" $((2 * $(wc -l <texts))) "files in $1"
    cat texts
}

PENTACL_KEEP_SOURCES=$PWD/kept/here expect 0 autocorr --method tiled --no-plots -o out.d image.pgm
pairs kept/here >first
[ -s first ] || fail 'no program is kept'
grep -lq '__kernel' kept/here/*.cl || fail 'no text has a kernel'
for name in $(cat first); do
    shows "kept/here/$name.options" '^-cl-std=CL1.2 -w -DPENTA_'
    shows "kept/here/$name.cl" '#line 1 "[a-z]*/[a-z0-9_]*\.cl"'
done

# ---- the same again, also where compiled programs are kept: the same files; other forms: more ----
export PENTACL_CACHE=always PENTACL_CACHE_DIR=$PWD/programs
for i in 1 2; do
    PENTACL_KEEP_SOURCES=$PWD/kept/here expect 0 autocorr --method tiled --no-plots -o out.$i image.pgm
    pairs kept/here >again
    same first again
done
PENTACL_KEEP_SOURCES=$PWD/kept/here expect 0 autocorr --method tiled --fp64 never --no-plots -o out.3 image.pgm
pairs kept/here >again
[ "$(wc -l <again)" -gt "$(wc -l <first)" ] || fail 'the programs without double precision are not kept'

# ---- where it cannot write ----
: >file
PENTACL_KEEP_SOURCES=$PWD/file/here refuse 1 'PENTACL_KEEP_SOURCES is set' autocorr --no-plots -o out.4 image.pgm
PENTACL_KEEP_SOURCES= expect 0 autocorr --no-plots -o out.5 image.pgm
