/*
 * MATLAB 5 files are checked before matio reads them: it returns zeros or uninitialised memory for numbers that are
 * missing or whose compression is damaged. A file is a header of 128 bytes and elements, each a tag (type, bytes) and
 * data: arrays, whose parts are elements too (flags, sizes, name, numbers), or arrays compressed by zlib.
 */
#include "io/cube_mat.h"

#ifdef PENTA_HAVE_MATIO

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "io/format.h"

enum { FILE_HEADER_BYTES = 128, TAG_BYTES = 8 };

/* Types of elements. */
enum {
    MI_UINT8 = 2,
    MI_INT16,
    MI_UINT16,
    MI_INT32,
    MI_UINT32,
    MI_SINGLE,
    MI_DOUBLE = 9,
    MI_MATRIX = 14,
    MI_COMPRESSED
};

typedef struct {
    const io_input *in;
    uint64_t at, end; /* the rest of the element in the file */
    bool big, compressed;
    bool done; /* zlib is at its end */
    z_stream z;
    unsigned char packed[1 << 14];
} mat_source;

typedef struct {
    uint32_t type, bytes;
    bool small; /* data of up to 4 bytes stand in the tag */
    unsigned char data[4];
} mat_tag;

static uint32_t get_u32(const unsigned char *at, bool big)
{
    return big ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
               : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

bool io_mat_check_file(const penta_io_cube *cube, penta_io_error *err)
{
    const io_input *in = &cube->input;
    unsigned char head[FILE_HEADER_BYTES];
    unsigned char tag[TAG_BYTES];
    bool big;

    if (io_input_read(in, 0, head, 10) && memcmp(head, "MATLAB 7.3", 10) == 0)
        return penta_io_fail(err, "%s: is a MATLAB 7.3 file, which is HDF5; save it with save(..., '-v7')", cube->path);
    if (!io_input_read(in, 0, head, sizeof head))
        return penta_io_fail(
            err, "%s: ends inside its MATLAB header (it has %" PRIu64 " bytes); it is truncated: copy it again",
            cube->path, in->bytes);
    if (memcmp(head + 126, "IM", 2) != 0 && memcmp(head + 126, "MI", 2) != 0)
        return penta_io_fail(err, "%s: its MATLAB header does not say the byte order; it is damaged: copy it again",
                             cube->path);
    big = head[126] == 'M';
    for (uint64_t at = sizeof head; at < in->bytes;) {
        bool there = io_input_read(in, at, tag, sizeof tag);
        uint32_t bytes = there ? get_u32(tag + 4, big) : 0;

        if (!there || bytes > in->bytes - at - sizeof tag)
            return penta_io_fail(err,
                                 "%s: ends inside the array at byte %" PRIu64 " (it has %" PRIu64
                                 " bytes); it is truncated or damaged: copy it again",
                                 cube->path, at, in->bytes);
        if (get_u32(tag, big) != MI_MATRIX && get_u32(tag, big) != MI_COMPRESSED)
            return penta_io_fail(
                err, "%s: there is no array at byte %" PRIu64 ", as there should be; it is damaged: copy it again",
                cube->path, at);
        at += sizeof tag + bytes;
    }
    return true;
}

/* ---- one array ---- */

/* Gives zlib more of the element. */
static bool refill(mat_source *s)
{
    size_t n = s->end - s->at < sizeof s->packed ? (size_t)(s->end - s->at) : sizeof s->packed;

    if (s->z.avail_in > 0)
        return true;
    if (n == 0 || !io_input_read(s->in, s->at, s->packed, n))
        return false;
    s->at += n;
    s->z.next_in = s->packed;
    s->z.avail_in = (uInt)n;
    return true;
}

/* Inflates up to `size` bytes, fewer only at the end; *got: how many. */
static bool inflate_some(mat_source *s, void *to, size_t size, size_t *got)
{
    s->z.next_out = to;
    s->z.avail_out = (uInt)size;
    while (s->z.avail_out > 0 && !s->done) {
        int result = refill(s) ? inflate(&s->z, Z_NO_FLUSH) : Z_DATA_ERROR;

        if (result != Z_OK && result != Z_STREAM_END)
            return false;
        s->done = result == Z_STREAM_END;
    }
    *got = size - s->z.avail_out;
    return true;
}

/* Reads the next bytes of the array, any number; to NULL: skips them. */
static bool take(mat_source *s, void *to, uint64_t size)
{
    unsigned char block[1 << 14];

    if (!s->compressed) {
        bool ok = size <= s->end - s->at && (!to || io_input_read(s->in, s->at, to, (size_t)size));

        s->at += size;
        return ok;
    }
    for (size_t n = 0; size > 0; size -= n) {
        size_t got = 0;

        n = size < sizeof block ? (size_t)size : sizeof block;
        if (!inflate_some(s, to ? to : block, n, &got) || got < n)
            return false;
        to = to ? (unsigned char *)to + n : NULL;
    }
    return true;
}

static bool take_tag(mat_source *s, mat_tag *tag)
{
    unsigned char bytes[TAG_BYTES];
    uint32_t first;

    if (!take(s, bytes, sizeof bytes))
        return false;
    first = get_u32(bytes, s->big);
    tag->small = first >> 16 != 0;
    tag->type = first & 0xffff;
    tag->bytes = tag->small ? first >> 16 : get_u32(bytes + 4, s->big);
    memcpy(tag->data, bytes + 4, sizeof tag->data);
    return !tag->small || tag->bytes <= sizeof tag->data;
}

/* Reads the data of an element and its padding to eight bytes; copies only the first `size` bytes to `to`. */
static bool take_data(mat_source *s, const mat_tag *tag, void *to, size_t size)
{
    size_t n = tag->bytes < size ? tag->bytes : size;

    if (tag->small) {
        memcpy(to, tag->data, n);
        return true;
    }
    return take(s, to, n) && take(s, NULL, ((uint64_t)tag->bytes + 7) / 8 * 8 - n);
}

static size_t stored_size(uint32_t type)
{
    static const unsigned char size[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};

    return type < sizeof size ? size[type] : 0;
}

/* Whether the array whose tag has been read has the name; *stored: the type of its numbers, unchanged unless all are
 * there. */
static bool look_at(mat_source *s, uint64_t bytes, const char *name, uint32_t *stored)
{
    unsigned char flags[8] = {0};
    unsigned char dims[4 * 32];
    char found[64] = ""; /* names have at most 63 characters */
    uint64_t numbers = 1;
    mat_tag tag;

    if (!take_tag(s, &tag) || !take_data(s, &tag, flags, sizeof flags) || !take_tag(s, &tag) ||
        tag.bytes > sizeof dims || !take_data(s, &tag, dims, sizeof dims))
        return true; /* damaged: the name cannot be read */
    for (size_t i = 0; i < tag.bytes / 4; i++)
        numbers = io_product(numbers, get_u32(dims + 4 * i, s->big));
    if (!take_tag(s, &tag) || !take_data(s, &tag, found, sizeof found - 1))
        return true;
    if (strncmp(found, name, sizeof found - 1) != 0)
        return false;
    if (take_tag(s, &tag) && stored_size(tag.type) > 0 && io_product(numbers, stored_size(tag.type)) == tag.bytes &&
        tag.bytes <= bytes && (tag.small || take(s, NULL, tag.bytes)))
        *stored = tag.type;
    return true;
}

/* Inflates the rest of a compressed array; its checksum is at the end. */
static bool ends_well(mat_source *s)
{
    unsigned char rest[512];
    size_t got;

    while (s->compressed && !s->done)
        if (!inflate_some(s, rest, sizeof rest, &got))
            return false;
    return true;
}

/* The array in the element whose tag is `tag` and whose data begin at `at`. False: the array has the name and is
 * damaged. */
static bool check_element(const io_input *in, bool big, uint64_t at, const unsigned char *tag, const char *name,
                          uint32_t *stored)
{
    mat_source s = {.in = in, .at = at, .big = big};
    uint64_t bytes = get_u32(tag + 4, big);
    bool ok = true;
    mat_tag inner;

    *stored = 0;
    s.end = at + bytes;
    s.compressed = get_u32(tag, big) == MI_COMPRESSED;
    if (s.compressed) {
        if (inflateInit(&s.z) != Z_OK)
            return false;
        ok = take_tag(&s, &inner) && inner.type == MI_MATRIX;
        bytes = ok ? inner.bytes : 0;
    }
    if (ok && look_at(&s, bytes, name, stored))
        ok = *stored != 0 && ends_well(&s);
    if (s.compressed)
        inflateEnd(&s.z);
    return ok;
}

/* The type in this library. */
static penta_type stored_type(uint32_t type)
{
    static const penta_type types[] = {
        [MI_UINT8] = PENTA_U8,   [MI_INT16] = PENTA_I16,  [MI_UINT16] = PENTA_U16, [MI_INT32] = PENTA_I32,
        [MI_UINT32] = PENTA_U32, [MI_SINGLE] = PENTA_F32, [MI_DOUBLE] = PENTA_F64};

    return type < sizeof types / sizeof *types && (types[type] != PENTA_U8 || type == MI_UINT8) ? types[type]
                                                                                                : PENTA_I64;
}

bool io_mat_check_array(const penta_io_cube *cube, const char *name, penta_type *stored, penta_io_error *err)
{
    const io_input *in = &cube->input;
    unsigned char head[FILE_HEADER_BYTES];
    unsigned char tag[TAG_BYTES];
    uint64_t at = sizeof head;
    uint32_t type = 0;

    *stored = PENTA_I64;

    if (!io_input_read(in, 0, head, sizeof head))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", cube->path);
    for (; io_input_read(in, at, tag, sizeof tag); at += sizeof tag + get_u32(tag + 4, head[126] == 'M')) {
        if (!check_element(in, head[126] == 'M', at + sizeof tag, tag, name, &type))
            return penta_io_fail(err,
                                 "%s: the array at byte %" PRIu64
                                 " lacks some of its numbers or was changed in transfer; the "
                                 "file is damaged: copy or save it again",
                                 cube->path, at);
        if (type != 0)
            *stored = stored_type(type);
    }
    return true;
}

#endif
