/*
 * Movies of hearts with known waves. A pixel's counts are baseline (1 - depth u(t - T)) and noise, with the action
 * potential u(t) = s(t / tau) (1 - s((t - m) / w)), s(t) = 1 / (1 + exp -t): its upstroke is steepest at 0. plane: T
 * grows along a direction, radial: from a centre, at one speed. spiral: u of a reaction-diffusion model whose tips are
 * followed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "optmap/sample_movie.h"

#define REAL(field, initial, least, most, unit, help)                                                                  \
    PENTA_REAL_OPTION(optmap_sample_flags, field, 0, initial, least, most, unit, help)

static const penta_option flag_table[] = {
    SAMPLE_OUTPUT,
    PENTA_CHOICE_OPTION(optmap_sample_flags, kind, 0, "plane,radial,spiral,tissue", "the wave"),
    PENTA_INT_OPTION(optmap_sample_flags, width, 0, 0, 0, 4096, "px", "width of a frame; 0: 64, or 100 for tissue"),
    PENTA_INT_OPTION(optmap_sample_flags, height, 0, 0, 0, 4096, "px", "height of a frame; 0: 64, or 100 for tissue"),
    PENTA_INT_OPTION(optmap_sample_flags, frames, 'n', 400, 2, 1000000, "", "frames of the movie"),
    REAL(rate, 1000, 1, 1e5, "Hz", "frames a second"),
    REAL(pixel_size, 0, 0, 100, "cm", "side of a pixel; 0: 0.01, or 0.03 for tissue"),
    REAL(speed, 0, 0, 1e5, "cm/s",
         "speed of plane and radial waves, and along the fibres of tissue; 0: 20, or 40 for tissue"),
    REAL(angle, 30, -360, 360, "deg", "where a plane wave goes: 0 to the right, 90 down"),
    REAL(centre_x, -1, -1e4, 1e4, "px", "where a radial wave begins; -1: in the middle"),
    REAL(centre_y, -1, -1e4, 1e4, "px", "the same, downwards"),
    PENTA_INT_OPTION(optmap_sample_flags, beats, 0, 2, 1, 10000, "",
                     "beats of plane and radial waves, and of tissue without --rotors"),
    REAL(start, 40, 0, 1e6, "ms", "time of the first beat"),
    REAL(cycle, 0, 0, 1e6, "ms", "from one beat to the next; 0: the movie's length over the beats"),
    REAL(apd, 60, 1, 1e5, "ms", "action potential duration at 80 % of repolarisation"),
    REAL(rise, 4, 0.01, 1e4, "ms", "from 10 % to 90 % of the upstroke"),
    REAL(alternans, 0, -100, 100, "percent",
         "how much longer the APD of odd beats is than that of even ones (beats count from 0), as a share of their "
         "mean"),
    REAL(baseline, 40000, 1, 65535, "", "counts at rest"),
    REAL(depth, 0, 0, 100, "percent", "share of the light that depolarisation changes; 0: 10, or 5 for tissue"),
    REAL(noise, 0, 0, 1e4, "", "standard deviation of the noise, counts"),
    PENTA_TEXT_OPTION(optmap_sample_flags, device, 'd', "DEVICE", "where spiral and tissue are computed"),
    SAMPLE_SEED("the noise, and for tissue of texture and bad pixels"),
    SAMPLE_WORDS,
    PENTA_OPTIONS_END};

static const penta_option tissue_table[] = {
    PENTA_CHOICE_OPTION(optmap_sample_flags, outline, 0, "heart,full", "where the tissue is"),
    PENTA_TEXT_OPTION(optmap_sample_flags, sites, 0, "X,Y[,MS];..",
                      "where each beat begins, in px, and its delay; default: one site at the top left"),
    REAL(radius, 0, 0, 1e4, "px", "radius of a site; 0: large enough to start a wave"),
    PENTA_INT_OPTION(optmap_sample_flags, beats_before, 0, 2, 0, 1000, "", "beats before the movie"),
    PENTA_TEXT_OPTION(optmap_sample_flags, rotors, 0, "X,Y,CHARGE;..",
                      "where spirals begin, in px, and 1 or -1 for their direction; there are no beats then"),
    REAL(settle, 500, 0, 1e6, "ms", "time from the start of the spirals to the first frame"),
    PENTA_OPTIONS_END};

enum { OF_WAVES = 1, OF_SPIRAL = 2, OF_TISSUE = 4 };

static const cli_rule no_effect[] = {
    {"outline sites radius beats_before rotors settle anisotropy fibre time_unit k a epsilon0 mu1 mu2 cells step bits "
     "exposure light texture background polarity snr noise_as bleach motion contraction dead hot telegraph",
     "it belongs to --kind tissue", OF_WAVES | OF_SPIRAL},
    {"angle centre_x centre_y cycle apd rise alternans", "it belongs to --kind plane and radial",
     OF_SPIRAL | OF_TISSUE},
    {"speed beats start", "a spiral goes round by itself", OF_SPIRAL},
    {"baseline noise", "the camera of --kind tissue has --exposure and --snr", OF_TISSUE},
    {NULL, NULL, 0}};

static unsigned facts_of(const void *flags)
{
    const optmap_sample_flags *f = flags;

    return f->kind == OPTMAP_TISSUE ? OF_TISSUE : f->kind == OPTMAP_SPIRAL ? OF_SPIRAL : OF_WAVES;
}

/* What 0 says: what suits the kind; and the fields of the tissue that have a name of their own in the movie. */
static optmap_sample_flags settled(const optmap_sample_flags *given)
{
    optmap_sample_flags f = *given;
    bool tissue = f.kind == OPTMAP_TISSUE;

    f.width = f.width ? f.width : tissue ? 100 : 64;
    f.height = f.height ? f.height : tissue ? 100 : 64;
    f.pixel_size = f.pixel_size > 0 ? f.pixel_size : tissue ? 0.03 : 0.01;
    f.speed = f.speed > 0 ? f.speed : tissue ? 40 : 20;
    f.depth = f.depth > 0 ? f.depth : tissue ? 5 : 10;
    f.tissue.pixel_size = f.pixel_size;
    f.tissue.speed = f.speed;
    f.camera.depth = f.depth;
    f.camera.seed = f.common.seed;
    return f;
}

