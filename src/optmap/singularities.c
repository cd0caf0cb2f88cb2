/* Phase singularities: charges of plaquettes on the device, some frames at a time; touching plaquettes are merged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "optmap/tracks.h"

static const penta_option option_rows[] = {
    PENTA_REAL_OPTION(penta_rotors_options, reach, 0, 4, 0, 1000, "px",
                      "a singularity continues a path of the last frame if it is this near"),
    PENTA_INT_OPTION(penta_rotors_options, gap, 0, 2, 0, 1000, "frames", "frames that a path may miss"),
    PENTA_REAL_OPTION(penta_rotors_options, min_life, 0, 10, 0, 1e9, "ms", "drop paths that live for less time"),
    PENTA_REAL_OPTION(penta_rotors_options, min_clear, 0, 0.5, 0, 1, "",
                      "against noise: drop paths with a smaller share of frames in which the phase turns steadily "
                      "around the 12 pixels about the singularity"),
    PENTA_REAL_OPTION(penta_rotors_options, min_turns, 0, 1, 0, 1e9, "turns",
                      "against noise: drop paths around which the phase turns fewer times, counted where it is clear"),
    PENTA_REAL_OPTION(penta_rotors_options, min_amplitude, 0, 4, 0, 1e9, "SD",
                      "a pixel has a phase while its amplitude, or that around it, is at least this many standard "
                      "deviations of the smoothed noise"),
    PENTA_REAL_OPTION(
        penta_rotors_options, phase_sigma, 0, 2, 0, 100, "px",
        "standard deviation in space of the Gaussian that smooths the movie for the phase alone; 0: no smoothing"),
    PENTA_REAL_OPTION(penta_rotors_options, phase_time, 0, 6, 0, 1e6, "ms", "its standard deviation in time"),
    PENTA_OPTIONS_END};

const penta_option *penta_rotors_option_table(void)
{
    return option_rows;
}

penta_status penta_rotors_check(const penta_rotors_options *opt, char *message, size_t size)
{
    penta_rotors_options resolved;

    return penta_check_result(penta_options_resolve(NULL, penta_rotors_option_table(), opt, &resolved, sizeof resolved),
                              message, size);
}

enum { CLEAR = 2 }; /* the kernel's charge of a clear singularity is this times its sign */

static const size_t piece_bytes = (size_t)64 << 20; /* bytes of phases on the device */

typedef struct {
    penta_resources resources;
    const penta_movie_view *movie;
    size_t width, height; /* plaquettes */
    size_t piece;         /* frames on the device */
    penta_kernel kernel;
    penta_buffer phase, charge;
    int8_t *charges; /* piece x height x width, on the host */
    size_t *stack;   /* plaquettes */
    penta_singularity *list;
    size_t count, room;
} job;

/* ---- plaquettes that touch ---- */

static penta_status add(job *j, penta_singularity s)
{
    if (j->count == j->room) {
        size_t room = 2 * j->room + 64;
        penta_singularity *more = realloc(j->list, room * sizeof *more);

        if (!more)
            return penta_fail(j->resources.ctx, PENTA_MEMORY, "no memory for %zu singularities", room);
        j->list = more;
        j->room = room;
    }
    j->list[j->count++] = s;
    return PENTA_OK;
}

/* Computes penta_singularity.angle around a plaquette whose 12 pixels have phases. */
static double angle_about(const float *phase, size_t width, int charge)
{
    double re = 0, im = 0;

    for (int v = -1; v <= 2; v++)
        for (int u = -1; u <= 2; u++) {
            double direction = atan2(0.5 - v, u - 0.5), angle;

            if ((u == 0 || u == 1) && (v == 0 || v == 1))
                continue;
            angle = (double)phase[v * (ptrdiff_t)width + u] - charge * direction;
            re += cos(angle);
            im += sin(angle);
        }
    return atan2(im, re);
}

