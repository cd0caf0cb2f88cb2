/* NumPy .npy: a magic, a version, the length of a Python dictionary in text, the dictionary, the raw array. */
#include "io/npy.h"
#include "io/format.h"
#include "io/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER_BYTES (1u << 20)
#define MAX_DIMENSIONS   8
#define SUPPORTED        "|u1 |b1 <u2 >u2 <f4 >f4 <f8 >f8"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6 };

typedef struct {
    penta_type type;
    bool truth;   /* numpy.bool_: any nonzero byte becomes 1 */
    bool swapped; /* the other byte order than this machine's */
    bool fortran; /* first index fastest; two dimensions only */
    size_t dimensions;
    uint64_t shape[MAX_DIMENSIONS];
    size_t text_bytes;             /* of the dictionary, padding included */
    uint64_t data_at;              /* byte offset of the array in the file */
    uint64_t pages, rows, columns; /* the shape as images */
} npy_array;

static bool host_is_little(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 1;
}

static void swap_elements(unsigned char *data, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++, data += size)
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            unsigned char kept = data[a];

            data[a] = data[b];
            data[b] = kept;
        }
}

/* ---- the dictionary ---- */

typedef struct {
    const char *at; /* a terminated string */
    npy_array *array;
    bool has_descr, has_order, has_shape;
    char descr[32];
} dictionary;

static void skip_space(dictionary *d)
{
    while (*d->at == ' ' || *d->at == '\t' || *d->at == '\n' || *d->at == '\r')
        d->at++;
}

/* Takes `word` after any space; false and nothing taken when something else is there. */
static bool take(dictionary *d, const char *word)
{
    size_t length = strlen(word);

    skip_space(d);
    if (strncmp(d->at, word, length) != 0)
        return false;
    d->at += length;
    return true;
}

static bool take_string(dictionary *d, char *out, size_t size)
{
    size_t length = 0;
    char quote;

    skip_space(d);
    quote = *d->at;
    if (quote != '\'' && quote != '"')
        return false;
    d->at++;
    while (d->at[length] && d->at[length] != quote)
        length++;
    if (d->at[length] != quote || length >= size)
        return false;
    memcpy(out, d->at, length);
    out[length] = 0;
    d->at += length + 1;
    return true;
}

static bool take_size(dictionary *d, uint64_t *out)
{
    uint64_t value = 0;

    skip_space(d);
    if (*d->at < '0' || *d->at > '9')
        return false;
    for (; *d->at >= '0' && *d->at <= '9'; d->at++) {
        value = io_product(value, 10);
        if (value > UINT64_MAX - 9)
            return false;
        value += (uint64_t)(*d->at - '0');
    }
    if (*d->at == 'L') /* written by Python 2 */
        d->at++;
    *out = value;
    return true;
}

/* (), (3,), (3, 4) and so on. */
static bool take_shape(dictionary *d)
{
    npy_array *a = d->array;

    if (!take(d, "("))
        return false;
    while (!take(d, ")")) {
        if (a->dimensions == MAX_DIMENSIONS || !take_size(d, &a->shape[a->dimensions]))
            return false;
        a->dimensions++;
        if (!take(d, ",")) {
            if (a->dimensions == 1) /* (3) is a number, not a tuple */
                return false;
            return take(d, ")");
        }
    }
    return true;
}

/* One "key: value". */
static bool take_entry(dictionary *d)
{
    char key[32];

    if (!take_string(d, key, sizeof key) || !take(d, ":"))
        return false;
    if (strcmp(key, "descr") == 0 && !d->has_descr)
        return d->has_descr = take_string(d, d->descr, sizeof d->descr);
    if (strcmp(key, "shape") == 0 && !d->has_shape)
        return d->has_shape = take_shape(d);
    if (strcmp(key, "fortran_order") == 0 && !d->has_order) {
        d->has_order = true;
        d->array->fortran = take(d, "True");
        return d->array->fortran || take(d, "False");
    }
    return false;
}

static bool take_dictionary(dictionary *d)
{
    if (!take(d, "{"))
        return false;
    while (!take(d, "}")) {
        if (!take_entry(d))
            return false;
        if (!take(d, ",")) {
            if (!take(d, "}"))
                return false;
            break;
        }
    }
    skip_space(d);
    return *d->at == 0 && d->has_descr && d->has_order && d->has_shape;
}

static bool set_type(npy_array *a, const char *descr)
{
    static const struct {
        const char *kind;
        penta_type type;
    } known[] = {{"u1", PENTA_U8}, {"b1", PENTA_U8}, {"u2", PENTA_U16}, {"f4", PENTA_F32}, {"f8", PENTA_F64}};
    char order = descr[0];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t size = penta_type_size(known[i].type);

        if (!order || strcmp(descr + 1, known[i].kind) != 0)
            continue;
        a->type = known[i].type;
        a->truth = descr[1] == 'b';
        a->swapped = size > 1 && (order == '<') != host_is_little();
        return order == '<' || order == '>' || (order == '|' && size == 1);
    }
    return false;
}

