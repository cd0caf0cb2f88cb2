/*
 * --resume: what the first pass over the cube has found is kept when it ends, so that a run that ends in the second one
 * need not read the cube for it again. Of a run that is done the same is kept, for its answer.
 */
#include <stdlib.h>
#include <string.h>

#include "pca/members.h"
#include "shared/parcel.h"
#include "shared/ranks.h"

/* A first pass that took less is made again: s. */
static const double least_pass = 5;

/* ---- the model, and what the command knows of it ---- */

static bool pack(const pca_run *run, void **bytes, size_t *size)
{
    void *model = NULL;
    size_t model_size = 0;
    parcel p;

    if (penta_pca_model_pack(&run->model.m, &model, &model_size) != PENTA_OK)
        return false;
    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, &run->clipped, sizeof run->clipped);
        parcel_put_text(p.out, run->model.cov);
        parcel_put_block(p.out, model, model_size);
    }
    free(model);
    return parcel_end(&p, bytes, size);
}

/* For so many bands; *cov to be freed. */
static bool unpack(const void *bytes, size_t size, size_t bands, penta_pca_model *m, char **cov, uint64_t *clipped)
{
    parcel_reader r = parcel_read(bytes, size);
    size_t model_size = 0;
    void *model;
    bool ok;

    *m = (penta_pca_model){0};
    parcel_get(&r, clipped, sizeof *clipped);
    *cov = parcel_get_text(&r);
    model = parcel_get_block(&r, &model_size);
    ok = r.ok && *cov && penta_pca_model_unpack(model, model_size, m) == PENTA_OK && m->bands == bands;
    free(model);
    return ok;
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