/* ---- the action potential ---- */

typedef struct {
    double tau, middle, width; /* ms */
} potential;

static double logistic(double t)
{
    return 1 / (1 + exp(-t));
}

static double value_at(const potential *p, double t)
{
    return logistic(t / p->tau) * logistic((p->middle - t) / p->width);
}

static double peak_of(const potential *p)
{
    double lo = 0, hi = p->middle;

    for (int i = 0; i < 100; i++) {
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;

        *(value_at(p, a) < value_at(p, b) ? &lo : &hi) = value_at(p, a) < value_at(p, b) ? a : b;
    }
    return 0.5 * (lo + hi);
}

/* When `share` of the way back from the peak is done. */
static double duration(const potential *p, double share)
{
    double lo = peak_of(p), hi = p->middle + 50 * p->width, level = (1 - share) * value_at(p, lo);

    for (int i = 0; i < 200; i++) {
        double t = 0.5 * (lo + hi);

        *(value_at(p, t) > level ? &lo : &hi) = t;
    }
    return 0.5 * (lo + hi);
}

/* One whose duration at 80 % is `apd`; the way down takes a tenth of it per unit of s. */
static potential make_potential(double apd, double rise)
{
    potential p = {.tau = rise / (2 * log(9)), .width = apd / 10, .middle = apd};

    for (int i = 0; i < 50; i++)
        p.middle += apd - duration(&p, 0.8);
    return p;
}

/* ---- waves ---- */

static double apd_of(const optmap_sample_flags *f, int beat)
{
    return f->apd * (1 + (beat % 2 == 0 ? -1 : 1) * f->alternans / 200);
}

static double centre(double given, int side)
{
    return given == -1 ? 0.5 * (side - 1) : given;
}

/* cm that the wave has gone when it is at the pixel; `least`: of a plane wave, what the nearest corner has. */
static double distance(const optmap_sample_flags *f, double x, double y)
{
    double angle = f->angle * TWO_PI / 360;

    if (f->kind == OPTMAP_RADIAL)
        return f->pixel_size * hypot(x - centre(f->centre_x, f->width), y - centre(f->centre_y, f->height));
    return f->pixel_size * (x * cos(angle) + y * sin(angle) - fmin(0, (f->width - 1) * cos(angle)) -
                            fmin(0, (f->height - 1) * sin(angle)));
}

