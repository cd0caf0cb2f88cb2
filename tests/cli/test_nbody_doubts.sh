# What penta nbody says of numbers that are not to be trusted: energies that are off, coordinates too coarse for the bodies.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Two bodies on a narrow ellipse, from far out: a fixed step is far too long where they pass, and just right at the end.
cat > narrow.csv <<'END'
mass,x,y,z,vx,vy,vz
0.5,0.5,0,0,0,0.05,0
0.5,-0.5,0,0,0,-0.05,0
END
narrow='--input narrow.csv --eps 0 --precision double --diagnose-every 1 --dt 0.01'

# ---- the worst of all rows, not the last one alone ----
expect 0 nbody $narrow --steps 120 --json -o off
one_line 'warning: the largest relative energy error was [0-9.e+-]+; orbits are doubtful'
energies=$(column off/diagnostics.csv energy)
worst=$(echo "$energies" | awk 'NR == 1 { first = $1 } { d = ($1 - first) / first; if (d < 0) d = -d; if (d > worst) worst = d } END { printf "%.17g", worst }')
last=$(echo "$energies" | awk 'NR == 1 { first = $1 } { d = ($1 - first) / first } END { printf "%.17g", d < 0 ? -d : d }')
json "(.energy_error_max - $worst | fabs) < 1e-9 * $worst and (.energy_error - $last | fabs) < 1e-9 + 1e-9 * $last"
json '.energy_error_max > 0.01'
expect 0 nbody $narrow --steps 120 -q -o off
one_line 'warning: the largest relative energy error'
expect 0 nbody $narrow --steps 10 --json -o fine # far from one another still
silent
json '.energy_error_max < 1e-3'

# ---- a restart knows of the rows before it ----
expect 0 nbody $narrow --steps 100 -o parts
expect 0 nbody --restart parts/checkpoint.bin --steps 20 --diagnose-every 1 --json -o parts
json "(.energy_error_max - $worst | fabs) < 1e-9 * $worst"

# ---- a limit ----
expect 1 nbody $narrow --steps 120 --max-energy-error 0.005 --json -o limited
one_line 'above --max-energy-error 0.005; stopped at time [0-9.]+ with all files kept'
json '.energy_error_max > 0.005 and .steps < 120'
holds limited checkpoint.bin diagnostics.csv final.npy lagrangian.csv
expect 0 nbody $narrow --steps 10 --max-energy-error 0.5 -o within
refuse 2 '--max-energy-error has no effect' nbody --input narrow.csv --forces-only --max-energy-error 1 -o no.d

# ---- coordinates that are too coarse ----
cat > far.csv <<'END'
mass,x,y,z,vx,vy,vz
0.5,10000.005,0,0,0,5,0
0.5,9999.995,0,0,0,-5,0
END
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 100 --json -o far # about their centre of mass
silent
json '.precision == "double" and .energy_error_max < 1e-5'
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 10 --precision single --json -o far1
silent
json '.energy_error_max < 1e-6'
{ cat far.csv; echo 0,-10000,0,0,0,0,0; } >wide.csv # no centre is near
expect 0 nbody --input wide.csv --eps 0 --dt 1e-5 --steps 10 --precision single -o wide
shows err 'warning: bodies 0 and 1 are 0.01 apart .* precision single does not resolve'
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 50 -o parts.far
expect 0 nbody --restart parts.far/checkpoint.bin --steps 50 --json -o parts.far
json '.precision == "double"'
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 100 -o far
same far/final.npy parts.far/final.npy

# ---- steps that are too long for one body, where the energy shows nothing; the step of the warning is right ----
header=mass,x,y,z,vx,vy,vz
doubtful() # NAME CHECK FLAGS...: a warning with about that step check; the step to take, tried with the same time, is silent
{
    local name=$1 check=$2 dt steps time

    rm -rf "$name.d" "$name.right"

    shift 2
    expect 0 nbody --input "$name.csv" --eps 0 "$@" --json -o "$name.d"
    one_line '(orbits are doubtful|energy error was [0-9.e-]+; orbits are doubtful): steps are too long for body [0-9]+ \(step check [0-9.]+, above 0.03\); take --dt'
    json "(.step_check / $check - 1 | fabs) < 0.2 and .step_judged == .step_check"
    equal "$(jq .step_check out | cut -c 1-8)" "$(column "$name.d/diagnostics.csv" step_check | tail -1 | cut -c 1-8)" 'check of the rows'
    equal "$(jq .step_body out)" "$(column "$name.d/diagnostics.csv" step_body | tail -1)" 'body of the rows'
    dt=$(sed -E 's/.*take --dt ([0-9.e-]+),.*/\1/' err)
    time=$(column "$name.d/diagnostics.csv" time | tail -1)
    steps=$(awk "BEGIN { printf \"%d\", $time / $dt }")
    expect 0 nbody --input "$name.csv" --eps 0 --dt "$dt" --steps "$steps" --format csv --snapshot-every "$steps" --json -o "$name.right"
    silent
}
printf '%s\n' $header 1,0,0,0,0,0,0 3e-6,1,0,0,0,1,0 3.7e-8,1.00257,0,0,0,1.034376,0 9.5e-4,5.2,0,0,0,.438529,0 >moon.csv
doubtful moon 0.05 --dt .1 --steps 200
awk -F, '/^3e-06/ { x = $2; y = $3 } /^3.7e-08/ { d = sqrt(($2 - x) ^ 2 + ($3 - y) ^ 2); exit !(d > 0.002 && d < 0.0035) }' \
    moon.right/snapshot_*[1-9]*.csv || fail 'the moon has left'
