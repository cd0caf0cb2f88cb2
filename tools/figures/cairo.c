/* A pen that draws through Cairo, which is loaded with FreeType for the first picture, and PNG files. The letters are
 * those of the font that comes with us. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/image.h>
#include <pentacl/io/output.h>
#include "figures/pen.h"

extern const unsigned char figure_font[];
extern const size_t figure_font_bytes;

/* As in cairo.h, cairo-ft.h and freetype.h: these parts have not changed since Cairo 1.0. */
enum { RGB24 = 1, JOIN_ROUND = 1, NEAREST = 3, NO_HINTING = 2, METRICS_OFF = 1 };
typedef struct {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
} extents;

#define CAIRO_FUNCTIONS(X)                                                                                             \
    X(void *, cairo_image_surface_create, (int format, int width, int height))                                         \
    X(void *, cairo_image_surface_create_for_data, (unsigned char *, int format, int width, int height, int stride))   \
    X(unsigned char *, cairo_image_surface_get_data, (void *surface))                                                  \
    X(void, cairo_surface_flush, (void *surface))                                                                      \
    X(void, cairo_surface_destroy, (void *surface))                                                                    \
    X(void *, cairo_create, (void *surface))                                                                           \
    X(void, cairo_destroy, (void *))                                                                                   \
    X(int, cairo_status, (void *))                                                                                     \
    X(void, cairo_save, (void *))                                                                                      \
    X(void, cairo_restore, (void *))                                                                                   \
    X(void, cairo_translate, (void *, double x, double y))                                                             \
    X(void, cairo_scale, (void *, double x, double y))                                                                 \
    X(void, cairo_rotate, (void *, double angle))                                                                      \
    X(void, cairo_set_source_rgb, (void *, double red, double green, double blue))                                     \
    X(void, cairo_set_source_surface, (void *, void *surface, double x, double y))                                     \
    X(void *, cairo_get_source, (void *))                                                                              \
    X(void, cairo_pattern_set_filter, (void *pattern, int filter))                                                     \
    X(void, cairo_set_line_width, (void *, double width))                                                              \
    X(void, cairo_set_line_join, (void *, int join))                                                                   \
    X(void, cairo_set_dash, (void *, const double *dashes, int count, double offset))                                  \
    X(void, cairo_move_to, (void *, double x, double y))                                                               \
    X(void, cairo_line_to, (void *, double x, double y))                                                               \
    X(void, cairo_new_sub_path, (void *))                                                                              \
    X(void, cairo_arc, (void *, double x, double y, double radius, double from, double to))                            \
    X(void, cairo_rectangle, (void *, double x, double y, double width, double height))                                \
    X(void, cairo_fill, (void *))                                                                                      \
    X(void, cairo_stroke, (void *))                                                                                    \
    X(void, cairo_paint, (void *))                                                                                     \
    X(void *, cairo_ft_font_face_create_for_ft_face, (void *face, int flags))                                          \
    X(void, cairo_set_font_face, (void *, void *font))                                                                 \
    X(void *, cairo_font_options_create, (void))                                                                       \
    X(void, cairo_font_options_set_hint_metrics, (void *options, int hint))                                            \
    X(void, cairo_set_font_options, (void *, const void *options))                                                     \
    X(void, cairo_set_font_size, (void *, double size))                                                                \
    X(void, cairo_text_extents, (void *, const char *text, extents *))                                                 \
    X(void, cairo_text_path, (void *, const char *text))
#define FREETYPE_FUNCTIONS(X)                                                                                          \
    X(int, FT_Init_FreeType, (void **library))                                                                         \
    X(int, FT_New_Memory_Face, (void *library, const unsigned char *, long bytes, long index, void **face))

#define MEMBER(type, name, parameters) type(*name) parameters;
static struct {
    CAIRO_FUNCTIONS(MEMBER)
    FREETYPE_FUNCTIONS(MEMBER)
    void *font, *options;
    char missing[200];
} the;

/* ---- loading ---- */

