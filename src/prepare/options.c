/* The options of the prepare workload, and the parsing of its text options. */
#include <math.h>

#include "prepare/stages.h"

enum { LEAST_SIDE = 16 }; /* px */

static const penta_option option_rows[] = {
    PENTA_TEXT_OPTION(penta_prepare_options, crop, 0, "X,Y,W,H", "keep this part of each frame, px; default: all"),
    PENTA_CHOICE_OPTION(penta_prepare_options, grey, 0, "luminance,mean,red,green,blue", "how colour becomes grey"),
    PENTA_REAL_OPTION(penta_prepare_options, white, 0, 0, 0, 1e30, "",
                      "grey level of white; 0: 255 or 65535 by the type, 1 for floating frames"),
    PENTA_CHOICE_OPTION(penta_prepare_options, flatten, 0, "gaussian,overlay,poly,series,none",
                        "remove uneven light: divide by a wide Gaussian, a fitted polynomial, or the illumination of "
                        "the series; overlay: add an inverted blurred copy at 50 %"),
    PENTA_REAL_OPTION(penta_prepare_options, flatten_sigma, 0, 0, 0, 100000, "px",
                      "standard deviation of the Gaussian; 0: an eighth of the shorter side"),
    PENTA_INT_OPTION(penta_prepare_options, flatten_degree, 0, -1, -1, 8, "",
                     "degree of the polynomial in x and y, which gaussian, overlay and series fit first; -1: 4 for "
                     "poly (spots of light need 8), 2 for the others. Light as narrow as two domains is kept"),
    PENTA_CHOICE_OPTION(penta_prepare_options, dust, 0, "mask,copy,none,fill",
                        "mask: exclude dust by the mask; copy: replace it by the image nearby; fill: interpolate from "
                        "its surroundings"),
    PENTA_TEXT_OPTION(penta_prepare_options, dust_key, 0, "LO,HI", "grey levels outside are dust; default: no key"),
    PENTA_REAL_OPTION(penta_prepare_options, dust_limit, 0, 5, 0, 1000, "",
                      "robust standard deviations above which a pixel is dust; 0: use the key alone"),
    PENTA_INT_OPTION(penta_prepare_options, dust_size, 0, 16, 3, 256, "px", "largest speck that the limit finds"),
    PENTA_INT_OPTION(penta_prepare_options, dust_grow, 0, 2, 0, 64, "px", "how far dust is grown"),
    PENTA_REAL_OPTION(penta_prepare_options, dust_most, 0, 0.5, 0.01, 1, "",
                      "largest share of dust in a frame that is accepted"),
    /* the field cannot be named `register`, a keyword of C */
    {"register", PENTA_OPTION_CHOICE, offsetof(penta_prepare_options, registration), 0, 0, 0, 0, "shift,rigid,none", "",
     "with the first frame; rigid: rotation too", PENTA_OPTIONS_SIZED},
    PENTA_CHOICE_OPTION(penta_prepare_options, correlation, 0, "plain,phase",
                        "how the shift is found to a pixel; phase: divide each frequency by its amplitude"),
    PENTA_INT_OPTION(penta_prepare_options, max_drift, 0, 0, 0, 1000000, "px",
                     "largest drift along x and along y; 0: three quarters of the frame"),
    PENTA_REAL_OPTION(penta_prepare_options, max_angle, 0, 2, 0, 45, "degrees",
                      "largest rotation with --register rigid"),
    PENTA_REAL_OPTION(penta_prepare_options, min_score, 0, 0.2, 0, 1, "",
                      "correlation coefficient below which a frame is lost"),
    PENTA_REAL_OPTION(penta_prepare_options, key_score, 0, 0.7, 0, 1, "",
                      "below this score frames are compared with a later frame than the first"),
    PENTA_INT_OPTION(penta_prepare_options, smooth_drift, 0, 0, 0, 100000, "frames",
                     "smooth the drift over this many frames to each side; 0: as measured"),
    PENTA_CHOICE_OPTION(penta_prepare_options, interpolation, 0, "cubic,linear,nearest",
                        "how the content is moved back; nearest moves by whole pixels"),
    PENTA_TEXT_OPTION(penta_prepare_options, contrast, 0, "LO,HI",
                      "percentiles that become black and white; default: keep the levels"),
    PENTA_CHOICE_OPTION(penta_prepare_options, contrast_of, 0, "frame,first",
                        "whose percentiles: each frame's, or the first frame's"),
    PENTA_CHOICE_OPTION(penta_prepare_options, depth, 0, "u16,u8,f32,input", "type of the output"),
    PENTA_CHOICE_OPTION(penta_prepare_options, fft, 0, "auto,clfft,vkfft", "FFT library"),
    PENTA_INT_OPTION(penta_prepare_options, batch, 0, 0, 0, 4096, "frames",
                     "frames at a time; 0: as many as are useful and fit the device. Changes no result"),
    PENTA_OPTIONS_END};

