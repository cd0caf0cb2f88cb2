/*
 * --resume: what the first pass over the cube has found is kept when it ends, so that a run that ends in the second one
 * need not read the cube for it again. Of a run that is done the same is kept, for its answer.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "pca/members.h"
#include "shared/parcel.h"
#include "shared/ranks.h"

/* A first pass that took less is made again: s. */
static const double least_pass = 5;

/* ---- the model as bytes, none of them by chance ---- */

enum { ARRAYS = 8 };

typedef struct {
    double **at;
    size_t count;
} array;

static void arrays_of(penta_pca_model *m, array arrays[ARRAYS])
{
    size_t n = m->bands, k = m->components;
    const array all[ARRAYS] = {{&m->mean, n},    {&m->deviation, n},    {&m->covariance, n * n}, {&m->eigenvalues, n},
                               {&m->percent, n}, {&m->loadings, k * n}, {&m->forward, k * n},    {&m->inverse, n * k}};

    memcpy(arrays, all, sizeof all);
}

typedef struct {
    uint64_t bands, components, pixels, clipped;
    int32_t kind, ddof, standardize, whiten;
    double rounding;
} head;

static bool pack(const pca_run *run, void **bytes, size_t *size)
{
    penta_pca_model m = run->model.m;
    const head h = {m.bands, m.components, m.pixels, run->clipped, m.kind, m.ddof, m.standardize, m.whiten, m.rounding};
    array arrays[ARRAYS];
    parcel p;

    arrays_of(&m, arrays);
    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, &h, sizeof h);
        parcel_put_text(p.out, run->model.cov);
        for (size_t i = 0; i < ARRAYS; i++)
            parcel_put_block(p.out, *arrays[i].at, arrays[i].count * sizeof(double));
    }
    return parcel_end(&p, bytes, size);
}

/* For so many bands; *cov to be freed. */
static bool unpack(const void *bytes, size_t size, size_t bands, penta_pca_model *m, char **cov, uint64_t *clipped)
{
    parcel_reader r = parcel_read(bytes, size);
    array arrays[ARRAYS];
    head h;

    parcel_get(&r, &h, sizeof h);
    *cov = parcel_get_text(&r);
    *m = (penta_pca_model){.bands = (size_t)h.bands,
                           .components = (size_t)h.components,
                           .pixels = h.pixels,
                           .kind = h.kind,
                           .ddof = h.ddof,
                           .standardize = h.standardize != 0,
                           .whiten = h.whiten != 0,
                           .rounding = h.rounding};
    *clipped = h.clipped;
    r.ok = r.ok && *cov && h.bands == bands && h.components <= h.bands;
    arrays_of(m, arrays);
    for (size_t i = 0; r.ok && i < ARRAYS; i++) {
        size_t got;

        *arrays[i].at = parcel_get_block(&r, &got);
        r.ok = r.ok && got == arrays[i].count * sizeof(double);
    }
    return r.ok;
}

/* ---- keeping ---- */

static bool keep(const pca_run *run, bool complete, penta_io_error *err)
{
    void *bytes = NULL;
    size_t size = 0;
    bool ok = pca_has_model(run) || pack(run, &bytes, &size) || penta_io_fail(err, "out of memory for the model");

    ok = ok && resume_keep(run->resume, run->job.run, !complete, complete, false, bytes, size, err);
    free(bytes);
    return ok;
}

void pca_keep_model(const pca_run *run)
{
    double least = resume_interval() < least_pass ? resume_interval() : least_pass;
    penta_io_error error = {""};

    if (ranks_rank() == 0 && pca_leads(run) && run->first_pass >= least && !keep(run, false, &error))
        job_warn(&run->job, "%s; a run that ends early cannot be gone on with", error.text);
}

int pca_keep_all(const pca_run *run)
{
    penta_io_error error = {""};

    return keep(run, true, &error) ? CLI_OK : job_fail_io(&run->job, &error);
}

/* ---- going on ---- */

static int is_foreign(const pca_run *run)
{
    return cli_fail(run->job.command, CLI_ERROR, "--resume: the record in %s is of another build of penta",
                    run->job.common.output);
}

/* On every rank. */
static int take_model(pca_run *run, const void *bytes, size_t size)
{
    penta_io_error error = {""};
    penta_pca_model m;
    char *cov = NULL;
    int code = CLI_OK;

    if (!unpack(bytes, size, run->about->bands, &m, &cov, &run->clipped))
        code = is_foreign(run);
    else if (!penta_io_model_take(&run->model, &m, cov, pca_precision_name(run), &error))
        code = job_fail_io(&run->job, &error);
    penta_pca_model_free(&m);
    free(cov);
    run->pixels = run->model.m.pixels;
    run->goes_on = code == CLI_OK;
    return code;
}

/* Of rank 0: what others are told. */
static int read_before(pca_run *run, uint8_t *done)
{
    resume *r = run->resume;
    int code = resume_read(r);

    code = code != CLI_OK ? code : resume_refuse_changed(r);
    if (code != CLI_OK)
        return code;
    penta_io_run_sweep(run->job.run);
    *done = r->found && r->complete && resume_has_all(r);
    if (!r->found)
        resume_note_nothing(r);
    else if (*done)
        job_note(&run->job, "--resume: all is done in %s", r->directory);
    else if (!r->complete && r->own)
        job_note(&run->job, "--resume: the statistics are there; goes on with the components");
    return CLI_OK;
}

/* The line of this run; beside the cube there may be a header, as FILE.hdr or for FILE.img as FILE.hdr. */
static int begin(pca_run *run)
{
    const char *path = run->path, *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    char *names[3] = {malloc(strlen(path) + 5), malloc(stem + 5), NULL};
    int code;

    if (names[0] && names[1]) {
        snprintf(names[0], strlen(path) + 5, "%s.hdr", path);
        snprintf(names[1], stem + 5, "%.*s.hdr", (int)stem, path);
        code = resume_begin(run->resume, &run->job, NULL, (const char *const *)names);
        run->resume->others = NULL;
    } else {
        code = cli_fail(run->job.command, CLI_ERROR, "out of memory");
    }
    free(names[0]);
    free(names[1]);
    return code;
}

int pca_begin_resume(pca_run *run)
{
    resume *r = run->resume;
    uint8_t done = 0, *flags = NULL;
    void *bytes = NULL;
    size_t size = 0, *sizes = calloc(ranks_size(), sizeof *sizes);
    int code = sizes ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    if (code == CLI_OK && ranks_rank() == 0)
        code = begin(run);
    if (!run->job.again) {
        free(sizes);
        return code;
    }
    if (code == CLI_OK && ranks_rank() == 0)
        code = read_before(run, &done);
    code = ranks_exchange(code, &done, sizeof done, (void **)&flags, NULL);
    if (code == CLI_OK && ranks_rank() == 0 && r->found && (done || !r->complete))
        size = r->own_size;
    code = ranks_exchange(code, r->own, size, &bytes, sizes);
    if (code == CLI_OK && !pca_has_model(run) && sizes[0] > 0)
        code = take_model(run, bytes, sizes[0]);
    run->is_done = code == CLI_OK && flags[0];
    free(flags);
    free(bytes);
    free(sizes);
    return code;
}