printf '%s\n' $header 1,-0.001988011988011988,0,0,0,-7.0852e-05,0 0.001,1.988011988011988,0,0,0,0.070852,0 >narrow2.csv
expect 0 nbody --input narrow2.csv --eps 0 --dt 0.000314002 --steps 11000 --diagnose-every 11000 --json -o narrow2 # no row at the pericentre
one_line 'orbits are doubtful: steps are too long for body [01] \(step check 0.077, above 0.03\); take --dt'
json '.energy_error_max < 1e-3'
printf '%s\n' $header 1,0,0,0,0,0,0 1e-6,1.9,0,0,0,.22942,0 >ellipse.csv # e = 0.9, 300 steps an orbit
doubtful ellipse 0.27 --dt 0.021 --steps 160
printf '%s\n' $header 1,0,0,0,0,0,0 0,.3075,0,0,0,1.9817,0 >mercury.csv # without mass there is no energy at all
doubtful mercury 0.23 --dt .1 --steps 100
doubtful mercury 0.8 --dt .2 --steps 50
expect 0 nbody --input moon.csv --eps 0 --dt .1 --steps 20 --integrator hermite4 --step-mode block --json -o block # the other advice
silent

# ---- a common velocity hides nothing ----
expect 0 sample nbody -n 100 -o in
awk -F'[ \t]+' -v OFS=, 'BEGIN { print "mass,x,y,z,vx,vy,vz" } { print $2, $3, $4, $5, $6 + 100, $7, $8 }' in/plummer.tab >fast.csv
expect 0 nbody --input in/plummer.tab --dt 0.5 --steps 4 --json -o rest
rest=$(jq .energy_error_max out)
expect 0 nbody --input fast.csv --dt 0.5 --steps 4 --json -o fast
json "(.energy_error_max / $rest - 1 | fabs) < 0.01 and .energy_error_max > 1e-3"

# ---- an energy of nearly 0 at first: errors are relative to the potential energy ----
printf '%s\n' $header .5,-4,0,0,0,-.25,0 .5,4,0,0,0,.25,0 >zero.csv
expect 0 nbody --input zero.csv --eps 0 --dt .01 --steps 50 --max-energy-error 1e-3 -o zero
shows out '\(of the potential energy\)'
expect 0 nbody --input zero.csv --eps 0 --dt 5 --steps 50 --json -o zero5
one_line 'energy error was 0.0067; orbits are doubtful: steps are too long for body'
json '.energy_relative_to == "potential"'

# ---- no word on clean runs ----
for seed in $(seq 1 14); do
    for model in 'plummer -n 64' 'hernquist -n 70' 'disc -n 129'; do
        expect 0 nbody --ic $model --seed $seed --eps 0.05 --steps 40 --format csv -q -o clean
        silent
        expect 0 nbody --input clean/final.csv --steps 1 --json -q -o read # units, softening
        silent
        json '.eps == 0'
    done
done
expect 0 nbody --input in/figure8.mpv --eps 0 --dt 0.01 --steps 633 --json -o eight
silent
json '.step_check < 0.005'
expect 0 nbody --ic plummer -n 500 --steps 100 --json -o sphere
json '.step_check < 0.005'

