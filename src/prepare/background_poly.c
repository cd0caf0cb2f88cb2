/*
 * The background polynomial Q = sum c_ab P_a(U) P_b(V), a + b <= degree, with Legendre polynomials P and U, V from -1
 * to 1 over the frame. Rounds of weighted least squares on the nodes fit it, with w = n / max(Q, level / 20)^2; from
 * the second round on, w is also multiplied by Tukey's bisquare of the relative residuals. Kernels:
 * cl/prepare/background_poly.cl.
 *
 * The normal equations take two steps. For each row of nodes j, sum w P_a(U_i) P_a'(U_i) and w v P_a(U_i) over i. Then
 * sum these row sums over j, times P_b(V_j) P_b'(V_j) and P_b(V_j).
 */
#include <stdio.h>
#include <stdlib.h>

#include "prepare/background.h"

enum { ROUNDS = 4, MOST_DEGREE = 8 };

struct prepare_poly {
    penta_resources *own; /* of the plan */
    size_t nx, ny, pitch;
    size_t sums, terms, entries; /* sums per row of nodes; number of c_ab; entries of the normal equations */
    penta_kernel rows, gather, solve, evaluate;
    penta_buffer along_x;      /* real, nx x sums: P_a P_a', a <= a', then P_a */
    penta_buffer along_y;      /* real, ny x (degree + 1): P_b */
    penta_buffer table;        /* int3 per entry: index of the row sum, b, b' */
    penta_buffer row_sums;     /* real, frames x ny x sums */
    penta_buffer equations;    /* real, frames x entries: lower triangle row by row, then the right-hand side */
    penta_buffer coefficients; /* real, frames x terms */
    penta_buffer residuals;    /* real2, frames x ny: sum of |r|, number of r */
};

static void legendre(double u, size_t degree, double *p)
{
    p[0] = 1;
    if (degree > 0)
        p[1] = u;
    for (size_t k = 2; k <= degree; k++)
        p[k] = ((double)(2 * k - 1) * u * p[k - 1] - (double)(k - 1) * p[k - 2]) / (double)k;
}

static double scaled(double place, size_t size)
{
    return (place - (double)(size - 1) / 2) / ((double)size / 2);
}

/* Index of the product P_a P_b, a <= b, among the products. */
static size_t pair_of(size_t a, size_t b, size_t degree)
{
    size_t low = a < b ? a : b, high = a < b ? b : a;

    return low * (2 * degree + 3 - low) / 2 + high - low;
}

static penta_status send_along_x(prepare_poly *p, const prepare_nodes *nodes, size_t width, size_t degree)
{
    penta_status status = PENTA_OK;
    size_t pairs = p->sums - degree - 1;
    double *table = NULL, u[MOST_DEGREE + 1];

    TRY(penta_calloc(p->own->ctx, p->nx * p->sums, sizeof *table, &table));
    for (size_t i = 0; i < p->nx; i++) {
        legendre(scaled(nodes->x[i], width), degree, u);
        for (size_t a = 0; a <= degree; a++) {
            table[i * p->sums + pairs + a] = u[a];
            for (size_t b = a; b <= degree; b++)
                table[i * p->sums + pair_of(a, b, degree)] = u[a] * u[b];
        }
    }
    TRY(penta_upload_reals(p->own, table, p->nx * p->sums, &p->along_x));
cleanup:
    free(table);
    return status;
}

static penta_status send_along_y(prepare_poly *p, const prepare_nodes *nodes, size_t height, size_t degree)
{
    penta_status status = PENTA_OK;
    size_t count = p->ny * (degree + 1);
    double *table = NULL;

    TRY(penta_calloc(p->own->ctx, count, sizeof *table, &table));
    for (size_t j = 0; j < p->ny; j++)
        legendre(scaled(nodes->y[j], height), degree, table + j * (degree + 1));
    TRY(penta_upload_reals(p->own, table, count, &p->along_y));
cleanup:
    free(table);
    return status;
}

