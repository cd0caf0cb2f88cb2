#!/usr/bin/env bash
# run.sh N PROGRAM [dies]: the program in N ranks. dies: rank 1 is killed in the middle, which ends all of them within
# seconds, and mpirun names it.
set -u
launch=(mpirun --oversubscribe --bind-to none -n "$1")
[ "$(id -u)" -ne 0 ] || launch+=(--allow-run-as-root)
# HWLOC_COMPONENTS: with OCL_ICD_FILENAMES ranks would find its first driver alone (tests/cli/mpi.sh).
# A folder of its own for the files of the run, as in tests/cli/mpi.sh.
OMPI_MCA_orte_tmpdir_base=$(mktemp -d) || exit 2
trap 'rm -rf "$OMPI_MCA_orte_tmpdir_base"' EXIT
export OMPI_MCA_orte_tmpdir_base
export OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1 HWLOC_COMPONENTS=-opencl
if [ "${3-}" != dies ]; then
    "${launch[@]}" "$2"
    exit
fi
code=0
text=$(PENTA_TEST_DIES=1 timeout 60 "${launch[@]}" "$2" 2>&1) || code=$?
[ "$code" -ne 0 ] && [ "$code" -ne 124 ] || { echo "exit code $code: $text"; exit 1; }
grep -q 'rank 1 with PID .* exited on signal 9' <<<"$text" || { echo "the rank is not named: $text"; exit 1; }
