# What is no file in an output directory, names with control characters, few open files, movies beyond the memory.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample autocorr -q -o in
expect 0 sample pca -q -o in
expect 0 sample optmap -q -o in
expect 0 sample stars -n 10 --frames 3 -q -o in
image=in/frame-0000.png
movie=in/movie.tif # it says the rate
has_format tif || movie='--rate 1000 in/movie.npy'
declare -A command=(
    [autocorr]="autocorr -R 16 $image"
    [prepare]="prepare --register none $image"
    [nbody]='nbody --ic plummer -n 16 --steps 2'
    [pca]='pca in/exact.npy'
    [optmap]="optmap --no-report $movie"
    [stars]='stars --track in/track.csv --size 32x16 --fov 12 --truth truth'
)

# ---- a FIFO, or a socket, in the place of a file ----
refuses_special() # COMMAND NAME
{
    mkdir -p "odd/$(dirname "$2")"
    mkfifo "odd/$2"
    last=($1 "over $2")
    code=0
    timeout -s KILL 60 "$PENTA" ${command[$1]} -o odd >out 2>err </dev/null || code=$?
    equal "$code" 1 'exit code'
    one_line "odd/$2: is a FIFO in the place of a file; remove it or choose another directory"
    [ -p "odd/$2" ] || fail "odd/$2 is gone"
    [ -z "$(find odd -type f)" ] || fail "something is left: $(find odd -type f)"
    rm -rf odd
}

refuses_special autocorr series.csv
refuses_special autocorr frame-0000.c2d.npy
refuses_special prepare report/sheet.png
refuses_special nbody final.npy
refuses_special pca model.json
refuses_special optmap rotors.csv
refuses_special optmap .penta-resume
refuses_special stars frame-0002.png
mkfifo pipe.npy
mkdir odd
ln -s ../pipe.npy odd/series.csv
refuse 1 'odd/series\.csv: is a FIFO' autocorr -R 16 -o odd $image
cat pipe.npy >read & # one file may go into a FIFO
expect 0 stars -q --random 3 --size 16x16 -o pipe.npy
wait $!
ln -s /dev/null null.npy
expect 0 stars -q --random 3 --size 16x16 -o null.npy
expect 0 stars -q --random 3 --size 16x16 -o direct.npy
same read direct.npy

# ---- control characters in names ----
escape=$'\e[31m'
for name in autocorr prepare optmap; do
    word=(${command[$name]})
    file=$escape$name.${word[-1]##*.}
    cp "${word[-1]}" "$file"
    word[-1]=$file
    expect 0 "${word[@]}" -o "$escape$name"
    shows out '^\?\[31m'
    ! grep -q $'\e' out err || fail 'a control character is shown'
    ! grep -rq --include='*.csv' $'\e' "$escape$name" || fail 'a table has a control character'
done

# ---- few files that can be open ----
for name in "${!command[@]}"; do
    last=($name 'with few files')
    code=0
    (
        ulimit -n 8
        exec "$PENTA" ${command[$name]} -o few
    ) >out 2>err </dev/null || code=$?
    equal "$code" 1 'exit code'
    one_line 'ulimit -n 1024'
done

# ---- a movie that no memory holds ----
truncate -s 400000000000 large.raw
refuse 1 'large\.raw: needs 2e\+03 GB of memory, 1\.6e\+03 of them for results, but .* GB; ' optmap --rate 1000 \
    --raw 1000x1000:u16le -o large large.raw
absent large