const penta_option *penta_prepare_option_table(void)
{
    return option_rows;
}

/* Parses exactly `count` finite comma-separated numbers; false: text is anything else. */
static bool numbers_of(const char *text, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        char *end;

        out[i] = penta_strtod(text, &end);
        if (end == text || !isfinite(out[i]) || *end != (i + 1 < count ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

/* Accepts NULL or "LO,HI" with least <= LO < HI <= most. */
static penta_status check_range(penta_context *ctx, const char *name, const char *text, double least, double most)
{
    double v[2];

    if (!text)
        return PENTA_OK;
    if (!numbers_of(text, 2, v))
        return penta_fail(ctx, PENTA_INVALID, "`%s` needs two numbers LO,HI, not '%.60s'", name, text);
    if (!(v[0] < v[1]))
        return penta_fail(ctx, PENTA_INVALID, "`%s` is %.60s; LO must be below HI", name, text);
    if (v[0] < least || v[1] > most)
        return penta_fail(ctx, PENTA_INVALID, "`%s` is %.60s; both must be between %g and %g", name, text, least, most);
    return PENTA_OK;
}

/* Accepts NULL or "X,Y,W,H". */
static penta_status check_crop(penta_context *ctx, const char *text)
{
    double v[4];
    bool whole = !text || numbers_of(text, 4, v);

    for (int i = 0; text && whole && i < 4; i++)
        whole = v[i] >= 0 && v[i] <= 1e9 && v[i] <= floor(v[i]);
    if (!whole)
        return penta_fail(ctx, PENTA_INVALID, "`crop` needs four whole numbers X,Y,W,H, not '%.60s'", text);
    if (text && (v[2] < LEAST_SIDE || v[3] < LEAST_SIDE))
        return penta_fail(ctx, PENTA_INVALID, "`crop` to %g x %g px leaves too few; there must be %d x %d at least",
                          v[2], v[3], LEAST_SIDE, LEAST_SIDE);
    return PENTA_OK;
}

/* Checks the rules that do not depend on the frames. */
static penta_status resolve(penta_context *ctx, const penta_prepare_options *given, penta_prepare_options *o)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_prepare_option_table(), given, o, sizeof *o));
    TRY(check_crop(ctx, o->crop));
    TRY(check_range(ctx, "dust_key", o->dust_key, -1e30, 1e30));
    TRY(check_range(ctx, "contrast", o->contrast, 0, 100));
cleanup:
    return status;
}

/* Parses a range that check_range accepted; NULL: *has becomes false. */
static void parse_range(const char *text, bool *has, double out[2])
{
    *has = text && numbers_of(text, 2, out);
}