# ---- softening of bodies that are read ----
printf '%s\n' $header .5,-.005,0,0,0,-5,0 .5,.005,0,0,0,5,0 >pair.csv
expect 0 nbody --input pair.csv --dt 3.14159265358979e-5 --steps 200 --format csv --json -o pair
silent
json '.eps == 0'
near "$(tail -1 pair/final.csv | cut -d , -f 2)" 0.005 1e-6 'place of the second body'
expect 0 nbody --input pair.csv --steps 0 --eps 0.0011 -o no
one_line 'warning: --eps 0.0011 is above a tenth of the smallest distance of two bodies, 0.01; take --eps 0$'
expect 0 nbody --ic plummer -n 200 --steps 0 --format csv --json -q -o sphere
json '(.eps - 0.05 | fabs) < 1e-15'
expect 0 nbody --input sphere/final.csv --steps 0 --eps 0.2 -o no2
one_line 'warning: --eps 0.2 is above a tenth of the half-mass radius, 0.[67][0-9]+, and changes all orbits; take 0.0[67][0-9]? or less$'
expect 0 nbody --input sphere/final.csv --eps "$(sed 's/.*take \(.*\) or less/\1/' err)" --steps 0 -q -o no3
silent
own() # EPS PATTERN AWK: softening of the bodies as AWK says, for a run, for forces and elsewhere
{
    awk -F, -v OFS=, "BEGIN { srand(1) } NR == 1 { print \$0, \"eps\"; next } !/#/ { i++; print \$0, $3 }" sphere/final.csv >own.csv
    for way in '--steps 1' --forces-only "--forces-only --points $PWD/at.csv"; do
        rm -rf own
        expect 0 nbody --input own.csv $way --json -o own
        one_line "$2"
        json "(.eps - $1 | fabs) < 1e-15"
    done
}
printf 'x,y,z\n1,2,3\n' >at.csv
own 0.02 'note: forces use one softening, 0.02, the median by mass of the file.s \(0.01 to 0.04; the half-mass radius is 0.[67][0-9]+\); --eps' \
    'i <= 40 ? 0.01 : i <= 150 ? 0.02 : 0.04'
own 0.03 'note: .* 0.03, the median by mass of the file.s \(1e-09 to 5; .*; that of 120 bodies is below 1e-6 or above 0.1 of it, and left out\)' \
    'i <= 60 ? 1e-9 : i <= 120 ? 5 : 0.03'
own 0 'note: the file.s softening \(0.5 to 0.5\) is left out: it is below 1e-6 or above 0.1 of the half-mass radius' 0.5
expect 0 nbody --input own.csv --steps 1 --eps 0.01 -q -o own
expect 0 nbody --restart own/checkpoint.bin --steps 1 --json -q -o own
json '(.eps - 0.01 | fabs) < 1e-15'
expect 0 nbody --ic plummer -n 2000 --steps 0 -q -o many
expect 0 nbody --input many/final.npy --steps 0 --json -o many.read
silent
json '.eps == 0'
expect 0 nbody --ic plummer -n 2001 --steps 0 -q -o more
expect 0 nbody --input more/final.npy --forces-only --json -o more.read
one_line 'warning: no softening is known for these 2001 bodies; forces use 0.0[56][0-9]?, the half-mass radius .*; set it with --eps$'
expect 0 nbody --input more/final.npy --forces-only --eps "$(jq .eps out)" -o more.again # which ends it
silent
same more.read/acc.npy more.again/acc.npy
printf '%s\n' $header 1,5,0,0,0,0,0 1e-6,6,0,0,0,1,0 1e-6,5,3,0,-.57,0,0 1e-6,5,0,4,.5,0,0 >star.csv # most mass in one body
expect 0 nbody --input star.csv --eps 0.09 --steps 0 -q -o star
silent

# ---- units in which G is not 1: no advice on steps ----
units() # G PATTERN: the sphere in units with this G
{
    awk -F, -v OFS=, -v k="$(awk "BEGIN { print sqrt($1) }")" '/^[0-9]/ { $5 *= k; $6 *= k; $7 *= k } 1' sphere/final.csv >units.csv
    for way in '--dt 0.1 --steps 20' --forces-only; do
        rm -rf units
        expect 0 nbody --input units.csv $way --precision double -o units
        one_line "warning: kinetic energy is .*$2"
    done
    awk -F, -v OFS=, '/^[0-9]/ { $1 *= '"$1"' } 1' units.csv >right.csv # as it says
    rm -rf right
    expect 0 nbody --input right.csv --steps 0 -o right
    near "$(column right/diagnostics.csv virial)" 0.5 0.06 'virial ratio'
}
units 43009.17 "10\^10 solar masses and km/s, GADGET's usual units, G is 43009.2; multiply the masses by it"
silent
units 39.4769 'AU, solar masses and years G is 39.4769'
units 6.6743e-11 'SI units G is'
units 1000 'the bodies fly apart; where the units have another G, multiply the masses by it'

# ---- nothing would move ----
refuse 2 'dt.? is 0' nbody --ic plummer -n 10 --dt 0 -o no.d
