/* The format of a new image, told by the end of its name. */
#include <pentacl/io/image.h>
#include "io/format.h"
#include "io/npy_format.h"

#include <string.h>
#include <strings.h>

#define KNOWN "end it in .png (u8, u16), .fits, .fit, .fts, .tif, .tiff or .npy"

#ifdef PENTA_HAVE_FITS
#define NO_FITS NULL
#else
#define NO_FITS "FITS: install libcfitsio-dev and rebuild, or write .npy"
#endif

#ifdef PENTA_HAVE_TIFF
#define NO_TIFF NULL
#else
#define NO_TIFF "TIFF: install libtiff-dev and rebuild, or write .npy"
#endif

enum format { PNG, FITS, TIFF, NPY };

typedef struct {
    const char *suffix;
    enum format format;
    const char *missing; /* what this build lacks; NULL: nothing */
} suffix;

static const suffix suffixes[] = {
    {".png", PNG, NULL},      {".fits", FITS, NO_FITS}, {".fit", FITS, NO_FITS}, {".fts", FITS, NO_FITS},
    {".tiff", TIFF, NO_TIFF}, {".tif", TIFF, NO_TIFF},  {".npy", NPY, NULL},
};

/* NULL, with err set, when the name's end is not known. A name that is nothing but its end is a name without one. */
static const suffix *find_suffix(const char *path, penta_io_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && dot != name && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(dot, suffixes[i].suffix) == 0)
            return &suffixes[i];
    penta_io_fail(err, "%s: the name does not say in which format to write the image; " KNOWN, path);
    return NULL;
}

bool penta_io_image_can_write(const char *path, penta_type type, penta_io_error *err)
{
    const suffix *s = find_suffix(path, err);

    if (!s)
        return false;
    if (s->missing)
        return penta_io_fail(err, "%s: this build cannot write %s", path, s->missing);
    if (type != PENTA_U8 && type != PENTA_U16 && type != PENTA_F32 && type != PENTA_F64)
        return penta_io_fail(err, "%s: an image of %s cannot be written; convert it to u8, u16, f32 or f64", path,
                             penta_type_name(type));
    if (s->format == PNG && type != PENTA_U8 && type != PENTA_U16)
        return penta_io_fail(err, "%s: a PNG holds u8 or u16, not %s; scale the image or write .fits, .tif or .npy",
                             path, penta_type_name(type));
    return true;
}

bool penta_io_image_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta,
                          penta_io_error *err)
{
    if (!penta_io_image_can_write(path, image->type, err))
        return false;
    if (image->width == 0 || image->height == 0 || !image->data)
        return penta_io_fail(err, "%s: an empty image (%zu x %zu pixels) cannot be written", path, image->width,
                             image->height);
    switch (find_suffix(path, err)->format) {
    case PNG:
        return penta_io_png_write(path, image, err);
    case FITS:
        return io_fits_write(path, image, meta, err);
    case TIFF:
        return io_tiff_write(path, image, err);
    default:
        return penta_io_npy_write(path, image->type, 2, (const size_t[]){image->height, image->width}, image->data,
                                  err);
    }
}
