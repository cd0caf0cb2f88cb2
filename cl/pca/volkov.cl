/*
 * C = A A^T after V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008): one operand in
 * registers, the other in local memory. A is given transposed, matrix[pixel][rows], rows a multiple of 64. A work-group
 * computes 64 rows x 16 columns of C over `chunk` pixels (a multiple of 16), an item the 16 numbers of a row: it reads
 * its number of each pixel into a register, beside those of its neighbours, and the 16 of the columns from local memory,
 * where all items read the same.
 *
 * products[chunk of pixels][rows][rows]; blocks of 64 x 64 above the diagonal are not written.
 * Groups of 64, grid (4 * blocks * 64, chunks).
 */
#include "pca/centred.clh"

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void pca_volkov(__global const REAL *restrict matrix, int rows, int chunk, __global REAL *restrict products)
{
    __local REAL b[16][16];
    int          item = get_local_id(0), group = get_group_id(0);
    int2         block = triangle_block(group / 4) * 64;
    int          row = block.y + item, column = block.x + group % 4 * 16;
    REAL         sums[16] = {0};

    matrix += (long)get_group_id(1) * chunk * rows;
    for (int k = 0; k < chunk; k += 16) {
        for (int i = item; i < 256; i += 64)
            b[i / 16][i % 16] = matrix[(long)(k + i / 16) * rows + column + i % 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++) {
            REAL a = matrix[(long)(k + i) * rows + row];

#pragma unroll
            for (int j = 0; j < 16; j++)
                sums[j] += a * b[i][j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    products += (long)get_group_id(1) * rows * rows + row * rows + column;
#pragma unroll
    for (int j = 0; j < 16; j++)
        products[j] = sums[j];
}