/* ms after the beat began */
static double delay(const optmap_sample_flags *f, size_t pixel)
{
    return 1e3 * distance(f, (double)(pixel % (size_t)f->width), (double)(pixel / (size_t)f->width)) / f->speed;
}

static double longest_delay(const optmap_sample_flags *f)
{
    double longest = 0;

    for (int i = 0; i < 4; i++)
        longest = fmax(longest, distance(f, i % 2 ? f->width - 1 : 0, i / 2 ? f->height - 1 : 0));
    return 1e3 * longest / f->speed;
}

/* signal: frames x pixels. */
static void add_beat(const optmap_sample_flags *f, int beat, size_t pixels, float *signal)
{
    const potential p = make_potential(apd_of(f, beat), f->rise);

    for (size_t i = 0; i < pixels; i++) {
        double start = f->start + beat * optmap_sample_cycle(f) + delay(f, i);

        for (size_t n = 0; n < (size_t)f->frames; n++)
            signal[n * pixels + i] += (float)value_at(&p, 1e3 * (double)n / f->rate - start);
    }
}

/* The slowest pixel's last beat must end in the movie, and each before the next one. */
static bool check_beats(const optmap_sample_flags *f, penta_io_error *err)
{
    double longest = fmax(apd_of(f, 0), apd_of(f, 1));
    double end = f->start + (f->beats - 1) * optmap_sample_cycle(f) + longest_delay(f) + 1.5 * longest;

    if (optmap_sample_cycle(f) < 1.5 * longest)
        return penta_io_fail(
            err, "a beat every %g ms is too often for action potentials of %g ms; fewer --beats or more --frames",
            optmap_sample_cycle(f), longest);
    if (end > 1e3 * f->frames / f->rate)
        return penta_io_fail(
            err, "the last beat ends after %.0f ms, but %d frames at %g Hz are %g ms; more --frames or fewer --beats",
            end, f->frames, f->rate, 1e3 * f->frames / f->rate);
    return true;
}

/* ---- counts ---- */

static double normal(int seed, uint64_t number)
{
    double u = ((double)sample_bits(seed, 2 * number) + 0.5) * 0x1p-53;
    double v = ((double)sample_bits(seed, 2 * number + 1) + 0.5) * 0x1p-53;

    return sqrt(-2 * log(u)) * cos(TWO_PI * v);
}

static void count(const optmap_sample_flags *f, const float *signal, size_t n, uint16_t *counts)
{
    for (size_t i = 0; i < n; i++) {
        double value = f->baseline * (1 - f->depth / 100 * (double)signal[i]) + 0.5;

        if (f->noise > 0)
            value += f->noise * normal(f->common.seed, i);
        counts[i] = (uint16_t)fmin(fmax(value, 0), UINT16_MAX);
    }
}

/* ---- what is known ---- */

static void put_durations(const optmap_sample_flags *f, FILE *out)
{
    static const int levels[] = {30, 50, 80, 90};

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        fprintf(out, "  \"apd%d_ms\": [", levels[i]);
        for (int beat = 0; beat < f->beats; beat++) {
            const potential p = make_potential(apd_of(f, beat), f->rise);

            fprintf(out, "%s%.10g", beat > 0 ? ", " : "", duration(&p, levels[i] / 100.0));
        }
        fputs("],\n", out);
    }
}

static void put_wave(const optmap_sample_flags *f, FILE *out)
{
    fprintf(out, "  \"speed_cm_s\": %.17g,\n", f->speed);
    if (f->kind == OPTMAP_PLANE)
        fprintf(out, "  \"angle_degrees\": %.17g,\n", f->angle);
    else
        fprintf(out, "  \"centre_px\": [%.17g, %.17g],\n", centre(f->centre_x, f->width),
                centre(f->centre_y, f->height));
    fprintf(out, "  \"beats\": %d,\n  \"start_ms\": %.17g,\n  \"cycle_ms\": %.17g,\n", f->beats, f->start,
            optmap_sample_cycle(f));
    put_durations(f, out);
    fprintf(out, "  \"alternans_percent\": %.17g,\n  \"rise_ms\": %.17g,\n", f->alternans, f->rise);
}

