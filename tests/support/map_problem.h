/* Maps for tests: random pixels, a random map, and the reference's result. */
#pragma once

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

/* Random pixels, 100 +- 20 (normal), rounded for integers; bands one after another. */
map_problem make_map_problem(size_t ins, size_t outs, size_t rows, size_t cols, penta_type type);
/* Maps one band unchanged to one output. */
map_problem identity_problem(size_t pixels, const double *x);
/* Masks a third of the pixels. */
void mask_problem(map_problem *p);
void free_map_problem(map_problem *p);

/* precision double: pairs of floats where the device has no double; here and below. */
penta_map *map_of_problem(penta_context *ctx, const map_problem *p, int precision);
penta_cube_rows rows_of_problem(const map_problem *p, size_t first, size_t count);
void add_problem(penta_context *ctx, penta_map *map, const map_problem *p);
/* Maps everything at once to a type; to be freed. */
void *map_at_once(penta_context *ctx, const map_problem *p, int precision, const penta_map_format *format);
