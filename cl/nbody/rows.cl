/* Bodies as rows of seven, mass, position, velocity: rows[7 i + k], from the plan's arrays of coordinates, each `pitch`
 * long. Elements of 8 bytes, whatever they are. One work-item per body. */
__kernel void nbody_rows(__global const ulong *mass, __global const ulong *position, __global const ulong *velocity,
                         ulong n, ulong pitch, __global ulong *rows)
{
    ulong i = get_global_id(0);

    if (i >= n)
        return;
    rows += 7 * i;
    rows[0] = mass[i];
    for (ulong k = 0; k < 3; k++) {
        rows[1 + k] = position[k * pitch + i];
        rows[4 + k] = velocity[k * pitch + i];
    }
}
