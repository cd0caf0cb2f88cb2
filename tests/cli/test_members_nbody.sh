# penta nbody on several devices: the bits, tables and checkpoints of one, which go on on another number of devices.
# One device stands for several: named twice or three times, it is divided where it can be, and shared where not.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The same exit code, errors and files as on one device; ARGUMENT... but -d and -o.
alike() # NAME CODE ARGUMENT...
{
    local name=$1 wanted=$2 list

    shift 2
    expect "$wanted" nbody "$@" -d $one -o "$name"
    mv err "$name.err"
    for list in $two $three; do
        expect "$wanted" nbody "$@" -d "$list" -o "$name-$list"
        sed "s|$name-$list|$name|g" err | diff "$name.err" - >differences || fail "$name on $list: $(cat differences)"
        [ ! -e "$name" ] && [ ! -e "$name-$list" ] && continue
        diff -r -x .penta-run.json "$name" "$name-$list" >differences || fail "$name on $list: $(cat differences)"
    done
}

printf 'mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,0,0,0,1,0,0\n' >met.csv # two bodies at one place
printf 'x,y,z\n0,0,0\n1,2,3\n-4,0.5,0\n' >points.csv

# Each pair once, and each pair twice; fewer bodies than members; steps of all kinds.
alike pairs 0 --ic plummer -n 3001 --steps 12 --snapshot-every 6 --diagnose-every 4 -q
alike few 0 --ic plummer -n 301 --eps 0.01 --steps 40 --precision double --snapshot-every 20 --frames --size 64 -q
alike two 0 --ic ngon -n 2 --steps 30 -q
alike ds 0 --ic plummer -n 501 --precision ds --integrator yoshida4 --steps 5 -q
alike hermite 0 --ic plummer -n 2101 --integrator hermite4 --steps 2 --dt 0.01 -q
alike block 0 --ic plummer -n 601 --eps 0 --integrator hermite4 --step-mode block --steps 3 --snapshot-every 1 -q
alike single 0 --ic plummer -n 401 --fp64 never --steps 4 -q
alike ladder 0 --ic plummer -n 901 --kernel unroll8 --steps 3 -q
alike forces 0 --ic plummer -n 1501 --forces-only -q
alike field 0 --ic plummer -n 1501 --forces-only --points points.csv -q

# Errors are those of one device.
alike met 1 --input met.csv --eps 0 --steps 3 -q
grep -q 'bodies 0 and 1 are at one place' met.err || fail "$(cat met.err)"
alike limit 1 --ic plummer -n 101 --eps 0 --dt 0.5 --steps 30 --max-energy-error 1e-3 -q
grep -q 'above --max-energy-error' limit.err || fail "$(cat limit.err)"

# A checkpoint goes on on any number of devices.
for way in leapfrog 'hermite4 --step-mode block'; do
    options="--ic plummer -n 1201 --diagnose-every 2 --integrator $way"
    rm -rf whole half half-*
    expect 0 nbody $options --steps 8 -d $one -o whole
    expect 0 nbody $options --steps 4 -d $two -o half
    for list in $one $two $three; do
        cp -r half half-$list
        expect 0 nbody --restart half-$list/checkpoint.bin --steps 4 -d $list -o half-$list
        for f in final.npy diagnostics.csv lagrangian.csv checkpoint.bin; do
            same whole/$f half-$list/$f
        done
    done
done

# Ctrl-C: all members stop, and the rest is the same.
options='--ic plummer -n 5000 --seed 7 --diagnose-every 10'
begin nbody $options --steps 100000000 --snapshot-every 5 -d $two -o stopped
await stopped/snapshot_000005.npy
interrupted INT 'interrupted after [0-9]+ of 100000000 steps; --restart stopped/checkpoint.bin goes on'
steps=$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)
expect 0 nbody --restart stopped/checkpoint.bin --steps 3 -d $one -o stopped
expect 0 nbody $options --steps $((steps + 3)) -d $one -o unstopped
same unstopped/final.npy stopped/final.npy

# In a step of hours, which is broken off.
begin nbody --ic plummer -n 200000 --kernel gpu1 --eps 0.05 --diagnose-every 1000 --steps 3 -d $two -o hours
await hours
sleep 2
started=$SECONDS
interrupted TERM 'interrupted(; nothing was written| before the first step; nothing was written| after 0 of 3 steps; --restart hours/checkpoint.bin goes on)'
[ $((SECONDS - started)) -le 60 ] || fail "took $((SECONDS - started)) s to stop"

# Who did what.
expect 0 nbody --ic plummer -n 4001 --steps 2 -d $three --json -o told
json '[.ranks[].rank] == [0, 1, 2]'
json '[.ranks[] | .host != "" and .device != "" and .seconds > 0 and .share > 0.25 and .share < 0.4] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-6'
expect 0 nbody --ic plummer -n 10 --steps 2 -d $one --json -o told-1
json 'has("ranks") | not'
PENTACL_DEVICE=$two expect 0 nbody --ic plummer -n 10 --steps 2 -o by-environment
[ "$(grep -c '^member [01]: device [0-9]' out)" -eq 2 ] || fail "$(cat out)"
