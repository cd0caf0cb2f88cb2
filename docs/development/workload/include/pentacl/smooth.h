/* Mean of the pixels around each pixel. An image is height x width, row-major; x runs along a row, y down. */
#ifndef PENTACL_SMOOTH_H
#define PENTACL_SMOOTH_H

#include <pentacl/context.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

enum penta_smooth_border {
    PENTA_SMOOTH_SHRINK = 0, /* the window ends at the image: fewer pixels, their mean */
    PENTA_SMOOTH_ZERO        /* zeros beyond the image */
};

typedef struct {
    size_t size; /* of this struct, by penta_smooth_options_init */
    int radius;  /* px; the window is 2 radius + 1 pixels wide and high */
    int border;  /* enum penta_smooth_border */
} penta_smooth_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_smooth_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_smooth_options_init(penta_smooth_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_smooth_option_table(), options);
}

typedef struct penta_smooth penta_smooth;

/**
 * Whether a plan for images of this size can have these options (NULL: the defaults); needs no device. PENTA_INVALID
 * (an option out of range, an empty image, over 2^31 - 1 pixels) writes one line into message (or NULL), cut to
 * `bytes`.
 */
PENTA_API penta_status penta_smooth_check(size_t width, size_t height, const penta_smooth_options *opt, char *message,
                                          size_t bytes);

/**
 * Plan for images of width x height pixels. opt may be NULL for the defaults. Errors: those of penta_smooth_check,
 * PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD. On failure *out is NULL.
 */
PENTA_API penta_status penta_smooth_create(penta_context *ctx, size_t width, size_t height,
                                           const penta_smooth_options *opt, penta_smooth **out);

/** in, out: height x width float32; may be the same array. Relative error of a mean of n positive pixels: n 2^-24. */
PENTA_API penta_status penta_smooth_run(penta_smooth *plan, const float *in, float *out);

/** NULL is fine. */
PENTA_API void penta_smooth_destroy(penta_smooth *plan);

PENTA_END_DECLS
#endif
