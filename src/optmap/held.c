#include <pthread.h>

#include "core/internal.h"
#include "optmap/held.h"

enum { SHARE = 8 }; /* of the device's memory, at most */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static optmap_held *all; /* of all contexts */

static bool fits(const penta_context *ctx, const penta_movie_view *m, size_t *bytes)
{
    size_t pixels;

    return !__builtin_mul_overflow(m->width, m->height, &pixels) &&
           !__builtin_mul_overflow(m->frames * sizeof *m->data, pixels, bytes) && *bytes > 0 &&
           *bytes <= ctx->info.memory / SHARE && *bytes <= ctx->info.max_allocation;
}

static void note(optmap_held *held)
{
    pthread_mutex_lock(&lock);
    held->next = all;
    all = held;
    pthread_mutex_unlock(&lock);
}

penta_status optmap_hold(penta_context *ctx, const penta_movie_view *movie, optmap_held *out)
{
    penta_status status = PENTA_OK;
    size_t bytes;

    *out = (optmap_held){.ctx = ctx, .data = movie->data};
    if (penta_is_cpu(ctx) || !fits(ctx, movie, &bytes))
        return PENTA_OK;
    TRY(penta_buffer_create(ctx, bytes, &out->buffer));
    TRY(penta_buffer_write(&out->buffer, 0, movie->data, bytes));
    out->bytes = bytes;
    note(out);
cleanup:
    if (status != PENTA_OK)
        optmap_let_go(out);
    return status == PENTA_MEMORY ? PENTA_OK : status;
}

void optmap_let_go(optmap_held *held)
{
    pthread_mutex_lock(&lock);
    for (optmap_held **at = &all; *at; at = &(*at)->next)
        if (*at == held) {
            *at = held->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (held->buffer.mem) {
        penta_settle(held->ctx); /* a copy of it may be under way */
        penta_buffer_release(&held->buffer);
    }
    *held = (optmap_held){0};
}

penta_buffer *optmap_held_copy(const penta_context *ctx, const float *data, size_t bytes)
{
    penta_buffer *found = NULL;

    pthread_mutex_lock(&lock);
    for (optmap_held *h = all; h && !found; h = h->next)
        if (h->ctx == ctx && h->data == data && h->bytes == bytes)
            found = &h->buffer;
    pthread_mutex_unlock(&lock);
    return found;
}

penta_status optmap_lend(penta_context *ctx, float *memory, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_lend(ctx, PENTA_WRITE, memory, bytes, sizeof *memory, out));
    if (!out->mem)
        status = penta_fail(ctx, PENTA_MEMORY, "the device takes no %zu bytes together", bytes);
cleanup:
    return status;
}
