/* Cubes that another process has created: rows go straight to their place in its file. */
#define _FILE_OFFSET_BITS 64

#include "io/cube_format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What another process is told; where the file is follows, as penta_io_shared_file_tell says it. */
typedef struct {
    uint64_t bands, rows, cols, type, little;
} told_cube;

typedef struct {
    penta_io_shared_file *file;
    bool little;
} joined_state;

/* ---- where it is ---- */

/* A file that somebody else makes, perhaps not yet as large as it will be. */
static bool tell_place(const penta_io_cube_writer *writer, const io_cube_place *place, void **bytes, size_t *size,
                       penta_io_error *err)
{
    uint64_t all = place->data_at + io_cube_bytes(&writer->about);
    struct stat st;

    if (stat(place->file, &st) == 0 && (uint64_t)st.st_size < all)
        (void)!truncate(place->file, (off_t)all); /* where it fails nobody can join */
    return io_tell_file(writer->path, place->file, all, place->data_at, bytes, size, err);
}

bool penta_io_cube_share(const penta_io_cube_writer *writer, void **bytes, size_t *size, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    io_cube_place place = {0};
    told_cube told;
    void *file;
    char *out;

    *bytes = NULL;
    *size = 0;
    if (!writer->output->place || !writer->output->place(writer, &place))
        return penta_io_fail(err, "%s: this format is written by one process; write NPY or ENVI", writer->path);
    if (!tell_place(writer, &place, &file, size, err))
        return false;
    told = (told_cube){a->bands, a->rows, a->cols, a->type, place.little};
    *bytes = out = malloc(sizeof told + *size);
    if (out) {
        memcpy(out, &told, sizeof told);
        memcpy(out + sizeof told, file, *size);
    }
    *size += sizeof told;
    free(file);
    return out || penta_io_fail(err, "%s: out of memory", writer->path);
}

static penta_io_cube_writer *make_writer(const told_cube *told, penta_io_shared_file *file)
{
    penta_io_cube_writer *writer = calloc(1, sizeof *writer);
    joined_state *j = calloc(1, sizeof *j);

    if (!writer || !j || !(writer->path = strdup(io_shared_file_path(file)))) {
        free(writer);
        free(j);
        return NULL;
    }
    *j = (joined_state){file, told->little != 0};
    writer->output = &io_cube_joined_output;
    writer->joined = true;
    writer->about = (penta_io_cube_info){.bands = (size_t)told->bands,
                                         .rows = (size_t)told->rows,
                                         .cols = (size_t)told->cols,
                                         .type = (penta_type)told->type};
    io_parts_init(&writer->parts);
    writer->state = j;
    return writer;
}

bool penta_io_cube_join(const void *bytes, size_t size, penta_io_cube_writer **out, penta_io_error *err)
{
    const char *place = (const char *)bytes + sizeof(told_cube);
    penta_io_shared_file *file;
    told_cube told;

    *out = NULL;
    if (size < sizeof told)
        return penta_io_fail(err, "what is told of another process's cube is not whole");
    memcpy(&told, bytes, sizeof told);
    if (!penta_io_shared_file_join(place, size - sizeof told, &file, err))
        return false;
    if (!file)
        return penta_io_fail(err, "%s: what another process has begun there cannot be opened", io_told_path(place));
    *out = make_writer(&told, file);
    if (!*out)
        penta_io_shared_file_abandon(file);
    return *out || penta_io_fail(err, "%s: out of memory", io_told_path(place));
}

/* ---- writing ---- */

static bool joined_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                         penta_io_error *err)
{
    const joined_state *j = writer->state;

    return io_cube_put_rows(writer, j->file, j->little, first, count, data, stride, err);
}

static bool joined_finish(penta_io_cube_writer *writer, penta_io_error *err)
{
    joined_state *j = writer->state;
    penta_io_shared_file *file = j->file;

    j->file = NULL;
    return penta_io_shared_file_leave(file, err);
}

static void joined_abandon(penta_io_cube_writer *writer)
{
    joined_state *j = writer->state;

    penta_io_shared_file_abandon(j->file);
    free(j);
}

const io_cube_output io_cube_joined_output = {
    .write = joined_write, .finish = joined_finish, .abandon = joined_abandon};

/* ---- what was written ---- */

bool penta_io_cube_account(const penta_io_cube_writer *writer, void **bytes, size_t *size, penta_io_error *err)
{
    const io_parts *p = &writer->parts;

    *size = p->lost ? 0 : p->count * sizeof *p->items;
    *bytes = malloc(*size + 1);
    if (!*bytes)
        return penta_io_fail(err, "%s: out of memory", writer->path);
    if (*size > 0)
        memcpy(*bytes, p->items, *size);
    return true;
}

void penta_io_cube_take_account(penta_io_cube_writer *writer, const void *bytes, size_t size)
{
    if (size > 0)
        io_parts_add(&writer->parts, bytes, size / sizeof(penta_io_part));
}
