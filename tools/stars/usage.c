/* Which flags have an effect in which runs, as tables. A flag in none of them always has an effect. */
#include "stars/usage.h"

#include <string.h>
#include <strings.h>

/* Facts about a run; each leaves some flags without effect. */
enum {
    LISTED = 1 << 0,
    RANDOM = 1 << 1,
    SOLVED = 1 << 2,       /* the camera is that of --wcs */
    TRACED = 1 << 3,       /* the exposure is that of --exposure-track */
    CERTAIN = 1 << 4,      /* no number is random */
    NO_IMAGE = 1 << 5,     /* --psf is not image */
    IMAGE = 1 << 6,        /* it is */
    NO_MOFFAT = 1 << 7,    /* nor moffat */
    ROUND = 1 << 8,        /* the PSF is the same at any angle */
    CLOSED_FORM = 1 << 9,  /* no PSF is averaged numerically */
    TOLERANT = 1 << 10,    /* the ROI follows from the light that may be lost */
    PHOTOMETRIC = 1 << 11, /* the zero point says how bright stars are, by Pogson's ratio */
    ONE_FRAME = 1 << 12,
    NO_PNG = 1 << 13,
    BUILT_IN = 1 << 14,   /* the catalogue is */
    NO_DISPLAY = 1 << 15, /* the file is neither PNG nor JPEG */
    NO_TRACK = 1 << 16,
    NO_EPOCH = 1 << 17,
    WHOLE = 1 << 18 /* the amplitude is that of the exposure, in which nothing else gathers */
};

const cli_rule stars_single[] = {{"catalog list random", "which stars to draw", 0},
                                 {"attitude quaternion wcs track exposure_track", "where the camera looks", 0},
                                 {"fov focal", "how wide the field is", 0},
                                 {"rate exposure_track", "how the camera turns", 0},
                                 {"zero_point amplitude", "how bright stars are", 0},
                                 {0}};

const cli_rule stars_together[] = {{"focal pitch", NULL, 0}, {"hot_fraction hot_rate", NULL, 0}, {0}};

#define LENS "fov focal pitch principal distortion"
#define SKY  "attitude quaternion wcs track exposure_track " LENS " rate epoch aberration ra_unit catalog_epoch"

const cli_rule stars_idle[] = {
    {SKY, "--list says where the stars are in the frame", LISTED},
    {SKY, "--random puts its stars into the frame, not on the sky", RANDOM},
    {"ra_unit catalog_epoch", "it is for files of --catalog", BUILT_IN},
    {"catalog_epoch", "without --epoch stars stay where the catalogue has them", NO_EPOCH},
    {LENS, "the header of --wcs says all about the camera", SOLVED},
    {"rate", "the camera of --wcs stands still; give its --attitude and --fov", SOLVED},
    {"exposure", "the times of --exposure-track are the exposure", TRACED},
    {"exposure", "--amplitude gives the photons of all of it; --zero-point MAG gives those of a second", WHOLE},
    {"seed", "nothing is random here without --random or a flag of the detector", CERTAIN},
    {"psf_image oversampling", "it is for --psf image", NO_IMAGE},
    {"sigma sigma_y", "--psf-image says how wide stars are", IMAGE},
    {"beta", "it is for --psf moffat", NO_MOFFAT},
    {"angle", "without --sigma-y the PSF is round", ROUND},
    {"quadrature", "it is for --psf moffat, and for integrated with --angle or stars that move", CLOSED_FORM},
    {"roi", "--flux-tolerance chooses the ROI", TOLERANT},
    {"mag_base", "--zero-point is in magnitudes of Pogson's ratio", PHOTOMETRIC},
    {"format", "it is for --track and for -o -; the end of the name after -o says it here", ONE_FRAME},
    {"png_bits", "it is for PNG files", NO_PNG},
    {"stretch", "it is for PNG and JPEG files", NO_DISPLAY},
    {"resume", "it is for the frames of --track", NO_TRACK},
    {0}};

static bool is_png(const stars_flags *f, const char *output)
{
    const char *end = strrchr(output, '.');

    return f->track || strcmp(output, "-") == 0 ? f->format == 0 : end && strcasecmp(end, ".png") == 0;
}

static bool is_jpeg(const stars_flags *f, const char *output)
{
    const char *end = strrchr(output, '.');

    return !f->track && end && (strcasecmp(end, ".jpg") == 0 || strcasecmp(end, ".jpeg") == 0);
}

static unsigned facts_of_psf(const cli_table *tables, const stars_flags *f, const penta_stars_options *o)
{
    bool moving = f->list || f->rate || f->exposure_track;
    bool numeric =
        o->psf == PENTA_STARS_MOFFAT || (o->psf == PENTA_STARS_INTEGRATED && (moving || cli_given(tables, "angle")));

    return (o->psf == PENTA_STARS_IMAGE ? IMAGE : NO_IMAGE) | (o->psf == PENTA_STARS_MOFFAT ? 0 : NO_MOFFAT) |
           (o->psf == PENTA_STARS_IMAGE || cli_given(tables, "sigma_y") ? 0 : ROUND) | (numeric ? 0 : CLOSED_FORM) |
           (o->flux_tolerance > 0 ? TOLERANT : 0);
}

static unsigned facts_of(const cli_table *tables, const stars_flags *f, const penta_stars_options *o,
                         const char *output)
{
    bool whole = cli_given(tables, "amplitude") && !f->zero_point && !f->rate &&
                 f->detector.sky + f->detector.dark + f->detector.hot_rate == 0;

    return (f->list ? LISTED : 0) | (f->random ? RANDOM : 0) | (f->wcs ? SOLVED : 0) |
           (f->exposure_track ? TRACED : 0) | (f->random || stars_flags_noise(tables, f) ? 0 : CERTAIN) |
           (f->zero_point && o->mag_base != PENTA_STARS_POGSON ? PHOTOMETRIC : 0) |
           (f->track || strcmp(output, "-") == 0 ? 0 : ONE_FRAME) | (is_png(f, output) ? 0 : NO_PNG) |
           (is_png(f, output) || is_jpeg(f, output) ? 0 : NO_DISPLAY) | (f->catalog ? 0 : BUILT_IN) |
           (f->track ? 0 : NO_TRACK) | (f->epoch ? 0 : NO_EPOCH) | (whole ? WHOLE : 0) | facts_of_psf(tables, f, o);
}

int stars_usage_check(const cli_line *line, const stars_flags *f, const penta_stars_options *o, const char *output)
{
    int code = cli_check_single(line);

    if (code == CLI_OK && f->track && (strcmp(output, "-") == 0 || (f->truth && strcmp(f->truth, "-") == 0)))
        return cli_fail(line->command->name, CLI_USAGE,
                        "with --track -o and --truth are directories, and standard output is none; name them (./- is a "
                        "directory called -)");
    code = code != CLI_OK ? code : cli_check_effect(line, facts_of(line->tables, f, o, output));
    return code != CLI_OK ? code : cli_check_together(line);
}
