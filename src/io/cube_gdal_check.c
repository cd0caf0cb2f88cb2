/*
 * Checks files before GDAL allocates what their headers ask for. The numbers of a cube, and the blocks that GDAL reads
 * at a time, are at most IO_MAX_INFLATION times the bytes of its files (blocks also at most IO_MAX_PAGE_BYTES).
 */
#include "io/cube_gdal.h"

#ifdef PENTA_HAVE_GDAL

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/path.h"

/* ---- the directories of a TIFF ---- */

typedef struct {
    const io_input *in;
    bool motorola, big;
} tiff_file;

/* Reads a number of 2, 4 or 8 bytes; 0 beyond the end of the file. */
static uint64_t number_at(const tiff_file *f, uint64_t at, size_t size)
{
    unsigned char bytes[8];
    uint64_t value = 0;

    if (!io_input_read(f->in, at, bytes, size))
        return 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * (f->motorola ? size - 1 - i : i);
    return value;
}

/* Sizes of an image; 0: not stated. */
typedef struct {
    uint64_t width, height, samples, tile_width, tile_height, strip_rows;
    uint64_t bits, kind; /* of a single sample */
    bool is_part;        /* of another image: of lower resolution, or its mask */
} tiff_sizes;

/* A number of one of these tags; those of pixels count only where one number stands for all samples. */
static void take_entry(const tiff_file *f, uint64_t at, tiff_sizes *s)
{
    static const size_t sizes[] = {[3] = 2, [4] = 4, [16] = 8};
    const struct {
        uint64_t tag, *to;
        bool single;
    } tags[] = {{256, &s->width, false},       {257, &s->height, false},     {258, &s->bits, true},
                {277, &s->samples, false},     {278, &s->strip_rows, false}, {322, &s->tile_width, false},
                {323, &s->tile_height, false}, {339, &s->kind, true}};
    uint64_t tag = number_at(f, at, 2), type = number_at(f, at + 2, 2);
    size_t size = type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
    uint64_t value = size ? number_at(f, at + (f->big ? 12 : 8), size) : 0;

    if (tag == 254 || tag == 255) /* bit 0: reduced, bit 2: mask; the older tag: 2 */
        s->is_part = s->is_part || (tag == 254 ? (value & 5) != 0 : value == 2);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i].tag == tag)
            *tags[i].to = tags[i].single && number_at(f, at + 4, 4) != 1 ? 0 : value;
}

/* The sizes of the image at *next, and where the next one is: 0 after the last. */
static tiff_sizes sizes_of(const tiff_file *f, uint64_t *next)
{
    uint64_t at = *next;
    uint64_t count = number_at(f, at, f->big ? 8 : 2), entry = f->big ? 20 : 12;
    tiff_sizes s = {.samples = 1};

    *next = 0;
    if (at > f->in->bytes || count > f->in->bytes / entry)
        return s;
    at += f->big ? 8 : 2;
    for (uint64_t i = 0; i < count; i++)
        take_entry(f, at + i * entry, &s);
    *next = number_at(f, at + count * entry, f->big ? 8 : 4);
    return s;
}

static bool claims_too_much(const penta_io_cube *cube, uint64_t bytes, penta_io_error *err)
{
    return penta_io_fail(err,
                         "%s: its header claims %s%" PRIu64 " bytes or more to be read at a time, more than a file of "
                         "%" PRIu64 " bytes can hold; it is truncated or damaged: copy it again",
                         cube->path, bytes == UINT64_MAX ? "over " : "", bytes, cube->input.bytes);
}

/* Limits the samples, because GDAL makes an object of each; each has two bytes of its own in the header. */
static bool check_image(const penta_io_cube *cube, const tiff_file *f, const tiff_sizes *s, penta_io_error *err)
{
    uint64_t most = io_product(f->in->bytes, IO_MAX_INFLATION);
    uint64_t rows = s->strip_rows > 0 && s->strip_rows < s->height ? s->strip_rows : s->height;
    uint64_t block = s->tile_width > 0 ? io_product(s->tile_width, s->tile_height) : io_product(s->width, rows);

    if (s->samples > 1 && s->samples > f->in->bytes / 2)
        return claims_too_much(cube, io_product(s->samples, 2), err);
    if (s->width > most || block / 8 > most)
        return claims_too_much(cube, s->width > most ? s->width : block / 8, err);
    return true;
}

static bool is_alike(const tiff_sizes *a, const tiff_sizes *b)
{
    return a->width == b->width && a->height == b->height && a->samples == b->samples && a->bits == b->bits &&
           a->kind == b->kind;
}

