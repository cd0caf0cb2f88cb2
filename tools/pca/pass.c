#define _POSIX_C_SOURCE 200809L
#include "pca/pass.h"

#include <pthread.h>
#include <stdlib.h>

#include "progress.h"

enum { PIECE_BYTES = 1 << 25, BUFFERS = 3 };

struct cube_source {
    const job *job;
    io_cube *cube;
    const io_cube_info *about;
    const uint8_t *mask;
    size_t piece, count; /* rows of a piece; pieces */
    size_t buffers;
    void *buffer[BUFFERS];
    bool kept;     /* buffer 0 holds the only piece */
    bool released; /* nobody needs what the rows hold */
    double seconds;
    /* The reader and who waits for it; lock is over what follows. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t filled, used; /* pieces */
    bool stopped, failed;
    io_error error;
};

/* ---- failures ---- */

static int interrupted(const job *j)
{
    return cli_fail(j->command, CLI_ERROR, "interrupted; nothing was written");
}

int cube_fail_library(const job *j)
{
    return cli_interrupted() ? interrupted(j) : job_fail_library(j);
}

/* ---- the source ---- */

static size_t choose_piece(const io_cube_info *about)
{
    size_t row = about->cols * about->bands * penta_type_size(about->type), rows = PIECE_BYTES / row;

    rows = rows > about->rows ? about->rows : rows;
    return rows > 0 ? rows : 1;
}

int cube_source_open(const job *j, io_cube *cube, const uint8_t *mask, cube_source **out)
{
    cube_source *s = calloc(1, sizeof *s);
    size_t bytes;

    *out = NULL;
    if (!s)
        return cli_fail(j->command, CLI_ERROR, "out of memory");
    *s = (cube_source){.job = j, .cube = cube, .about = io_cube_about(cube), .mask = mask};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->piece = choose_piece(s->about);
    s->count = (s->about->rows + s->piece - 1) / s->piece;
    s->buffers = s->count < BUFFERS ? s->count : BUFFERS;
    bytes = s->piece * s->about->cols * s->about->bands * penta_type_size(s->about->type);
    for (size_t i = 0; i < s->buffers; i++)
        if (penta_host_alloc(j->ctx, bytes, &s->buffer[i]) != PENTA_OK) {
            int code = cube_fail_library(s->job);

            cube_source_close(s);
            return code;
        }
    *out = s;
    return CLI_OK;
}

static void free_buffers(cube_source *s)
{
    for (size_t i = 0; i < s->buffers; i++) {
        penta_host_free(s->job->ctx, s->buffer[i]);
        s->buffer[i] = NULL;
    }
}

void cube_source_release(cube_source *s)
{
    free_buffers(s);
    s->released = true;
    s->kept = false;
}

void cube_source_close(cube_source *s)
{
    if (!s)
        return;
    free_buffers(s);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

double cube_source_seconds(const cube_source *s)
{
    return s->seconds;
}

/* ---- reading ahead ---- */

static size_t rows_of(const cube_source *s, size_t piece)
{
    size_t left = s->about->rows - piece * s->piece;

    return left < s->piece ? left : s->piece;
}

/* Whether there is room for one more piece; waits for it. */
static bool may_read(cube_source *s, size_t piece)
{
    bool may;

    pthread_mutex_lock(&s->lock);
    while (piece >= s->used + s->buffers && !s->stopped)
        pthread_cond_wait(&s->changed, &s->lock);
    may = !s->stopped;
    pthread_mutex_unlock(&s->lock);
    return may;
}

static void *read_pieces(void *argument)
{
    cube_source *s = argument;
    io_error error = {""};
    bool ok = true;

    for (size_t i = 0; ok && i < s->count && may_read(s, i); i++) {
        double start = cli_seconds();

        ok = io_cube_read(s->cube, i * s->piece, rows_of(s, i), s->buffer[i % s->buffers], &error);
        pthread_mutex_lock(&s->lock);
        s->seconds += cli_seconds() - start;
        s->filled += ok;
        s->failed = !ok;
        s->error = error;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

/* Waits for a piece, unless nobody needs what is in it; false when there will be none. */
static bool is_filled(cube_source *s, size_t piece)
{
    bool filled;

    pthread_mutex_lock(&s->lock);
    while (!s->released && s->filled <= piece && !s->failed)
        pthread_cond_wait(&s->changed, &s->lock);
    filled = s->released || s->filled > piece;
    pthread_mutex_unlock(&s->lock);
    return filled;
}

static void tell(cube_source *s, size_t used, bool stopped)
{
    pthread_mutex_lock(&s->lock);
    s->used = used;
    s->stopped = stopped;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- a pass ---- */

static int use_piece(cube_source *s, size_t i, cube_use use, void *user)
{
    size_t first = i * s->piece, cols = s->about->cols;
    penta_cube_rows rows = {.rows = rows_of(s, i),
                            .cols = cols,
                            .layout = s->about->layout,
                            .type = s->about->type,
                            .data = s->buffer[i % s->buffers],
                            .mask = s->mask ? s->mask + first * cols : NULL};

    return use(user, &rows, first);
}

static int use_pieces(cube_source *s, progress *bar, cube_use use, void *user)
{
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < s->count; i++) {
        bool filled = is_filled(s, i);

        if (!filled || cli_interrupted()) {
            progress_end(bar);
            return filled ? interrupted(s->job) : job_fail_io(s->job, &s->error);
        }
        code = use_piece(s, i, use, user);
        tell(s, i + 1, false);
        progress_update(bar, (double)(i * s->piece + rows_of(s, i)), (double)s->about->rows);
    }
    return code;
}

/* With a thread that reads. */
static int read_and_use(cube_source *s, progress *bar, cube_use use, void *user)
{
    pthread_t thread;
    int code;

    s->filled = s->used = 0;
    s->stopped = s->failed = false;
    if (pthread_create(&thread, NULL, read_pieces, s) != 0)
        return cli_fail(s->job->command, CLI_ERROR, "cannot start a thread");
    code = use_pieces(s, bar, use, user);
    tell(s, s->used, true);
    pthread_join(thread, NULL);
    s->kept = code == CLI_OK && s->count == 1;
    return code;
}

int cube_pass(cube_source *s, const char *title, cube_use use, void *user)
{
    progress bar;
    int code;

    if (s->kept)
        return cli_interrupted() ? interrupted(s->job) : use_piece(s, 0, use, user);
    progress_begin(&bar, title, "rows", s->job->common.quiet);
    code = (s->released ? use_pieces : read_and_use)(s, &bar, use, user);
    progress_end(&bar);
    return code;
}
