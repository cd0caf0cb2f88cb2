/* The first pass: mean, covariance, eigenvalues. */
#include "pca/run.h"

typedef struct {
    const job *job;
    penta_pca *plan;
} statistics;

static int add_rows(void *user, const penta_cube_rows *rows, size_t first)
{
    const statistics *s = user;

    (void)first;
    return penta_pca_add(s->plan, rows) == PENTA_OK ? CLI_OK : pca_fail_library(s->job);
}

static int solve(pca_run *run, penta_pca *plan)
{
    penta_pca_model solved;
    penta_io_error error = {""};

    if (penta_pca_solve(plan, &solved) != PENTA_OK)
        return pca_fail_library(&run->job);
    if (!penta_io_model_take(&run->model, &solved, penta_pca_cov_name(plan), pca_precision_name(run), &error))
        return job_fail_io(&run->job, &error);
    run->pixels = run->model.m.pixels;
    return CLI_OK;
}

/* Memory of a CPU device is that of the file's pages, which are there already. */
static bool may_keep(const pca_run *run)
{
    return penta_context_device(run->job.ctx)->type != PENTA_DEVICE_CPU;
}

int pca_analyse(pca_run *run)
{
    size_t pixels = run->about->rows * run->about->cols;
    statistics s = {.job = &run->job};
    penta_status status = penta_pca_create(run->job.ctx, run->about->bands, pixels, &run->options, &s.plan);
    double start;
    int code;

    if (status != PENTA_OK)
        return pca_fail_library(&run->job);
    if (penta_pca_scale_bands(s.plan, run->gain, run->offset) != PENTA_OK) {
        penta_pca_destroy(s.plan);
        return pca_fail_library(&run->job);
    }
    code = may_keep(run) && penta_pca_keep(s.plan, 0) != PENTA_OK ? pca_fail_library(&run->job) : CLI_OK;
    start = cli_seconds();
    code = code != CLI_OK ? code : pca_pass(&run->job, run->source, run->about->rows, "statistics", add_rows, &s);
    run->first_pass = cli_seconds() - start;
    code = code != CLI_OK ? code : solve(run, s.plan);
    if (code == CLI_OK && penta_pca_has_kept(s.plan)) {
        run->statistics = s.plan;
        penta_io_cube_rows_release(run->source);
    } else {
        penta_pca_destroy(s.plan);
    }
    return code;
}
