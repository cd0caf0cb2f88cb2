# A driver that is in doubt is tested by the first plan: here also one that computes wrongly, since the kernels are changed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

here=$(dirname "${BASH_SOURCE[0]}")
unset PENTACL_CACHE
export PENTACL_CACHE_DIR=$PWD/kept PENTACL_SELFTEST=always
stars=(stars --random 5 --size 32x32 --fp64 auto)

expect 0 "${stars[@]}" -v -o first.npy
shows err 'self-test of stars passed: '
expect 0 "${stars[@]}" -v -o second.npy
shows err 'self-test of stars passed earlier: '
same first.npy second.npy
PENTACL_SELFTEST=never expect 0 "${stars[@]}" -v -o third.npy
lacks err 'self-test'

# ---- a driver that makes stars brighter by one per cent ----
cp -r "$here/../../cl" wrong
sed -i 's/s->weight = (real)(flux \* norm)/s->weight = (real)(1.01f * flux * norm)/' wrong/stars/pack.clh # the form for GPUs
sed -i 's/double weight = star\.weight;/double weight = 1.01 * star.weight;/' wrong/stars/rows_cpu.clh
equal "$(cat wrong/stars/*.clh | grep -c ' = .*1\.01')" 2 'places that are changed'
export PENTACL_KERNEL_DIR=$PWD/wrong
for json in '' --json; do
    refuse 1 'cannot be used for stars, whose self-test fails with its driver .*engine .* take another device .*PENTACL_SELFTEST=never' \
        "${stars[@]}" -o wrong.npy $json
done
absent wrong.npy
PENTACL_SELFTEST=never expect 0 "${stars[@]}" -o as-it-is.npy
expect 1 selftest
shows out '^stars +FAILED'

# ---- what changed kernels give is no verdict on the driver ----
unset PENTACL_KERNEL_DIR
expect 0 "${stars[@]}" -v -o fourth.npy
shows err 'self-test of stars passed earlier: '
expect 0 cache --clear
expect 0 "${stars[@]}" -v -o fifth.npy
shows err 'self-test of stars passed: '