/* [[x, y, charge], ..] of each frame */
static void put_tips(const optmap_sample_flags *f, const optmap_sample_tips *tips, FILE *out)
{
    fputs("  \"tips\": [", out);
    for (int n = 0; n < f->frames; n++) {
        fprintf(out, "%s[", n > 0 ? ",\n    " : "\n    ");
        for (size_t i = 0; i < tips[n].count; i++)
            fprintf(out, "%s[%.4f, %.4f, %d]", i > 0 ? ", " : "", tips[n].tips[i].x, tips[n].tips[i].y,
                    tips[n].tips[i].charge);
        fputs("]", out);
    }
    fputs("\n  ],\n", out);
}

typedef struct {
    const optmap_sample_flags *flags;
    const optmap_sample_tips *tips;
} truth;

static void put_truth(const void *data, FILE *out)
{
    static const char *const kinds[] = {"plane", "radial", "spiral"};
    const truth *t = data;
    const optmap_sample_flags *f = t->flags;

    fprintf(out,
            "{\n  \"kind\": \"%s\",\n  \"frames\": %d,\n  \"height\": %d,\n  \"width\": %d,\n  \"rate_hz\": %.17g,\n"
            "  \"pixel_size_cm\": %.17g,\n  \"polarity\": \"down\",\n",
            kinds[f->kind], f->frames, f->height, f->width, f->rate, f->pixel_size);
    if (t->tips)
        put_tips(f, t->tips, out);
    else
        put_wave(f, out);
    fprintf(out, "  \"baseline\": %.17g,\n  \"depth_percent\": %.17g,\n  \"noise_sd\": %.17g,\n  \"seed\": %d\n}\n",
            f->baseline, f->depth, f->noise, f->common.seed);
}

/* ---- files ---- */

/* activation.npy: float64 ms, beats x height x width. */
static bool write_activation(const optmap_sample_flags *f, size_t pixels, penta_io_error *err)
{
    double *map = malloc((size_t)f->beats * pixels * sizeof *map);
    bool ok;

    if (!map)
        return penta_io_fail(err, "out of memory for the activation times");
    for (size_t i = 0; i < (size_t)f->beats * pixels; i++)
        map[i] = f->start + (double)(i / pixels) * optmap_sample_cycle(f) + delay(f, i % pixels);
    ok = optmap_sample_npy(f, "activation", PENTA_F64, (size_t)f->beats, map, err);
    free(map);
    return ok;
}

static bool write_all(const optmap_sample_flags *f, size_t pixels, float *signal, optmap_sample_tips *tips,
                      uint16_t *counts, penta_io_error *err)
{
    if (f->kind == OPTMAP_SPIRAL) {
        if (!optmap_sample_spiral(f, signal, tips, err))
            return false;
    } else {
        for (int beat = 0; beat < f->beats; beat++)
            add_beat(f, beat, pixels, signal);
        if (!write_activation(f, pixels, err))
            return false;
    }
    count(f, signal, (size_t)f->frames * pixels, counts);
    return optmap_sample_tiff(f, counts, err) &&
           optmap_sample_npy(f, "movie", PENTA_U16, (size_t)f->frames, counts, err) &&
           sample_write(&f->common, "truth", ".json", put_truth, &(truth){f, f->kind == OPTMAP_SPIRAL ? tips : NULL},
                        err);
}

static bool check_size(const optmap_sample_flags *f, penta_io_error *err)
{
    const double most = 3e9; /* bytes: TIFF's offsets have 32 bits */

    return 2.0 * f->frames * f->width * f->height <= most ||
           penta_io_fail(err, "%d frames of %d x %d px are more than %g GB; fewer --frames", f->frames, f->width,
                         f->height, most / 1e9);
}

static bool check_movie(const optmap_sample_flags *f, penta_io_error *err)
{
    if (f->width < 2 || f->height < 2)
        return penta_io_fail(err, "a frame of %d x %d px is too small: 2 x 2 at least", f->width, f->height);
    return check_size(f, err) && ((f->kind != OPTMAP_PLANE && f->kind != OPTMAP_RADIAL) || check_beats(f, err));
}

