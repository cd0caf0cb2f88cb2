# penta nbody: what a run writes and answers, and what it knows: orbits, energies, a polygon's forces.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

diagnostics=step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial,energy_com,step_check,step_body
radii=step,time,cx,cy,cz,r1,r5,r10,r25,r50,r75,r90

shape() # NPY DESCR SHAPE: and 128 bytes of header
{
    equal "$(head -c 128 "$1" | tail -c 118 | sed 's/ *$//')" "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" \
        "header of $1"
}

expect 0 sample nbody -o in --sides 1024
holds in figure8.mpv ngon.npy plummer.npy plummer.tab pythagorean.mpv
expect 0 sample nbody -o again -q
silent
[ ! -s out ] || fail '-q prints'
for f in in/*; do
    same "$f" "again/${f#in/}"
done

# ---- the contract ----
expect 0 nbody --input in/plummer.tab --steps 10 --dt 0.03125 --eps 0.05 --integrator leapfrog --precision single \
    --kernel soa -o run
silent
shows out '^1024 bodies, 10 steps to time 0.3125 \(soa, single\)$'
holds run diagnostics.csv lagrangian.csv final.npy checkpoint.bin
equal "$(head -1 run/diagnostics.csv)" $diagnostics 'header of diagnostics.csv'
equal "$(head -1 run/lagrangian.csv)" $radii 'header of lagrangian.csv'
equal "$(column run/diagnostics.csv step | tr '\n' ' ')" '0 1 2 3 4 5 6 7 8 9 10 ' steps
equal "$(column run/diagnostics.csv time | sed -n 4p)" 0.09375 'time of step 3'
equal "$(column run/lagrangian.csv step)" "$(column run/diagnostics.csv step)" 'steps of lagrangian.csv'
shape run/final.npy '<f8' '1024, 7'
equal "$(wc -c <run/final.npy)" $((128 + 56 * 1024)) 'size of final.npy'
expect 0 nbody --input in/plummer.npy --steps 10 --dt 0.03125 --eps 0.05 --kernel soa --precision single \
    --json -o json
silent
for f in diagnostics.csv lagrangian.csv final.npy checkpoint.bin; do
    same run/$f json/$f # text and NPY hold the same bodies
done
json 'keys - ["error","inputs","notes","outputs","status","warnings"]
    == ["command","device","energy_error","energy_error_max","energy_relative_to","eps","gflops20","interactions_per_second","kernel","n","precision","seconds",
    "stages","step_body","step_check","step_judged","steps","version"] and (.seconds | keys == ["device","total"])'
json '.n == 1024 and (.eps - 0.05 | fabs) < 1e-15 and .steps == 10 and .kernel == "soa" and .precision == "single"'
json '.interactions_per_second > 0 and (.gflops20 / .interactions_per_second * 5e7 - 1 | fabs < 1e-9)'
error=$(awk -F, 'NR == 2 { a = $5 } END { d = ($5 - a) / a; printf "%.17g", d < 0 ? -d : d }' run/diagnostics.csv)
near "$(jq .energy_error out)" "$error" 1e-12 energy_error
expect 0 nbody --input in/plummer.npy --steps 3 -q -o quiet
silent
shows out '^1024 bodies, 3 steps'
lacks out 'results in'

# ---- rows ----
expect 0 nbody --input in/figure8.mpv --steps 1000 -o rows
equal "$(wc -l <rows/diagnostics.csv)" 102 'lines of about 100 rows'
expect 0 nbody --input in/figure8.mpv --steps 100 --diagnose-every 30 -o rows
equal "$(column rows/diagnostics.csv step | tr '\n' ' ')" '0 30 60 90 100 ' steps
expect 0 nbody --input in/figure8.mpv --steps 0 -o none
equal "$(column none/diagnostics.csv step)" 0 'steps of no step'
expect 0 nbody --input none/final.npy --steps 0 --json -o none2
same none/final.npy none2/final.npy
json '.steps == 0 and .energy_error == 0'

# ---- energies of a sphere without softening ----
expect 0 nbody --input in/plummer.tab --eps 0 --steps 0 -o sphere
near "$(column sphere/diagnostics.csv kinetic)" 0.25 1e-12 'kinetic energy'
near "$(column sphere/diagnostics.csv potential)" -0.5 1e-12 'potential energy'
near "$(column sphere/diagnostics.csv energy)" -0.25 1e-12 energy
near "$(column sphere/diagnostics.csv virial)" 0.5 1e-12 'virial ratio'
near "$(column sphere/lagrangian.csv r50)" 0.769 0.08 'radius of half the mass'

# ---- the figure-eight after one period ----
for way in '--integrator hermite4' '--integrator yoshida4' '--integrator leapfrog --precision double'; do
    expect 0 nbody --input in/figure8.mpv --eps 0 --dt 0.003162957004891069 --steps 2000 $way --json -o orbit
    json '.energy_error < 1e-6 and .precision == "double"'
    paste <(npy_values none/final.npy f8) <(npy_values orbit/final.npy f8) |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d } END { exit !(NR == 21 && most < 1e-4) }' ||
        fail "the orbit does not close with $way"
    near "$(column orbit/diagnostics.csv energy | tail -1)" -1.287141991988917 1e-6 "energy with $way"
done

# ---- one body ----
printf '1 0\n2 1 2 3 0.5 0 -1\n' >one.mpv
expect 0 nbody --input one.mpv --eps 0 --steps 8 --dt 0.25 --json -o one
json '.n == 1 and .steps == 8 and .energy_error == 0'
equal "$(npy_values one/final.npy f8 | tr '\n' ' ')" '2 2 2 1 0.5 0 -1 ' 'a body that nobody attracts'
printf '1 0\n2 1 2 3 0 0 0\n' >rest.mpv
expect 0 nbody --input rest.mpv --steps 1 --json -o one
json '.energy_error == 0'
expect 0 nbody --input rest.mpv --forces-only --json -o one.forces
equal "$(npy_values one.forces/acc.npy f8 | tr -d '\n-')" 000 'its acceleration'

# ---- forces: a polygon of 1024 corners ----
polygon() # DIR TOLERANCE
{
    shape "$1/acc.npy" '<f8' '1024, 3'
    shape "$1/pot.npy" '<f8' '1024,'
    paste <(npy_values in/ngon.npy f8 | paste - - - - - - -) <(npy_values "$1/acc.npy" f8 | paste - - -) \
        <(npy_values "$1/pot.npy" f8) |
        awk -v a=1.123173086494841 -v t="$2" '
            function off(x, y) { d = x > y ? x - y : y - x; if (d > most) most = d }
            { off($8, -a * $2); off($9, -a * $3); off($10, 0); off($11, -2 * a) }
            END { print most; exit !(NR == 1024 && most <= t) }' >off || fail "forces in $1 are off by $(cat off)"
}

expect 0 nbody --input in/ngon.npy --eps 0 --forces-only --precision double --json -o forces
holds forces acc.npy pot.npy
json '.n == 1024 and .steps == 0 and .energy_error == null and .kernel == "double" and .precision == "double"'
polygon forces 2e-11 # rounding of the corners alone: 9e-12
expect 0 nbody --input in/ngon.npy --eps 0 --forces-only --precision ds -o forces
polygon forces 3e-5 # terms of 86 in all, in floats
for kernel in best simd jsplit unroll8; do
    expect 0 nbody --input in/ngon.npy --eps 0 --forces-only --kernel $kernel -o forces
    polygon forces 2e-3 # rounding of the corners to single precision alone: 8e-4
done

# ---- the field elsewhere ----
printf 'name,z,y,x\ncentre,0,0,0\nabove,1,0,0\n' >points.csv
npy '<f8' '2, 3' "$(printf '%064d' 0)" 0000000000000000 000000000000f03f >points.npy
printf '0,0,0\n0,0,1\n' >bare.csv
for points in points.csv points.npy bare.csv; do
    expect 0 nbody --input in/ngon.npy --eps 0 --forces-only --points $points --json -o field
    json '.n == 1024 and .precision == "double"'
    shape field/acc.npy '<f8' '2, 3'
    npy_values field/acc.npy f8 >acc
    npy_values field/pot.npy f8 >pot
    near "$(sed -n 3p acc)" 0 1e-15 'force at the centre'
    near "$(sed -n 6p acc)" -0.3535533905932738 1e-14 'force above it'
    near "$(sed -n 1p pot)" -1 1e-14 'potential at the centre'
    near "$(sed -n 2p pot)" -0.7071067811865476 1e-14 'potential above it'
done

# ---- snapshots ----
for format in npy csv tab mpv tipsy gadget hdf5; do
    run nbody --input in/plummer.npy --steps 4 --snapshot-every 2 --format $format -o shots.$format
    if [ $format = hdf5 ] && grep -q 'this build cannot write' err; then
        note 'this build has no HDF5; its tests are left out'
        continue
    fi
    equal $code 0 "exit code with $format"
    holds shots.$format snapshot_00000{0,2,4}.$format diagnostics.csv lagrangian.csv final.npy checkpoint.bin \
        $([ $format = npy ] || echo final.$format)
    # HDF5 keeps the second in which a group was made
    [ $format = hdf5 ] || same shots.$format/final.$format shots.$format/snapshot_000004.$format
    expect 0 nbody --input shots.$format/snapshot_000004.$format --steps 0 -o back
    case $format in
    tipsy | gadget) ;; # float32
    *) same back/final.npy shots.$format/final.npy ;;
    esac
done

# ---- snapshots of bodies with ids, families, softening and time, in every format ----
cat >full.csv <<'END'
mass,x,y,z,vx,vy,vz,id,family,softening
# time = 2.5
1,0,0,0,0,0,0,40000000000,4,0.125
0.5,1,0,0,0,1,0,7,0,0.0625
0.25,0,2,0,-0.5,0,0,12,1,0.25
0.125,0,0,3,0.5,0,0,3,5,0.25
0.0625,-3,0,3,0.5,0,0.25,9,1,0.5
END
for format in npy csv tab mpv tipsy gadget hdf5; do
    run nbody --input full.csv --steps 0 --snapshot-every 1 --format $format -o given.$format
    [ $format = hdf5 ] && grep -q 'this build cannot write' err && continue
    equal $code 0 "exit code with $format"
    expect 0 nbody --input given.$format/snapshot_000000.$format --steps 0 --snapshot-every 1 --format csv -o back.$format
    equal "$(sed 2q back.$format/snapshot_000000.csv)" "$(sed 2q full.csv)" "header and time from $format"
    equal "$(sed 1,2d back.$format/snapshot_000000.csv | sort)" "$(sed 1,2d full.csv | sort)" "bodies from $format"
done
rm given.npy/snapshot_000000.npy.attributes.csv
printf 'id\n1\n2\n' >given.npy/snapshot_000000.npy.attributes.csv
refuse 1 'attributes\.csv: is of other bodies: it has 2 rows, and .* has 5' nbody --input given.npy/snapshot_000000.npy --steps 0 -o no

equal "$(head -1 shots.mpv/snapshot_000004.mpv)" '1024 0.015625' 'number and time in .mpv'

# ---- pictures ----
expect 0 nbody --ic plummer -n 500 --seed 3 --steps 4 --snapshot-every 3 --frames --size 64 -o film
holds film snapshot_00000{0,3}.npy frame_00000{0,3,4}.png diagnostics.csv lagrangian.csv final.npy checkpoint.bin
equal "$(od -A n -t x1 -j 16 -N 10 film/frame_000004.png | tr -d ' ')" 00000040000000400802 'width, height, depth and type'
expect 0 nbody --input film/final.npy --steps 0 --frames --size 64 -o still
for flags in '--view xz' '--view yz' '--extent 1' '--size 65'; do
    expect 0 nbody --input film/final.npy --steps 0 --frames --size 64 $flags -o other
    ! cmp -s other/frame_000000.png still/frame_000000.png || fail "$flags changes nothing"
done

# Where a light body beside a heavy one in the middle is: brightness squared, summed up in a corner of the picture.
printf '2 0\n30 0 0 0 0 0 0\n1 0.5 0.25 -0.75 0 0 0\n' >aside.mpv
corner() # X Y: 1 for the half to the right, and for the lower half, but for 24 px around the middle
{
    awk -v right=$1 -v low=$2 'BEGIN { for (y = 0; y < 256; y++) for (x = 0; x < 256; x++)
        print (right ? x > 152 : x < 104) && (low ? y > 140 : y < 116) ? 1 : 0 }' | pgm 256 256 >corner$1$2.pgm
}

for x in 0 1; do
    for y in 0 1; do
        corner $x $y
    done
done
while read -r view wanted; do
    expect 0 nbody --input aside.mpv --steps 0 --frames --size 256 --extent 1 --view $view -o aside
    for at in 00 01 10 11; do
        expect 0 autocorr -R 1 --method naive --numerators --no-plots --mask corner$at.pgm -o sums aside/frame_000000.png
        sum=$(npy_values sums/frame_000000.n2d.npy d8 | sed -n 5p)
        if [ $at = $wanted ]; then
            [ "$sum" -gt 100000 ] || fail "$view: the body is not in corner $at ($sum)"
        else
            [ "$sum" -lt 1000 ] || fail "$view: something is in corner $at ($sum)"
        fi
    done
done <<'END'
xy 10
xz 11
yz 11
END

# ---- models ----
for model in plummer hernquist disc uniform galaxies ngon; do
    expect 0 nbody --ic $model -n 100 --steps 1 --json -o model
    json '.n == 100 and .steps == 1'
done
expect 0 nbody --ic plummer -n 100 --seed 1 --steps 0 -o seed1
expect 0 nbody --ic plummer -n 100 --steps 0 -o default
same seed1/final.npy default/final.npy
expect 0 nbody --ic plummer -n 100 --seed 2 --steps 0 -o seed2
! cmp -s seed1/final.npy seed2/final.npy || fail '--seed changes nothing'
expect 0 nbody --ic plummer --steps 0 --json -o default
json '.n == 4096'
no_temporaries .
