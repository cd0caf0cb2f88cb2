/* ENVI: raw elements beside a text that describes them. GDAL writes it (cube_gdal_write.c). */
#include <pentacl/numbers.h>
#include "io/cube_gdal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/format.h"
#include "io/npy_format.h"
#include "io/path.h"

typedef struct {
    char *header; /* its path */
    io_cube_raw raw;
} envi_state;

/* ---- the text ---- */

/* The keys that are read, integers first, of which the first four are needed. */
enum { BANDS, LINES, SAMPLES, TYPE, OFFSET, ORDER, COMPRESSION, INTEGERS };
enum { INTERLEAVE = INTEGERS, KIND, MAJOR, MINOR, IGNORE, WAVELENGTH, UNITS, BBL, GAINS, OFFSETS, FACTOR, KEYS };

static const char *const keys[] = {[BANDS] = "bands",
                                   [LINES] = "lines",
                                   [SAMPLES] = "samples",
                                   [TYPE] = "data type",
                                   [OFFSET] = "header offset",
                                   [ORDER] = "byte order",
                                   [COMPRESSION] = "file compression",
                                   [INTERLEAVE] = "interleave",
                                   [KIND] = "file type",
                                   [MAJOR] = "major frame offsets",
                                   [MINOR] = "minor frame offsets",
                                   [IGNORE] = "data ignore value",
                                   [WAVELENGTH] = "wavelength",
                                   [UNITS] = "wavelength units",
                                   [BBL] = "bbl",
                                   [GAINS] = "data gain values",
                                   [OFFSETS] = "data offset values",
                                   [FACTOR] = "reflectance scale factor"};

/* The file's bytes with two zeros behind them; NULL: it cannot be read. */
static char *read_text(const char *path)
{
    io_input in = {0};
    char *text = io_input_open(path, &in, NULL) ? calloc((size_t)in.bytes + 2, 1) : NULL;

    if (text && !io_input_read(&in, 0, text, (size_t)in.bytes)) {
        free(text);
        text = NULL;
    }
    io_input_close(&in);
    return text;
}

/* Words with one space between them and a zero behind them, in lower case; returns what follows. */
static char *put_words(char *out, const char *from, size_t size)
{
    const char *end = from + size;
    char *start = out;

    for (; from < end; from++)
        if (!strchr(" \t\r\n", *from))
            *out++ = (char)(*from >= 'A' && *from <= 'Z' ? *from - 'A' + 'a' : *from);
        else if (out > start && out[-1] != ' ')
            *out++ = ' ';
    out -= out > start && out[-1] == ' ';
    *out = 0;
    return out + 1;
}

/* Lines "key = value" and "key = {value}" to values, NULL where there is none, in place. Of two, the first counts. */
static void split(char *text, const char *values[KEYS])
{
    const char *at = text;
    char *out = text;

    memset(values, 0, KEYS * sizeof *values);
    while (*at) {
        size_t key = strcspn(at, "=\r\n"), size;
        const char *value = at + key + 1, *name = out;
        bool braces;

        if (at[key] != '=' || strchr(";=", at[strspn(at, " \t")])) {
            at += strcspn(at, "\r\n");
            at += strspn(at, "\r\n");
            continue;
        }
        value += strspn(value, " \t");
        braces = *value == '{';
        value += braces;
        size = strcspn(value, braces ? "}" : "\r\n");
        out = put_words(out, at, key);
        for (int i = 0; i < KEYS; i++)
            if (!values[i] && strcmp(name, keys[i]) == 0)
                values[i] = out;
        out = put_words(out, value, size);
        at = value + size + (braces && value[size]);
    }
}

/* A whole number; false: the text is none. */
static bool take_number(const char *text, double *out)
{
    char *end;

    *out = penta_strtod(text, &end);
    return end != text && !*end;
}