/* Makes images of the shape; the file must hold exactly that many. */
static bool check_shape(const io_reader *reader, npy_array *a, io_error *err)
{
    const char *path = reader->input.path;
    uint64_t bytes;
    uint64_t there = reader->input.bytes - a->data_at;

    if (a->dimensions != 2 && a->dimensions != 3)
        return io_fail(
            err,
            "%s: the array has %zu dimension%s; an image has 2 (height, width) and a stack 3 (pages, height, "
            "width): reshape it",
            path, a->dimensions, a->dimensions == 1 ? "" : "s");
    if (a->fortran && a->dimensions == 3)
        return io_fail(err, "%s: a stack in Fortran order is not supported; save numpy.ascontiguousarray(a)", path);
    a->pages = a->dimensions == 3 ? a->shape[0] : 1;
    a->rows = a->shape[a->dimensions - 2];
    a->columns = a->shape[a->dimensions - 1];
    if (a->pages == 0 || a->rows == 0 || a->columns == 0)
        return io_fail(err, "%s: the array is empty (%" PRIu64 " pages of %" PRIu64 " x %" PRIu64 "); save it again",
                       path, a->pages, a->rows, a->columns);
    bytes = io_product(io_product(a->rows, a->columns), io_product(a->pages, penta_type_size(a->type)));
    if (bytes == UINT64_MAX || bytes > there)
        return io_fail(err,
                       "%s: its header asks for %" PRIu64 " page(s) of %" PRIu64 " rows x %" PRIu64
                       " columns of %s, but only %" PRIu64
                       " bytes follow it; the file is truncated or damaged: copy or save it again",
                       path, a->pages, a->rows, a->columns, penta_type_name(a->type), there);
    if (bytes < there)
        return io_fail(err, "%s: %" PRIu64 " bytes follow the array that its header describes; save one array a file",
                       path, there - bytes);
    return true;
}

