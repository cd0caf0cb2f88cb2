/* Maps of tests: random pixels, a random map of them and what the reference makes of it. */
#ifndef PENTA_TESTS_MAP_PROBLEM_H
#define PENTA_TESTS_MAP_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/pca.h>

typedef struct {
    size_t ins, outs, rows, cols, pixels;
    penta_type type;
    double *x, *matrix, *before, *after, *want; /* want: outs x pixels */
    void *data;
    uint8_t *mask; /* or NULL */
} map_problem;

/* One band after another; of integers the numbers nearest to 100 +- 20. */
map_problem make_map_problem(size_t ins, size_t outs, size_t rows, size_t cols, penta_type type);
/* One band to one output, as it is. */
map_problem identity_problem(size_t pixels, const double *x);
/* A third of the pixels is left out. */
void mask_problem(map_problem *p);
void free_map_problem(map_problem *p);

penta_map *map_of_problem(penta_context *ctx, const map_problem *p, int precision);
penta_cube_rows rows_of_problem(const map_problem *p, size_t first, size_t count);
void add_problem(penta_context *ctx, penta_map *map, const map_problem *p);
/* Everything mapped at once, as a type; to free. */
void *map_at_once(penta_context *ctx, const map_problem *p, int precision, const penta_map_format *format);

#endif