/* Up to `most` numbers of a list; NAN and *wrong: a word that is none. Returns how many there are. */
static size_t read_list(const char *text, double *out, size_t most, const char **wrong)
{
    size_t n = 0;

    *wrong = NULL;
    while (*(text += strspn(text, ", "))) {
        size_t size = strcspn(text, ", ");
        char *end;
        double value = penta_strtod(text, &end);

        if (end != text + size || !isfinite(value)) {
            value = NAN;
            *wrong = text;
        }
        if (n < most)
            out[n] = value;
        text += size;
        n++;
    }
    return n;
}

/* ---- the elements ---- */

static bool take_type(penta_io_cube *cube, uint64_t number, penta_io_error *err)
{
    static const struct {
        unsigned number;
        int type, stored;
    } types[] = {{1, PENTA_U8, 0},
                 {2, PENTA_I16, 0},
                 {3, PENTA_I32, 0},
                 {4, PENTA_F32, 0},
                 {5, PENTA_F64, 0},
                 {12, PENTA_U16, 0},
                 {13, PENTA_U32, 0},
                 {14, PENTA_I64, IO_STORED_I64},
                 {15, PENTA_I64, IO_STORED_U64}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].number == number) {
            cube->whole.type = (penta_type)types[i].type;
            cube->stored = types[i].stored;
            return true;
        }
    if (number == 6 || number == 9)
        return penta_io_fail(err, "%s: its elements are complex (%s); make a cube of their magnitudes or real parts",
                             cube->path, number == 6 ? "CFloat32" : "CFloat64");
    return penta_io_fail(err, "%s: its header has data type = %" PRIu64 "; 1 to 5 and 12 to 15 can be read", cube->path,
                         number);
}

/* Whether the elements are those of an image, one after the other. */
static bool check_kind(const penta_io_cube *cube, const char *const *values, bool mask, uint64_t compressed,
                       penta_io_error *err)
{
    const char *kind = values[KIND];

    if (compressed != 0) /* each row would need the decompression of all rows before it */
        return penta_io_fail(
            err,
            "%s: is compressed ENVI; decompress its data (gzip -dc) and take the line 'file compression' out "
            "of its header",
            cube->path);
    if (kind && strncmp(kind, "envi ", 5) == 0 && strcmp(kind, "envi standard") != 0 &&
        !(mask && strcmp(kind, "envi classification") == 0))
        return penta_io_fail(err,
                             "%s: its header says 'file type = %.40s', which is no image of numbers; if it is one, "
                             "say ENVI Standard there",
                             cube->path, kind);
    for (int i = MAJOR; i <= MINOR; i++)
        if (values[i] && values[i][strspn(values[i], "0, ")])
            return penta_io_fail(err, "%s: has bytes between its lines ('%s'), which are not left out; save it without",
                                 cube->path, keys[i]);
    return true;
}

/* Fewer bytes behind the elements than one more row, column or band has are no sign of another cube's header. */
static bool check_size(penta_io_cube *cube, uint64_t offset, penta_io_error *err)
{
    const penta_io_cube_info *w = &cube->whole;
    uint64_t bytes = io_cube_bytes(w), there = cube->input.bytes, most = w->rows;
    uint64_t needed = bytes > UINT64_MAX - offset ? UINT64_MAX : bytes + offset;

    most = w->cols > most ? w->cols : most;
    most = w->bands > most ? w->bands : most;
    if (needed <= there && bytes > 0 && there - needed < bytes / most) {
        if (there > needed)
            snprintf(cube->note, sizeof cube->note, "%" PRIu64 " bytes behind the cube are not read", there - needed);
        return true;
    }
    if (needed > there)
        return io_cube_short_file(cube, needed, there, err);
    return penta_io_fail(err,
                         "%s: its header asks for %zu bands of %zu rows x %zu columns of %s, %" PRIu64
                         " bytes, but there are %" PRIu64 "; correct the header, or cut what follows (head -c %" PRIu64
                         ")",
                         cube->path, w->bands, w->rows, w->cols, penta_type_name(w->type), needed, there, needed);
}

