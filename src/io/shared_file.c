/* Files that several processes write together: parts go to their places in a temporary file as large as the whole. */
#define _FILE_OFFSET_BITS 64
#include "io/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checksum.h"
#include "io/npy_format.h"
#include "io/output.h"
#include "io/parallel.h"
#include "io/parts.h"

enum { PIECE_BYTES = 1 << 20, MACHINE_BYTES = 64 };

struct penta_io_shared_file {
    penta_io_output *output; /* of the process that began it */
    char *path;              /* for messages */
    int fd;                  /* -1: none */
    uint64_t bytes, data_at;
    bool joined, elsewhere; /* another process has begun it, on another machine */
};

/* What another process is told; two texts follow. */
typedef struct {
    uint64_t bytes, data_at;
    uint64_t lengths[2];         /* of the name for messages, and of the file, with their ends */
    char machine[MACHINE_BYTES]; /* "": unknown */
} told_file;

/* The same for all processes of a machine until it starts again. */
static void name_machine(char name[MACHINE_BYTES])
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

    memset(name, 0, MACHINE_BYTES);
    if (f && !fgets(name, MACHINE_BYTES, f))
        *name = 0;
    if (f)
        fclose(f);
}

/* ---- beginning and joining ---- */

/* The file gets its whole size; a device, such as /dev/full, has none. */
static bool make_room(const penta_io_shared_file *f, penta_io_error *err)
{
    if (io_output_file(f->output))
        return ftruncate(f->fd, (off_t)f->bytes) == 0 || io_write_failed(f->path, errno, err);
    return lseek(f->fd, 0, SEEK_CUR) == 0 || penta_io_fail(err, "%s: is no file; name a file", f->path);
}

bool io_shared_file_begin(const char *path, uint64_t bytes, uint64_t data_at, penta_io_shared_file **out,
                          penta_io_error *err)
{
    penta_io_shared_file *f = calloc(1, sizeof *f);
    bool ok;

    *out = NULL;
    if (f)
        f->path = strdup(path);
    ok = (f && f->path) || penta_io_fail(err, "%s: out of memory", path);
    if (f)
        f->fd = -1;
    ok = ok && penta_io_output_open(path, &f->output, err);
    if (ok) {
        f->fd = fileno(penta_io_output_stream(f->output));
        f->bytes = bytes;
        f->data_at = data_at;
        ok = make_room(f, err);
    }
    if (ok)
        *out = f;
    else
        penta_io_shared_file_abandon(f);
    return ok;
}

bool io_tell_file(const char *path, const char *file, uint64_t size, uint64_t data_at, void **bytes, size_t *told_bytes,
                  penta_io_error *err)
{
    told_file told = {size, data_at, {strlen(path) + 1, strlen(file) + 1}, ""};
    char *out;

    name_machine(told.machine);
    *told_bytes = sizeof told + told.lengths[0] + told.lengths[1];
    *bytes = out = malloc(*told_bytes);
    if (!out)
        return penta_io_fail(err, "%s: out of memory", path);
    memcpy(out, &told, sizeof told);
    memcpy(out + sizeof told, path, told.lengths[0]);
    memcpy(out + sizeof told + told.lengths[0], file, told.lengths[1]);
    return true;
}

bool penta_io_shared_file_tell(const penta_io_shared_file *file, void **bytes, size_t *size, penta_io_error *err)
{
    const char *temporary = io_shared_file_temporary(file);

    return io_tell_file(file->path, temporary ? temporary : "" /* which nobody can open */, file->bytes, file->data_at,
                        bytes, size, err);
}

static bool is_whole(const told_file *told, const char *texts, size_t size)
{
    return told->lengths[0] > 0 && told->lengths[1] > 0 && told->lengths[0] < size &&
           told->lengths[1] == size - told->lengths[0] && texts[told->lengths[0] - 1] == 0 && texts[size - 1] == 0;
}

const char *io_told_path(const void *bytes)
{
    return (const char *)bytes + sizeof(told_file);
}

