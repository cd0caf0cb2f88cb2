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
        expect 0 nbody --ic $model --seed $seed --eps 0.05 --steps 40 -q -o clean
        silent
    done
done
expect 0 nbody --input in/figure8.mpv --eps 0 --dt 0.01 --steps 633 --json -o eight
silent
json '.step_check < 0.005'
expect 0 nbody --ic plummer -n 500 --steps 100 --json -o sphere
json '.step_check < 0.005'

# ---- nothing would move ----
refuse 2 'dt.? is 0' nbody --ic plummer -n 10 --dt 0 -o no.d
