/*
 * Directions and attitudes. With east E and north N of the boresight B, and roll r, the camera's axes are
 *     right = -E cos r + N sin r,   down = -(N cos r + E sin r),   boresight = B,
 * a right-handed set; as rows they are the matrix that takes ICRS components to the camera's.
 */
#include <math.h>

#include "core/core.h"
#include "stars/sky.h"

static const double pole = 1e-15; /* rad: nearer, the right ascension is rounding noise */

/* ---- directions ---- */

void sky_sincos(double degrees, double *sine, double *cosine)
{
    double turned = fabs(degrees) < 1e12 ? degrees : fmod(degrees, 360), quarters = rint(turned / 90);
    double angle = (turned - 90 * quarters) / SKY_RADIAN, s = sin(angle), c = cos(angle); /* the difference is exact */

    if (!isfinite(turned)) {
        *sine = *cosine = NAN;
        return;
    }
    switch ((int64_t)quarters & 3) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
    }
}

void sky_direction(double ra, double dec, double v[3], double east[3], double north[3])
{
    double sa, ca, sd, cd;

    sky_sincos(ra, &sa, &ca);
    sky_sincos(dec, &sd, &cd);
    v[0] = cd * ca;
    v[1] = cd * sa;
    v[2] = sd;
    if (east) {
        east[0] = -sa;
        east[1] = ca;
        east[2] = 0;
    }
    if (north) {
        north[0] = -sd * ca;
        north[1] = -sd * sa;
        north[2] = cd;
    }
}

double sky_wrap(double degrees)
{
    double turned = fmod(degrees, 360);

    if (turned < 0)
        turned += 360;
    return turned < 360 ? turned : 0; /* -1e-20 + 360 rounds to 360 */
}

void sky_angles(const double v[3], double *ra, double *dec)
{
    double across = hypot(v[0], v[1]);

    *ra = across > pole * fabs(v[2]) ? sky_wrap(SKY_RADIAN * atan2(v[1], v[0])) : across < INFINITY ? 0 : NAN;
    *dec = SKY_RADIAN * atan2(v[2], across);
}

double sky_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double sky_angle(const double a[3], const double b[3])
{
    double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};

    return SKY_RADIAN * atan2(sqrt(sky_dot(cross, cross)), sky_dot(a, b));
}

double penta_sky_separation(double ra1, double dec1, double ra2, double dec2)
{
    double a[3], b[3];

    sky_direction(ra1, dec1, a, NULL, NULL);
    sky_direction(ra2, dec2, b, NULL, NULL);
    return sky_angle(a, b);
}

penta_status sky_check_position(size_t i, double ra, double dec)
{
    if (!isfinite(ra) || !isfinite(dec))
        return penta_fail(NULL, PENTA_INVALID, "star %zu has RA %g, Dec %g deg: both must be finite", i, ra, dec);
    if (fabs(dec) > 90)
        return penta_fail(NULL, PENTA_INVALID, "star %zu has Dec %.17g deg: it must lie within -90 and 90", i, dec);
    return PENTA_OK;
}

penta_status sky_check_positions(size_t n, const double *ra, const double *dec)
{
    penta_status status = PENTA_OK;

    if (n > 0 && (!ra || !dec))
        return penta_fail(NULL, PENTA_INVALID, "positions on the sky need arrays of RA and of Dec");
    for (size_t i = 0; i < n && status == PENTA_OK; i++)
        status = sky_check_position(i, ra[i], dec[i]);
    return status;
}

penta_status sky_check_points(size_t n, const double *x, const double *y)
{
    if (n > 0 && (!x || !y))
        return penta_fail(NULL, PENTA_INVALID, "points need arrays of x and of y");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return penta_fail(NULL, PENTA_INVALID, "point %zu is (%g, %g): both must be finite", i, x[i], y[i]);
    return PENTA_OK;
}

/* ---- attitudes ---- */

/* Scales to unit length, w >= 0. False if all are zero, or any is not finite. */
static bool normalise(double q[4], penta_attitude *out)
{
    double largest = 0, square = 0, scale;
    size_t first = 0;

    for (size_t i = 0; i < 4; i++) {
        if (!isfinite(q[i]))
            return false;
        largest = fmax(largest, fabs(q[i]));
    }
    if (!(largest > 0))
        return false;
    for (size_t i = 0; i < 4; i++) {
        q[i] /= largest; /* squares neither overflow nor vanish */
        square += q[i] * q[i];
    }
    while (first < 3 && q[first] == 0)
        first++;
    scale = copysign(1 / sqrt(square), q[first]);
    *out = (penta_attitude){q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale};
    return true;
}

penta_status penta_attitude_from_quaternion(double w, double x, double y, double z, penta_attitude *out)
{
    double q[4] = {w, x, y, z};

    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "an attitude needs a place to go");
    if (!normalise(q, out))
        return penta_fail(NULL, PENTA_INVALID, "(%g, %g, %g, %g) is no attitude: a quaternion must be finite and not 0",
                          w, x, y, z);
    return PENTA_OK;
}

