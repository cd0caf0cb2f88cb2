/* Files of a run that another process commits: what it is told of them. */
#include "io/run_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before the three texts of a file. */
typedef struct {
    uint64_t lengths[3]; /* of name, target and temporary, with their ends */
    uint64_t bytes, sum;
    int64_t seconds, nanoseconds;
} told_file;

void penta_io_run_mark(uint64_t mark)
{
    io_staging_mark(mark);
}

static bool put_file(FILE *out, const io_staged *f)
{
    const char *texts[3] = {f->name, f->target, f->temporary};
    told_file told = {.bytes = f->bytes, .sum = f->sum, .seconds = f->time.tv_sec, .nanoseconds = f->time.tv_nsec};
    bool ok;

    for (int i = 0; i < 3; i++)
        told.lengths[i] = strlen(texts[i]) + 1;
    ok = fwrite(&told, sizeof told, 1, out) == 1;
    for (int i = 0; ok && i < 3; i++)
        ok = fwrite(texts[i], (size_t)told.lengths[i], 1, out) == 1;
    return ok;
}

bool penta_io_run_take(penta_io_run *run, uint64_t mark, void **bytes, size_t *size, penta_io_error *err)
{
    io_staged *files = io_staging_take_marked(io_run_staging(run), mark);
    char *text = NULL;
    FILE *out;
    bool ok;

    *bytes = NULL;
    *size = 0;
    if (!files)
        return true;
    out = open_memstream(&text, size);
    ok = out != NULL;
    for (const io_staged *f = files; ok && f; f = f->next)
        ok = put_file(out, f);
    ok = out && fclose(out) == 0 && ok;
    if (ok) {
        io_staging_told(io_run_staging(run), files);
        *bytes = text;
    } else {
        io_staged_remove(files);
        free(text);
    }
    return ok || penta_io_fail(err, "out of memory for the names of files");
}

void penta_io_run_let_go(penta_io_run *run, uint64_t mark)
{
    io_staging_settle(io_run_staging(run), mark);
}

static char *copy_text(const char *at, uint64_t length)
{
    return length > 0 && at[length - 1] == 0 ? strdup(at) : NULL;
}

io_staged *io_run_told_file(const char *at, size_t size, size_t *used)
{
    told_file told;
    io_staged *f;
    size_t left;

    *used = 0;
    if (size < sizeof told)
        return NULL;
    left = size - sizeof told;
    memcpy(&told, at, sizeof told);
    at += sizeof told;
    for (int i = 0; i < 3; i++) {
        if (told.lengths[i] > left)
            return NULL;
        left -= (size_t)told.lengths[i];
    }
    f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->name = copy_text(at, told.lengths[0]);
    f->target = copy_text(at + told.lengths[0], told.lengths[1]);
    f->temporary = copy_text(at + told.lengths[0] + told.lengths[1], told.lengths[2]);
    f->bytes = told.bytes;
    f->sum = told.sum;
    f->time = (struct timespec){.tv_sec = (time_t)told.seconds, .tv_nsec = (long)told.nanoseconds};
    if (!f->name || !f->target || !f->temporary) {
        io_staged_free(f, false);
        return NULL;
    }
    *used = size - left;
    return f;
}

/* The same with its entry. */
static io_staged *get_file(const char *at, size_t size, size_t *used)
{
    io_staged *f = io_run_told_file(at, size, used);

    if (f)
        f->pending = penta_io_pending_file(f->temporary);
    if (!f || f->pending)
        return f;
    io_staged_free(f, false);
    return NULL;
}

bool penta_io_run_give(penta_io_run *run, const void *bytes, size_t size, penta_io_error *err)
{
    const char *at = bytes;

    for (size_t used; size > 0; at += used, size -= used) {
        io_staged *f = get_file(at, size, &used);

        if (!f || !io_staging_give(io_run_staging(run), f)) {
            if (f)
                io_staged_free(f, true);
            return penta_io_fail(err, "out of memory for the files of another process");
        }
    }
    return true;
}

void penta_io_run_discard(const void *bytes, size_t size)
{
    const char *at = bytes;

    for (size_t used; size > 0; at += used, size -= used) {
        io_staged *f = get_file(at, size, &used);

        if (!f)
            return;
        io_staged_free(f, true);
    }
}
