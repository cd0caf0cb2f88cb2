/* The first pass: mean, covariance, eigenvalues. */
#include <stdio.h>

#include "pca/run.h"

typedef struct {
    const job *job;
    penta_pca *plan;
} statistics;

static int add_rows(void *user, const penta_cube_rows *rows, size_t first)
{
    const statistics *s = user;

    (void)first;
    return penta_pca_add(s->plan, rows) == PENTA_OK ? CLI_OK : cube_fail_library(s->job);
}

static int solve(cube_run *run, penta_pca *plan)
{
    cube_model *c = &run->model;

    if (penta_pca_solve(plan, &c->m) != PENTA_OK)
        return cube_fail_library(&run->job);
    penta_pca_residuals(&c->m, &c->orthogonality, &c->residual);
    snprintf(c->cov, sizeof c->cov, "%s", penta_pca_cov_name(plan));
    snprintf(c->precision, sizeof c->precision, "%s",
             run->options.precision == PENTA_PRECISION_SINGLE ? "single" : "double");
    run->pixels = c->m.pixels;
    return CLI_OK;
}

int cube_analyse(cube_run *run)
{
    size_t pixels = run->about->rows * run->about->cols;
    statistics s = {.job = &run->job};
    penta_status status = penta_pca_create(run->job.ctx, run->about->bands, pixels, &run->options, &s.plan);
    int code;

    if (status != PENTA_OK) { /* options that contradict one another are wrong usage, too */
        code = cube_fail_library(&run->job);
        return status == PENTA_INVALID ? CLI_USAGE : code;
    }
    code = cube_pass(run->source, "statistics", add_rows, &s);
    code = code != CLI_OK ? code : solve(run, s.plan);
    penta_pca_destroy(s.plan);
    return code;
}
