/*
 * Products of dense matrices on the device, through CLBlast: float (PENTA_F32) or double (PENTA_F64), row-major.
 *
 * CLBlast compiles its kernels when a routine is first used in a context, which takes seconds on PoCL, and keeps them
 * and the OpenCL context for the whole process: hold it while using it (penta_blas_hold). Its sizes are ints
 * internally. It allocates scratch memory of about the size of the operands, with rows padded to multiples of up to
 * 128.
 */
#pragma once

#include "core/core.h"

/* A matrix in a buffer, or the first of a batch. In elements. */
typedef struct penta_matrix {
    penta_buffer *data;
    size_t offset; /* of its first element */
    size_t row;    /* from one row to the next */
    size_t step;   /* from one matrix of a batch to the next */
} penta_matrix;

/* CLBlast's compiled programs are kept from the first hold to the last release. */
void penta_blas_hold(void);
void penta_blas_release(void);

/*
 * These calls only enqueue. C need not be initialised. Errors: PENTA_UNSUPPORTED (double without fp64),
 * PENTA_MEMORY, PENTA_DEVICE.
 */

/* C = A A^T: the lower triangle with the diagonal; the rest of C is unchanged. A: n x k. */
penta_status penta_blas_syrk(penta_context *ctx, penta_type real, size_t n, size_t k, const penta_matrix *a,
                             const penta_matrix *c);

/* C = A B^T. A: m x k, B: n x k, C: m x n. */
penta_status penta_blas_gemm(penta_context *ctx, penta_type real, size_t m, size_t n, size_t k, const penta_matrix *a,
                             const penta_matrix *b, const penta_matrix *c);

/* The same for every matrix of a batch of count > 0. */
penta_status penta_blas_gemm_batch(penta_context *ctx, penta_type real, size_t m, size_t n, size_t k,
                                   const penta_matrix *a, const penta_matrix *b, const penta_matrix *c, size_t count);
