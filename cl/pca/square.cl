/*
 * P. Du et al.'s square split of C = A A^T, A a matrix of `rows` (a multiple of 32) x pixels, its rows `piece` numbers
 * apart. C is cut into blocks of 32 x 32; a work-group computes one block of the lower triangle over `chunk` pixels (a
 * multiple of 32), from a tile of 32 x 32 of each operand in local memory, skewed to rows of 33, so that the items of a
 * row read their 32 rows without a conflict of banks. An item has 4 numbers of a column, 8 rows apart.
 *
 * products[chunk of pixels][rows][rows]; blocks above the diagonal are not written.
 * Groups of 32 x 8, grid (blocks * 32, chunks * 8).
 */
#include "pca/centred.clh"

__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void pca_square(__global const REAL *restrict matrix, long piece, int rows, int chunk, __global REAL *restrict products)
{
    __local REAL a[32][33], b[32][33];
    int          x = get_local_id(0), y = get_local_id(1);
    int2         block = triangle_block(get_group_id(0)) * 32;
    REAL         sums[4] = {0};

    matrix += (long)get_group_id(1) * chunk + x;
    for (int k = 0; k < chunk; k += 32) {
        for (int i = y; i < 32; i += 8) {
            a[i][x] = matrix[(block.y + i) * piece + k];
            b[i][x] = matrix[(block.x + i) * piece + k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 32; i++) {
            REAL factor = b[x][i];

#pragma unroll
            for (int r = 0; r < 4; r++)
                sums[r] += a[y + 8 * r][i] * factor;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    products += (long)get_group_id(1) * rows * rows + (block.y + y) * rows + block.x + x;
#pragma unroll
    for (int r = 0; r < 4; r++)
        products[8 * r * rows] = sums[r];
}