static bool take_elements(penta_io_cube *cube, const char *const *values, bool mask, penta_io_error *err)
{
    static const char *const orders[] = {[PENTA_BSQ] = "bsq", [PENTA_BIL] = "bil", [PENTA_BIP] = "bip"};
    const char *interleave = values[INTERLEAVE];
    envi_state *e = cube->state;
    uint64_t n[INTEGERS];
    int layout = PENTA_BSQ;

    for (int i = 0; i < INTEGERS; i++) {
        size_t digits = values[i] ? strspn(values[i], "0123456789") : 0;

        n[i] = digits > 0 ? strtoull(values[i], NULL, 10) : 0;
        if (values[i] ? digits == 0 || values[i][digits] || n[i] >= SIZE_MAX : i <= TYPE)
            return penta_io_fail(err, "%s: its ENVI header has no valid number '%s'; correct it", cube->path, keys[i]);
    }
    while (layout <= PENTA_BIP && (interleave ? strcmp(interleave, orders[layout]) != 0 : n[BANDS] > 1))
        layout++;
    if (layout > PENTA_BIP || n[ORDER] > 1)
        return penta_io_fail(err, "%s: its ENVI header must have interleave = bsq, bil or bip and byte order = 0 or 1",
                             cube->path);
    cube->whole = (penta_io_cube_info){.bands = (size_t)n[BANDS],
                                       .rows = (size_t)n[LINES],
                                       .cols = (size_t)n[SAMPLES],
                                       .layout = layout,
                                       .format = "ENVI"};
    e->raw = (io_cube_raw){.in = &cube->input, .at = n[OFFSET], .order = layout};
    if (!check_kind(cube, values, mask, n[COMPRESSION], err) || !take_type(cube, n[TYPE], err))
        return false;
    e->raw.swapped = penta_type_size(cube->whole.type) > 1 && (n[ORDER] == 0) != io_host_is_little();
    return check_size(cube, n[OFFSET], err);
}

/* ---- facts about bands ---- */

/* Wavelengths without a unit are guessed from the numbers. A list of another length is of no use. */
static void take_wavelengths(penta_io_cube *cube, const char *const *values, double *list)
{
    double unit = io_cube_nanometres(values[UNITS]);
    const char *wrong;

    if (!values[WAVELENGTH] || unit == 0 ||
        read_list(values[WAVELENGTH], list, cube->whole.bands, &wrong) != cube->whole.bands)
        return;
    for (size_t k = 0; k < cube->whole.bands; k++)
        if (list[k] > 0)
            cube->whole.each[k].wavelength = list[k] * (isnan(unit) ? 1 : unit);
    if (isnan(unit))
        io_cube_guess_micrometres(&cube->whole);
}

/* Bad bands, gains and offsets, one list each. */
static bool take_list(penta_io_cube *cube, const char *text, int key, double *list, penta_io_error *err)
{
    penta_io_cube_band *each = cube->whole.each;
    const char *wrong;
    size_t n = read_list(text, list, cube->whole.bands, &wrong);

    if (n != cube->whole.bands)
        return penta_io_fail(err,
                             "%s: the list '%s' of its header has %zu entries for %zu bands; correct it, or take the "
                             "elements as they are (`raw_values`)",
                             cube->path, keys[key], n, cube->whole.bands);
    if (wrong)
        return penta_io_fail(err,
                             "%s: '%.*s' in the list '%s' of its header is no number; correct it, or take the "
                             "elements as they are (`raw_values`)",
                             cube->path, (int)strcspn(wrong, ", "), wrong, keys[key]);
    for (size_t k = 0; k < n; k++)
        if (key == BBL)
            each[k].is_bad = list[k] == 0;
        else
            *(key == GAINS ? &each[k].gain : &each[k].offset) = list[k];
    return true;
}

