#include "shared/shard.h"

#include <ctype.h>
#include <stdlib.h>

static bool read_number(const char **at, size_t *out)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    *out = strtoul(*at, &end, 10);
    *at = end;
    return *out < (size_t)1 << 32;
}

bool shard_read(const char *text, shard *out)
{
    size_t part;

    *out = (shard){.parts = 1};
    if (!text)
        return true;
    if (!read_number(&text, &part) || *text++ != '/' || !read_number(&text, &out->parts) || *text)
        return false;
    out->part = part - 1;
    return part >= 1 && part <= out->parts;
}

void shard_slice(shard *s, size_t items)
{
    size_t each = items / s->parts, more = items % s->parts;

    s->first = s->part * each + (s->part < more ? s->part : more);
    s->count = each + (s->part < more);
}
