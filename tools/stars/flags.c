#include "stars/flags.h"

#include <math.h>
#include <string.h>

#include <pentacl/io/image.h>
#include "stars/numbers.h"

#define DEFAULT_FOV 20.0

/* ---- tables ---- */

/* clang-format off */
const penta_option stars_rows[] = {
    PENTA_TEXT_OPTION(stars_flags, list, 'l', "FILE", "stars by pixel: a CSV with columns x, y and mag, optionally id, mx and my (px moved during the exposure), or an NPY array, n x 3 or n x 5, of x, y, mag, mx, my"),
    PENTA_TEXT_OPTION(stars_flags, catalog, 'c', "FILE", "stars on the sky: BSC5 binary, or CSV of HYG, Hipparcos, Tycho-2 or Gaia by column name (default: the Bright Star Catalogue)"),
    PENTA_CHOICE_OPTION(stars_flags, ra_unit, 0, "auto,deg,hour,rad", "unit of right ascension in a CSV --catalog; auto decides by columns and values, with a note where that is doubtful"),
    PENTA_TEXT_OPTION(stars_flags, random, 'n', "N", "draw N stars at random places in the frame, with magnitudes from 0 to 15 or --mag-limit"),
    PENTA_TEXT_OPTION(stars_flags, mag_limit, 0, "MAG", "leave out fainter stars"),
    PENTA_TEXT_OPTION(stars_flags, epoch, 0, "YEAR", "apply proper motion to this Julian year; default: positions as catalogued"),
    PENTA_TEXT_OPTION(stars_flags, catalog_epoch, 0, "YEAR", "Julian year of the positions in --catalog, where proper motion starts (default: as the file states, or that of its kind, else 2000)"),
    PENTA_FLAG_OPTION(stars_flags, aberration, 0, "apply annual aberration at --epoch"),
    PENTA_OPTIONS_END};

const penta_option stars_pointing_rows[] = {
    PENTA_TEXT_OPTION(stars_flags, attitude, 'a', "RA,DEC,ROLL", "where the camera looks, in deg; at roll 0 north is up and east is left, and roll turns the up direction towards east"),
    PENTA_TEXT_OPTION(stars_flags, quaternion, 0, "W,X,Y,Z", "attitude as the rotation from ICRS to the camera's axes (x right, y down, z ahead)"),
    PENTA_TEXT_OPTION(stars_flags, wcs, 'w', "FITS", "attitude, scale and distortion from the TAN or TAN-SIP header of a FITS file"),
    PENTA_TEXT_OPTION(stars_flags, track, 't', "CSV", "draw a frame for each row: columns ra, dec and roll, or w, x, y and z, optionally time and name; -o is then a directory"),
    PENTA_TEXT_OPTION(stars_flags, size, 0, "WxH", "size of the frame in px (default 1024x1024, or that of the --wcs)"),
    PENTA_TEXT_OPTION(stars_flags, fov, 0, "DEG", "field of view, along the width (default 20)"),
    PENTA_TEXT_OPTION(stars_flags, focal, 0, "MM", "focal length, with --pitch instead of --fov"),
    PENTA_TEXT_OPTION(stars_flags, pitch, 0, "UM", "distance between pixels on the detector"),
    PENTA_TEXT_OPTION(stars_flags, principal, 0, "X,Y", "pixel on the optical axis (default: the centre of the frame)"),
    PENTA_TEXT_OPTION(stars_flags, distortion, 0, "K1,K2,K3,P1,P2", "Brown-Conrady coefficients for normalised coordinates; the last ones may be left out"),
    PENTA_TEXT_OPTION(stars_flags, psf_image, 0, "FILE", "image of a star for --psf image: FITS, NPY, TIFF, PNG"),
    PENTA_REAL_OPTION(stars_flags, oversampling, 0, 1, 0.01, 1000, "", "samples of --psf-image per pixel and axis"),
    PENTA_OPTIONS_END};

const penta_option stars_motion_rows[] = {
    PENTA_TEXT_OPTION(stars_flags, rate, 0, "X,Y,Z", "rotation of the camera during --exposure, in deg/s about its axes (x right, y down, z ahead)"),
    PENTA_TEXT_OPTION(stars_flags, exposure_track, 0, "CSV", "attitudes during one exposure: time in s, and columns as for --track"),
    PENTA_OPTIONS_END};

const penta_option stars_noise_rows[] = {
    PENTA_TEXT_OPTION(stars_flags, zero_point, 0, "MAG", "magnitude that gives one photon a second; sets --amplitude, and --mag-base pogson"),
    PENTA_OPTIONS_END};

