# penta nbody --restart: the same bits as without the interruption, and no other file than a whole checkpoint.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

energy_error() # DIR: between the first row and the last
{
    awk -F, 'NR == 2 { a = $5 } END { d = ($5 - a) / a; printf "%.17g", d < 0 ? -d : d }' "$1/diagnostics.csv"
}

expect 0 sample nbody -n 300 -o in

# ---- 2 k steps are k, then k more: in the same folder, and in another ----
for way in leapfrog yoshida4 hermite4 'hermite4 --step-mode shared --eta 0.05' 'hermite4 --step-mode block' \
    'leapfrog --precision ds' 'yoshida4 --kernel soa'; do
    rm -rf whole parts rest
    options="--input in/plummer.tab --dt 0.01 --eps 0.02 --diagnose-every 3 --integrator $way"
    expect 0 nbody $options --steps 16 -o whole
    expect 0 nbody $options --steps 8 -o parts
    expect 0 nbody --restart parts/checkpoint.bin --steps 8 --json -o rest
    json '.steps == 8 and .n == 300'
    near "$(jq .energy_error out)" "$(energy_error whole)" 1e-12 'energy error since step 0'
    silent
    for f in diagnostics.csv lagrangian.csv; do # the rows of before stand beside the checkpoint
        same whole/$f rest/$f
    done
    equal "$(column parts/diagnostics.csv step | tr '\n' ' ')" '0 3 6 8 ' 'steps of the first part'
    expect 0 nbody --restart parts/checkpoint.bin --steps 8 -o parts
    for f in final.npy diagnostics.csv lagrangian.csv checkpoint.bin; do
        same whole/$f parts/$f
    done
    same whole/final.npy rest/final.npy
done

# ---- the flags of the run may stay: the bodies come from the checkpoint ----
expect 0 nbody --ic plummer -n 50 --seed 4 --steps 8 -o model8
expect 0 nbody --ic plummer -n 50 --seed 4 --steps 4 -o model4
expect 0 nbody --ic plummer -n 50 --seed 4 --steps 4 --restart model4/checkpoint.bin -o model4
grep -q 'the bodies come from model4/checkpoint.bin, not from --ic' err || fail 'no note'
same model8/final.npy model4/final.npy
refuse 1 'has 50 bodies, not the 51 of -n' nbody --restart model4/checkpoint.bin -n 51 --steps 1 -o model4

# ---- what else is known of the bodies: in every snapshot, and behind a restart; rows stay in their order ----
cat >full.csv <<'END'
mass,x,y,z,vx,vy,vz,id,family,softening
# time = 2.5
# unit_length_cm = 3.0856775814913673e21
# unit_mass_g = 4.6232e38
# unit_velocity_cm_per_s = 1e5
1,0,0,0,0,0,0,18446744073709551614,4,0.1
0.5,1,0,0,0,1,0,7,0,0.05
0.25,0,2,0,-0.5,0,0,9007199254740993,1,0.2
0.125,0,0,3,0.5,0,0,3,5,0.2
0.0625,-3,0,3,0.5,0,0.25,9,1,0.3
END
known="id,family,softening
# time = 2.75
# unit_length_cm = 3.0856775814913673e+21
# unit_mass_g = 4.6232e+38
# unit_velocity_cm_per_s = 100000
18446744073709551614,4,0.1
7,0,0.05
9007199254740993,1,0.2
3,5,0.2
9,1,0.3"
options='--dt 0.0625 --eps 0.1 --diagnose-every 1'
expect 0 nbody --input full.csv $options --steps 4 -o known
grep -q "own softening (0.05 to 0.3) is kept in files, but all forces use --eps 0.1" err || fail 'no note on softening'
! grep -q 'G is' err || fail 'a warning on units in which G is 1'
expect 0 nbody --input full.csv $options --steps 2 -o known2
expect 0 nbody --restart known2/checkpoint.bin --steps 2 --snapshot-every 2 --format csv -o known2
equal "$(cat known2/final.npy.attributes.csv)" "$known" 'attributes of final.npy'
for f in final.npy final.npy.attributes.csv checkpoint.bin diagnostics.csv; do
    same known/$f known2/$f