static bool take_scales(penta_io_cube *cube, const char *const *values, double *list, penta_io_error *err)
{
    double *factor = &cube->whole.factor;

    for (int i = BBL; i <= OFFSETS; i++)
        if (values[i] && !take_list(cube, values[i], i, list, err))
            return false;
    if (values[FACTOR] && (!take_number(values[FACTOR], factor) || !isfinite(*factor) || !(*factor > 0)))
        return penta_io_fail(err,
                             "%s: the reflectance scale factor of its header, '%.40s', is not above 0; correct it, or "
                             "take the elements as they are (`raw_values`)",
                             cube->path, values[FACTOR]);
    return io_cube_check_scales(cube, err);
}

static bool take_bands(penta_io_cube *cube, const char *const *values, bool raw_values, penta_io_error *err)
{
    size_t bands = cube->whole.bands;
    penta_io_cube_band all = {.gain = 1, .has_no_data = values[IGNORE] != NULL};
    double *list;
    bool ok;

    if (all.has_no_data && !take_number(values[IGNORE], &all.no_data))
        return penta_io_fail(err, "%s: its header has data ignore value = %.40s, which is no number; correct it",
                             cube->path, values[IGNORE]);
    cube->whole.each = calloc(bands, sizeof *cube->whole.each);
    list = malloc(bands * sizeof *list);
    ok = (list && cube->whole.each) || penta_io_fail(err, "%s: out of memory", cube->path);
    for (size_t k = 0; ok && k < bands; k++)
        cube->whole.each[k] = all;
    if (ok)
        take_wavelengths(cube, values, list);
    ok = ok && (raw_values || take_scales(cube, values, list, err));
    free(list);
    return ok;
}

/* ---- files ---- */

/* The first `stem` bytes of the path and one of these ends: the first file that begins with this text, of at most 4
 * bytes. To be freed; NULL: none. */
static char *find_file(const char *path, size_t stem, const char *const *ends, const char *text)
{
    char *name = malloc(stem + 16), head[4];
    size_t size = strlen(text);

    for (; name && *ends; ends++) {
        io_input in = {0};
        bool found;

        snprintf(name, stem + 16, "%.*s%s", (int)stem, path, *ends);
        found = io_input_open(name, &in, NULL) && io_input_read(&in, 0, head, size) && memcmp(head, text, size) == 0;
        io_input_close(&in);
        if (found)
            return name;
    }
    free(name);
    return NULL;
}

bool io_cube_envi_finds(penta_io_cube *cube, const unsigned char *head)
{
    bool tiff = (memcmp(head, "II", 2) == 0 || memcmp(head, "MM", 2) == 0) && (head[2] | head[3] | 1) == '+';
    static const char *const ends[] = {".hdr", ".HDR", NULL}, *const itself[] = {"", NULL};
    const char *path = cube->path, *dot = strrchr(io_path_base(path), '.');
    size_t length = strlen(path);
    envi_state *e = calloc(1, sizeof *e);

    if (e && dot && strcasecmp(dot, ".hdr") == 0)
        e->header = find_file(path, length, itself, "ENVI");
    else if (e && !tiff)
        e->header = find_file(path, length, ends, "ENVI"); /* scene.img.hdr */
    if (e && !tiff && !e->header && dot)
        e->header = find_file(path, (size_t)(dot - path), ends, "ENVI");
    if (e && !e->header) {
        free(e);
        e = NULL;
    }
    cube->state = e;
    return e != NULL;
}

/* After the header was named: continues with the data beside it. */
static bool go_to_data(penta_io_cube *cube, penta_io_error *err)
{
    static const char *const ends[] = {"",     ".img", ".dat", ".raw", ".bin", ".bsq", ".bil", ".bip",
                                       ".IMG", ".DAT", ".RAW", ".BIN", ".BSQ", ".BIL", ".BIP", NULL};
    char *data = find_file(cube->path, strlen(cube->path) - strlen(".hdr"), ends, "");
    bool ok = data || penta_io_fail(err,
                                    "%s: is an ENVI header, and its data are not beside it (the same name without "
                                    ".hdr, or with .img, .dat, .raw, .bin, .bsq, .bil, .bip); rename them",
                                    cube->path);

    io_input_close(&cube->input);
    ok = ok && io_input_open(data, &cube->input, err);
    free(data);
    return ok;
}