/* Whether the temporary file is seen here as the other process sees it. */
static bool open_told(const told_file *told, const char *temporary, penta_io_shared_file *f)
{
    char machine[MACHINE_BYTES];
    struct stat st;

    name_machine(machine);
    f->joined = true;
    f->elsewhere = !*machine || memcmp(machine, told->machine, sizeof machine) != 0;
    f->bytes = told->bytes;
    f->data_at = told->data_at;
    f->fd = open(temporary, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    return f->fd >= 0 && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == told->bytes;
}

bool penta_io_shared_file_join(const void *bytes, size_t size, penta_io_shared_file **out, penta_io_error *err)
{
    const char *texts = (const char *)bytes + sizeof(told_file);
    penta_io_shared_file *f;
    told_file told;

    *out = NULL;
    if (size >= sizeof told)
        memcpy(&told, bytes, sizeof told);
    if (size < sizeof told || !is_whole(&told, texts, size - sizeof told))
        return penta_io_fail(err, "what is told of another process's file is not whole");
    f = calloc(1, sizeof *f);
    if (f)
        f->path = strdup(texts);
    if (!f || !f->path) {
        free(f);
        return penta_io_fail(err, "%s: out of memory", texts);
    }
    if (open_told(&told, texts + told.lengths[0], f))
        *out = f;
    else
        penta_io_shared_file_abandon(f);
    return true;
}

const char *io_shared_file_path(const penta_io_shared_file *file)
{
    return file->path;
}

const char *io_shared_file_temporary(const penta_io_shared_file *file)
{
    return io_output_file(file->output);
}

uint64_t io_shared_file_bytes(const penta_io_shared_file *file)
{
    return file->bytes;
}

uint64_t io_shared_file_data_at(const penta_io_shared_file *file)
{
    return file->data_at;
}

/* ---- writing ---- */

static bool put_bytes(const char *path, int fd, uint64_t at, const void *data, size_t bytes, penta_io_error *err)
{
    const char *from = data;

    while (bytes > 0) {
        ssize_t done = pwrite(fd, from, bytes, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return io_write_failed(path, done < 0 ? errno : EIO, err);
        from += done;
        at += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return true;
}

/* Elements that are written in pieces. */
typedef struct {
    const penta_io_shared_file *file;
    uint64_t at;
    const unsigned char *from;
    size_t bytes, size; /* of all; of an element */
    uint64_t *sums;
} elements;

static size_t length_of(const elements *e, size_t piece)
{
    size_t before = piece * PIECE_BYTES;

    return e->bytes - before < PIECE_BYTES ? e->bytes - before : PIECE_BYTES;
}

static bool put_piece(void *user, size_t i, penta_io_error *err)
{
    const elements *e = user;
    size_t bytes = length_of(e, i);
    const unsigned char *from = e->from + i * PIECE_BYTES;
    unsigned char *swapped = NULL;
    io_checksum sum;
    bool ok;

    if (!io_host_is_little() && e->size > 1) {
        swapped = malloc(bytes);
        if (!swapped)
            return penta_io_fail(err, "%s: out of memory", e->file->path);
        memcpy(swapped, from, bytes);
        io_swap_elements(swapped, bytes / e->size, e->size);
        from = swapped;
    }
    io_checksum_begin(&sum);
    io_checksum_add(&sum, from, bytes);
    e->sums[i] = io_checksum_end(&sum);
    ok = put_bytes(e->file->path, e->file->fd, e->at + i * (uint64_t)PIECE_BYTES, from, bytes, err);
    free(swapped);
    return ok;
}

bool io_shared_file_put(penta_io_shared_file *file, uint64_t at, const void *from, size_t count, size_t size,
                        penta_io_part *part, penta_io_error *err)
{
    elements e = {.file = file, .at = at, .from = from, .bytes = count * size, .size = size};
    size_t pieces = (e.bytes + PIECE_BYTES - 1) / PIECE_BYTES;
    bool ok;

    if (at > file->bytes || e.bytes > file->bytes - at || (part->bytes > 0 && part->at + part->bytes != at))
        return penta_io_fail(err, "%s: bytes %llu to %llu are no part of it that can be written now", file->path,
                             (unsigned long long)at, (unsigned long long)(at + e.bytes));
    e.sums = calloc(pieces + 1, sizeof *e.sums);
    if (!e.sums)
        return penta_io_fail(err, "%s: out of memory", file->path);
    ok = io_parallel(pieces, put_piece, &e, err);
    part->at = part->bytes > 0 ? part->at : at;
    for (size_t i = 0; ok && i < pieces; i++) {
        part->sum = io_checksum_join(part->sum, e.sums[i], length_of(&e, i));
        part->bytes += length_of(&e, i);
    }
    free(e.sums);
    return ok;
}

/* ---- the end ---- */

bool io_shared_file_finish(penta_io_shared_file *file, const penta_io_part *parts, size_t count, penta_io_error *err)
{
    penta_io_part *sorted = malloc((count + 1) * sizeof *sorted);
    penta_io_output *output = file->output;
    penta_io_part whole;
    bool ok;

    if (sorted && count > 0)
        memcpy(sorted, parts, count * sizeof *sorted);
    ok = sorted || penta_io_fail(err, "%s: out of memory", file->path);
    ok = ok && (io_parts_join(sorted, count, 0, file->bytes, &whole) ||
                penta_io_fail(err, "%s: parts of it were not written", file->path));
    free(sorted);
    if (ok) {
        file->output = NULL; /* it is closed even if this fails */
        ok = io_output_commit_known(output, file->bytes, whole.sum, err);
    }
    penta_io_shared_file_abandon(file);
    return ok;
}

bool io_shared_file_finish_unknown(penta_io_shared_file *file, penta_io_error *err)
{
    penta_io_output *output = file->output;

    file->output = NULL;
    penta_io_shared_file_abandon(file);
    return penta_io_output_commit(output, err);
}

bool penta_io_shared_file_leave(penta_io_shared_file *file, penta_io_error *err)
{
    bool synced = !file->elsewhere || fsync(file->fd) == 0 || errno == EINVAL || errno == ENOTSUP;
    int code = synced ? 0 : errno;
    bool ok;

    if (close(file->fd) != 0 && code == 0)
        code = errno;
    file->fd = -1;
    ok = code == 0 || io_write_failed(file->path, code, err);
    penta_io_shared_file_abandon(file);
    return ok;
}

void penta_io_shared_file_abandon(penta_io_shared_file *file)
{
    if (!file)
        return;
    if (file->joined && file->fd >= 0)
        close(file->fd);
    penta_io_output_abort(file->output);
    free(file->path);
    free(file);
}
