/* The first pass: mean, covariance, eigenvalues. */
#include <stdlib.h>

#include "pca/members.h"

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

/* The member that leads tells the whole of it; others need the maps. */
static int take_model(pca_run *run, penta_pca *plan, penta_pca_model *solved)
{
    penta_io_error error = {""};

    if (!pca_leads(run))
        run->model.m = *solved;
    else if (!penta_io_model_take(&run->model, solved, penta_pca_cov_name(plan), pca_precision_name(run), &error))
        return job_fail_io(&run->job, &error);
    run->pixels = run->model.m.pixels;
    pca_keep_model(run);
    return CLI_OK;
}

static int solve(pca_run *run, penta_pca *plan)
{
    penta_pca_model solved;
    penta_status status;
    int code = pca_agree();

    if (code != CLI_OK)
        return code;
    status = penta_pca_solve(plan, &solved);

    run->cancelled |= status == PENTA_CANCELLED;
    if (status == PENTA_CANCELLED)
        code = pca_agree(); /* another rank says why */
    if (code != CLI_OK)
        return code;
    return status == PENTA_OK ? take_model(run, plan, &solved) : pca_fail_library(&run->job);
}

/* Memory of a CPU device is that of the file's pages, which are there already. */
static bool may_keep(const pca_run *run)
{
    return penta_context_device(run->job.ctx)->type != PENTA_DEVICE_CPU;
}

static int begin(pca_run *run, penta_pca *plan)
{
    const penta_io_cube_info *about = run->about;
    penta_status status = penta_pca_scale_bands(plan, run->gain, run->offset);
    int code = status == PENTA_OK ? pca_agree() : pca_fail_library(&run->job);

    if (code != CLI_OK)
        return code;
    run->part = (penta_pca_part){.pixels = (uint64_t)about->rows * about->cols, .rows = about->rows};
    if (run->group)
        status = penta_pca_join(plan, run->group, about->rows, about->cols, about->type, &run->part);
    run->cancelled |= status == PENTA_CANCELLED;
    if (status == PENTA_OK && may_keep(run))
        status = penta_pca_keep(plan, 0);
    return status == PENTA_OK ? CLI_OK : pca_fail_library(&run->job);
}

/* Whether the pixels stay where they are: on every device, or else rows are divided anew. */
static int ask_kept(pca_run *run, penta_pca *plan, bool *kept)
{
    char *all = NULL, mine = (char)(run->part.pixels == 0 || penta_pca_has_kept(plan));
    int code;

    *kept = mine;
    if (!run->group)
        return CLI_OK;
    code = pca_gather(run, &mine, sizeof mine, (void **)&all);
    for (size_t i = 0; code == CLI_OK && i < penta_group_size(run->group); i++)
        *kept = *kept && all[i];
    free(all);
    return code;
}

static int analyse(pca_run *run, penta_pca *plan, bool *kept)
{
    statistics s = {&run->job, plan};
    int code = begin(run, plan);
    double start = cli_seconds();

    if (code == CLI_OK)
        code = pca_pass(&run->job, run->source, run->part.first_row, run->part.rows,
                        pca_leads(run) ? "statistics" : NULL, add_rows, &s);
    run->first_pass = cli_seconds() - start;
    code = code != CLI_OK ? code : solve(run, plan);
    if (code == CLI_OK && run->job.shares)
        run->job.shares[pca_rank(run)] += (size_t)run->part.pixels;
    return code != CLI_OK ? code : ask_kept(run, plan, kept);
}

int pca_analyse(pca_run *run)
{
    size_t pixels = run->about->rows * run->about->cols;
    penta_pca *plan = NULL;
    bool kept = false;
    int code = penta_pca_create(run->job.ctx, run->about->bands, pixels, &run->options, &plan) == PENTA_OK
                   ? analyse(run, plan, &kept)
                   : pca_fail_library(&run->job);

    if (code == CLI_OK && kept) {
        run->statistics = plan;
        penta_io_cube_rows_release(run->source);
    } else {
        penta_pca_destroy(plan);
    }
    return code;
}

/* The first row that begins at this pixel or behind it; that behind the last where there is none: members that have no
 * slab of the cube begin behind its end. */
static size_t row_from(const pca_run *run, uint64_t pixel)
{
    size_t row = (size_t)((pixel + run->about->cols - 1) / run->about->cols);

    return row < run->about->rows ? row : run->about->rows;
}

/* Those whose pixels stayed with the member, of the last one perhaps the beginning; or an even share. */
void pca_choose_rows(pca_run *run)
{
    run->first_row = 0;
    run->rows = run->about->rows;
    if (run->group && run->statistics) {
        run->first_row = row_from(run, run->part.first);
        run->rows = run->part.pixels ? row_from(run, run->part.first + run->part.pixels) - run->first_row : 0;
    } else if (run->group) {
        penta_group_slice(run->group, pca_rank(run), run->about->rows, &run->first_row, &run->rows);
    }
    if (run->job.shares)
        run->job.shares[pca_rank(run)] += run->rows * run->about->cols;
}
