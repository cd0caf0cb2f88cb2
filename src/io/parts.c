#include "io/parts.h"

#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"

static int compare(const void *a, const void *b)
{
    const penta_io_part *one = a, *other = b;

    return one->at < other->at ? -1 : one->at > other->at;
}

/* Sorts them, and makes one of those that follow one another; returns how many are left. */
static size_t merge(penta_io_part *items, size_t count)
{
    size_t kept = 0;

    if (count > 1) /* of none there may be no array */
        qsort(items, count, sizeof *items, compare);
    for (size_t i = 0; i < count; i++) {
        penta_io_part *last = kept > 0 ? &items[kept - 1] : NULL;

        if (items[i].bytes == 0)
            continue;
        if (last && last->at + last->bytes == items[i].at) {
            last->sum = io_checksum_join(last->sum, items[i].sum, items[i].bytes);
            last->bytes += items[i].bytes;
        } else {
            items[kept++] = items[i];
        }
    }
    return kept;
}

bool io_parts_join(penta_io_part *parts, size_t count, uint64_t from, uint64_t end, penta_io_part *whole)
{
    count = merge(parts, count);
    *whole = count > 0 ? *parts : (penta_io_part){.at = from};
    return count <= 1 && whole->at == from && whole->bytes == end - from;
}

void io_parts_init(io_parts *parts)
{
    *parts = (io_parts){.count = 0};
    pthread_mutex_init(&parts->lock, NULL);
}

void io_parts_free(io_parts *parts)
{
    free(parts->items);
    pthread_mutex_destroy(&parts->lock);
}

/* Parts that follow one another are merged before the list grows. */
static bool make_room(io_parts *parts, size_t more)
{
    size_t room = 2 * (parts->count + more) + 64;
    penta_io_part *grown;

    if (parts->count + more <= parts->room)
        return true;
    parts->count = merge(parts->items, parts->count);
    if (parts->count + more <= parts->room / 2)
        return true;
    grown = realloc(parts->items, room * sizeof *grown);
    if (grown) {
        parts->items = grown;
        parts->room = room;
    }
    return grown != NULL;
}

void io_parts_add(io_parts *parts, const penta_io_part *items, size_t count)
{
    pthread_mutex_lock(&parts->lock);
    if (make_room(parts, count)) {
        memcpy(parts->items + parts->count, items, count * sizeof *items);
        parts->count += count;
    } else {
        parts->lost = true;
    }
    pthread_mutex_unlock(&parts->lock);
}
