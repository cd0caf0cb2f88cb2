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
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 100 --json -o far
one_line 'precision ds, since bodies 0 and 1 are 0.01 apart at coordinates of 1e\+04'
json '.precision == "ds" and .energy_error_max < 1e-5'
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 10 --precision single -o far
shows err 'warning: bodies 0 and 1 are 0.01 apart .* precision single does not resolve'
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 50 -o parts.far
expect 0 nbody --restart parts.far/checkpoint.bin --steps 50 --json -o parts.far
json '.precision == "ds"'
expect 0 nbody --input far.csv --eps 0 --dt 1e-5 --steps 100 -o far
same far/final.npy parts.far/final.npy

# ---- nothing would move ----
refuse 2 'dt.? is 0' nbody --ic plummer -n 10 --dt 0 -o no.d
