# The files of every workload are the same, to the byte, for any number of threads and cores: those of the driver
# (POCL_MAX_PTHREAD_COUNT), and those of the process (taskset), which also hold for the library's own threads.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

settings='POCL_MAX_PTHREAD_COUNT=1 POCL_MAX_PTHREAD_COUNT=3 POCL_MAX_PTHREAD_COUNT=7'
cores=$(taskset -pc $$ 2>/dev/null | sed 's/.*: //; s/[,-]/ /g') || cores=''
one=${cores%% *} other_one=${cores##* }
[ "$cores" ] || note 'taskset is missing; affinities are not tried'

# The run on two threads, then on others; DIR in an argument becomes the folder of the run.
everywhere() # NAME COMMAND...
{
    local name=$1 setting number=0 other

    shift
    mkdir "$name"
    POCL_MAX_PTHREAD_COUNT=2 expect 0 "${@//DIR/$name}"
    for setting in $settings ${cores:+"taskset:$one" "taskset:$one,$other_one"}; do
        number=$((number + 1)) other=$name-$number
        mkdir "$other"
        last=("${@//DIR/$other}") code=0
        case $setting in
        taskset:*) taskset -c "${setting#*:}" "$PENTA" "${last[@]}" >out 2>err </dev/null || code=$? ;;
        *) env "$setting" "$PENTA" "${last[@]}" >out 2>err </dev/null || code=$? ;;
        esac
        [ "$code" -eq 0 ] || fail "$name with $setting: exit code $code"
        diff -r -x .penta-run.json "$name" "$other" >differences || fail "$name with $setting: $(cat differences)"
        rm -r "$other"
    done
}

expect 0 sample pca -o cubes --rows 128 --cols 128 -q
expect 0 sample autocorr --frames 3 --width 128 --height 128 -o rings -q
expect 0 sample autocorr --kind spinodal --width 64 --height 64 --times 50,100 --npy -o mixture -q
expect 0 sample optmap --width 24 --height 24 --frames 400 --noise 100 -o hearts -q
expect 0 sample prepare --frames 3 --width 128 --height 128 -o photos -q

everywhere nbody-pairs nbody --ic plummer -n 1024 --steps 2 -q -o DIR
everywhere nbody-few nbody --ic plummer -n 256 --steps 2 -q -o DIR
everywhere nbody-best nbody --ic plummer -n 1024 --kernel best --steps 2 -q -o DIR
everywhere nbody-hermite nbody --ic plummer -n 2048 --integrator hermite --steps 1 -q -o DIR
everywhere pca pca -q -o DIR cubes/scene.npy
everywhere mnf pca -q --kind mnf -o DIR cubes/scene.npy
everywhere autocorr autocorr -q --no-plots -o DIR rings/frame-0000.png rings/frame-0001.png rings/frame-0002.png
everywhere autocorr-float autocorr -q --no-plots -o DIR mixture/frame-0000.npy mixture/frame-0001.npy
everywhere stars stars --random 5000 --size 256x256 -q -o DIR/frame.npy
everywhere detector stars --random 500 --size 256x256 --zero-point 12 --exposure 0.5 --read-noise 3 -q -o DIR/frame.npy
everywhere optmap optmap -q --no-report --rate 1000 --pixel-size 0.05 -o DIR hearts/movie.npy
everywhere prepare prepare -q -o DIR photos/frame-0000.png photos/frame-0001.png photos/frame-0002.png
