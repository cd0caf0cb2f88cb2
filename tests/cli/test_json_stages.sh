# The member `stages` of the answers of all workloads: what the command's time went to.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

microseconds()
{
    echo $(($(date +%s%N) / 1000))
}

# The stages add up to no less than what the run says of itself, and to no more than what the process took.
adds_up() # MICROSECONDS
{
    json ".stages | length == 6 and all(.[] | numbers; . >= 0) and (.device | length == 3 and all(.[]; . >= 0))"
    json "(.stages | .start + .read + .compute + .pictures + .write) as \$all
        | \$all >= .seconds.total - 1e-6 and \$all <= $1 * 1e-6"
}

tells() # ARGUMENT...: the command, with --json
{
    local began

    began=$(microseconds)
    expect 0 "$@" --json
    adds_up $(($(microseconds) - began))
    json '.stages | .start > 0 and .read > 0 and .compute > 0 and .write > 0 and .device.kernels > 0'
    json '(.stages.device | add) as $all | (.seconds.device - $all) | fabs < 1e-9' # of the same clock
}

expect 0 sample autocorr -q -n 3 --width 512 --height 512 -o frames
expect 0 sample pca -q -o cubes
expect 0 sample nbody -q -n 50 -o bodies
expect 0 sample stars -q -n 20000 -o sky
expect 0 sample prepare -q -n 3 --width 256 --height 256 -o photos
expect 0 sample optmap -q --width 32 --height 32 -o heart
wave_npy 100 8 7 1 >wave.npy

# ---- pictures are told of where there are some ----
drawn='.stages.pictures > 0'
none='.stages.pictures == 0'
tells autocorr -R 8 -o series frames/*.png
json "$drawn"
tells autocorr -R 8 --no-plots -o plain frames/*.png
json "$none"
tells prepare --flatten none --register none --dust none -o clean photos/*.png
json "$drawn"
tells prepare --flatten series --register none --dust none --no-sheet -o clean photos/*.png
json "$none"
tells nbody --input bodies/plummer.npy --steps 2 --snapshot-every 2 --frames -o moved
json "$drawn"
tells nbody --input bodies/plummer.npy --steps 2 -o unseen
json "$none"
tells nbody --input bodies/plummer.npy --forces-only -o forces
json "$none"
tells pca -q -k 3 -o principal cubes/exact.npy
json "$drawn"
tells optmap --rate 1000 -o maps wave.npy
json "$drawn"
tells optmap --rate 1000 --no-report -o bare wave.npy
json "$none"
tells stars --list sky/list.csv --size 32x32 -o list.npy
json "$none"
tells stars --track sky/track.csv --fov 30 --size 32x32 --mag-limit 5 -o night
json "$none"

# ---- reading takes more than looking at names ----
takes_reading() # ARGUMENT...
{
    tells "$@"
    json '.stages.read > 5e-4'
}
awk 'BEGIN { print "mass,x,y,z,vx,vy,vz"; for (i = 0; i < 50000; i++) print "1," sin(i) "," cos(i) "," i ",0,0,0" }' >many.csv
printf 'x,y,z\n1,2,3\n' >point.csv
takes_reading nbody --input many.csv --forces-only --points point.csv -o there
takes_reading autocorr -R 8 --no-plots -o once frames/frame-0000.png
takes_reading prepare --flatten none --register none --dust none -o clean photos/frame-0000.png
takes_reading stars --list sky/list.csv --size 32x32 -o many.npy
run optmap --rate 1000 --no-report -o movie heart/movie.tif
if grep -q 'no TIFF support' err; then
    note 'built without TIFF support; reading a movie is left out'
else
    takes_reading optmap --rate 1000 --no-report -o movie heart/movie.tif
fi

# ---- several devices, and movies ----
tells autocorr -R 8 --no-plots -d "$two" -o both frames/*.png
tells optmap --rate 1000 --no-report -o several wave.npy wave.npy

# ---- what comes late is waited for while reading ----
late() # FILE ARGUMENT...: the argument LATE becomes a pipe that the file comes through after 0.7 s
{
    local file=$1 began writer

    shift
    rm -f LATE
    mkfifo LATE
    (
        sleep 0.7
        cat "$file"
    ) >LATE &
    writer=$!
    began=$(microseconds)
    expect 0 "$@" --json
    adds_up $(($(microseconds) - began))
    wait $writer
    json '.stages | .read >= 0.6'
}
late bodies/plummer.npy nbody --input LATE --steps 2 -o late-bodies
late sky/list.csv stars --list LATE --size 32x32 -o late.npy
began=$(microseconds)
(
    sleep 0.7
    cat frames/frame-0000.png
) | "$PENTA" autocorr -R 8 --no-plots --json -o late-frame - >out 2>err || fail 'a frame from standard input'
adds_up $(($(microseconds) - began))
json '.stages.read >= 0.6'
mkdir arriving
(
    sleep 0.7
    cp photos/frame-000[012].png arriving
) &
tells prepare --flatten none --register none --dust none --watch arriving --watch-idle 1.5 --watch-every 0.05 -o watched
wait
json '.stages.read >= 1.5'

# ---- a run that fails tells them, one that has no device has none ----
run nbody --ic plummer -n 50 --steps 5 --dt 10 --max-energy-error 1e-30 -o doubtful --json
equal "$code" 1 'exit code'
json '.status == "error" and .stages.compute > 0'
expect 1 nbody --input missing.npy -o no --json
json 'has("stages") | not'
expect 0 prepare --print-recipe --json
json 'has("stages") | not'
