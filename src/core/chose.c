/* Telling a program what was chosen and why. */
#include <stdarg.h>

#include "core/internal.h"

void penta_chose(penta_context *ctx, const char *what, const char *chosen, const char *format, ...)
{
    char why[1024];
    va_list args;

    if (!ctx || !ctx->choice)
        return;
    va_start(args, format);
    penta_vsnprintf(why, sizeof why, format, args);
    va_end(args);
    ctx->choice(ctx->choice_user, what, chosen, why);
}
