/* Cubes and the preview of several ranks: rank 0 makes the files, and all write their rows into them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pca/members.h"
#include "shared/parcel.h"
#include "shared/ranks.h"

/* ---- writers ---- */

typedef bool (*writer_bytes)(const penta_io_cube_writer *writer, void **bytes, size_t *size, penta_io_error *err);

/* A parcel with a block for each cube, empty where it is not written. */
static int tell_writers(const pca_run *run, writer_bytes tell, void **out, size_t *size)
{
    penta_io_error error = {""};
    bool ok = true;
    parcel p;

    parcel_begin(&p);
    for (int i = 0; ok && p.out && i < PCA_CUBES; i++) {
        void *bytes = NULL;
        size_t length = 0;

        ok = !run->shared->writers[i] || tell(run->shared->writers[i], &bytes, &length, &error);
        parcel_put_block(p.out, bytes, length);
        free(bytes);
    }
    ok = parcel_end(&p, out, size) && ok;
    return ok ? CLI_OK : job_fail_io(&run->job, &error);
}

static int join_writers(pca_run *run, const void *places, size_t size)
{
    parcel_reader r = parcel_read(places, size);
    penta_io_error error = {""};
    bool ok = true;

    for (int i = 0; ok && i < PCA_CUBES; i++) {
        size_t length;
        void *place = parcel_get_block(&r, &length);

        ok = r.ok && (!place || penta_io_cube_join(place, length, &run->shared->writers[i], &error));
        free(place);
    }
    return ok ? CLI_OK : job_fail_io(&run->job, &error);
}

int pca_share_writers(pca_run *run)
{
    bool tells = ranks_rank() == 0;
    void *mine = NULL, *all = NULL;
    size_t size = 0, *sizes;
    int code;

    if (ranks_size() == 1)
        return pca_meet(run);
    sizes = calloc(ranks_size(), sizeof *sizes);
    code = sizes ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");
    if (tells && code == CLI_OK)
        code = tell_writers(run, penta_io_cube_share, &mine, &size);
    code = ranks_exchange(code, mine, size, &all, sizes);
    if (code == CLI_OK && !tells)
        code = join_writers(run, all, sizes[0]); /* which alone has bytes */
    free(mine);
    free(all);
    free(sizes);
    return code;
}

/* ---- bytes of the other ranks ---- */

/* One after another, by rank; rank 0 gives none. */
typedef struct {
    char *bytes;
    size_t *sizes;
} collected;

static void release(collected *c)
{
    free(c->bytes);
    free(c->sizes);
}

/* code: what this rank has to say so far. An exit code; release *out in any case. */
static int collect(const pca_run *run, int code, const void *mine, size_t size, collected *out)
{
    *out = (collected){NULL, calloc(ranks_size(), sizeof *out->sizes)};
    if (code == CLI_OK && !out->sizes)
        code = cli_fail(run->job.command, CLI_ERROR, "out of memory");
    return ranks_exchange(code, mine, size, (void **)&out->bytes, out->sizes);
}

/* ---- the end of the cubes ---- */

/* An account of each cube that this rank has joined, whose rows are there then. */
static int end_joined(const pca_run *run, void **accounts, size_t *size)
{
    penta_io_cube_writer **writers = run->shared->writers;
    penta_io_error error = {""};
    int code = tell_writers(run, penta_io_cube_account, accounts, size);

    for (int i = 0; i < PCA_CUBES; i++) {
        if (writers[i] && !penta_io_cube_finish(writers[i], &error) && code == CLI_OK)
            code = job_fail_io(&run->job, &error);
        writers[i] = NULL;
    }
    return code;
}

static void take_accounts(const pca_run *run, const void *bytes, size_t size)
{
    parcel_reader r = parcel_read(bytes, size);

    for (int i = 0; i < PCA_CUBES; i++) {
        size_t length;
        void *account = parcel_get_block(&r, &length);

        if (account && run->shared->writers[i])
            penta_io_cube_take_account(run->shared->writers[i], account, length);
        free(account);
    }
}

/* What the others have written into rank 0's cubes, and that it is all. */
static void count_others(const pca_run *run, const collected *c)
{
    const char *at = c->bytes;

    for (size_t rank = 0; rank < ranks_size(); at += c->sizes[rank++])
        if (rank > 0)
            take_accounts(run, at, c->sizes[rank]);
    for (int i = 0; i < PCA_CUBES; i++)
        if (run->shared->writers[i])
            penta_io_cube_count_rows(run->shared->writers[i], run->about->rows - run->rows);
}

/* Before rank 0 looks at its files the others' rows are there. */
int pca_end_writers(pca_run *run)
{
    void *mine = NULL;
    size_t size = 0;
    collected c;
    int code = CLI_OK;

    if (ranks_size() == 1)
        return CLI_OK;
    if (ranks_rank() > 0)
        code = end_joined(run, &mine, &size);
    code = collect(run, code, mine, size, &c);
    if (code == CLI_OK && ranks_rank() == 0)
        count_others(run, &c);
    release(&c);
    free(mine);
    return code;
}

/* ---- the preview ---- */

static int add_previews(const pca_run *run, const collected *c)
{
    const char *at = c->bytes;
    bool ok = true;

    for (size_t i = 0; ok && i < ranks_size(); at += c->sizes[i++])
        ok = i == 0 || pca_preview_unpack(run->shared->preview, at, c->sizes[i]);
    return ok ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "a part of rgb.png came back from a rank in pieces");
}

int pca_join_previews(pca_run *run)
{
    size_t size = 0;
    void *mine = NULL;
    collected c;
    int code = CLI_OK;

    if (ranks_size() == 1 || !run->shared->preview)
        return CLI_OK;
    if (ranks_rank() > 0) {
        mine = pca_preview_pack(run->shared->preview, &size);
        code = mine ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");
    }
    code = collect(run, code, mine, size, &c);
    if (code == CLI_OK && ranks_rank() == 0)
        code = add_previews(run, &c);
    release(&c);
    free(mine);
    return code;
}
