/*
 * MATLAB 5 files are checked before matio reads them: it allocates what the headers of arrays ask for, and returns
 * zeros or uninitialised memory for numbers that are missing or whose compression is damaged. A file is a header of 128
 * bytes and elements, each a tag (type, bytes) and data: arrays, whose parts are elements too (flags, sizes, name,
 * numbers), or arrays compressed by zlib.
 */
#include "io/cube_mat.h"

#ifdef PENTA_HAVE_MATIO

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "io/format.h"

enum { FILE_HEADER_BYTES = 128, TAG_BYTES = 8 };

/* Types of elements that hold others. */
enum { MI_MATRIX = 14, MI_COMPRESSED };

/* Those of numbers, by their code: int8, uint8 ... uint32, single, double, int64, uint64. */
static const struct {
    size_t size;     /* 0: no numbers */
    penta_type type; /* PENTA_I64: not a type of cubes */
} numeric[] = {
    [1] = {1, PENTA_I64}, [2] = {1, PENTA_U8},  [3] = {2, PENTA_I16}, [4] = {2, PENTA_U16},  [5] = {4, PENTA_I32},
    [6] = {4, PENTA_U32}, [7] = {4, PENTA_F32}, [9] = {8, PENTA_F64}, [12] = {8, PENTA_I64}, [13] = {8, PENTA_I64}};

typedef struct {
    const io_input *in;
    uint64_t at, end; /* the rest of the element in the file */
    bool big, compressed;
    bool done;      /* zlib is at its end */
    uint64_t taken; /* bytes of the array so far */
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

/* ---- reading an array, which may be compressed ---- */

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

    s->taken += size;
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
        if (to)
            memcpy(to, tag->data, n < sizeof tag->data ? n : sizeof tag->data); /* n is not larger */
        return true;
    }
    return take(s, to, n) && take(s, NULL, ((uint64_t)tag->bytes + 7) / 8 * 8 - n);
}

/* Begins to read the array in the element whose tag is `tag` and whose data begin at `at`; *bytes: of its parts.
 * Where it is compressed inflateEnd is to follow, also after a failure. */
static bool open_array(mat_source *s, const io_input *in, bool big, uint64_t at, const unsigned char *tag,
                       uint64_t *bytes)
{
    mat_tag inner;

    *bytes = get_u32(tag + 4, big);
    *s = (mat_source){.in = in, .at = at, .end = at + *bytes, .big = big};
    if (get_u32(tag, big) != MI_COMPRESSED)
        return true;
    s->compressed = inflateInit(&s->z) == Z_OK;
    if (!s->compressed || !take_tag(s, &inner) || inner.type != MI_MATRIX)
        return false;
    *bytes = inner.bytes;
    return true;
}

/* ---- what matio allocates while it lists arrays ---- */

/* Classes of arrays that have parts. */
enum { MX_CELL = 1, MX_STRUCT, MX_OBJECT, MX_FUNCTION = 16, MX_OPAQUE };

enum { MOST_RANK = 32, MOST_NAME = 4096 /* bytes; MATLAB's have 63 */, MOST_DEPTH = 64 };

typedef struct {
    unsigned class;
    uint64_t elements; /* the product of its sizes */
    char name[64];     /* names have at most 63 characters */
} mat_head;

/* Steps over an element of up to `most` bytes, and copies its first ones. */
static bool take_short(mat_source *s, uint32_t most, void *to, size_t size)
{
    mat_tag tag;

    return take_tag(s, &tag) && tag.bytes <= most && take_data(s, &tag, to, size);
}

/* Flags, sizes and name; of an opaque array, which has another form, only the class. */
static bool take_head(mat_source *s, mat_head *head)
{
    unsigned char flags[8] = {0}, dims[4 * MOST_RANK];
    mat_tag tag;

    *head = (mat_head){.elements = 1};
    if (!take_tag(s, &tag) || tag.bytes != sizeof flags || !take_data(s, &tag, flags, sizeof flags))
        return false;
    head->class = get_u32(flags, s->big) & 0xff;
    if (head->class == MX_OPAQUE)
        return true;
    if (!take_tag(s, &tag) || tag.bytes > sizeof dims || !take_data(s, &tag, dims, sizeof dims))
        return false;
    for (size_t i = 0; i < tag.bytes / 4; i++)
        head->elements = io_product(head->elements, get_u32(dims + 4 * i, s->big));
    return take_short(s, MOST_NAME, head->name, sizeof head->name - 1);
}

/* How many fields a structure has: the length of a name, then the names. */
static bool take_fields(mat_source *s, uint64_t end, uint64_t *fields)
{
    unsigned char length[4] = {0};
    mat_tag tag;
    uint32_t bytes;

    if (!take_tag(s, &tag) || tag.bytes != sizeof length || !take_data(s, &tag, length, sizeof length))
        return false;
    bytes = get_u32(length, s->big);
    if (bytes > MOST_NAME || !take_tag(s, &tag) || s->taken > end || tag.bytes > end - s->taken)
        return false;
    *fields = bytes > 0 ? tag.bytes / bytes : 0;
    return take_data(s, &tag, NULL, 0);
}

