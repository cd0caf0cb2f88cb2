/* Cubes for tests, and the library's results for them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <pentacl/pca.h>

typedef struct {
    size_t bands, rows, cols, pixels;
    penta_type type;
    double *x;     /* bands x pixels, exact in type */
    uint8_t *mask; /* pixels, or NULL */
} pca_cube;

/* Three smooth spectra, mixed with abundances that drift along the rows, plus noise. */
pca_cube make_pca_cube(size_t bands, size_t rows, size_t cols, penta_type type, uint64_t seed);
/* Masks about a quarter of the pixels. */
void mask_pca_cube(pca_cube *c);
void free_pca_cube(pca_cube *c);
/* Rows first .. first + count - 1 in the layout of a file; free(rows.data). */
penta_cube_rows rows_of_pca_cube(const pca_cube *c, int layout, size_t first, size_t count);

penta_pca_options default_pca_options(void);
penta_pca *plan_of_pca_cube(penta_context *ctx, const pca_cube *c, const penta_pca_options *o);
/* piece: rows per call, here and below. */
void add_pca_cube(penta_context *ctx, penta_pca *plan, const pca_cube *c, int layout, size_t piece);
penta_pca_model model_of_pca_cube(penta_context *ctx, const pca_cube *c, const penta_pca_options *o, int layout,
                                  size_t piece);
/* matrix (x - before) + after of the cube, outs x pixels; stretched to [low, high] if these differ. precision double:
 * pairs of floats where the device has no double. */
void map_pca_cube(penta_context *ctx, const pca_cube *c, const penta_affine *a, int precision, int layout, size_t piece,
                  penta_map_format format, void *out);

/* Compares with the reference: for integers of 8 and 16 bits exactly, otherwise within tolerance times the deviations.
 */
void expect_statistics(const pca_cube *c, const penta_pca_model *m, int ddof, double tolerance);
/* Compares with the eigenvalues of the reference's covariance; tolerance: relative to the largest. */
void expect_eigenvalues(const pca_cube *c, const penta_pca_model *m, double tolerance);