done
equal "$(column known2/diagnostics.csv time | tr '\n' ' ')" '2.5 2.5625 2.625 2.6875 2.75 ' 'times that begin with the file'
equal "$(sed -n '2,5p' known2/snapshot_000004.csv)" "$(sed -n '2,5p' <<<"$known")" 'comments of a snapshot in CSV'
equal "$(sed -n '1p;6,$p' known2/snapshot_000004.csv | cut -d , -f 8-)" "$(sed '/^#/d' <<<"$known")" 'columns of a snapshot in CSV'
sed 's/4.6232e38/1.98841e43/' full.csv >galactic.csv
expect 0 nbody --input galactic.csv --steps 0 -o galactic
grep -q 'warning: in the units of the bodies .* G is 4300[89]' err || fail 'no warning on units in which G is not 1'

# ---- snapshots leave checkpoints; steps that were redone replace their rows; rows keep their distance ----
options='--input in/plummer.npy --steps 40 --snapshot-every 10'
expect 0 nbody $options --diagnose-every 4 -o whole2
expect 0 nbody --input in/plummer.npy --steps 20 --snapshot-every 10 --diagnose-every 4 -o early
cp early/checkpoint.bin at20.bin
expect 0 nbody --restart at20.bin --steps 20 --snapshot-every 10 -o early
cp -r early twice
expect 0 nbody --restart at20.bin --steps 20 --snapshot-every 10 -o twice
for folder in early twice; do
    for f in final.npy diagnostics.csv lagrangian.csv checkpoint.bin snapshot_000030.npy snapshot_000040.npy; do
        same whole2/$f $folder/$f
    done
done
expect 0 nbody --restart at20.bin --steps 5 --diagnose-every 2 -o other
one_line 'note: no rows of the run before are beside at20.bin; the tables begin at step 20'
equal "$(column other/diagnostics.csv step | tr '\n' ' ')" '20 22 24 25 ' 'steps with another distance'
expect 0 nbody --restart at20.bin --steps 5 --dt 0.01 --eps 0.5 --kernel soa --json -o other
json '.kernel == "soa"'
near "$(column other/diagnostics.csv time | tail -1)" $(awk 'BEGIN { print 20 / 256 + 5 * 0.01 }') 1e-12 'time with another dt'
expect 0 nbody --restart at20.bin --forces-only -o forces
exists forces/acc.npy forces/pot.npy

# ---- tables that the run cannot go on with ----
expect 0 nbody --input in/figure8.mpv --steps 5 -o foreign
cp foreign/diagnostics.csv before.csv
refuse 1 'foreign/diagnostics\.csv: is the table of another run' nbody --restart at20.bin --steps 1 -o foreign
same before.csv foreign/diagnostics.csv
mkdir strange
for text in 'a,b,c' "$(head -1 before.csv)"$'\nx,y' ''; do
    printf '%s\n' "$text" >strange/diagnostics.csv
    refuse 1 'strange/diagnostics\.csv: .*(no table|no row|no table)' nbody --restart at20.bin --steps 1 -o strange
done

# ---- files that are no checkpoints, or not whole ----
refuses() # PATTERN FILE [ARGUMENT...]
{
    local pattern=$1 file=$2

    shift 2
    refuse 1 "$pattern" nbody --restart "$file" --steps 1 "$@" -o no.d
    absent no.d
}

refuses 'nothere: no such file' nothere
refuses 'plummer\.npy: is no checkpoint' in/plummer.npy
refuses 'figure8\.mpv: is no checkpoint' in/figure8.mpv
: >empty
refuses 'empty: the file is empty' empty
size=$(wc -c <at20.bin)
for bytes in 4 8 60 127 128 129 $((size - 8)) $((size - 1)); do
    head -c $bytes at20.bin >cut
    refuses 'cut: is (cut short|no checkpoint)' cut
done
{ cat at20.bin; printf '12345678'; } >long
refuses 'long: is cut short or damaged' long
for at in 8 16 24 33 40 50 72 85 100 120 128 1000 $((size - 1)); do # any bit
    cp at20.bin flipped
    byte=$(od -A n -t u1 -j $at -N 1 at20.bin)
    bytes "$(printf %02x $((byte ^ 64)))" | dd of=flipped bs=1 seek=$at conv=notrunc 2>/dev/null
    refuses 'flipped: is ' flipped
done
{ head -c 8 at20.bin; bytes 01000000; tail -c +13 at20.bin; } >old
refuses 'old: is a checkpoint of version 1, of which this program reads only 2' old
{ head -c 16 at20.bin; bytes 000000000000012c; tail -c +25 at20.bin; } >swapped
refuses 'swapped: is damaged' swapped
for integrator in hermite4 yoshida4; do
    refuses 'at20\.bin: is of a run with another --integrator' at20.bin --integrator $integrator
done
no_temporaries .
