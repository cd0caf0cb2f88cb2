# docs/examples/nbody.c and pca.c against the installed libraries, found by pkg-config: the bits of `penta nbody` and `penta pca`.
. "$(dirname "${BASH_SOURCE[0]}")/embed.sh"

for name in nbody pca endless; do
    lines=$(wc -l <"$examples/$name.c")
    [ "$lines" -lt 80 ] || fail "$name.c has $lines lines; an example has less than 80"
    step "building $name.c" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$examples/$name.c" $(pkg --cflags --libs) -lm \
        "-Wl,-rpath,$(pkg --variable=libdir)" -o $name
done

# ---- bodies: 100 steps, 100 more from the checkpoint, and 10 by the command from there ----
mkdir run
step nbody ./nbody run
exists run/snapshot_000100.npy run/checkpoint.bin
step nbody ./nbody run
expect 0 nbody --ic plummer -n 1024 --steps 200 -o whole
same run/snapshot_000200.npy whole/final.npy
expect 0 nbody --restart run/checkpoint.bin --steps 10 -o further
expect 0 nbody --restart whole/checkpoint.bin --steps 10 -o whole
same further/final.npy whole/final.npy
expect 0 sample nbody -n 50 -o bodies
mkdir other
step nbody ./nbody other bodies/plummer.tab
exists other/snapshot_000100.npy
./nbody nowhere >log 2>err && fail 'nbody wrote to a directory that is not there'
shows err '^nbody: nowhere/'

# ---- a cube: its components and model; the model applied ----
expect 0 sample pca -o cubes
step pca ./pca cubes/scene.npy components.npy model.json
expect 0 pca --type f32 -o made cubes/scene.npy
same components.npy made/components.npy
step pca ./pca cubes/scene.npy again.npy again.json model.json
same components.npy again.npy
expect 0 pca --type f32 --transform model.json -o transformed cubes/scene.npy
same components.npy transformed/components.npy
./pca cubes/nothing.npy no.npy no.json >log 2>err && fail 'pca read a cube that is not there'
shows err '^pca: cubes/nothing\.npy: no such file'
./pca >log 2>err && fail 'pca needs no argument'
shows err '^pca: give CUBE '

# ---- a cube that is larger than what is kept of it ----
step endless ./endless 0.2
awk -F '[;, ]+' '{ off = $8; first = $10; last = $14 } END { exit !(off < 1e-12 && last < first + 30) }' log ||
    fail "endless: $(cat log)"
./endless >log 2>err && fail 'endless needs no argument'
shows err '^endless: give GIGABYTES'
