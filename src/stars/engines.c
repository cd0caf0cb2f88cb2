/* The table of engines, by enum penta_stars_engine. */
#include "stars/engine.h"

/* Those without forms for a device draw on the host (host.c). */
static const struct {
    const char *name;
    const stars_engine *gpu, *cpu; /* the GPU form runs on any device; the CPU form adds doubles */
} engines[] = {[PENTA_STARS_SERIAL] = {"serial", NULL, NULL},
               [PENTA_STARS_THREADS] = {"threads", NULL, NULL},
               [PENTA_STARS_PIXEL] = {"pixel", &stars_pixel, &stars_pixel_cpu},
               [PENTA_STARS_STAR] = {"star", &stars_star, &stars_star_cpu},
               [PENTA_STARS_TILE] = {"tile", &stars_tile, &stars_tile_cpu},
               [PENTA_STARS_FIXED] = {"fixed", &stars_fixed, &stars_fixed_cpu}};

enum penta_stars_engine stars_engine_choose(const penta_stars_options *o)
{
    return o->engine == PENTA_STARS_AUTO ? PENTA_STARS_TILE : (enum penta_stars_engine)o->engine;
}

void stars_engine_tell(penta_context *ctx, const penta_stars_options *o)
{
    enum penta_stars_engine engine = stars_engine_choose(o);

    if (o->engine == PENTA_STARS_AUTO)
        penta_chose(ctx, "engine", engines[engine].name,
                    "it was the fastest one on an H200 for 2^5 to 10^7 stars, with PoCL for 2^5 to 2^17");
    else
        penta_chose(ctx, "engine", engines[engine].name, "option `engine`");
    if (engines[engine].gpu && stars_engine_on_host(ctx, engine))
        penta_chose(ctx, "drawing", "on the host", "the device has no double precision, which engine %s needs",
                    engines[engine].name);
}

const char *stars_name_of_engine(enum penta_stars_engine engine)
{
    return engines[engine].name;
}

bool stars_engine_on_host(penta_context *ctx, enum penta_stars_engine engine)
{
    return !engines[engine].gpu || (engine == PENTA_STARS_FIXED && !penta_context_device(ctx)->fp64);
}

const stars_engine *stars_engine_form(penta_context *ctx, enum penta_stars_engine engine)
{
    bool cpu = penta_is_cpu(ctx) && penta_context_device(ctx)->fp64;

    return cpu ? engines[engine].cpu : engines[engine].gpu;
}
