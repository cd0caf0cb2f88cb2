/*
 * Trails: the pieces that penta stars draws of a star's way, against very many short exposures on the exact way
 * (reference/stars_trail.c). Cameras, distortions, turns, stars and PSFs are random, of several seeds.
 */
#include "support/test.h"

#include "reference/stars_trail.h"
#include "stars/pieces.h"

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT, MOST_ROWS = 2000 };

#define FLUX   1000.0
#define RADIAN 57.295779513082320876798154814105 /* degrees */

typedef struct {
    penta_camera camera;
    reference_camera exact;
    penta_stars_options options;
    size_t rows;
    double time[MOST_ROWS]; /* 0 to 1 */
    penta_attitude attitude[MOST_ROWS];
    reference_attitude exact_attitude[MOST_ROWS];
    double ra, dec;
} trail_case;

/* In [0, 1). */
static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * uniform(state);
}

static void set_row(trail_case *c, size_t i, double time, double ra, double dec, double roll)
{
    c->time[i] = time;
    EXPECT_OK(NULL, penta_attitude_from_radec(ra, dec, roll, &c->attitude[i]));
    c->exact_attitude[i] = reference_attitude_of(ra, dec, roll);
}

/* A camera of 3 to 90 degrees, a PSF that its ROI holds, and a star in the frame at the middle of the exposure. */
static trail_case *new_case(uint64_t *state, bool distorted)
{
    trail_case *c = must_calloc(1, sizeof *c);
    double fov = between(state, 3, distorted ? 90 : 60), focal;

    EXPECT_OK(NULL, penta_camera_focal_from_fov(WIDTH, fov, &focal));
    EXPECT_OK(NULL, penta_camera_init(WIDTH, HEIGHT, focal, &c->camera));
    c->camera.cx += between(state, -20, 20);
    if (distorted) {
        c->camera.k1 = between(state, -0.15, 0.1);
        c->camera.k2 = between(state, 0, 0.05);
        c->camera.p1 = between(state, -0.004, 0.004);
        c->camera.p2 = between(state, -0.004, 0.004);
    }
    c->exact = (reference_camera){c->camera.focal, c->camera.cx, c->camera.cy, c->camera.k1,
                                  c->camera.k2,    c->camera.k3, c->camera.p1, c->camera.p2};
    penta_stars_options_init(&c->options);
    c->options.engine = PENTA_STARS_THREADS;
    c->options.precision = PENTA_PRECISION_DOUBLE;
    c->options.sigma = between(state, 0.6, 1.8);
    c->options.psf = uniform(state) < 0.3 ? PENTA_STARS_INTEGRATED : PENTA_STARS_SAMPLED;
    c->options.roi = (int)ceil(10 * c->options.sigma) + 4;
    return c;
}

static void place_star(trail_case *c, const penta_attitude *middle, double x, double y)
{
    penta_sky_view view;

    EXPECT_OK(NULL, penta_sky_view_from_camera(middle, &c->camera, &view));
    EXPECT_OK(NULL, penta_sky_unproject(&view, 1, &x, &y, &c->ra, &c->dec));
    if (isnan(c->ra))
        EXPECT_OK(NULL, penta_attitude_to_radec(middle, &c->ra, &c->dec, &x));
}

/* ---- the exact trail ---- */

static reference_attitude exact_at(const trail_case *c, double t)
{
    size_t i = 0;

    while (i + 2 < c->rows && c->time[i + 1] <= t)
        i++;
    return reference_attitude_between(&c->exact_attitude[i], &c->exact_attitude[i + 1],
                                      (t - c->time[i]) / (c->time[i + 1] - c->time[i]));
}

static void exact_point(const trail_case *c, double t, double *x, double *y)
{
    reference_attitude attitude = exact_at(c, t);

    assert_true(reference_project(&c->exact, &attitude, c->ra, c->dec, x, y));
}