static bool find(void *library, const char *name, void *function)
{
    void *symbol = library ? dlsym(library, name) : NULL;

    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

static void load(void)
{
    void *cairo = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *freetype = dlopen("libfreetype.so.6", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), *library, *face;
    bool ok = true;

#define FIND_CAIRO(type, name, parameters)    ok = ok && find(cairo, #name, &the.name);
#define FIND_FREETYPE(type, name, parameters) ok = ok && find(freetype, #name, &the.name);
    CAIRO_FUNCTIONS(FIND_CAIRO)
    FREETYPE_FUNCTIONS(FIND_FREETYPE)
    if (ok && the.FT_Init_FreeType(&library) == 0 &&
        the.FT_New_Memory_Face(library, figure_font, (long)figure_font_bytes, 0, &face) == 0)
        the.font = the.cairo_ft_font_face_create_for_ft_face(face, NO_HINTING);
    if (the.font) {
        the.options = the.cairo_font_options_create();
        the.cairo_font_options_set_hint_metrics(the.options, METRICS_OFF);
    } else {
        snprintf(the.missing, sizeof the.missing, "no pictures are drawn: %s is missing (apt install libcairo2)",
                 freetype ? "libcairo.so.2" : "libfreetype.so.6");
    }
}

bool figures_ready(penta_io_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return the.font || penta_io_fail(err, "%s", the.missing);
}

/* ---- the pen ---- */

typedef struct {
    figure_pen pen;
    void *surface, *cairo;
} brush;

static void *cairo_of(figure_pen *pen, uint32_t colour)
{
    void *cr = ((brush *)pen)->cairo;

    the.cairo_set_source_rgb(cr, (colour >> 16) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0);
    return cr;
}

static void begin(figure_pen *pen, figure_stroke stroke)
{
    void *cr = cairo_of(pen, stroke.colour);

    the.cairo_set_line_width(cr, stroke.width);
    the.cairo_set_dash(cr, (double[]){8, 6}, stroke.dashed ? 2 : 0, 0);
}

/* Upright and level lines of one px lie on the pixels. */
static void line(figure_pen *pen, double x0, double y0, double x1, double y1, bool joined)
{
    void *cr = ((brush *)pen)->cairo;

    if (!joined && (x0 == x1 || y0 == y1)) {
        x0 = x0 == x1 ? (x1 = floor(x1) + 0.5) : x0;
        y0 = y0 == y1 ? (y1 = floor(y1) + 0.5) : y0;
    }
    if (!joined)
        the.cairo_move_to(cr, x0, y0);
    the.cairo_line_to(cr, x1, y1);
}

static void end(figure_pen *pen)
{
    the.cairo_stroke(((brush *)pen)->cairo);
}

static void fill(figure_pen *pen, figure_box box, uint32_t colour)
{
    void *cr = cairo_of(pen, colour);

    the.cairo_rectangle(cr, round(box.left), round(box.top), round(box.right) - round(box.left),
                        round(box.bottom) - round(box.top));
    the.cairo_fill(cr);
}

static void polygon(figure_pen *pen, size_t n, const double (*corners)[2], uint32_t colour)
{
    void *cr = cairo_of(pen, colour);

    for (size_t i = 0; i < n; i++)
        the.cairo_line_to(cr, corners[i][0], corners[i][1]);
    the.cairo_fill(cr);
}

static void circle(figure_pen *pen, double x, double y, double radius, double width, uint32_t colour)
{
    void *cr = cairo_of(pen, colour);

    the.cairo_new_sub_path(cr);
    the.cairo_arc(cr, x, y, radius, 0, 2 * acos(-1));
    the.cairo_set_line_width(cr, width);
    the.cairo_set_dash(cr, NULL, 0, 0);
    (width > 0 ? the.cairo_stroke : the.cairo_fill)(cr);
}

static void image(figure_pen *pen, figure_box box, const figure_image *im, figure_range colours)
{
    void *cr = ((brush *)pen)->cairo, *pixels;
    uint32_t *data = malloc(im->width * im->height * sizeof *data);

    if (!data) {
        pen->failed = true;
        return;
    }
    for (size_t i = 0; i < im->width * im->height; i++)
        data[i] = figure_pixel(pen, im, colours, i);
    pixels = the.cairo_image_surface_create_for_data((unsigned char *)data, RGB24, (int)im->width, (int)im->height,
                                                     4 * (int)im->width);
    the.cairo_save(cr);
    the.cairo_translate(cr, round(box.left), round(box.top));
    the.cairo_scale(cr, (round(box.right) - round(box.left)) / (double)im->width,
                    (round(box.bottom) - round(box.top)) / (double)im->height);
    the.cairo_set_source_surface(cr, pixels, 0, 0);
    the.cairo_pattern_set_filter(the.cairo_get_source(cr), NEAREST);
    the.cairo_rectangle(cr, 0, 0, (double)im->width, (double)im->height);
    the.cairo_fill(cr);
    the.cairo_restore(cr);
    the.cairo_surface_destroy(pixels);
    free(data);
}

/* The run as valid UTF-8: other bytes and control characters become '?'. */
static char *clean(const figure_run *run)
{
    char *out = calloc((size_t)(run->end - run->at) + 1, 1), *to = out;
    size_t n;

    for (const char *at = run->at; out && at<run->end; at += n> 0 ? n : 1) {
        n = utf8_bytes(at);
        if (n == 0 || (unsigned char)*at < ' ' || *at == 0x7f)
            *to++ = '?';
        else
            to = (char *)memcpy(to, at, n) + n;
    }
    return out;
}

/* As paths, so that letters lie where they belong and not on whole pixels. */
static void text(figure_pen *pen, figure_letters l, const char *words)
{
    void *cr = cairo_of(pen, l.colour);
    const double font = l.size / FIGURE_CAPITALS;
    double x = -l.align * figure_text_width(l.size, l.plain, words);
    extents e;

    the.cairo_save(cr);
    the.cairo_translate(cr, l.x, l.y);
    if (l.turned)
        the.cairo_rotate(cr, -acos(0));
    for (figure_run run; figure_next_run(&words, l.plain, &run);) {
        char *part = clean(&run);

        pen->failed |= !part;
        if (!part)
            break;
        the.cairo_set_font_size(cr, run.level ? FIGURE_SMALLER * font : font);
        the.cairo_move_to(cr, x, -FIGURE_SHIFT * font * run.level);
        the.cairo_text_path(cr, part);
        the.cairo_fill(cr);
        the.cairo_text_extents(cr, part, &e);
        x += e.x_advance;
        free(part);
    }
    the.cairo_restore(cr);
}

/* ---- pictures ---- */

figure_pen *figure_cairo_open(size_t width, size_t height)
{
    brush *b = figures_ready(NULL) ? calloc(1, sizeof *b) : NULL;

    if (!b)
        return NULL;
    b->pen = (figure_pen){false, 0, begin, line, end, fill, polygon, circle, image, text};
    b->surface = the.cairo_image_surface_create(RGB24, (int)width, (int)height);
    b->cairo = the.cairo_create(b->surface);
    the.cairo_set_line_join(b->cairo, JOIN_ROUND);
    the.cairo_set_font_face(b->cairo, the.font);
    the.cairo_set_font_options(b->cairo, the.options);
    the.cairo_set_source_rgb(b->cairo, 1, 1, 1);
    the.cairo_paint(b->cairo);
    return &b->pen;
}

const uint32_t *figure_cairo_pixels(figure_pen *pen)
{
    brush *b = (brush *)pen;

    the.cairo_surface_flush(b->surface);
    return the.cairo_status(b->cairo) || pen->failed ? NULL
                                                     : (const uint32_t *)the.cairo_image_surface_get_data(b->surface);
}

void figure_cairo_close(figure_pen *pen)
{
    brush *b = (brush *)pen;

    if (!b)
        return;
    the.cairo_destroy(b->cairo);
    the.cairo_surface_destroy(b->surface);
    free(b);
}

bool figure_png(const figure *f, const char *path, penta_io_error *err)
{
    size_t width = (size_t)ceil(f->width), height = (size_t)ceil(f->height);
    figure_pen *pen;
    const uint32_t *pixels = NULL;
    uint8_t *rgb = malloc(3 * width * height);
    bool ok;

    pen = rgb && !f->failed ? figure_cairo_open(width, height) : NULL;
    if (pen) {
        figure_draw(f, pen);
        pixels = figure_cairo_pixels(pen);
    }
    for (size_t i = 0; pixels && i < 3 * width * height; i++)
        rgb[i] = (uint8_t)(pixels[i / 3] >> (16 - 8 * (i % 3)));
    if (pixels)
        ok = penta_io_png_write_rgb(path, width, height, rgb, err);
    else
        ok = figures_ready(err) && penta_io_fail(err, "%s: out of memory for the picture", path);
    figure_cairo_close(pen);
    free(rgb);
    return ok;
}

static char *path_of(const char *base, const char *suffix)
{
    size_t size = strlen(base) + strlen(suffix) + 1;
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s%s", base, suffix);
    return path;
}

bool figure_files(const figure *f, const char *base, penta_io_error *err)
{
    const char *slash = strrchr(base, '/');
    char *png = path_of(base, ".png"), *svg = path_of(base, ".svg");
    penta_io_output *output = NULL;
    bool ok = (png && svg) || penta_io_fail(err, "%s: out of memory for the picture", base);

    ok = ok && penta_io_output_open(svg, &output, err);
    if (ok) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", penta_io_output_stream(output));
        ok = figure_put_svg(f, slash ? slash + 1 : base, " xmlns=\"http://www.w3.org/2000/svg\"",
                            penta_io_output_stream(output)) ||
             penta_io_fail(err, "%s: out of memory for the picture", svg);
    }
    ok = ok && figure_png(f, png, err);
    if (!ok)
        penta_io_output_abort(output);
    else if (!(ok = penta_io_output_commit(output, err)))
        penta_io_remove_file(png);
    free(png);
    free(svg);
    return ok;
}
