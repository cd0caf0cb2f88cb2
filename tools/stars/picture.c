#include "stars/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stars/header.h"

#define ASINH_RANGE 300.0 /* from the least brightness that the stretch shows well to the greatest */

/* ---- pixel types ---- */

/* Whether these are the last letters of a name that penta_io_image_can_write has let through. */
static bool ends_in(const stars_request *r, const char *letters)
{
    const char *name = r->suffix ? r->suffix : r->output, *end = name + strlen(name);

    if (end[-3] == '.' && (end[-2] | 32) == 'g' && (end[-1] | 32) == 'z')
        end -= 3;
    for (int i = 1; i <= 3; i++)
        if ((end[-i] | 32) != letters[3 - i])
            return false;
    return true;
}

bool stars_picture_is_fits(const stars_request *r)
{
    return ends_in(r, "fit") || ends_in(r, "fts") || ends_in(r, "its");
}

bool stars_picture_is_jpeg(const stars_request *r)
{
    return ends_in(r, "jpg") || ends_in(r, "peg");
}

/* What the file's pixels are. */
static penta_type type_of(const stars_request *r)
{
    bool deep = r->png_bits == 16 || (r->png_bits == 0 && r->noise && r->detector.bits > 8);

    if (stars_picture_is_jpeg(r))
        return PENTA_U8;
    if (ends_in(r, "png"))
        return deep ? PENTA_U16 : PENTA_U8;
    if (!ends_in(r, "npy") && r->noise && r->detector.bits > 0)
        return PENTA_U16;
    return r->stars.precision == PENTA_PRECISION_DOUBLE && !r->noise ? PENTA_F64 : PENTA_F32;
}

static double most_of(penta_type type)
{
    return type == PENTA_U8 ? 255 : type == PENTA_U16 ? 65535 : INFINITY;
}

double stars_picture_limit(const stars_request *r)
{
    return r->stretch == STARS_STRETCH_NONE ? most_of(type_of(r)) - 0.5 : INFINITY;
}

/* ---- values ---- */

static double value_at(const penta_io_image *image, size_t i)
{
    return image->type == PENTA_F64 ? ((const double *)image->data)[i] : (double)((const float *)image->data)[i];
}

/* shown = most asinh((v - black) / soft) / asinh((white - black) / soft) */
typedef struct {
    double black, soft, scale; /* soft 0: v as it is */
} stretch;

/* The value that half of the pixels do not exceed, to a millionth of the range. */
static double median_of(const penta_io_image *image, double least, double most)
{
    enum { BINS = 1 << 20 };
    size_t n = image->width * image->height, below = 0, bin = 0, *count = calloc(BINS, sizeof *count);

    if (!count)
        return least;
    for (size_t i = 0; i < n; i++)
        count[(size_t)((value_at(image, i) - least) / (most - least) * (BINS - 1))]++;
    while (bin + 1 < BINS && (below += count[bin]) < (n + 1) / 2)
        bin++;
    free(count);
    return least + (most - least) * (double)bin / (BINS - 1);
}

static stretch find_stretch(const stars_request *r, const penta_io_image *image, double white)
{
    double least = INFINITY, most = -INFINITY;
    stretch s = {0};

    if (r->stretch == STARS_STRETCH_NONE)
        return s;
    for (size_t i = 0; i < image->width * image->height; i++) {
        least = fmin(least, value_at(image, i));
        most = fmax(most, value_at(image, i));
    }
    s.soft = 1;
    if (most > least) {
        s.black = median_of(image, least, most);
        s.soft = (most - s.black) / ASINH_RANGE;
        s.scale = white / asinh(ASINH_RANGE);
    }
    return s;
}

/* Rounded to nearest and clipped. */
static double shown(const stretch *s, double v, double most)
{
    double w = s->soft > 0 ? s->scale * asinh((v - s->black) / s->soft) : v;

    return w > 0 ? fmin(floor(w + 0.5), most) : 0;
}

static void convert(const penta_io_image *from, const stretch *s, penta_io_image *to)
{
    size_t n = to->width * to->height;

    if (to->type == PENTA_U8)
        for (size_t i = 0; i < n; i++)
            ((uint8_t *)to->data)[i] = (uint8_t)shown(s, value_at(from, i), 255);
    else if (to->type == PENTA_U16)
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)to->data)[i] = (uint16_t)shown(s, value_at(from, i), 65535);
}

/* ---- files ---- */

bool stars_picture_write(const stars_run *run, const stars_shot *shot, const char *path, penta_io_error *err)
{
    const stars_request *r = &run->request;
    penta_io_image picture = shot->image;
    stretch s;
    bool ok;

    picture.type = type_of(r);
    if (picture.type == shot->image.type)
        return stars_header_write(run, shot, &picture, path, err);
    picture.data = malloc(picture.width * picture.height * penta_type_size(picture.type));
    if (!picture.data)
        return penta_io_fail(err, "%s: out of memory for its pixels", path);
    s = find_stretch(r, &shot->image, most_of(picture.type));
    convert(&shot->image, &s, &picture);
    ok = stars_header_write(run, shot, &picture, path, err);
    penta_io_image_free(&picture);
    return ok;
}