/* Reads the header's text into a terminated string, to be freed. NULL on failure. */
static char *read_text(const io_reader *reader, npy_array *a, io_error *err)
{
    const io_input *in = &reader->input;
    unsigned char head[MAGIC_BYTES + 2 + 4] = {0};
    uint64_t length;
    size_t fixed;
    char *text = NULL;

    if (!io_input_read(in, 0, head, MAGIC_BYTES + 2 + 2))
        goto truncated;
    if (head[6] < 1 || head[6] > 3 || head[7] != 0) {
        io_fail(err, "%s: NPY format version %u.%u is not supported (1.0, 2.0 and 3.0 are); save it again with NumPy",
                in->path, head[6], head[7]);
        return NULL;
    }
    fixed = head[6] == 1 ? 10 : 12;
    if (!io_input_read(in, 0, head, fixed))
        goto truncated;
    length = (uint64_t)head[8] | (uint64_t)head[9] << 8 | (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
    if (length > in->bytes - fixed)
        goto truncated;
    if (length > MAX_HEADER_BYTES) {
        io_fail(err, "%s: its header has %" PRIu64 " bytes, over the limit of %u; save a plain array", in->path, length,
                MAX_HEADER_BYTES);
        return NULL;
    }
    text = calloc(1, (size_t)length + 1);
    if (!text) {
        io_fail(err, "%s: out of memory", in->path);
        return NULL;
    }
    if (io_input_read(in, fixed, text, (size_t)length)) {
        a->text_bytes = (size_t)length;
        a->data_at = fixed + length;
        return text;
    }
truncated:
    free(text);
    io_fail(err, "%s: the file ends inside its NPY header (it has %" PRIu64 " bytes); it is truncated: copy it again",
            in->path, in->bytes);
    return NULL;
}

static bool npy_matches(const unsigned char *head, size_t size)
{
    return size >= MAGIC_BYTES && memcmp(head, magic, MAGIC_BYTES) == 0;
}

static bool npy_open(io_reader *reader, io_error *err)
{
    npy_array *a = reader->state = calloc(1, sizeof *a);
    const char *path = reader->input.path;
    dictionary d = {.array = a};
    char *text = NULL;
    bool ok = false;

    if (!a)
        return io_fail(err, "%s: out of memory", path);
    text = read_text(reader, a, err);
    if (!text)
        return false;
    d.at = text;
    if (!take_dictionary(&d) || strlen(text) != a->text_bytes) {
        if (d.has_descr || !strstr(text, "'descr': ["))
            io_fail(err,
                    "%s: the NPY header cannot be understood at its character %td; save the array again with NumPy",
                    path, d.at - text);
        else
            io_fail(err, "%s: arrays of records are not supported; save one field, one of " SUPPORTED, path);
        goto cleanup;
    }
    if (!set_type(a, d.descr)) {
        io_fail(err, "%s: elements of type '%s' are not supported (" SUPPORTED " are); save a.astype('<f8')", path,
                d.descr);
        goto cleanup;
    }
    ok = check_shape(reader, a, err);
    reader->pages = ok ? (size_t)a->pages : 0;
cleanup:
    free(text);
    return ok;
}

/* A Fortran-order array lies in the file column by column. */
static bool read_columns(const io_reader *reader, const npy_array *a, io_image *out)
{
    size_t size = penta_type_size(a->type);
    size_t column_bytes = out->height * size;
    unsigned char *column = malloc(column_bytes);
    unsigned char *pixels = out->data;
    bool ok = column != NULL;

    for (size_t x = 0; ok && x < out->width; x++) {
        ok = io_input_read(&reader->input, a->data_at + x * column_bytes, column, column_bytes);
        for (size_t y = 0; ok && y < out->height; y++)
            memcpy(pixels + (y * out->width + x) * size, column + y * size, size);
    }
    free(column);
    return ok;
}

static bool npy_read(io_reader *reader, size_t page, io_image *out, io_error *err)
{
    const npy_array *a = reader->state;
    size_t count;
    size_t bytes;
    bool ok;

    if (!io_page_alloc(reader, page, a->columns, a->rows, a->type, out, err))
        return false;
    count = out->width * out->height;
    bytes = count * penta_type_size(a->type);
    ok = a->fortran ? read_columns(reader, a, out)
                    : io_input_read(&reader->input, a->data_at + (uint64_t)page * bytes, out->data, bytes);
    if (!ok)
        return io_page_fail(reader, page, err, "cannot be read; the file shrank, or the disk or memory fails");
    if (a->swapped)
        swap_elements(out->data, count, penta_type_size(a->type));
    for (size_t i = 0; a->truth && i < count; i++)
        ((uint8_t *)out->data)[i] = ((uint8_t *)out->data)[i] != 0;
    return true;
}

static void npy_close(io_reader *reader)
{
    free(reader->state);
}

const io_format io_npy_format = {"NPY", npy_matches, npy_open, npy_read, npy_close};

/* ---- writing ---- */

/* The dictionary, padded with spaces so that the array starts at a multiple of 64 bytes, and everything before it. */
static size_t make_header(penta_type type, size_t ndim, const size_t *shape, unsigned char header[512])
{
    static const char *const descr[] = {[PENTA_U8] = "|u1",  [PENTA_U16] = "<u2", [PENTA_F32] = "<f4",
                                        [PENTA_F64] = "<f8", [PENTA_I64] = "<i8", [PENTA_I32] = "<i4"};
    char *text = (char *)header + 10;
    size_t n = 0;
    size_t total;

    n += (size_t)snprintf(text, 128, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr[type]);
    for (size_t i = 0; i < ndim; i++) /* at most 8 times 22 characters */
        n += (size_t)snprintf(text + n, 32, "%s%zu", i ? ", " : "", shape[i]);
    n += (size_t)snprintf(text + n, 32, "%s), }", ndim == 1 ? "," : "");
    total = (10 + n + 1 + 63) / 64 * 64;
    memset(text + n, ' ', total - 10 - n);
    header[total - 1] = '\n';
    memcpy(header, magic, MAGIC_BYTES);
    header[6] = 1;
    header[7] = 0;
    header[8] = (unsigned char)(total - 10);
    header[9] = (unsigned char)((total - 10) >> 8);
    return total;
}

/* Through a buffer where the byte order must be turned round. Errors show when the output is committed. */
static void write_elements(FILE *stream, const void *data, size_t count, size_t size)
{
    const unsigned char *from = data;
    unsigned char block[4096];

    if (size == 1 || host_is_little()) {
        if (count > 0)
            fwrite(data, size, count, stream);
        return;
    }
    for (size_t left = count * size; left > 0;) {
        size_t n = left < sizeof block ? left : sizeof block;

        memcpy(block, from, n);
        swap_elements(block, n / size, size);
        fwrite(block, 1, n, stream);
        from += n;
        left -= n;
    }
}

bool io_npy_write(const char *path, penta_type type, size_t ndim, const size_t *shape, const void *data, io_error *err)
{
    unsigned char header[512];
    size_t size = penta_type_size(type);
    uint64_t count = 1;
    io_output *output = NULL;

    if (size == 0 || ndim > MAX_DIMENSIONS)
        return io_fail(err, "%s: an NPY file cannot be made of %zu dimensions of type %s", path, ndim,
                       penta_type_name(type));
    for (size_t i = 0; i < ndim; i++)
        count = io_product(count, shape[i]);
    if (io_product(count, size) > SIZE_MAX / 2)
        return io_fail(err, "%s: the array is too large to be written", path);
    if (!io_output_open(path, &output, err))
        return false;
    fwrite(header, 1, make_header(type, ndim, shape, header), io_output_stream(output));
    write_elements(io_output_stream(output), data, (size_t)count, size);
    return io_output_commit(output, err);
}