static penta_status check_frame(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type)
{
    size_t pixels;

    if (channels != 1 && channels != 3)
        return penta_fail(ctx, PENTA_INVALID, "frames of %zu channels; there must be 1 or 3", channels);
    if (type != PENTA_U8 && type != PENTA_U16 && type != PENTA_F32 && type != PENTA_F64)
        return penta_fail(ctx, PENTA_INVALID, "frames of type %s; it must be u8, u16, f32 or f64",
                          penta_type_name(type));
    if (!width || !height)
        return penta_fail(ctx, PENTA_INVALID, "the frames are empty (%zu x %zu)", width, height);
    if (__builtin_mul_overflow(width, height, &pixels) || pixels > (size_t)1 << 28)
        return penta_fail(ctx, PENTA_INVALID, "frames of %zu x %zu have more than 2^28 pixels", width, height);
    return PENTA_OK;
}

static penta_status parse_crop(penta_context *ctx, size_t width, size_t height, const char *text, prepare_settings *s)
{
    double v[4] = {0, 0, (double)width, (double)height};

    if (text)
        (void)numbers_of(text, 4, v);
    if (v[0] + v[2] > (double)width || v[1] + v[3] > (double)height)
        return penta_fail(ctx, PENTA_INVALID, "`crop` %s is not inside frames of %zu x %zu px", text, width, height);
    if (v[2] < LEAST_SIDE || v[3] < LEAST_SIDE)
        return penta_fail(ctx, PENTA_INVALID, "frames of %g x %g px are too small; there must be %d x %d at least",
                          v[2], v[3], LEAST_SIDE, LEAST_SIDE);
    s->crop_x = (size_t)v[0];
    s->crop_y = (size_t)v[1];
    s->crop_width = (size_t)v[2];
    s->crop_height = (size_t)v[3];
    return PENTA_OK;
}

/* The default degree. A polynomial alone must follow the light; with planes, which follow what it leaves, a low degree
 * will do. */
static int degree_of(const penta_prepare_options *o)
{
    if (o->flatten_degree >= 0)
        return o->flatten_degree;
    return o->flatten == PENTA_PREPARE_POLY ? 4 : 2;
}

static double white_of(penta_type type)
{
    return type == PENTA_U8 ? 255 : type == PENTA_U16 ? 65535 : 1;
}

penta_status prepare_settings_make(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                                   const penta_prepare_options *given, prepare_settings *out)
{
    penta_status status = PENTA_OK;
    prepare_settings s = {0};
    penta_prepare_options *o = &s.o;
    double shorter;

    TRY(resolve(ctx, given, o));
    TRY(check_frame(ctx, width, height, channels, type));
    TRY(parse_crop(ctx, width, height, o->crop, &s));
    parse_range(o->dust_key, &s.has_key, s.key);
    parse_range(o->contrast, &s.has_contrast, s.contrast);
    shorter = (double)(s.crop_width < s.crop_height ? s.crop_width : s.crop_height);
    s.white = o->white > 0 ? o->white : white_of(type);
    s.sigma = o->flatten_sigma > 0 ? o->flatten_sigma : fmax(16, shorter / 8);
    o->flatten_degree = degree_of(o);
    o->crop = o->dust_key = o->contrast = NULL; /* these point to the caller's strings */
    *out = s;
cleanup:
    return status;
}

penta_status penta_prepare_check(size_t width, size_t height, size_t channels, penta_type type,
                                 const penta_prepare_options *opt, char *message, size_t size)
{
    prepare_settings settings;
    penta_status status = width == 0 && height == 0
                              ? resolve(NULL, opt, &settings.o)
                              : prepare_settings_make(NULL, width, height, channels, type, opt, &settings);

    return penta_check_result(status, message, size);
}

penta_type prepare_output_type(const prepare_shape *shape)
{
    switch (shape->settings->o.depth) {
    case PENTA_PREPARE_U8:
        return PENTA_U8;
    case PENTA_PREPARE_F32:
        return PENTA_F32;
    case PENTA_PREPARE_AS_INPUT:
        return shape->type == PENTA_F64 ? PENTA_F32 : shape->type;
    default:
        return PENTA_U16;
    }
}
