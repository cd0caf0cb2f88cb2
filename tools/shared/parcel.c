#include "shared/parcel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t no_text = UINT64_MAX; /* in place of its length */

/* ---- writing ---- */

void parcel_begin(parcel *p)
{
    *p = (parcel){0};
    p->out = open_memstream(&p->bytes, &p->size);
}

bool parcel_end(parcel *p, void **bytes, size_t *size)
{
    bool ok = p->out && !ferror(p->out);

    ok = p->out && fclose(p->out) == 0 && ok;
    *bytes = ok ? p->bytes : NULL;
    *size = ok ? p->size : 0;
    if (!ok)
        free(p->bytes);
    *p = (parcel){0};
    return ok;
}

void parcel_put(FILE *out, const void *data, size_t bytes)
{
    if (out && bytes > 0)
        (void)fwrite(data, 1, bytes, out); /* the stream keeps the error */
}

void parcel_put_block(FILE *out, const void *data, size_t bytes)
{
    const uint64_t length = bytes;

    parcel_put(out, &length, sizeof length);
    parcel_put(out, data, bytes);
}

void parcel_put_text(FILE *out, const char *text)
{
    if (text)
        parcel_put_block(out, text, strlen(text));
    else
        parcel_put(out, &no_text, sizeof no_text);
}

void parcel_put_messages(FILE *out, const held_messages *held)
{
    const uint64_t count = held->count;

    parcel_put(out, &count, sizeof count);
    for (size_t i = 0; i < held->count; i++) {
        const held_message *m = &held->list[i];
        const int32_t head[2] = {m->kind, m->shown};

        parcel_put(out, head, sizeof head);
        parcel_put_text(out, m->text);
        parcel_put_text(out, m->whole);
    }
}

/* ---- reading ---- */

parcel_reader parcel_read(const void *bytes, size_t size)
{
    return (parcel_reader){bytes, size, true};
}

void parcel_get(parcel_reader *r, void *out, size_t bytes)
{
    r->ok = r->ok && bytes <= r->left;
    if (!r->ok) {
        memset(out, 0, bytes);
        return;
    }
    if (bytes > 0)
        memcpy(out, r->at, bytes);
    r->at += bytes;
    r->left -= bytes;
}

/* With a 0 behind them. */
static void *copy_bytes(parcel_reader *r, uint64_t length)
{
    char *copy = r->ok && length <= r->left ? malloc((size_t)length + 1) : NULL;

    r->ok = copy != NULL;
    if (!copy)
        return NULL;
    parcel_get(r, copy, (size_t)length);
    copy[length] = 0;
    return copy;
}

void *parcel_get_block(parcel_reader *r, size_t *bytes)
{
    uint64_t length;
    void *block;

    parcel_get(r, &length, sizeof length);
    block = r->ok && length > 0 ? copy_bytes(r, length) : NULL;
    *bytes = block ? (size_t)length : 0;
    return block;
}

char *parcel_get_text(parcel_reader *r)
{
    uint64_t length;

    parcel_get(r, &length, sizeof length);
    return r->ok && length != no_text ? copy_bytes(r, length) : NULL;
}

void parcel_get_messages(parcel_reader *r, held_messages *held)
{
    uint64_t count;

    *held = (held_messages){0};
    parcel_get(r, &count, sizeof count);
    held->list = r->ok && count > 0 && count <= r->left ? calloc((size_t)count, sizeof *held->list) : NULL;
    r->ok = r->ok && (count == 0 || held->list);
    while (r->ok && held->count < count) {
        held_message *m = &held->list[held->count++];
        int32_t head[2];

        parcel_get(r, head, sizeof head);
        m->kind = (message_kind)head[0];
        m->shown = head[1] != 0;
        m->text = parcel_get_text(r);
        m->whole = parcel_get_text(r);
    }
}