/* ---- the format ---- */

/* Facts that stand where other programs look for them. */
static void doubt_facts(penta_io_cube *cube, const char *const *values, bool misplaced)
{
    static const char *const more[] = {".aux.xml", NULL}, *const masks[] = {".msk", NULL};
    static const struct {
        const char *name;
        int key;
    } facts[] = {{"<Scale>", GAINS}, {"<Offset>", OFFSETS}, {"<NoDataValue>", IGNORE}};
    size_t length = strlen(cube->input.path);
    char *path = find_file(cube->input.path, length, more, ""), *mask = find_file(cube->input.path, length, masks, "");
    char *text = path ? read_text(path) : NULL;
    bool elsewhere = false;

    for (size_t i = 0; text && i < sizeof facts / sizeof *facts; i++)
        elsewhere = elsewhere || (strstr(text, facts[i].name) && !values[facts[i].key]);
    if (mask)
        snprintf(cube->note, sizeof cube->note, "the mask beside it, .msk, is not read; name it (`mask`)");
    else if (elsewhere)
        snprintf(
            cube->note, sizeof cube->note,
            "scales or no-data values that stand beside it, in .aux.xml, are not read; write them into its header");
    else if (misplaced && !*cube->note)
        snprintf(cube->note, sizeof cube->note,
                 "its coordinates are not kept: take out the spaces before 'map info' in its header");
    free(mask);
    free(text);
    free(path);
}

static bool envi_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    const envi_state *e = cube->state;
    const char *values[KEYS], *map;
    char *header;
    bool ok, misplaced;

    if (strcmp(e->header, cube->path) == 0 && !go_to_data(cube, err))
        return false;
    header = read_text(e->header);
    if (!header)
        return penta_io_fail(err, "%s: its header %s cannot be read", cube->path, e->header);
    map = strstr(header, "map info");
    misplaced = map && map > header && strchr(" \t", map[-1]); /* where GDAL, which keeps them, does not see them */
    split(header, values);
    ok = take_elements(cube, values, hints->mask, err) && take_bands(cube, values, hints->raw_values, err);
    if (ok)
        doubt_facts(cube, values, misplaced);
    free(header);
    return ok;
}

static bool envi_read(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    return io_cube_raw_read(cube, &((const envi_state *)cube->state)->raw, y, count, out, err);
}

static void envi_close(penta_io_cube *cube)
{
    free(((envi_state *)cube->state)->header);
    free(cube->state);
}

static bool envi_has_file(const penta_io_cube *cube, const char *path)
{
    return penta_io_same_file(((const envi_state *)cube->state)->header, path);
}

static bool envi_at(size_t i, penta_io_format *out)
{
    static const char *const ends[] = {"img", "dat", "bsq", "bil", "bip", "raw", "hdr", NULL};

    *out = (penta_io_format){.name = "ENVI", .ends = ends, .read = true};
#ifdef PENTA_HAVE_GDAL
    out->write = io_gdal_load() == NULL;
#endif
    return i == 0;
}

static bool envi_matches(const unsigned char *head, size_t size)
{
    (void)head;
    (void)size;
    return false; /* by its header: io_cube_envi_finds */
}

const io_cube_format io_cube_envi = {.at = envi_at,
                                     .matches = envi_matches,
                                     .open = envi_open,
                                     .read = envi_read,
                                     .close = envi_close,
                                     .has_file = envi_has_file};

/* ---- what GDAL writes ---- */

/* GDAL describes some data in their header by the name under which it wrote them, which is a temporary one. */
bool io_cube_envi_name_data(const char *header, const char *data)
{
    char *text = read_text(header), *at = text ? strstr(text, data) : NULL;
    FILE *out = at ? fopen(header, "wb") : NULL;
    bool ok = text && (!at || out);

    if (out) {
        ok = fprintf(out, "%.*s%s%s", (int)(at - text), text, io_path_base(data), at + strlen(data)) > 0;
        ok = fclose(out) == 0 && ok;
    }
    free(text);
    return ok;
}