static void note_clear(const job *j, size_t at, penta_singularity *s)
{
    const penta_movie_view *m = j->movie;
    const float *frame = m->data + s->frame * m->width * m->height;

    if (!s->clear)
        s->angle = angle_about(frame + at / j->width * m->width + at % j->width, m->width, s->charge);
    s->clear = true;
}

/* Pushes neighbours of plaquette `at` with a charge of that sign on the stack, and clears their charge. */
static size_t push_neighbours(job *j, int8_t *charges, size_t at, penta_singularity *s, size_t depth)
{
    size_t x = at % j->width, y = at / j->width;

    for (size_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < j->height; v++)
        for (size_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < j->width; u++)
            if (charges[v * j->width + u] * s->charge > 0) {
                if (abs(charges[v * j->width + u]) == CLEAR)
                    note_clear(j, v * j->width + u, s);
                charges[v * j->width + u] = 0;
                j->stack[depth++] = v * j->width + u;
            }
    return depth;
}

/* Merges a plaquette with all that touch it, directly or indirectly: their mean. */
static penta_singularity gather(job *j, int8_t *charges, size_t at, size_t frame)
{
    penta_singularity s = {.frame = frame, .charge = charges[at] > 0 ? 1 : -1, .angle = NAN};
    double x = 0, y = 0, count = 0;
    size_t depth = 1;

    if (abs(charges[at]) == CLEAR)
        note_clear(j, at, &s);
    charges[at] = 0;
    j->stack[0] = at;
    while (depth > 0) {
        at = j->stack[--depth];
        x += (double)(at % j->width) + 0.5;
        y += (double)(at / j->width) + 0.5;
        count++;
        depth = push_neighbours(j, charges, at, &s, depth);
    }
    s.x = x / count;
    s.y = y / count;
    return s;
}

static int compare(const void *a, const void *b)
{
    const penta_singularity *p = a, *q = b;

    if (p->y < q->y || p->y > q->y)
        return p->y < q->y ? -1 : 1;
    if (p->x < q->x || p->x > q->x)
        return p->x < q->x ? -1 : 1;
    return p->charge - q->charge;
}

/* The first place from `at` on with a charge, or count; eight at a time, as almost none have one. */
static size_t next_charge(const int8_t *charges, size_t at, size_t count)
{
    uint64_t eight = 0;

    while (at + sizeof eight <= count) {
        memcpy(&eight, charges + at, sizeof eight);
        if (eight)
            break;
        at += sizeof eight;
    }
    while (at < count && !charges[at])
        at++;
    return at;
}

static penta_status list_frame(job *j, int8_t *charges, size_t frame)
{
    penta_status status = PENTA_OK;
    size_t before = j->count, count = j->width * j->height;

    for (size_t at = next_charge(charges, 0, count); at < count; at = next_charge(charges, at + 1, count))
        TRY(add(j, gather(j, charges, at, frame)));
    if (j->count > before)
        qsort(j->list + before, j->count - before, sizeof *j->list, compare);
cleanup:
    return status;
}

/* ---- pieces of the movie ---- */

static penta_status prepare(job *j)
{
    penta_status status = PENTA_OK;
    size_t frame = j->movie->width * j->movie->height * sizeof(float), plaquettes = j->width * j->height, bytes;
    uint64_t most =
        j->resources.ctx->info.max_allocation < piece_bytes ? j->resources.ctx->info.max_allocation : piece_bytes;

    j->piece = most / frame > 0 ? most / frame : 1;
    j->piece = j->piece < j->movie->frames ? j->piece : j->movie->frames;
    TRY(penta_calloc(&j->resources, j->piece, plaquettes, &j->charges));
    TRY(penta_calloc(&j->resources, plaquettes, sizeof *j->stack, &j->stack));
    if (penta_is_cpu(j->resources.ctx))
        return PENTA_OK;
    TRY(penta_kernel_get(&j->resources, "optmap/phase.cl", "optmap_charges", "", &j->kernel));
    TRY(penta_size(j->resources.ctx, j->piece, frame, 1, &bytes));
    TRY(penta_buffer_create(&j->resources, bytes, &j->phase));
    TRY(penta_buffer_create(&j->resources, j->piece * plaquettes, &j->charge));
cleanup:
    return status;
}

