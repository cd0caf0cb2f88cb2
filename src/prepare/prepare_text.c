/* What the options say in text. */
#include "prepare/prepare.h"

penta_status prepare_settings_make(penta_context *ctx, size_t width, size_t height, penta_type type,
                                   const penta_prepare_options *given, prepare_settings *out)
{
    (void)width;
    (void)height;
    (void)type;
    (void)given;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_settings_make: to be written");
}
