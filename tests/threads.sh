#!/bin/bash
# tests/threads.sh BUILD: what uses threads, in a build with ThreadSanitizer (preset tsan): the pool of threads, contexts of
# several threads at once, pieces of files, the frames that the command decodes ahead, and members of a run.
set -euo pipefail
build=$(cd "${1:?usage: tests/threads.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export TSAN_OPTIONS=suppressions=$here/tsan.supp:halt_on_error=1:exitcode=66
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

checked() { # COMMAND...
    "$@" >log 2>&1 || {
        cat log >&2
        echo "under ThreadSanitizer: $* failed" >&2
        exit 1
    }
}
# Is this such a build at all?
readelf -Ws "$build/bin/test_core_threads" | grep '__tsan_' >/dev/null ||
    { echo "$build is not built with ThreadSanitizer" >&2; exit 1; }
for program in test_core_parallel test_io_parallel test_core_threads; do
    checked "$build/bin/$program"
done
checked "$build/bin/penta" sample autocorr -n 6 --width 40 --height 30 -q -o frames
checked "$build/bin/penta" autocorr -q -o results frames/*.png
checked "$build/bin/penta" autocorr -q -d 0,0 -o members frames/*.png
checked "$build/bin/penta" sample prepare -n 8 --width 120 --height 96 --r0 8 --drift 6 --speed 0.1 -q -o photos
checked "$build/bin/penta" prepare -q -d 0,0 --key-score 0.9 -o prepared photos/*.png
for i in 1 2 3; do
    checked "$build/bin/penta" sample optmap -q --width 12 --height 10 --seed $i -o made
    mv made/movie.npy movie-$i.npy
done
checked "$build/bin/penta" optmap -q -d 0,0 --rate 1000 --no-report -o maps movie-*.npy
checked "$build/bin/penta" optmap -q --rate 1000 -o map movie-1.npy # files and pictures side by side
checked "$build/bin/penta" sample pca --bands 5 --rows 300 --cols 400 -q -o cube
checked "$build/bin/penta" pca -q -d 0,0 --rescale 0,255 --filter -o components cube/scene.npy
checked "$build/bin/penta" pca -q -d 0,0 --kind mnf -o fractions cube/scene.npy
checked "$build/bin/penta" nbody --ic plummer -n 1501 --steps 2 -q -d 0,0 -o pairs
checked "$build/bin/penta" nbody --ic plummer -n 301 --steps 1 --integrator hermite4 --step-mode block -q -d 0,0,0 -o block
checked "$build/bin/penta" sample stars --frames 4 -q -o sky
checked "$build/bin/penta" stars --track sky/track.csv --fov 20 --size 100x80 --truth truth -q -d 0,0 -o track
checked "$build/bin/penta" stars --attitude 83.8,-1.2,0 --engine fixed --size 100x80 -q -d 0,0,0 -o rows.npy
echo "no race in threads, contexts and frames"