static bool check_flags(const void *flags, penta_io_error *err)
{
    const optmap_sample_flags f = settled(flags);

    return check_movie(&f, err) && (f.kind != OPTMAP_TISSUE || optmap_sample_tissue_check(&f, err)) &&
           (f.kind != OPTMAP_SPIRAL || optmap_sample_spiral_check(&f, err));
}

static bool make_files(const void *flags, penta_io_error *err)
{
    const optmap_sample_flags all = settled(flags), *f = &all;
    size_t pixels = (size_t)f->width * (size_t)f->height, frames = (size_t)f->frames;
    float *signal = NULL;
    uint16_t *counts = NULL;
    optmap_sample_tips *tips = NULL;
    bool ok;

    if (f->kind == OPTMAP_TISSUE)
        return optmap_sample_tissue(f, err);
    signal = calloc(frames * pixels, sizeof *signal);
    counts = calloc(frames * pixels, sizeof *counts);
    tips = calloc(frames, sizeof *tips);
    ok = signal && counts && tips ? write_all(f, pixels, signal, tips, counts, err)
                                  : penta_io_fail(err, "out of memory for the movie");
    free(signal);
    free(counts);
    free(tips);
    if (ok)
        sample_tell(&f->common,
                    "movie.tif, the same as movie.npy (%d frames of %d x %d px at %g Hz), %struth.json in %s",
                    f->frames, f->width, f->height, f->rate, f->kind == OPTMAP_SPIRAL ? "" : "activation.npy and ",
                    f->common.output);
    return ok;
}

static bool needs_device(const void *flags, const char **selector)
{
    const optmap_sample_flags *f = flags;

    *selector = f->device;
    return f->kind == OPTMAP_SPIRAL || f->kind == OPTMAP_TISSUE;
}

static const sample_maker how = {
    .check = check_flags,
    .device = needs_device,
    .make = make_files,
    .facts = facts_of,
    .optional = "activation.npy apd30.npy apd50.npy apd80.npy apd90.npy cv.npy outline.npy bad.npy light.npy snr.npy "
                "signal.npy"};

static const cli_section sections[] = {
    {"Flags", "sample_optmap", flag_table, NULL, 0, 0, NULL, NULL},
    {"Tissue", "sample_tissue", tissue_table, NULL, 0, 0, NULL, NULL},
    CLI_LIBRARY_EXCEPT(NULL, "tissue", penta_tissue_option_table, optmap_sample_flags, tissue, "pixel_size speed"),
    CLI_LIBRARY_EXCEPT("Camera", "camera", penta_camera_option_table, optmap_sample_flags, camera, "depth seed"),
    CLI_SECTIONS_END};

static const cli_output outputs[] = {{"movie.*", "movie"}, {"*", "truth"}, {0}};

const cli_command penta_sample_optmap = {
    .name = "sample optmap",
    .summary = "hearts with known waves, and simulated tissue",
    .usage = "-o DIR",
    .about = "Makes movie.tif and the same numbers as movie.npy (frames x height x width, 16 bits), a heart whose "
             "fluorescence drops on depolarisation; and truth.json with the size of a pixel, speed, beats and action "
             "potential durations, or for a spiral the path of its tip (x, y in px and charge, for each frame). "
             "activation.npy holds the times of plane and radial waves (ms, beats x height x width). --kind tissue is "
             "a sheet of heart muscle by the equations of Aliev and Panfilov, paced at sites or with rotors, seen by a "
             "camera. It adds apd30, apd50, apd80, apd90, cv .npy (as penta optmap writes them, of the movie without "
             "noise), signal.npy (that movie), outline, bad (1 dead, 2 hot, 3 telegraph), light and snr .npy.",
    .examples = "  penta sample optmap --kind radial --noise 100 -o radial\n"
                "  penta optmap --pixel-size 0.01 -o maps radial/movie.tif\n"
                "  penta sample optmap --kind spiral -o spiral && penta optmap -o rotor spiral/movie.tif\n"
                "  penta sample optmap --kind tissue --anisotropy 2 --fibre 30 --snr 10 --bleach 5 -o heart\n",
    .sections = sections,
    .idle = no_effect,
    .outputs = outputs,
    .size = sizeof(optmap_sample_flags),
    .run = sample_run,
    .more = &how};