/* Short exposures of at most 1/25 px, 2000 at least; way: its mean and ends; px long. */
static double draw_exact(const trail_case *c, double *image, penta_star_trail *way)
{
    bool integrated = c->options.psf == PENTA_STARS_INTEGRATED;
    double x, y, last_x = 0, last_y = 0, length = 0;
    size_t steps;

    exact_point(c, 0, &way->start_x, &way->start_y);
    exact_point(c, 1, &way->end_x, &way->end_y);
    for (int i = 0; i <= 1000; i++) {
        exact_point(c, i / 1000.0, &x, &y);
        length += i ? hypot(x - last_x, y - last_y) : 0;
        last_x = x;
        last_y = y;
    }
    steps = 2000 + (size_t)(25 * fmin(length, 2000));
    way->mean_x = way->mean_y = 0;
    for (size_t i = 0; i < steps; i++) {
        exact_point(c, ((double)i + 0.5) / (double)steps, &x, &y);
        reference_add_star(c->options.sigma, integrated, x, y, FLUX / (double)steps, WIDTH, HEIGHT, image);
        way->mean_x += x / (double)steps;
        way->mean_y += y / (double)steps;
    }
    return length;
}

/* ---- ours ---- */

/* Of a plan in single precision, in place: the floats lie in the first half of the image. */
static void widen(double *image)
{
    HELD float *floats = must_calloc(PIXELS, sizeof *floats);

    memcpy(floats, image, PIXELS * sizeof *floats);
    for (size_t i = 0; i < PIXELS; i++)
        image[i] = floats[i];
}

static size_t draw_pieces(penta_context *ctx, const trail_case *c, double *image, penta_star_trail *way)
{
    penta_attitude_path path = {c->rows, (double *)c->time, (penta_attitude *)c->attitude};
    stars_frame frame;
    HELD_BY(stars_pieces_free) stars_pieces pieces = {0};
    HELD_BY(penta_stars_held) penta_stars *plan = NULL;
    penta_stars_result result = {.image = image};
    double flux = FLUX;
    size_t count;

    EXPECT_OK(ctx, penta_stars_create(ctx, WIDTH, HEIGHT, &c->options, &plan));
    frame = stars_frame_make(WIDTH, HEIGHT, penta_stars_roi(plan), &c->options);
    EXPECT_OK(NULL, stars_pieces_path(&pieces, &frame, &c->camera, &path, 1, &c->ra, &c->dec, way));
    stars_pieces_weigh(&pieces, &flux);
    EXPECT_OK(ctx, penta_stars_run(plan,
                                   &(penta_stars_list){.n = pieces.n,
                                                       .x = pieces.x,
                                                       .y = pieces.y,
                                                       .flux = pieces.flux,
                                                       .motion_x = pieces.motion_x,
                                                       .motion_y = pieces.motion_y},
                                   &result));
    if (c->options.precision == PENTA_PRECISION_SINGLE)
        widen(image);
    count = pieces.n;
    return count;
}

/* ---- comparison ---- */

typedef struct {
    double sum, x, y, peak;
} centroid;

static centroid centroid_of(const double *image)
{
    centroid c = {0};

    for (size_t i = 0; i < PIXELS; i++) {
        c.sum += image[i];
        c.x += image[i] * (double)(i % WIDTH);
        c.y += image[i] * (double)(i / WIDTH);
        c.peak = fmax(c.peak, image[i]);
    }
    c.x /= c.sum;
    c.y /= c.sum;
    return c;
}

static void expect_way(const penta_star_trail *got, const penta_star_trail *want, double length, int seed)
{
    const double values[][2] = {{got->start_x, want->start_x}, {got->start_y, want->start_y},
                                {got->end_x, want->end_x},     {got->end_y, want->end_y},
                                {got->mean_x, want->mean_x},   {got->mean_y, want->mean_y}};

    for (int i = 0; i < 6; i++) /* the mean of the short exposures itself is off by its steps squared */
        if (!(fabs(values[i][0] - values[i][1]) <= (i < 4 ? 1e-8 : 1e-6 * (1 + length))))
            fail_msg("seed %d, number %d of the way: %.10g, not %.10g", seed, i, values[i][0], values[i][1]);
}

