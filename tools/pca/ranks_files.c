/* Cubes and the preview of several ranks: rank 0 makes the files, and all write their rows into them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pca/members.h"
#include "shared/ranks.h"

/* ---- writers ---- */

/* Of rank 0, where its cubes are: for each a length, and so many bytes. */
static int tell_writers(const pca_run *run, char **out, size_t *size)
{
    penta_io_error error = {""};
    bool ok = true;

    *size = 0;
    *out = NULL;
    for (int i = 0; ok && i < PCA_CUBES; i++) {
        void *place = NULL;
        size_t bytes = 0;
        uint64_t length;
        char *grown;

        ok = !run->shared->writers[i] || penta_io_cube_share(run->shared->writers[i], &place, &bytes, &error);
        length = bytes;
        grown = ok ? realloc(*out, *size + sizeof length + bytes) : NULL;
        ok = grown != NULL;
        if (ok) {
            memcpy(grown + *size, &length, sizeof length);
            if (bytes > 0)
                memcpy(grown + *size + sizeof length, place, bytes);
            *size += sizeof length + bytes;
            *out = grown;
        }
        free(place);
    }
    return ok ? CLI_OK : job_fail_io(&run->job, &error);
}

static int join_writers(pca_run *run, const char *places)
{
    penta_io_error error = {""};
    bool ok = true;

    for (int i = 0; ok && i < PCA_CUBES; i++) {
        uint64_t length;

        memcpy(&length, places, sizeof length);
        places += sizeof length;
        ok = length == 0 || penta_io_cube_join(places, (size_t)length, &run->shared->writers[i], &error);
        places += length;
    }
    return ok ? CLI_OK : job_fail_io(&run->job, &error);
}

int pca_share_writers(pca_run *run)
{
    bool tells = ranks_rank() == 0;
    char *mine = NULL, *all = NULL;
    size_t size = 0;
    int code = CLI_OK;

    if (ranks_size() == 1)
        return pca_meet(run);
    if (tells)
        code = tell_writers(run, &mine, &size);
    code = ranks_exchange(code, mine, size, (void **)&all, NULL);
    if (code == CLI_OK && !tells)
        code = join_writers(run, all);
    free(mine);
    free(all);
    return code;
}

/* Before rank 0 looks at its files the others' rows are there. */
int pca_end_writers(pca_run *run)
{
    penta_io_cube_writer **writers = run->shared->writers;
    penta_io_error error = {""};
    bool ok = true;
    int code;

    if (ranks_size() == 1)
        return CLI_OK;
    for (int i = 0; ranks_rank() > 0 && i < PCA_CUBES; i++) {
        ok = (!writers[i] || penta_io_cube_finish(writers[i], &error)) && ok;
        writers[i] = NULL;
    }
    code = ranks_agree(ok ? CLI_OK : job_fail_io(&run->job, &error));
    for (int i = 0; code == CLI_OK && ranks_rank() == 0 && i < PCA_CUBES; i++)
        if (writers[i])
            penta_io_cube_count_rows(writers[i], run->about->rows - run->rows);
    return code;
}

/* ---- the preview ---- */

/* Bytes of the others to rank 0, and to nobody else: arrays of one entry a rank. */
static penta_status collect(penta_group *group, const void *mine, size_t bytes, void **all, size_t *sizes)
{
    size_t n = penta_group_size(group), *lengths = calloc(n, sizeof *lengths);
    const void **data = calloc(n, sizeof *data);
    penta_status status = PENTA_MEMORY;

    if (lengths && data) {
        data[0] = mine;
        lengths[0] = penta_group_rank(group) > 0 ? bytes : 0;
        status = penta_group_exchange(group, data, lengths, all, sizes);
    }
    free(lengths);
    free(data);
    return status;
}

static int add_previews(const pca_run *run, void *const *all, const size_t *sizes)
{
    bool ok = true;

    for (size_t i = 1; ok && i < ranks_size(); i++)
        ok = pca_preview_unpack(run->shared->preview, all[i], sizes[i]);
    return ok ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "a part of rgb.png came back from a rank in pieces");
}

int pca_join_previews(pca_run *run)
{
    size_t n = ranks_size(), size = 0, *sizes = NULL;
    void *mine = NULL, **all = NULL;
    int code;

    if (n == 1 || !run->shared->preview)
        return CLI_OK;
    sizes = calloc(n, sizeof *sizes);
    all = calloc(n, sizeof *all);
    if (ranks_rank() > 0)
        mine = pca_preview_pack(run->shared->preview, &size);
    code =
        sizes && all && (mine || ranks_rank() == 0) ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");
    code = ranks_agree(code);
    if (code == CLI_OK && collect(run->group, mine, size, all, sizes) != PENTA_OK)
        code = cli_fail_library(run->job.command, NULL, run->job.common.verbose);
    if (code == CLI_OK && ranks_rank() == 0)
        code = add_previews(run, all, sizes);
    for (size_t i = 0; all && i < n; i++)
        free(all[i]);
    free(all);
    free(sizes);
    free(mine);
    return code;
}