/* Orders terms by a + b, so that the equations of a lower degree are a leading block. */
static penta_status send_table(prepare_poly *p, size_t degree)
{
    penta_status status = PENTA_OK;
    size_t a[(MOST_DEGREE + 1) * (MOST_DEGREE + 2) / 2], b[(MOST_DEGREE + 1) * (MOST_DEGREE + 2) / 2], count = 0;
    size_t pairs = p->sums - degree - 1, bytes = p->entries * 3 * sizeof(int);
    int *table = NULL, *next;

    TRY(penta_calloc(p->own->ctx, bytes, 1, &table));
    next = table;
    for (size_t t = 0; t <= degree; t++)
        for (size_t k = 0; k <= t; k++) {
            a[count] = t - k;
            b[count++] = k;
        }
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l <= k; l++) {
            *next++ = (int)pair_of(a[k], a[l], degree);
            *next++ = (int)b[k];
            *next++ = (int)b[l];
        }
    for (size_t k = 0; k < count; k++) {
        *next++ = (int)(pairs + a[k]);
        *next++ = (int)b[k];
        *next++ = 0;
    }
    TRY(penta_buffer_upload(p->own, table, bytes, &p->table));
cleanup:
    free(table);
    return status;
}

static penta_status create_kernels(prepare_poly *p, size_t degree)
{
    char defines[32];

    snprintf(defines, sizeof defines, "-DDEGREE=%zu", degree);
    return penta_kernels_get(p->own, "prepare/background_poly.cl", defines,
                             KERNELS({&p->rows, "prepare_poly_rows"}, {&p->gather, "prepare_poly_gather"},
                                     {&p->solve, "prepare_poly_solve"}, {&p->evaluate, "prepare_poly_evaluate"}));
}

static penta_status create_parts(prepare_poly *p, const prepare_shape *shape, const prepare_nodes *nodes)
{
    penta_status status = PENTA_OK;
    size_t degree = (size_t)shape->settings->o.flatten_degree, n = shape->batch;

    p->terms = (degree + 1) * (degree + 2) / 2;
    p->sums = p->terms + degree + 1; /* there are as many pairs a <= a' as terms with a + b <= degree */
    p->entries = p->terms * (p->terms + 1) / 2 + p->terms;
    TRY(create_kernels(p, degree));
    TRY(send_along_x(p, nodes, shape->width, degree));
    TRY(send_along_y(p, nodes, shape->height, degree));
    TRY(send_table(p, degree));
    TRY(penta_buffer_create(p->own, n * p->ny * p->sums * sizeof(double), &p->row_sums));
    TRY(penta_buffer_create(p->own, n * p->entries * sizeof(double), &p->equations));
    TRY(penta_buffer_create(p->own, n * p->terms * sizeof(double), &p->coefficients));
    TRY(penta_buffer_create(p->own, n * p->ny * 2 * sizeof(double), &p->residuals));
cleanup:
    return status;
}

penta_status prepare_poly_create(penta_resources *own, const prepare_shape *shape, const prepare_nodes *nodes,
                                 prepare_poly **out)
{
    penta_status status = PENTA_OK;
    prepare_poly *p = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    p = *out;
    p->own = own;
    p->nx = nodes->nx;
    p->ny = nodes->ny;
    p->pitch = nodes->pitch;
    TRY(create_parts(p, shape, nodes));
cleanup:
    return status;
}

static penta_status one_round(prepare_poly *p, size_t n, prepare_nodes *nodes, int round)
{
    penta_status status = PENTA_OK;
    penta_grid rows = prepare_rows(p->own->ctx, penta_grid_2d(p->ny, n));
    int nx = (int)p->nx, ny = (int)p->ny, pitch = (int)p->pitch;

    TRY(penta_launch(&p->rows, rows,
                     ARGS(&nodes->mean, &nodes->weight, &nodes->trend, &nodes->level, &p->residuals, &p->along_x, nx,
                          ny, pitch, round, &p->row_sums)));
    TRY(penta_launch(&p->gather, prepare_rows(p->own->ctx, penta_grid_2d(p->entries, n)),
                     ARGS(&p->row_sums, &p->along_y, &p->table, ny, (int)p->entries, &p->equations)));
    TRY(penta_launch(&p->solve, prepare_rows(p->own->ctx, penta_grid_1d(n)),
                     ARGS(&nodes->level, (int)n, &p->equations, &p->coefficients)));
    TRY(penta_launch(&p->evaluate, rows,
                     ARGS(&nodes->mean, &nodes->weight, &nodes->level, &p->coefficients, &p->along_x, &p->along_y, nx,
                          ny, pitch, (int)(round == ROUNDS - 1), &nodes->trend, &p->residuals)));
cleanup:
    return status;
}

penta_status prepare_poly_run(prepare_poly *p, size_t n, prepare_nodes *nodes)
{
    penta_status status = PENTA_OK;

    for (int round = 0; round < ROUNDS; round++)
        TRY(one_round(p, n, nodes, round));
cleanup:
    return status;
}
