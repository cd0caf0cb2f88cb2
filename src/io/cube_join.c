/* Cubes that another process has created: rows go straight to their place in its file. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "io/cube_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before the two texts. */
typedef struct {
    uint64_t bands, rows, cols, type, data_at, little;
    uint64_t lengths[2]; /* of the name for messages, and of the file, with their ends */
} told_cube;

typedef struct {
    int fd;
    io_cube_place place;
} joined_state;

/* ---- where it is ---- */

bool penta_io_cube_share(const penta_io_cube_writer *writer, void **bytes, size_t *size, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    io_cube_place place = {0};
    told_cube told;
    char *out;

    *bytes = NULL;
    *size = 0;
    if (!writer->output->place || !writer->output->place(writer, &place))
        return penta_io_fail(err, "%s: this format is written by one process; write NPY or ENVI", writer->path);
    told = (told_cube){a->bands,
                       a->rows,
                       a->cols,
                       a->type,
                       place.data_at,
                       place.little,
                       {strlen(writer->path) + 1, strlen(place.file) + 1}};
    *size = sizeof told + told.lengths[0] + told.lengths[1];
    out = malloc(*size);
    if (!out)
        return penta_io_fail(err, "%s: out of memory", writer->path);
    memcpy(out, &told, sizeof told);
    memcpy(out + sizeof told, writer->path, told.lengths[0]);
    memcpy(out + sizeof told + told.lengths[0], place.file, told.lengths[1]);
    *bytes = out;
    return true;
}

static bool is_whole(const told_cube *told, const char *texts, size_t size)
{
    return told->lengths[0] > 0 && told->lengths[1] > 0 && told->lengths[0] < size &&
           told->lengths[1] == size - told->lengths[0] && texts[told->lengths[0] - 1] == 0 && texts[size - 1] == 0;
}

bool penta_io_cube_join(const void *bytes, size_t size, penta_io_cube_writer **out, penta_io_error *err)
{
    const char *texts = (const char *)bytes + sizeof(told_cube);
    penta_io_cube_writer *writer = NULL;
    joined_state *j;
    told_cube told;

    *out = NULL;
    if (size >= sizeof told)
        memcpy(&told, bytes, sizeof told);
    if (size < sizeof told || !is_whole(&told, texts, size - sizeof told))
        return penta_io_fail(err, "what is told of another process's cube is not whole");
    writer = calloc(1, sizeof *writer);
    if (writer) {
        writer->output = &io_cube_joined_output;
        writer->joined = true;
        writer->about = (penta_io_cube_info){.bands = (size_t)told.bands,
                                             .rows = (size_t)told.rows,
                                             .cols = (size_t)told.cols,
                                             .type = (penta_type)told.type};
        writer->path = strdup(texts);
        writer->state = j = calloc(1, sizeof *j);
        if (j)
            j->fd = -1;
    }
    if (!writer || !writer->path || !writer->state) {
        penta_io_fail(err, "%s: out of memory", texts);
        goto cleanup;
    }
    j->place = (io_cube_place){.data_at = told.data_at, .little = told.little != 0};
    j->fd = open(texts + told.lengths[0], O_WRONLY | O_CLOEXEC);
    if (j->fd < 0) {
        penta_io_fail(err, "%s: what another process has begun there cannot be opened (%s): %s", texts,
                      texts + told.lengths[0], strerror(errno));
        goto cleanup;
    }
    *out = writer;
    writer = NULL;
cleanup:
    penta_io_cube_abandon(writer);
    return *out != NULL;
}

/* ---- writing ---- */

static bool joined_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                         penta_io_error *err)
{
    const joined_state *j = writer->state;

    return io_cube_put_rows(writer, j->fd, &j->place, first, count, data, stride, err);
}

static bool joined_finish(penta_io_cube_writer *writer, penta_io_error *err)
{
    joined_state *j = writer->state;
    bool synced = fsync(j->fd) == 0 || errno == EINVAL || errno == ENOTSUP;
    int code = synced ? 0 : errno;

    if (close(j->fd) != 0 && code == 0)
        code = errno;
    j->fd = -1;
    return code == 0 || penta_io_fail(err, "%s: cannot be written: %s", writer->path, strerror(code));
}

static void joined_abandon(penta_io_cube_writer *writer)
{
    joined_state *j = writer->state;

    if (j && j->fd >= 0)
        close(j->fd);
    free(j);
}

const io_cube_output io_cube_joined_output = {
    .write = joined_write, .finish = joined_finish, .abandon = joined_abandon};
