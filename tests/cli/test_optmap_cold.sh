# penta optmap with an empty kernel cache, which compiles the analysis ahead in a second process: the same results as with kernels
# that are there, no kernel compiled again by the next run, no process left over, none that outlives an interrupted run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! "$PENTA" devices --json | jq -e '.devices[] | select(.platform == "Portable Computing Language")' >/dev/null; then
    note "there is no PoCL; left out"
    exit 0
fi
unset PENTACL_CACHE
export PENTACL_DEVICE=portable POCL_CACHE_DIR=$PWD/kernels PENTACL_CACHE_DIR=$PWD/programs
kernels() # how many there are
{
    find kernels -name '*.so' | wc -l
}

expect 0 sample optmap -q --kind radial --width 24 --height 20 --frames 150 --beats 1 --noise 300 -o in
rm -rf kernels programs && mkdir kernels
expect 0 optmap -q --no-report --rate 1000 --pixel-size 0.01 -o cold in/movie.npy
[ "$(kernels)" -gt 20 ] || fail "only $(kernels) kernels are kept in $POCL_CACHE_DIR"
compiled=$(kernels)
expect 0 optmap -q --no-report --rate 1000 --pixel-size 0.01 -o warm in/movie.npy
equal "$(kernels)" "$compiled" 'kernels after a second run'
for map in filtered activation apd80 cv dominant_frequency snr; do
    same cold/$map.npy warm/$map.npy
done

# ---- an interrupted one ----
running() # processes of this test's runs
{
    pgrep -f -- "-o $PWD/ended" || true
}
rm -rf kernels programs && mkdir kernels
begin optmap -q --no-report --rate 1000 -o "$PWD/ended" in/movie.npy
for _ in $(seq 100); do
    [ "$(running | wc -l)" -lt 2 ] || break
    sleep 0.05
done
[ "$(running | wc -l)" -ge 2 ] || [ "$(getconf _NPROCESSORS_ONLN)" -lt 2 ] || fail 'no second process compiles ahead'
stop KILL
for _ in $(seq 100); do
    [ "$(running)" ] || break
    sleep 0.05
done
equal "$(running)" '' 'processes after kill -9'