/* How many parts the array has: cells, or fields of structures. Those without parts are not read to their end. */
static bool take_parts(mat_source *s, uint64_t end, uint64_t *parts)
{
    uint64_t fields = 1;
    mat_head head;
    bool named;

    *parts = 0;
    if (!take_head(s, &head))
        return false;
    named = head.class == MX_STRUCT || head.class == MX_OBJECT;
    if (!named && head.class != MX_CELL && head.class != MX_FUNCTION)
        return true;
    if ((head.class == MX_OBJECT && !take_short(s, MOST_NAME, NULL, 0)) || (named && !take_fields(s, end, &fields)))
        return false;
    *parts = io_product(head.elements, fields);
    return true;
}

/* matio makes an object of every part, and each part has at least a tag in the file. False: there are more. */
static bool has_its_parts(mat_source *s, uint64_t bytes, unsigned depth)
{
    uint64_t end = s->taken + bytes, parts;
    mat_tag tag;

    if (bytes == 0) /* an empty cell */
        return true;
    if (depth > MOST_DEPTH || !take_parts(s, end, &parts) || s->taken > end || parts > (end - s->taken) / TAG_BYTES)
        return false;
    for (uint64_t i = 0; i < parts; i++)
        if (!take_tag(s, &tag) || s->taken > end || tag.bytes > end - s->taken ||
            !has_its_parts(s, tag.bytes, depth + 1))
            return false;
    return depth == 0 || take(s, NULL, end - s->taken);
}

/* ---- the numbers of one array ---- */

/* Whether the array whose tag has been read has the name; *stored: the code of its numbers, unchanged unless all are
 * there. */
static bool look_at(mat_source *s, uint64_t bytes, const char *name, uint32_t *stored)
{
    mat_head head;
    mat_tag tag;
    size_t size;

    if (!take_head(s, &head))
        return true; /* damaged: the name cannot be read */
    if (strncmp(head.name, name, sizeof head.name - 1) != 0)
        return false;
    if (!take_tag(s, &tag))
        return true;
    size = tag.type < sizeof numeric / sizeof *numeric ? numeric[tag.type].size : 0;
    if (size > 0 && io_product(head.elements, size) == tag.bytes && tag.bytes <= bytes &&
        (tag.small || take(s, NULL, tag.bytes)))
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

/* Checks the array in an element: with a name, the numbers of that array, otherwise the parts of any. *stored: the code
 * of its numbers; 0: it has another name. */
static bool check_element(const io_input *in, bool big, uint64_t at, const unsigned char *tag, const char *name,
                          uint32_t *stored)
{
    uint64_t bytes;
    mat_source s;
    bool ok = open_array(&s, in, big, at, tag, &bytes);

    *stored = 0;
    if (ok && !name)
        ok = has_its_parts(&s, bytes, 0);
    else if (ok && look_at(&s, bytes, name, stored))
        ok = *stored != 0 && ends_well(&s);
    if (s.compressed)
        inflateEnd(&s.z);
    return ok;
}

bool io_mat_check_file(const penta_io_cube *cube, penta_io_error *err)
{
    const io_input *in = &cube->input;
    unsigned char head[FILE_HEADER_BYTES];
    unsigned char tag[TAG_BYTES];
    uint32_t ignored;
    bool big;

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
        if (!check_element(in, big, at + sizeof tag, tag, NULL, &ignored))
            return penta_io_fail(err,
                                 "%s: the array at byte %" PRIu64 " claims more parts than it holds, or was changed in "
                                 "transfer; the file is damaged: copy or save it again",
                                 cube->path, at);
        at += sizeof tag + bytes;
    }
    return true;
}

bool io_mat_check_array(const penta_io_cube *cube, const char *name, penta_type *stored, penta_io_error *err)
{
    const io_input *in = &cube->input;
    unsigned char order = 0, tag[TAG_BYTES];
    uint64_t at = FILE_HEADER_BYTES;
    uint32_t type = 0;

    *stored = PENTA_I64;
    if (!io_input_read(in, FILE_HEADER_BYTES - 2, &order, 1))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", cube->path);
    for (; io_input_read(in, at, tag, sizeof tag); at += sizeof tag + get_u32(tag + 4, order == 'M')) {
        if (!check_element(in, order == 'M', at + sizeof tag, tag, name, &type))
            return penta_io_fail(err,
                                 "%s: the array at byte %" PRIu64
                                 " lacks some of its numbers or was changed in transfer; the "
                                 "file is damaged: copy or save it again",
                                 cube->path, at);
        if (type != 0)
            *stored = numeric[type].type;
    }
    return true;
}

#endif
