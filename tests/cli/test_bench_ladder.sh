# penta bench nbody --ladder: every rung in its place, checked, with its rate and error.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ ! -x "$(dirname "$PENTA")/penta-bench" ]; then
    note "this build has no penta-bench"
    exit 0
fi

refuse 2 "no ladder in the workload 'stars'" bench stars --ladder
refuse 2 'no workload given' bench --ladder
refuse 2 "'nosuch' is none of autocorr," bench nosuch
refuse 2 "no case has 'nosuch' in its name" bench stars --case nosuch
refuse 2 'needs one workload, but got 2' bench stars pca
refuse 2 'unknown flag --nosuch' bench --nosuch stars
expect 0 bench --list
equal "$(sort out | tr '\n' ' ')" 'autocorr nbody optmap pca prepare stars ' 'workloads with a benchmark'
expect 0 bench --help
cp out penta.help
"$(dirname "$PENTA")/penta-bench" --help >bench.help || fail "penta-bench has no help"
same penta.help bench.help
expect 0 bench nbody --ladder --list
equal "$(head -1 out)" 1024 "first case of the ladder"

expect 0 bench nbody --ladder --case 1024 --json
valid
rungs='gpu1 aos soa const rsqrt split local unroll2 unroll4 unroll8 unroll16 unroll32'
equal "$(jq -r '[.rows[] | select(.kind == "ours") | .variant] | .[:12] | join(" ")' out)" "$rungs" "the ladder"
json '[.rows[] | .unit == "interactions/s" and .error > 0 and .error < 1e-4] | all'
json '[.rows[] | .rate * .median_ms / 1000 / pow(1024; 2) | . > 0.9999 and . < 1.0001] | all'
json '.peak_flops > 1e8'