/* The column of 4 q q^T with the largest diagonal element is q times a factor that is not small. */
static void from_matrix(double m[3][3], penta_attitude *out)
{
    double trace = m[0][0] + m[1][1] + m[2][2];
    double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
    double xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
    double square[4][4] = {{1 + trace, wx, wy, wz},
                           {wx, 1 + 2 * m[0][0] - trace, xy, xz},
                           {wy, xy, 1 + 2 * m[1][1] - trace, yz},
                           {wz, xz, yz, 1 + 2 * m[2][2] - trace}};
    size_t best = 0;

    for (size_t i = 1; i < 4; i++)
        if (square[i][i] > square[best][best])
            best = i;
    normalise(square[best], out);
}

penta_status penta_attitude_from_radec(double ra, double dec, double roll, penta_attitude *out)
{
    double rows[3][3], east[3], north[3], s, c;

    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "an attitude needs a place to go");
    if (!isfinite(ra) || !isfinite(dec) || !isfinite(roll))
        return penta_fail(NULL, PENTA_INVALID, "RA %g, Dec %g, roll %g deg is no attitude: all must be finite", ra, dec,
                          roll);
    if (fabs(dec) > 90)
        return penta_fail(NULL, PENTA_INVALID, "the boresight has Dec %.17g deg: it must lie within -90 and 90", dec);
    sky_direction(ra, dec, rows[2], east, north);
    sky_sincos(roll, &s, &c);
    for (size_t i = 0; i < 3; i++) {
        rows[0][i] = north[i] * s - east[i] * c;
        rows[1][i] = -north[i] * c - east[i] * s;
    }
    from_matrix(rows, out);
    return PENTA_OK;
}

void sky_matrix(const penta_attitude *q, double rows[3][3])
{
    double w = q->w, x = q->x, y = q->y, z = q->z;

    rows[0][0] = 1 - 2 * (y * y + z * z);
    rows[0][1] = 2 * (x * y - w * z);
    rows[0][2] = 2 * (x * z + w * y);
    rows[1][0] = 2 * (x * y + w * z);
    rows[1][1] = 1 - 2 * (x * x + z * z);
    rows[1][2] = 2 * (y * z - w * x);
    rows[2][0] = 2 * (x * z - w * y);
    rows[2][1] = 2 * (y * z + w * x);
    rows[2][2] = 1 - 2 * (x * x + y * y);
}

penta_status penta_attitude_to_radec(const penta_attitude *attitude, double *ra, double *dec, double *roll)
{
    double rows[3][3], v[3], east[3], north[3];
    penta_attitude unit;
    penta_status status;

    if (!attitude || !ra || !dec || !roll)
        return penta_fail(NULL, PENTA_INVALID, "RA, Dec and roll need an attitude and places to go");
    status = penta_attitude_from_quaternion(attitude->w, attitude->x, attitude->y, attitude->z, &unit);
    if (status != PENTA_OK)
        return status;
    sky_matrix(&unit, rows);
    sky_angles(rows[2], ra, dec);
    sky_direction(*ra, *dec, v, east, north);
    *roll = sky_wrap(SKY_RADIAN * atan2(-sky_dot(rows[1], east), -sky_dot(rows[1], north)));
    return PENTA_OK;
}

/* cos(t theta) a + sin(t theta) e, with e the unit vector at right angles to a towards b. */
static penta_status turn(const penta_attitude *a, const penta_attitude *b, double t, penta_attitude *out)
{
    double dot = a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z, sign = dot < 0 ? -1 : 1, along = fabs(dot);
    double e[4] = {sign * b->w - along * a->w, sign * b->x - along * a->x, sign * b->y - along * a->y,
                   sign * b->z - along * a->z};
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]), theta = atan2(length, along);
    double s = length > 0 ? sin(t * theta) / length : 0, c = cos(t * theta);

    return penta_attitude_from_quaternion(c * a->w + s * e[0], c * a->x + s * e[1], c * a->y + s * e[2],
                                          c * a->z + s * e[3], out);
}

penta_status penta_attitude_slerp(const penta_attitude *a, const penta_attitude *b, double t, penta_attitude *out)
{
    penta_status status = PENTA_OK;
    penta_attitude from, to;

    if (!a || !b || !out)
        return penta_fail(NULL, PENTA_INVALID, "a turn needs two attitudes and a place to go");
    if (!isfinite(t))
        return penta_fail(NULL, PENTA_INVALID, "the place between two attitudes is %g: it must be finite", t);
    TRY(penta_attitude_from_quaternion(a->w, a->x, a->y, a->z, &from));
    TRY(penta_attitude_from_quaternion(b->w, b->x, b->y, b->z, &to));
    TRY(turn(&from, &to, t, out));
cleanup:
    return status;
}
