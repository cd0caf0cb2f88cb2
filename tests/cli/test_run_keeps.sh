# Checkpoints of other runs are kept aside, one run at a time writes to a directory, and links of others are not followed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

bodies='nbody --ic plummer -n 64'
expect 0 $bodies --steps 2 -q -o res
cp res/checkpoint.bin first.bin
expect 0 $bodies --steps 3 -o res
one_line 'res/checkpoint\.bin of another run is kept as checkpoint-1\.bin; --overwrite replaces it'
same first.bin res/checkpoint-1.bin
expect 0 $bodies --steps 3 --overwrite -o res
silent
absent res/checkpoint-2.bin
expect 0 nbody --restart res/checkpoint.bin --steps 1 -o res
silent
absent res/checkpoint-2.bin

exec 9<res
flock -n 9 || fail 'the directory of a run that has ended is locked'
refuse 1 'res: another run writes there' $bodies --steps 1 -o res
exec 9<&-
expect 0 $bodies --steps 1 --overwrite -q -o res

if [ "$(id -u)" -eq 0 ]; then
    mkdir other
    echo precious >victim
    ln -s ../victim other/final.npy
    chown -h 65534 other/final.npy
    refuse 1 'other/final\.npy: is a symbolic link of another user' $bodies --steps 1 -o other
    equal "$(cat victim)" precious 'what the link leads to'
else
    note 'only root can make links of others; they are not tried'
fi