/* Centroid to 1e-3 px, every pixel to 1e-3 of the peak. Returns the pieces drawn. */
static size_t expect_exact(penta_context *ctx, const trail_case *c, int seed)
{
    HELD double *want = must_calloc(PIXELS, sizeof *want), *got = must_calloc(PIXELS, sizeof *got);
    double worst = 0, length;
    penta_star_trail exact_way, way;
    centroid a, b;
    size_t pieces;

    length = draw_exact(c, want, &exact_way);
    pieces = draw_pieces(ctx, c, got, &way);
    expect_way(&way, &exact_way, length, seed);
    a = centroid_of(got);
    b = centroid_of(want);
    for (size_t i = 0; i < PIXELS; i++)
        worst = fmax(worst, fabs(got[i] - want[i]));
    if (!(hypot(a.x - b.x, a.y - b.y) <= 1e-3) && b.sum > 1e-3 * FLUX)
        fail_msg("seed %d, a way of %.3g px: the centroid is (%.6f, %.6f), not (%.6f, %.6f)", seed, length, a.x, a.y,
                 b.x, b.y);
    if (!(worst <= 1e-3 * b.peak))
        fail_msg("seed %d, a way of %.3g px: a pixel is off by %.3g of the peak", seed, length, worst / b.peak);
    if (getenv("PENTA_TEST_VERBOSE"))
        printf("seed %d: %.4g px, %zu pieces, centroid %.2g px, pixels %.2g\n", seed, length, pieces,
               hypot(a.x - b.x, a.y - b.y), worst / b.peak);
    return pieces;
}

/* ---- cases ---- */

static penta_attitude attitude_of(const reference_attitude *a)
{
    const double *down = a->m[1], *ahead = a->m[2];
    double ra = atan2(ahead[1], ahead[0]), dec = atan2(ahead[2], hypot(ahead[0], ahead[1]));
    double north = -sin(dec) * (cos(ra) * down[0] + sin(ra) * down[1]) + cos(dec) * down[2],
           east = cos(ra) * down[1] - sin(ra) * down[0];
    penta_attitude out;

    EXPECT_OK(NULL, penta_attitude_from_radec(RADIAN * ra, RADIAN * dec, RADIAN * atan2(-east, -north), &out));
    return out;
}

/* A turn at a constant rate by up to 170 degrees, rows less than 60 degrees apart as penta_attitude_path_turn makes
 * them. */
static void expect_turns(penta_context *ctx, const double slow[3], const double fast[3], bool distorted, int first)
{
    for (int seed = first; seed < first + 6; seed++) {
        uint64_t state = (uint64_t)seed;
        HELD trail_case *c = new_case(&state, distorted);
        double ra = 360 * uniform(&state), dec = between(&state, -80, 80), roll = 360 * uniform(&state), rate[3];
        reference_attitude middle = reference_attitude_of(ra, dec, roll);
        penta_attitude mid;

        for (int i = 0; i < 3; i++)
            rate[i] = between(&state, slow[i], fast[i]);
        c->rows = 5;
        EXPECT_OK(NULL, penta_attitude_from_radec(ra, dec, roll, &mid));
        place_star(c, &mid, between(&state, 30, 130), between(&state, 25, 95));
        for (size_t i = 0; i < c->rows; i++) {
            double t = (double)i / (double)(c->rows - 1);

            c->exact_attitude[i] = reference_attitude_turned(&middle, rate, t - 0.5);
            c->time[i] = t;
            c->attitude[i] = attitude_of(&c->exact_attitude[i]);
        }
        expect_exact(ctx, c, seed);
    }
}

TEST(rolls)
{
    expect_turns(*state, (double[]){0, 0, -170}, (double[]){0, 0, 170}, false, 100);
    expect_turns(*state, (double[]){0, 0, -20}, (double[]){0, 0, 20}, true, 200);
    expect_turns(*state, (double[]){0, 0, -2}, (double[]){0, 0, 2}, false, 300);
}

