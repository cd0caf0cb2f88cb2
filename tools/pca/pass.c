#include "pca/pass.h"

#include "shared/progress.h"
#include "shared/stages.h"

typedef struct {
    const job *job;
    size_t first, rows;
    pca_use use;
    void *user;
    progress bar;
    int code;
} pass;

static int interrupted(const job *j)
{
    return cli_fail(j->command, CLI_ERROR, "interrupted; nothing was written");
}

int pca_fail_library(const job *j)
{
    return cli_interrupted() ? interrupted(j) : job_fail_library(j);
}

static bool use_rows(void *user, const penta_cube_rows *rows, size_t first)
{
    pass *p = user;

    if (cli_interrupted()) {
        progress_end(&p->bar);
        p->code = interrupted(p->job);
        return false;
    }
    (void)stages_enter(STAGE_COMPUTE);
    p->code = p->use(p->user, rows, first);
    (void)stages_enter(STAGE_READ);
    progress_update(&p->bar, (double)(first - p->first + rows->rows), (double)p->rows);
    return p->code == CLI_OK;
}

int pca_pass(const job *j, penta_io_cube_rows *source, size_t first, size_t rows, const char *title, pca_use use,
             void *user)
{
    pass p = {.job = j, .first = first, .rows = rows, .use = use, .user = user};
    stage before = stages_enter(STAGE_READ);
    penta_io_error error;
    bool ok;

    progress_begin(&p.bar, title, "rows", j->common.quiet || !title);
    penta_io_cube_rows_part(source, first, rows);
    ok = penta_io_cube_rows_pass(source, use_rows, &p, &error);
    progress_end(&p.bar);
    (void)stages_enter(before);
    return ok || p.code != CLI_OK ? p.code : job_fail_io(j, &error);
}
