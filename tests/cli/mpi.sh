# For tests under mpirun: `ranks N ARGUMENT...` runs the command in N ranks, with files out and err and the variable code as
# run has; `expect_ranks CODE N ARGUMENT...` also looks at the exit code. What mpirun itself says of a rank that fails is
# taken out of err. Where this build has no MPI, or there is no mpirun of Open MPI, the test steps aside with a line.
library=$(ldd "$PENTA" 2>/dev/null | awk '$1 ~ /^libpentacl\.so/ { print $3 }')
if [ -z "$library" ] || ! ls "${library%/*}"/libpentacl_mpi.so.* >/dev/null 2>&1; then
    note 'this build is static, or has no MPI; left out'
    exit 0
fi
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
    note 'there is no mpirun of Open MPI (tools/setup check installs it); left out'
    exit 0
fi
# mpirun asks OpenCL for devices by way of hwloc, and ocl-icd 2.3.2 takes the list OCL_ICD_FILENAMES apart
# where it stands: the ranks would find the first driver of it alone.
export HWLOC_COMPONENTS=-opencl
# Ranks share cores here: none is bound to one, and none spins.
launch=(mpirun --oversubscribe --bind-to none)
[ "$(id -u)" -ne 0 ] || launch+=(--allow-run-as-root)
# Files of a run are in a folder of this test: in the common one an mpirun that ends takes it away from another that begins.
export OMPI_MCA_orte_tmpdir_base=$PWD/.ompi
mkdir -p .ompi
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_orte_base_help_aggregate=0

ranks() # N ARGUMENT...
{
    local n=$1

    shift
    last=("$@" "(in $n ranks)")
    code=0
    timeout 300 "${launch[@]}" -n "$n" "$PENTA" "$@" >out 2>raw </dev/null || code=$?
    sed -e '/^-----*$/,/^-----*$/d' raw >err
}

expect_ranks() # CODE N ARGUMENT...
{
    local wanted=$1

    shift
    ranks "$@"
    [ "$code" -eq "$wanted" ] || fail "exit code $code instead of $wanted: $(cat raw)"
}