/* Checks the images and lists those like the first one; *others: how many are not, and are no part of one. */
static bool check_tiff(const penta_io_cube *cube, const tiff_file *f, io_gdal_pages *pages, penta_io_error *err)
{
    uint64_t next = number_at(f, f->big ? 8 : 4, f->big ? 8 : 4), most = f->in->bytes / 6;
    tiff_sizes first = {0};

    for (uint64_t i = 0; next > 0 && i <= most; i++) { /* a chain can be a ring */
        uint64_t at = next, *room;
        tiff_sizes s = sizes_of(f, &next);

        if (!check_image(cube, f, &s, err))
            return false;
        if (i > 0 && (s.is_part || !is_alike(&s, &first))) {
            pages->others += !s.is_part;
            continue;
        }
        if (i == 0)
            first = s;
        if ((pages->count & (pages->count - 1)) == 0) { /* room for 1, 2, 4, 8, ... */
            room = realloc(pages->at, (pages->count ? 2 * pages->count : 1) * sizeof *room);
            if (!room)
                return penta_io_fail(err, "%s: out of memory", cube->path);
            pages->at = room;
        }
        pages->at[pages->count++] = at;
        if (pages->count > PENTA_PCA_MOST_BANDS)
            return penta_io_fail(err, "%s: has more than %d pages; it is damaged, or no cube", cube->path,
                                 PENTA_PCA_MOST_BANDS);
    }
    return true;
}

bool io_gdal_check_file(const penta_io_cube *cube, io_gdal_pages *pages, penta_io_error *err)
{
    tiff_file f = {.in = &cube->input};
    unsigned char head[4] = {0};

    if (io_hdf5_matches(&cube->input))
        return io_hdf5_check_file(&cube->input, err);
    if (!io_input_read(&cube->input, 0, head, sizeof head) ||
        (memcmp(head, "II", 2) != 0 && memcmp(head, "MM", 2) != 0))
        return true;
    f.motorola = head[0] == 'M';
    f.big = head[f.motorola ? 3 : 2] == '+';
    return check_tiff(cube, &f, pages, err);
}

/* ---- an open file ---- */

static bool is_beside(const char *a, const char *b)
{
    char *first = io_path_parent(a), *second = io_path_parent(b);
    bool same = first && second && penta_io_same_file(first, second);

    free(first);
    free(second);
    return same;
}

/* Checks that all files of a cube are in one directory, as in the usual formats. *bytes: their total size. */
static bool check_files(const penta_io_cube *cube, GDALDatasetH set, bool named, uint64_t *bytes, penta_io_error *err)
{
    char **files = GDALGetFileList(set);
    bool ok = true;

    *bytes = 0;
    for (int i = 0; ok && files && files[i]; i++) {
        io_input in = {0};

        ok = named || is_beside(files[i], cube->input.path) ||
             penta_io_fail(err, "%s: wants to read %s, which is not beside it; copy both into one directory",
                           cube->path, files[i]);
        if (ok && io_input_open(files[i], &in, NULL))
            *bytes += in.bytes;
        io_input_close(&in);
    }
    CSLDestroy(files);
    *bytes = *bytes < cube->input.bytes ? cube->input.bytes : *bytes;
    return ok;
}

/* Bytes that GDAL reads at a time for the band. */
static uint64_t block_bytes(const penta_io_cube *cube, GDALDatasetH set, int band)
{
    GDALRasterBandH b = GDALGetRasterBand(set, band);
    const char *order = GDALGetMetadataItem(set, "INTERLEAVE", "IMAGE_STRUCTURE");
    int width = 0, height = 0;
    uint64_t pixels;

    GDALGetBlockSize(b, &width, &height);
    pixels = width > 0 && height > 0 ? io_product((uint64_t)width, (uint64_t)height) : 0;
    if (order && strcmp(order, "PIXEL") == 0)
        pixels = io_product(pixels, cube->whole.bands);
    return io_product(pixels, (uint64_t)GDALGetDataTypeSizeBytes(GDALGetRasterDataType(b)));
}

bool io_gdal_check_set(const penta_io_cube *cube, GDALDatasetH set, bool named, penta_io_error *err)
{
    uint64_t there, most, whole = io_cube_bytes(&cube->whole);

    if (!check_files(cube, set, named, &there, err))
        return false;
    if (named)
        return true; /* it may list other files, so it can be of any size */
    most = io_product(there, IO_MAX_INFLATION);
    if (whole > most)
        return penta_io_fail(err,
                             "%s: its header asks for %zu bands of %zu rows x %zu columns of %s, more than %" PRIu64
                             " bytes of file can hold; it is truncated or damaged: copy it again",
                             cube->path, cube->whole.bands, cube->whole.rows, cube->whole.cols,
                             penta_type_name(cube->whole.type), there);
    for (size_t k = 1; k <= cube->whole.bands; k++) {
        uint64_t block = block_bytes(cube, set, (int)k);

        if (block > most || block > IO_MAX_PAGE_BYTES)
            return claims_too_much(cube, block, err);
    }
    return true;
}

#else
typedef int io_cube_gdal_check_is_empty;
#endif
