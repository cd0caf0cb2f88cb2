/* What ranks tell rank 0 of their frames: rows of the table, and what the pictures show. The files they write
 * themselves. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/correlation.h"

/* Of the first frame, which the plan is for. */
typedef struct {
    uint64_t width, height;
    int32_t type;
} plan_parcel;

bool correlation_pack_plan(void *run, FILE *out)
{
    const correlation *c = run;
    plan_parcel p = {.width = c->first.width, .height = c->first.height, .type = (int32_t)c->first.type};

    parcel_put(out, &p, sizeof p);
    return !c->prepared.wanted || prepare_members_pack(&c->prepared.members, out);
}

int correlation_unpack_plan(void *run, const void *bytes, size_t size)
{
    correlation *c = run;
    parcel_reader r = parcel_read(bytes, size);
    plan_parcel p;
    int code;

    parcel_get(&r, &p, sizeof p);
    if (!r.ok || (!c->prepared.wanted && r.left > 0))
        return cli_fail(c->job.command, CLI_ERROR, "rank 0 is of another build");
    if (c->prepared.wanted) {
        code = prepare_members_unpack(&c->prepared.members, &c->job, &c->prepared.recipe, &r);
        if (code != CLI_OK)
            return code;
        c->prepared.plan = c->prepared.members.plans[0];
    }
    c->first = (penta_io_image){.width = (size_t)p.width, .height = (size_t)p.height, .type = (penta_type)p.type};
    code = correlation_need_plan(c, 0);
    if (code != CLI_OK)
        return code;
    c->plan = c->plans[0];
    c->max_offset = penta_autocorr_max_offset(c->plan);
    return CLI_OK;
}

/* ---- a frame ---- */

enum { NAME_SIZE = 32 };

typedef struct {
    uint64_t width, height, nan_pixels, bins, side; /* bins and side 0: C1D or C2D does not follow */
    char method[NAME_SIZE], fft[NAME_SIZE];         /* "": NULL */
    penta_peak peak;
    penta_displacement displacement;
    double mean_ratio, correlation_length;
    frame_light light;
} frame_parcel;

bool correlation_pack(void *run, const frame *f, FILE *out)
{
    const correlation *c = run;
    const frame_result *own = f->user;
    bool plots = !c->flags.no_plots;
    frame_parcel p = {.width = f->image.width,
                      .height = f->image.height,
                      .nan_pixels = own->r.nan_pixels,
                      .peak = own->r.peak,
                      .displacement = own->r.displacement,
                      .mean_ratio = own->mean_ratio,
                      .correlation_length = own->r.correlation_length,
                      .light = own->light};

    snprintf(p.method, sizeof p.method, "%s", own->r.method ? own->r.method : "");
    snprintf(p.fft, sizeof p.fft, "%s", own->r.fft ? own->r.fft : "");
    p.bins = plots && pictures_want_c1d(&c->pictures, f->index) ? c->max_offset + 1 : 0;
    p.side = plots && pictures_want_c2d(&c->pictures, f->index) ? 2 * c->max_offset + 1 : 0;
    return fwrite(&p, sizeof p, 1, out) == 1 &&
           fwrite(own->r.c1d, sizeof *own->r.c1d, (size_t)p.bins, out) == (size_t)p.bins &&
           fwrite(own->r.c2d, sizeof *own->r.c2d, (size_t)(p.side * p.side), out) == (size_t)(p.side * p.side);
}

/* Names of methods are few, and rows point to them until the program ends. */
static const char *keep_name(const char *name)
{
    static char kept[16][NAME_SIZE];

    for (size_t i = 0; *name && i < sizeof kept / sizeof *kept; i++) {
        if (!*kept[i])
            snprintf(kept[i], NAME_SIZE, "%.31s", name);
        if (strcmp(kept[i], name) == 0)
            return kept[i];
    }
    return NULL;
}

/* Copies the next bytes out; NULL with *ok still true where there are none. */
static void *take_bytes(const char **at, size_t *left, size_t bytes, bool *ok)
{
    void *copy = bytes > 0 && bytes <= *left ? malloc(bytes) : NULL;

    if (copy)
        memcpy(copy, *at, bytes);
    *ok = *ok && (copy || bytes == 0);
    *at += *ok ? bytes : 0;
    *left -= *ok ? bytes : 0;
    return copy;
}

bool correlation_unpack(void *run, frame *f, const void *bytes, size_t size)
{
    frame_result *own = calloc(1, sizeof *own);
    const char *at = bytes;
    frame_parcel p;
    bool ok = true;

    (void)run;
    if (!own || size < sizeof p) {
        free(own);
        return false;
    }
    memcpy(&p, at, sizeof p);
    at += sizeof p;
    size -= sizeof p;
    f->image.width = (size_t)p.width;
    f->image.height = (size_t)p.height;
    own->r.nan_pixels = (size_t)p.nan_pixels;
    own->r.method = keep_name(p.method);
    own->r.fft = keep_name(p.fft);
    own->r.peak = p.peak;
    own->r.displacement = p.displacement;
    own->mean_ratio = p.mean_ratio;
    own->r.correlation_length = p.correlation_length;
    own->light = p.light;
    own->r.c1d = take_bytes(&at, &size, (size_t)p.bins * sizeof *own->r.c1d, &ok);
    own->r.c2d = take_bytes(&at, &size, (size_t)(p.side * p.side) * sizeof *own->r.c2d, &ok);
    f->user = own;
    if (!ok) {
        correlation_free_result(own);
        f->user = NULL;
    }
    return ok;
}
