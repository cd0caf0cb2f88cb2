#include <pentacl/io/cube_rows.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PIECE_BYTES = 1 << 25,
    MOST_READERS = 4, /* a thread reads about 10 GB/s from the page cache; a GPU takes 50 */
    AHEAD = 2,        /* extra buffers beyond the readers */
    BUFFERS = MOST_READERS + AHEAD
};

struct penta_io_cube_rows {
    penta_context *ctx;
    penta_io_cube *cube;
    const penta_io_cube_info *about;
    const uint8_t *mask;
    size_t first, rows;  /* of a pass */
    size_t piece, count; /* rows per piece; number of pieces */
    size_t readers, buffers;
    void *buffer[BUFFERS]; /* piece i is in buffer i % buffers */
    bool kept;             /* buffer 0 holds the only piece of a pass */
    bool released;         /* the contents of the rows are not needed */
    double seconds;
    /* The readers and the thread that waits for them; lock protects the fields below, and seconds. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next, used;    /* the next piece to read; number of pieces used */
    size_t full[BUFFERS]; /* the piece in each buffer, counted from 1 */
    size_t failed;        /* the first piece that could not be read; SIZE_MAX: none */
    size_t reading;       /* active readers, and since when */
    double since;
    bool stopped;
    penta_io_error error;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the source ---- */

static size_t choose_piece(const penta_io_cube_info *about)
{
    size_t row = about->cols * about->bands * penta_type_size(about->type), rows = PIECE_BYTES / row;

    rows = rows > about->rows ? about->rows : rows;
    return rows > 0 ? rows : 1;
}

/* Several threads may read from memory or from files read without GDAL, but not through GDAL. */
static size_t choose_readers(const penta_io_cube_info *about)
{
    bool many = strcmp(about->format, "NPY") == 0 || strcmp(about->format, "ENVI") == 0 ||
                strncmp(about->format, "MATLAB", strlen("MATLAB")) == 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return !many || cores < 1 ? 1 : cores < MOST_READERS ? (size_t)cores : MOST_READERS;
}

bool penta_io_cube_rows_open(penta_context *ctx, penta_io_cube *cube, const uint8_t *mask, penta_io_cube_rows **out,
                             penta_io_error *err)
{
    penta_io_cube_rows *s = calloc(1, sizeof *s);
    size_t bytes;

    *out = NULL;
    if (!s)
        return penta_io_fail(err, "out of memory");
    *s = (penta_io_cube_rows){.ctx = ctx, .cube = cube, .about = penta_io_cube_about(cube), .mask = mask};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->piece = choose_piece(s->about);
    penta_io_cube_rows_part(s, 0, s->about->rows);
    s->readers = choose_readers(s->about);
    s->buffers = s->count < s->readers + AHEAD ? s->count : s->readers + AHEAD;
    bytes = s->piece * s->about->cols * s->about->bands * penta_type_size(s->about->type);
    for (size_t i = 0; i < s->buffers; i++)
        if (penta_host_alloc(ctx, bytes, &s->buffer[i]) != PENTA_OK) {
            const char *text = penta_last_error(ctx);

            penta_io_cube_rows_close(s);
            return penta_io_fail(err, "%.*s", (int)strcspn(text, "\n"), text);
        }
    *out = s;
    return true;
}

void penta_io_cube_rows_part(penta_io_cube_rows *s, size_t first, size_t count)
{
    s->kept = s->kept && first == s->first && count == s->rows;
    s->first = first;
    s->rows = count;
    s->count = (count + s->piece - 1) / s->piece;
}

static void free_buffers(penta_io_cube_rows *s)
{
    for (size_t i = 0; i < s->buffers; i++) {
        penta_host_free(s->ctx, s->buffer[i]);
        s->buffer[i] = NULL;
    }
}

void penta_io_cube_rows_release(penta_io_cube_rows *s)
{
    free_buffers(s);
    s->released = true;
    s->kept = false;
}

void penta_io_cube_rows_close(penta_io_cube_rows *s)
{
    if (!s)
        return;
    free_buffers(s);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

double penta_io_cube_rows_seconds(const penta_io_cube_rows *s)
{
    return s->seconds;
}

/* ---- reading ahead ---- */

static size_t rows_of(const penta_io_cube_rows *s, size_t piece)
{
    size_t left = s->rows - piece * s->piece;

    return left < s->piece ? left : s->piece;
}

/* Waits for a free buffer and claims the next piece to read; false if there is nothing more to read. */
static bool claim_piece(penta_io_cube_rows *s, size_t *piece)
{
    bool may;

    pthread_mutex_lock(&s->lock);
    while (s->next < s->count && s->next >= s->used + s->buffers && !s->stopped && s->failed == SIZE_MAX)
        pthread_cond_wait(&s->changed, &s->lock);
    may = s->next < s->count && !s->stopped && s->failed == SIZE_MAX;
    if (may) {
        *piece = s->next++;
        if (s->reading++ == 0)
            s->since = now();
    }
    pthread_mutex_unlock(&s->lock);
    return may;
}

/* Records that a piece has been read, or with error that it failed. */
static void end_piece(penta_io_cube_rows *s, size_t piece, const penta_io_error *error)
{
    pthread_mutex_lock(&s->lock);
    if (--s->reading == 0)
        s->seconds += now() - s->since;
    if (!error) {
        s->full[piece % s->buffers] = piece + 1;
    } else if (piece < s->failed) {
        s->failed = piece;
        s->error = *error;
    }
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *read_pieces(void *argument)
{
    penta_io_cube_rows *s = argument;
    size_t i;

    while (claim_piece(s, &i)) {
        penta_io_error error = {""};
        bool ok =
            penta_io_cube_read(s->cube, s->first + i * s->piece, rows_of(s, i), s->buffer[i % s->buffers], &error);

        end_piece(s, i, ok ? NULL : &error);
    }
    return NULL;
}

/* Waits for a piece, unless its contents are not needed; false if it cannot be read. */
static bool is_filled(penta_io_cube_rows *s, size_t piece)
{
    const size_t *full = &s->full[piece % s->buffers];
    bool filled;

    pthread_mutex_lock(&s->lock);
    while (!s->released && *full != piece + 1 && s->failed > piece)
        pthread_cond_wait(&s->changed, &s->lock);
    filled = s->released || *full == piece + 1;
    pthread_mutex_unlock(&s->lock);
    return filled;
}

static void tell(penta_io_cube_rows *s, size_t used, bool stopped)
{
    pthread_mutex_lock(&s->lock);
    s->used = used;
    s->stopped = stopped;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- a pass ---- */

static bool use_piece(penta_io_cube_rows *s, size_t i, penta_io_cube_use use, void *user)
{
    size_t first = s->first + i * s->piece, cols = s->about->cols;
    penta_cube_rows rows = {.rows = rows_of(s, i),
                            .cols = cols,
                            .layout = s->about->layout,
                            .type = s->about->type,
                            .data = s->buffer[i % s->buffers],
                            .mask = s->mask ? s->mask + first * cols : NULL};

    return use(user, &rows, first);
}

static bool use_pieces(penta_io_cube_rows *s, penta_io_cube_use use, void *user, penta_io_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!is_filled(s, i)) {
            *err = s->error;
            return false;
        }
        if (!use_piece(s, i, use, user))
            return false;
        tell(s, i + 1, false);
    }
    return true;
}

/* Reads with as many threads as can be started, at least one. */
static bool read_and_use(penta_io_cube_rows *s, penta_io_cube_use use, void *user, penta_io_error *err)
{
    pthread_t threads[MOST_READERS];
    size_t started = 0;
    bool ok;

    s->next = s->used = 0;
    memset(s->full, 0, sizeof s->full);
    s->failed = SIZE_MAX;
    s->stopped = false;
    while (started < s->readers && pthread_create(&threads[started], NULL, read_pieces, s) == 0)
        started++;
    if (started == 0)
        return penta_io_fail(err, "cannot start a thread");
    ok = use_pieces(s, use, user, err);
    tell(s, s->used, true);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    s->kept = ok && s->count == 1;
    return ok;
}

bool penta_io_cube_rows_pass(penta_io_cube_rows *s, penta_io_cube_use use, void *user, penta_io_error *err)
{
    *err = (penta_io_error){""};
    if (s->kept)
        return use_piece(s, 0, use, user);
    return s->released ? use_pieces(s, use, user, err) : read_and_use(s, use, user, err);
}