const penta_option stars_output_rows[] = {
    PENTA_TEXT_OPTION(stars_flags, truth, 0, "CSV", "write a table of the stars drawn: id,ra,dec,mag,x,y,flux,flux_in_frame,saturated, mean and ends of the trail, electrons, DN, places; with --track a directory"),
    PENTA_CHOICE_OPTION(stars_flags, format, 0, "png,fits,tif,npy,fits.gz", "format of the frames of --track, and of -o -"),
    PENTA_CHOICE_OPTION(stars_flags, png_bits, 0, "auto,8,16", "bits of a PNG; auto is 8, or 16 for a detector of more than 8"),
    PENTA_CHOICE_OPTION(stars_flags, stretch, 0, "none,asinh", "asinh: scale a PNG or JPEG for display; none: pixel values, rounded and clipped"),
    PENTA_FLAG_OPTION(stars_flags, resume, 0, "resume an interrupted run of --track with the same arguments; finished frames are kept"),
    PENTA_OPTIONS_END};
/* clang-format on */

/* ---- stars ---- */

static bool read_stars(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    r->source = f->list ? STARS_FROM_LIST : f->random ? STARS_FROM_RANDOM : STARS_FROM_CATALOG;
    r->source_path = f->catalog ? f->catalog : f->list;
    r->mag_limit = INFINITY;
    r->ra_unit = (enum penta_io_ra_unit)f->ra_unit;
    if (f->random && !stars_count("--random", f->random, 1e10, &r->random, err))
        return false;
    if (f->mag_limit && !stars_number("--mag-limit", f->mag_limit, f->random ? 0 : -100, 100, &r->mag_limit, err))
        return false;
    return true;
}

bool stars_refused(const char *what, penta_io_error *err)
{
    const char *text = penta_last_error(NULL);

    return penta_io_fail(err, "%s%s%.*s", what ? what : "", what ? ": " : "", (int)strcspn(text, "\n"), text);
}

static bool read_epoch(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    r->at_epoch = f->epoch != NULL;
    r->aberration = f->aberration;
    if (f->aberration && !f->epoch)
        return penta_io_fail(err, "--aberration depends on the time of the year: give --epoch YEAR, such as 2026.87");
    if (f->epoch && !stars_number("--epoch", f->epoch, -INFINITY, INFINITY, &r->epoch, err))
        return false;
    r->catalog_epoch = NAN;
    if (f->catalog_epoch && !stars_number("--catalog-epoch", f->catalog_epoch, 1000, 3000, &r->catalog_epoch, err))
        return false;
    return !f->epoch || /* no stars yet */
           penta_sky_at_epoch(0, NULL, NULL, NULL, NULL, 2000, r->epoch, r->aberration, NULL, NULL) == PENTA_OK ||
           stars_refused(NULL, err);
}

/* ---- pointing and camera ---- */

static bool read_attitude(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    double v[4];
    size_t n;

    if (f->attitude &&
        (!stars_numbers("--attitude", f->attitude, "RA,DEC,ROLL in degrees", 3, 3, v, &n, err) ||
         (penta_attitude_from_radec(v[0], v[1], v[2], &r->attitude) != PENTA_OK && !stars_refused("--attitude", err))))
        return false;
    return !f->quaternion || (stars_numbers("--quaternion", f->quaternion, "W,X,Y,Z", 4, 4, v, &n, err) &&
                              (penta_attitude_from_quaternion(v[0], v[1], v[2], v[3], &r->attitude) == PENTA_OK ||
                               stars_refused("--quaternion", err)));
}

static bool read_pointing(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    if (!f->attitude && !f->quaternion && !f->wcs && !f->track && !f->exposure_track)
        return penta_io_fail(
            err, f->catalog ? "--catalog needs to know where the camera looks: give --attitude RA,DEC,ROLL or "
                              "--wcs FITS"
                            : "nothing to draw: give --attitude RA,DEC,ROLL (such as 83.8,-1.2,0), --wcs FITS, "
                              "--list FILE or --random N");
    r->pointing = f->wcs              ? STARS_POINTS_WCS
                  : f->track          ? STARS_POINTS_TRACK
                  : f->exposure_track ? STARS_POINTS_MOVING
                                      : STARS_POINTS_STILL;
    r->pointing_path = f->wcs ? f->wcs : f->track ? f->track : f->exposure_track;
    return read_attitude(f, r, err);
}

/* By the lens, or by the field of view. */
static bool read_focal(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    double fov = DEFAULT_FOV, focal, pitch;

    if (f->focal)
        return stars_number("--focal", f->focal, -INFINITY, INFINITY, &focal, err) &&
               stars_number("--pitch", f->pitch, -INFINITY, INFINITY, &pitch, err) &&
               (penta_camera_focal_from_lens(focal, pitch, &r->focal) == PENTA_OK || stars_refused(NULL, err));
    return (!f->fov || stars_number("--fov", f->fov, -INFINITY, INFINITY, &fov, err)) &&
           (penta_camera_focal_from_fov(r->width, fov, &r->focal) == PENTA_OK || stars_refused(NULL, err));
}

static bool read_camera(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    size_t n;

    if (f->wcs)
        return true;
    r->off_centre = f->principal != NULL;
    if (f->principal && !stars_numbers("--principal", f->principal, "X,Y in px", 2, 2, r->principal, &n, err))
        return false;
    if (f->distortion && !stars_numbers("--distortion", f->distortion, "up to five numbers K1,K2,K3,P1,P2", 1, 5,
                                        r->distortion, &n, err))
        return false;
    return read_focal(f, r, err);
}

