# penta nbody --fp64 never: state in pairs of floats; orbits and energies beside those with double precision. The word double
# does not compile there, so each run also shows that no kernel has it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample nbody -n 300 -o in
body='--input in/plummer.tab --dt 0.01 --eps 0.02 --diagnose-every 8'

# ---- energies and radii of all steps, for each integrator ----
for way in leapfrog 'leapfrog --precision ds' 'yoshida4 --precision ds' 'hermite4 --precision ds' \
    'hermite4 --precision ds --step-mode block'; do
    rm -rf with without
    expect 0 nbody $body --integrator $way --steps 16 -o with
    expect 0 nbody $body --integrator $way --steps 16 --fp64 never -o without
    for table in diagnostics lagrangian; do
        paste -d, with/$table.csv without/$table.csv | awk -F, -v way="$way $table" '
            NR > 1 { for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d > 1e-7 || d < -1e-7) wrong = 1 } }
            END { if (NR != 4 || wrong) { print way; exit 1 } }' || fail "$way: $table.csv is another"
    done
done

# ---- what is chosen: ds for double ----
expect 0 nbody $body --integrator yoshida4 --steps 2 --fp64 never --json -o chosen
json '.precision == "ds" and .kernel == "ds" and .warnings == []'
expect 0 nbody $body --integrator hermite4 --step-mode shared --steps 2 --fp64 never --json -o chosen --overwrite
json '.precision == "ds" and .kernel == "hermite" and ([.notes[] | select(test("double is faster"))] | length) == 0'
refuse 1 'no double precision; use --precision ds' nbody $body --precision double --steps 2 --fp64 never -o refused
refuse 1 'no double precision; use --precision ds' nbody $body --kernel double --steps 2 --fp64 never -o refused
[ ! -e refused/final.npy ] || fail 'a refused run left bodies'
refuse 1 '--dt is 1e-30' nbody $body --dt 1e-30 --steps 2 --fp64 never -o refused

# ---- from the environment; forces; a restart with the same bits ----
export PENTACL_FP64=never
expect 0 nbody --input in/plummer.tab --eps 0.02 --forces-only --json -o forces
json '.precision == "single"'
expect 0 nbody $body --steps 8 -o whole
expect 0 nbody $body --steps 4 -o parts
expect 0 nbody --restart parts/checkpoint.bin --steps 4 --dt 0.01 --eps 0.02 --diagnose-every 8 -o parts
same whole/final.npy parts/final.npy