/* Finds the charges of `frames` frames from `first` on. */
static penta_status find_charges(job *j, size_t first, size_t frames)
{
    penta_status status = PENTA_OK;
    const penta_movie_view *m = j->movie;
    size_t pixels = m->width * m->height;
    const float *phase = m->data + first * pixels;
    penta_grid grid = penta_grid_groups(penta_grid_3d(j->width, j->height, frames), 64, 1, 1);

    if (penta_is_cpu(j->resources.ctx)) {
        optmap_charges_on_host(phase, m->width, m->height, frames, j->charges);
        return PENTA_OK;
    }
    TRY(penta_buffer_write(&j->phase, 0, phase, frames * pixels * sizeof *phase));
    TRY(penta_launch(&j->kernel, grid, ARGS(&j->phase, (int)m->width, (int)m->height, &j->charge)));
    TRY(penta_buffer_read(&j->charge, 0, j->charges, frames * j->width * j->height));
cleanup:
    return status;
}

static penta_status search(job *j)
{
    penta_status status = PENTA_OK;
    const penta_movie_view *m = j->movie;
    size_t plaquettes = j->width * j->height;

    for (size_t first = 0; first < m->frames; first += j->piece) {
        size_t left = m->frames - first, frames = left < j->piece ? left : j->piece;

        TRY(penta_report_progress(j->resources.ctx, (double)first, (double)m->frames));
        TRY(find_charges(j, first, frames));
        for (size_t f = 0; f < frames; f++)
            TRY(list_frame(j, j->charges + f * plaquettes, first + f));
    }
cleanup:
    return status;
}

static penta_status check(penta_context *ctx, const penta_movie_view *m)
{
    if (!m->data || m->frames == 0 || m->height == 0 || m->width == 0)
        return penta_fail(ctx, PENTA_INVALID, "an empty movie");
    if (penta_check_host(ctx, m->data, "the movie of phases") != PENTA_OK)
        return PENTA_INVALID;
    if (!(m->frame_rate_hz > 0) || !isfinite(m->frame_rate_hz))
        return penta_fail(ctx, PENTA_INVALID, "the rate is %g Hz, but must be above 0", m->frame_rate_hz);
    if (m->width > INT32_MAX / m->height)
        return penta_fail(ctx, PENTA_INVALID, "%zu x %zu pixels are too many", m->width, m->height);
    return PENTA_OK;
}

penta_status penta_singularities(penta_context *ctx, const penta_movie_view *phase, const penta_rotors_options *opt,
                                 penta_singularity **list, size_t *count, penta_rotor **rotors, size_t *rotor_count)
{
    penta_status status = PENTA_OK;
    penta_rotors_options o;
    job j = {.resources = {.ctx = ctx}, .movie = phase};

    *list = NULL;
    *rotors = NULL;
    *count = *rotor_count = 0;
    TRY(penta_options_resolve(ctx, penta_rotors_option_table(), opt, &o, sizeof o));
    TRY(check(ctx, phase));
    if (phase->width < 2 || phase->height < 2)
        return PENTA_OK;
    j.width = phase->width - 1;
    j.height = phase->height - 1;
    TRY(prepare(&j));
    TRY(search(&j));
    if (j.count == 0)
        goto cleanup;
    TRY(optmap_track(ctx, &o, phase->frame_rate_hz, j.list, &j.count, rotors, rotor_count));
    if (j.count) {
        *list = j.list;
        *count = j.count;
        j.list = NULL;
    }
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may still be in progress */
    penta_resources_release(&j.resources);
    free(j.list);
    return status;
}