TEST(slews)
{
    expect_turns(*state, (double[]){-2, -2, -30}, (double[]){2, 2, 30}, false, 400);
    expect_turns(*state, (double[]){-9, -9, -40}, (double[]){9, 9, 40}, true, 500);
}

/* Rows at uneven times: few that turn much, many that tremble about a smooth way. */
static void expect_track(penta_context *ctx, int seed, size_t rows, double swing, double tremble)
{
    uint64_t state = (uint64_t)seed;
    HELD trail_case *c = new_case(&state, seed % 2);
    double ra = 360 * uniform(&state), dec = between(&state, -70, 70), roll = 360 * uniform(&state);
    double px = RADIAN / c->camera.focal, phase = 6 * uniform(&state);
    double total = 0;
    size_t pieces;

    c->rows = rows;
    for (size_t i = 0; i < rows; i++) {
        double t = total + 0.3 * (double)i / (double)rows;

        set_row(c, i, t, ra + px * (swing * sin(2 * t + phase) + tremble * between(&state, -1, 1)) / cos(dec / RADIAN),
                dec + px * (0.6 * swing * t * t + tremble * between(&state, -1, 1)), roll + 0.1 * swing * cos(3 * t));
        total += 0.7 / (double)rows * (0.5 + uniform(&state));
    }
    total = c->time[rows - 1];
    for (size_t i = 0; i < rows; i++) /* the first is 0 */
        c->time[i] /= total;
    place_star(c, &c->attitude[rows / 2], between(&state, 40, 120), between(&state, 35, 85));
    pieces = expect_exact(ctx, c, seed);
    if (rows >= 1000 && tremble < 0.005 && pieces > rows / 4)
        fail_msg("seed %d: %zu pieces of %zu rows on a smooth way", seed, pieces, rows);
}

TEST(tracks)
{
    for (int seed = 1; seed <= 4; seed++) {
        expect_track(*state, seed, 2, 40, 0);
        expect_track(*state, 10 + seed, 4, 60, 3);
        expect_track(*state, 20 + seed, 60, 15, 0.2);
        expect_track(*state, 30 + seed, 1000, 12, 0.002);
        expect_track(*state, 40 + seed, 300, 0.5, 0.3);
    }
}

/* The default ROI, 10 px for sigma 1.2, goes with each piece's middle: that too changes no pixel by 1e-3 of the peak.
 */
TEST(default_roi)
{
    for (int seed = 700; seed < 706; seed++) {
        uint64_t random = (uint64_t)seed;
        HELD trail_case *c = new_case(&random, seed % 2);
        double ra = 360 * uniform(&random), dec = between(&random, -70, 70), px = RADIAN / c->camera.focal;

        penta_stars_options_init(&c->options);
        c->options.engine = PENTA_STARS_TILE;
        c->options.precision = penta_context_device(*state)->fp64 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
        c->rows = 2;
        set_row(c, 0, 0, ra, dec, 0);
        set_row(c, 1, 1, ra + px * between(&random, -50, 50), dec + px * between(&random, -30, 30),
                between(&random, -30, 30));
        place_star(c, &c->attitude[0], between(&random, 50, 110), between(&random, 40, 80));
        expect_exact(*state, c, seed);
    }
}

/* A turn that carries the star behind the camera: what is in the picture is drawn, and there is no mean. */
TEST(out_of_the_picture)
{
    uint64_t random = 5;
    HELD trail_case *c = new_case(&random, false);
    HELD double *image = must_calloc(PIXELS, sizeof *image);
    penta_star_trail way;
    size_t pieces;

    c->rows = 2;
    set_row(c, 0, 0, 10, 0, 0);
    set_row(c, 1, 1, 150, 0, 0);
    c->ra = 10;
    c->dec = 0.5;
    pieces = draw_pieces(*state, c, image, &way);
    assert_true(pieces > 10);
    assert_true(isnan(way.mean_x) && isnan(way.mean_y) && isnan(way.end_x) && isfinite(way.start_x));
}

ON_DEVICE;
