# penta bench without a workload: a case or two of each.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/bench_spread.sh"

if [ ! -x "$(dirname "$PENTA")/penta-bench" ]; then
    note "this build has no penta-bench"
    exit 0
fi
expect 0 bench --seconds 0.001 --json
valid
shows err 'note: 6 of [0-9]+ cases, about 50 s on two cores \(.*\); WORKLOAD .*--thorough times all, --case TEXT '
json '[.rows[].variant] | (any(contains("clfft") or contains("vkfft") or contains("single,") or contains("literal")) | not)'
json '.case_list | .name == "brief" and .cases < 10 and .of > 60'
json '[.rows[].workload] | unique == ["autocorr", "nbody", "optmap", "pca", "prepare", "stars"]'
json '([.rows[] | .workload + .case] | unique | length) == .case_list.cases'
spread_in_order out
