/* The header of NumPy .npy: a magic, a version, the length of a Python dictionary in text, the dictionary. */
#include "io/npy_format.h"
#include "io/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER_BYTES (1u << 20)

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6 };

bool io_host_is_little(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 1;
}

void io_swap_elements(void *elements, size_t count, size_t size)
{
    unsigned char *data = elements;

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
    io_npy_header *array;
    bool has_descr, has_order, has_shape;
} dictionary;

static void skip_space(dictionary *d)
{
    while (*d->at == ' ' || *d->at == '\t' || *d->at == '\n' || *d->at == '\r')
        d->at++;
}

/* Skips spaces and then `word`; false, without skipping, if something else is there. */
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

/* Reads a tuple: (), (3,), (3, 4) and so on. */
static bool take_shape(dictionary *d)
{
    io_npy_header *a = d->array;

    if (!take(d, "("))
        return false;
    while (!take(d, ")")) {
        if (a->dimensions == IO_NPY_DIMENSIONS || !take_size(d, &a->shape[a->dimensions]))
            return false;
        a->dimensions++;
        if (!take(d, ",")) {
            if (a->dimensions == 1) /* (3) is a number in Python, not a tuple */
                return false;
            return take(d, ")");
        }
    }
    return true;
}

/* Reads one "key: value". */
static bool take_entry(dictionary *d)
{
    char key[32];

    if (!take_string(d, key, sizeof key) || !take(d, ":"))
        return false;
    if (strcmp(key, "descr") == 0 && !d->has_descr)
        return d->has_descr = take_string(d, d->array->descr, sizeof d->array->descr);
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

/* Finds the type in this library, if there is one. */
static void set_type(io_npy_header *a)
{
    static const struct {
        const char *kind;
        penta_type type;
    } known[] = {{"u1", PENTA_U8},  {"b1", PENTA_U8},  {"u2", PENTA_U16}, {"i2", PENTA_I16}, {"u4", PENTA_U32},
                 {"i4", PENTA_I32}, {"i8", PENTA_I64}, {"f4", PENTA_F32}, {"f8", PENTA_F64}};
    char order = a->descr[0];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t size = penta_type_size(known[i].type);

        if (!order || strcmp(a->descr + 1, known[i].kind) != 0)
            continue;
        a->type = known[i].type;
        a->truth = a->descr[1] == 'b';
        a->swapped = size > 1 && (order == '<') != io_host_is_little();
        a->known = order == '<' || order == '>' || (order == '|' && size == 1);
    }
}

/* Reads the header's text into a terminated string, to be freed; *bytes includes its padding. NULL on failure. */
static char *read_text(const io_input *in, io_npy_header *a, size_t *bytes, penta_io_error *err)
{
    unsigned char head[MAGIC_BYTES + 2 + 4] = {0};
    uint64_t length;
    size_t fixed;
    char *text = NULL;

    if (!io_input_read(in, 0, head, MAGIC_BYTES + 2 + 2))
        goto truncated;
    if (head[6] < 1 || head[6] > 3 || head[7] != 0) {
        penta_io_fail(err,
                      "%s: NPY format version %u.%u is not supported (1.0, 2.0 and 3.0 are); save it again with NumPy",
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
        penta_io_fail(err, "%s: its header has %" PRIu64 " bytes, over the limit of %u; save a plain array", in->path,
                      length, MAX_HEADER_BYTES);
        return NULL;
    }
    text = calloc(1, (size_t)length + 1);
    if (!text) {
        penta_io_fail(err, "%s: out of memory", in->path);
        return NULL;
    }
    if (io_input_read(in, fixed, text, (size_t)length)) {
        *bytes = (size_t)length;
        a->data_at = fixed + length;
        return text;
    }
truncated:
    free(text);
    penta_io_fail(err,
                  "%s: the file ends inside its NPY header (it has %" PRIu64 " bytes); it is truncated: copy it again",
                  in->path, in->bytes);
    return NULL;
}

bool io_npy_matches(const unsigned char *head, size_t size)
{
    return size >= MAGIC_BYTES && memcmp(head, magic, MAGIC_BYTES) == 0;
}

bool io_npy_read_header(const io_input *in, io_npy_header *out, penta_io_error *err)
{
    dictionary d = {.array = out};
    size_t bytes = 0;
    char *text = NULL;
    bool ok = false;

    *out = (io_npy_header){0};
    text = read_text(in, out, &bytes, err);
    if (!text)
        return false;
    d.at = text;
    if (take_dictionary(&d) && strlen(text) == bytes) {
        set_type(out);
        ok = true;
    } else if (!d.has_descr && strstr(text, "'descr': ["))
        penta_io_fail(err, "%s: arrays of records are not supported; save one field", in->path);
    else
        penta_io_fail(err,
                      "%s: the NPY header cannot be understood at its character %td; save the array again with NumPy",
                      in->path, d.at - text);
    free(text);
    return ok;
}

/* ---- writing ---- */

size_t io_npy_make_header(penta_type type, size_t ndim, const size_t *shape, unsigned char header[IO_NPY_HEADER_BYTES])
{
    static const char *const descr[] = {
        [PENTA_U8] = "|u1",  [PENTA_U16] = "<u2", [PENTA_F32] = "<f4", [PENTA_F64] = "<f8",
        [PENTA_I64] = "<i8", [PENTA_I32] = "<i4", [PENTA_I16] = "<i2", [PENTA_U32] = "<u4"};
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
