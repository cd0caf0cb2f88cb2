# penta bench --job: the scripts find what penta finds, by small cases. Programs in their place: test_bench_job.sh.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ ! -x "$(dirname "$PENTA")/penta-bench" ]; then
    note "this build has no penta-bench"
    exit 0
fi
find_python() # prints a Python that has what they need
{
    for python in /usr/bin/python3 python3; do
        "$python" -c 'import numpy, scipy, PIL' 2>err && echo "$python" && return
    done
}
python=$(find_python) || {
    note 'no Python has NumPy, SciPy and PIL: the scripts are not tried'
    exit 0
}
for workload in autocorr prepare stars nbody pca optmap; do
    small=$(sed -n "s/^$workload //p" <<<"$("$PENTA" bench --job --list)" | sed -n 2p)
    expect 0 bench --job "$workload" --case "=$small" --python "$python" --seconds 0.001 --json
    valid
    silent
    json ".jobs | length == 1 and .[0].case == \"$small\" and (.[0].modules[0] | test(\"^numpy \"))"
    json '.jobs[0].checks | length > 0 and all(.difference <= .allowed)'
    json '.jobs[0].rows | length == 4 and .[2].stages.compute > 0 and .[2].stages.read > 0 and .[2].stages.write > 0'
done