static bool read_size(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    if (f->size)
        return stars_size("--size", f->size, PENTA_STARS_MOST_SIDE, &r->width, &r->height, err);
    r->width = r->height = f->wcs ? 0 : 1024;
    return true;
}

static bool read_view(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    if (!read_size(f, r, err))
        return false;
    if (r->source != STARS_FROM_CATALOG)
        return true;
    return read_pointing(f, r, err) && read_camera(f, r, err) && read_epoch(f, r, err);
}

/* ---- motion ---- */

static bool read_motion(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    static const penta_attitude any = {1, 0, 0, 0};
    penta_attitude_path path;
    char text[256];
    size_t n;

    if (!f->rate && !f->exposure_track)
        return true;
    if (penta_stars_check_motion(&r->stars, text, sizeof text) != PENTA_OK)
        return penta_io_fail(err, "%s: %s", f->rate ? "--rate" : "--exposure-track", text);
    if (f->exposure_track)
        return true;
    if (!stars_numbers("--rate", f->rate, "X,Y,Z in deg/s", 3, 3, r->rate, &n, err))
        return false;
    if (penta_attitude_path_turn(&any, r->rate, f->detector.exposure, &path) != PENTA_OK)
        return stars_refused(NULL, err);
    r->turning = path.n > 1;
    penta_attitude_path_free(&path);
    return true;
}

/* ---- drawing and detector ---- */

static bool read_psf(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    r->psf_image = f->psf_image;
    r->oversampling = f->oversampling;
    return r->stars.psf != PENTA_STARS_IMAGE || f->psf_image ||
           penta_io_fail(err, "--psf image needs --psf-image FILE");
}

bool stars_set_exposure(stars_request *r, double seconds, penta_io_error *err)
{
    r->detector.exposure = seconds;
    return !r->in_photons || penta_stars_set_zero_point(&r->stars, r->zero_point, seconds) == PENTA_OK ||
           stars_refused(NULL, err);
}

bool stars_flags_noise(const cli_table *tables, const stars_flags *f)
{
    return cli_given_under(tables, "Detector") || (cli_given(tables, "exposure") && !f->rate && !f->exposure_track);
}

static bool read_detector(const cli_table *tables, const stars_flags *f, stars_request *r, penta_io_error *err)
{
    r->detector = f->detector;
    r->noise = stars_flags_noise(tables, f);
    r->engine_by_noise = r->noise && r->stars.engine == PENTA_STARS_AUTO;
    if (r->engine_by_noise)
        r->stars.engine = PENTA_STARS_FIXED;
    if (!f->zero_point)
        return true;
    r->in_photons = true;
    return stars_number("--zero-point", f->zero_point, -INFINITY, INFINITY, &r->zero_point, err) &&
           stars_set_exposure(r, r->detector.exposure, err);
}

/* Noise is of photons, which magnitudes alone do not give. */
static bool check_photons(const cli_table *tables, const stars_request *r, penta_io_error *err)
{
    return !r->noise || r->in_photons || cli_given(tables, "amplitude") ||
           penta_io_fail(err,
                         "%s photons, and nothing says how many a star gives: add --zero-point MAG, the magnitude "
                         "of one photon a second (m + 2.5 lg N, where a star of magnitude m gives N a second; in V "
                         "about 14.6 + 5 lg D for a lens of D cm), or --amplitude N, the photons of magnitude 0 in "
                         "the whole exposure",
                         cli_given_under(tables, "Detector") ? "the detector counts" : "--exposure collects");
}

/* ---- output ---- */

static const char *const frame_names[] = {"frame.png", "frame.fits", "frame.tif", "frame.npy", "frame.fits.gz"};

const char *stars_suffix(const stars_flags *f)
{
    return strchr(frame_names[f->format], '.');
}

static bool read_output(const stars_flags *f, stars_request *r, penta_io_error *err)
{
    r->truth = f->truth;
    r->suffix = f->track ? stars_suffix(f) : NULL;
    r->png_bits = 8 * f->png_bits;
    r->stretch = (enum stars_stretch)f->stretch;
    if (!penta_io_image_can_write(f->track ? frame_names[f->format] : r->output, PENTA_U8, err))
        return false;
    if (f->png_bits == 1 && r->detector.bits > 8 && !f->stretch)
        return penta_io_fail(err, "--png-bits 8 cannot hold the %d bits of the detector", r->detector.bits);
    if (f->truth && !f->track && strcmp(f->truth, r->output) == 0)
        return penta_io_fail(err, "-o and --truth name the same file");
    return true;
}

bool stars_flags_read(const cli_table *tables, const stars_flags *flags, const penta_stars_options *options,
                      const char *output, stars_request *out, penta_io_error *err)
{
    *out = (stars_request){.stars = *options, .output = output};
    return read_stars(flags, out, err) && read_view(flags, out, err) && read_psf(flags, out, err) &&
           read_motion(flags, out, err) && read_detector(tables, flags, out, err) && read_output(flags, out, err) &&
           check_photons(tables, out, err);
}
