# Flags of penta nbody that are missing, contradict one another or have no effect are refused, whatever their values.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

refuses() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    refuse 2 "$pattern" nbody -o no.d "$@"
    absent no.d
}

expect 0 nbody --help
for flag in '-i, --input' --ic '-n, --bodies' --seed --restart --steps --dt --eps --integrator --precision --kernel \
    --step-mode --eta --forces-only --points --diagnose-every --snapshot-every --format --frames --view --extent --size; do
    shows out "^ +(-.,)? +?$flag|^ +$flag"
done
shows out 'jsplit\|double\|ds'
expect 0 sample nbody --help

# ---- what is missing ----
refuses 'which bodies\? give --input FILE, --ic MODEL or --restart FILE'
refuses 'which bodies' --steps 5
refuse 2 '-o DIR is missing' nbody --ic plummer
refuse 2 '-o DIR is missing' sample nbody
refuses 'takes no operand' --ic plummer file.tab

# ---- values ----
refuses "--ic 'cube' is not a model" --ic cube
refuses 'bodies' --ic plummer -n 0
refuses 'bodies' --ic plummer -n x
refuses 'steps' --ic plummer --steps -1
refuses 'eps' --ic plummer --eps -0.1
refuses 'eps' --ic plummer --eps nan
refuses 'dt' --ic plummer --dt inf
refuses 'integrator.*leapfrog' --ic plummer --integrator euler
refuses 'kernel' --ic plummer --kernel fastest
refuses 'precision' --ic plummer --precision half
refuses 'view' --ic plummer --frames --view zx
refuses 'format' --ic plummer --snapshot-every 1 --format xls

# ---- two answers to one question ----
refuses '--input and --ic both say which bodies' --input x --ic plummer

# ---- options that contradict one another ----
contradicts() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    refuse 2 "$pattern" nbody --ic plummer -n 10 "$@" -o contradicting
    [ -z "$(ls -A contradicting 2>/dev/null)" ] || fail 'something was written'
}

contradicts 'kernel.? simd computes in single precision, not double' --kernel simd --precision double
contradicts 'adaptive steps .*step.mode.* need .*integrator.? hermite4' --step-mode block
contradicts 'integrator.? hermite4 needs' --integrator hermite4 --kernel soa

# ---- without effect: FLAG [VALUE] | the run ----
expect 0 sample nbody -n 10 -o in
expect 0 nbody --input in/plummer.tab --steps 1 -o before
while IFS='|' read -r flag run; do
    refuses "^penta nbody: error: ${flag%% *} has no effect: .+; leave it out\$" $run $flag
done <<'END'
--bodies 5|--input in/plummer.tab
--seed 1|--input in/plummer.tab
--seed 1|--ic ngon
--eta 0.02|--ic plummer
--eta 0.02|--ic plummer --integrator hermite4
--eta 0.02|--ic plummer --integrator hermite4 --step-mode fixed
--eta 0.02|--restart before/checkpoint.bin
--points x|--ic plummer
--diagnose-every 5|--ic plummer --forces-only
--snapshot-every 5|--ic plummer --forces-only
--frames|--ic plummer --forces-only
--step-mode fixed|--ic plummer --forces-only
--eta 0.02|--ic plummer --forces-only
--kernel auto|--ic plummer --forces-only --points x
--precision double|--ic plummer --forces-only --points x
--format npy|--ic plummer --forces-only
--view xy|--ic plummer
--extent 0|--ic plummer
--size 720|--ic plummer --snapshot-every 5
END

# ---- --forces-only may be added to the flags of a run ----
expect 0 nbody --ic plummer -n 10 --steps 5 --dt 0.01 --integrator leapfrog --forces-only -o forces
holds forces acc.npy pot.npy

# ---- notes: what a restart changes, and adaptive steps in noise ----
expect 0 nbody --restart before/checkpoint.bin --eps 0.5 --steps 1 -o changed
grep -q 'another --eps' err || fail 'no note about eps'
expect 0 nbody --ic plummer -n 20 --integrator hermite4 --step-mode block --precision single --steps 1 -o noisy
grep -q 'needlessly short' err || fail 'no note about noise'
expect 0 nbody --ic plummer -n 20 --integrator hermite4 --forces-only --json -o still
json '.kernel != "hermite"'
