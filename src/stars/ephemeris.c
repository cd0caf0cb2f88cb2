/* Where stars are at an epoch, and where a moving observer sees them. */
#include <math.h>

#include "core/core.h"
#include "stars/sky.h"

static const double epoch_2000 = 2451545.0, century = 36525; /* days */
static const double light_days = 499.004784 / 86400;         /* to cross an astronomical unit */
static const double au_km = 149597870.7;
static const double obliquity = 84381.448 / 3600; /* of the ecliptic of J2000, degrees */

double penta_pm_ra_cosdec(double pm_ra, double dec)
{
    double s, c;

    sky_sincos(dec, &s, &c);
    return pm_ra * c;
}

double penta_julian_date(double epoch)
{
    return epoch_2000 + (epoch - 2000) * 365.25;
}

/* ---- proper motion ---- */

static penta_status check_motions(size_t n, const double *pm_ra, const double *pm_dec, double years)
{
    if (n > 0 && (!pm_ra || !pm_dec))
        return penta_fail(NULL, PENTA_INVALID, "proper motion needs arrays of the motions in RA and in Dec");
    if (!isfinite(years))
        return penta_fail(NULL, PENTA_INVALID, "proper motion over %g years: it must be a finite time", years);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(pm_ra[i]) || !isfinite(pm_dec[i]))
            return penta_fail(NULL, PENTA_INVALID, "star %zu moves by (%g, %g) mas a year: both must be finite", i,
                              pm_ra[i], pm_dec[i]);
    return PENTA_OK;
}

penta_status penta_sky_proper_motion(size_t n, const double *ra, const double *dec, const double *pm_ra_cosdec,
                                     const double *pm_dec, double years, double *ra_out, double *dec_out)
{
    penta_status status = PENTA_OK;
    const double radians = years / 3.6e6 / SKY_RADIAN;

    if (n > 0 && (!ra_out || !dec_out))
        return penta_fail(NULL, PENTA_INVALID, "positions on the sky need places to go");
    TRY(sky_check_positions(n, ra, dec));
    TRY(check_motions(n, pm_ra_cosdec, pm_dec, years));
    for (size_t i = 0; i < n; i++) {
        double v[3], east[3], north[3];

        sky_direction(ra[i], dec[i], v, east, north);
        for (int j = 0; j < 3; j++)
            v[j] += radians * (pm_ra_cosdec[i] * east[j] + pm_dec[i] * north[j]);
        sky_angles(v, ra_out + i, dec_out + i);
    }
cleanup:
    return status;
}

/* ---- the Earth's velocity ---- */

/* Heliocentric elements on the ecliptic of J2000: value at J2000 and change a Julian century. Angles in degrees. */
typedef struct {
    double sun_masses;      /* the Sun's mass over the body's */
    double axis[2];         /* au */
    double eccentricity[2]; /* */
    double inclination[2];
    double longitude[2]; /* mean */
    double perihelion[2];
    double node[2];
} orbit;

static const orbit earth_moon = {328900.56,
                                 {1.00000261, 0.00000562},
                                 {0.01671123, -0.00004392},
                                 {-0.00001531, -0.01294668},
                                 {100.46457166, 35999.37244981},
                                 {102.93768193, 0.32327364},
                                 {0, 0}};

static const orbit giants[] = {{1047.3486,
                                {5.20288700, -0.00011607},
                                {0.04838624, -0.00013253},
                                {1.30439695, -0.00183714},
                                {34.39644051, 3034.74612775},
                                {14.72847983, 0.21252668},
                                {100.47390909, 0.20469106}},
                               {3497.898,
                                {9.53667594, -0.00125060},
                                {0.05386179, -0.00050991},
                                {2.48599187, 0.00193609},
                                {49.95424423, 1222.49362201},
                                {92.59887831, -0.41897216},
                                {113.66242448, -0.28867794}},
                               {22902.98,
                                {19.18916464, -0.00196176},
                                {0.04725744, -0.00004397},
                                {0.77263783, -0.00242939},
                                {313.23810451, 428.48202785},
                                {170.95427630, 0.40805281},
                                {74.01692503, 0.04240589}},
                               {19412.24,
                                {30.06992276, 0.00026291},
                                {0.00859048, 0.00005105},
                                {1.77004347, 0.00035372},
                                {-55.12002969, 218.45945325},
                                {44.96476227, -0.32241464},
                                {131.78422574, -0.00508664}}};

static double at(const double element[2], double centuries)
{
    return element[0] + element[1] * centuries;
}

/* E - e sin E = mean, radians. */
static double eccentric_anomaly(double mean, double e)
{
    double anomaly = mean + e * sin(mean);

    for (int i = 0; i < 6; i++)
        anomaly -= (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
    return anomaly;
}

/* Adds share times the body's heliocentric velocity, au a day on the ecliptic of J2000. */
static void add_velocity(const orbit *body, double t, double share, double velocity[3])
{
    double a = at(body->axis, t), e = at(body->eccentricity, t), perihelion = at(body->perihelion, t);
    double node = at(body->node, t);
    double anomaly = eccentric_anomaly(fmod(at(body->longitude, t) - perihelion, 360) / SKY_RADIAN, e);
    double rate = body->longitude[1] / SKY_RADIAN / century / (1 - e * cos(anomaly));
    double along = -a * sin(anomaly) * rate, across = a * sqrt(1 - e * e) * cos(anomaly) * rate;
    double so, co, sn, cn, si, ci;

    sky_sincos(perihelion - node, &so, &co);
    sky_sincos(node, &sn, &cn);
    sky_sincos(at(body->inclination, t), &si, &ci);
    velocity[0] += share * ((co * cn - so * sn * ci) * along + (-so * cn - co * sn * ci) * across);
    velocity[1] += share * ((co * sn + so * cn * ci) * along + (-so * sn + co * cn * ci) * across);
    velocity[2] += share * (so * si * along + co * si * across);
}

/* Geocentric position, km, on the ecliptic of J2000 (the precession in longitude is taken off): terms over 0.1 degrees
 * and 500 km. */
static void moon_position(double t, double position[3])
{
    double elongation = 297.8501921 + 445267.1114034 * t, sun = 357.5291092 + 35999.0502909 * t;
    double moon = 134.9633964 + 477198.8675055 * t, latitude = 93.2720950 + 483202.0175233 * t;
    const struct {
        double argument, longitude, distance;
    } terms[] = {{moon, 6.288774, -20905.355},
                 {2 * elongation - moon, 1.274027, -3699.111},
                 {2 * elongation, 0.658314, -2955.968},
                 {2 * moon, 0.213618, -569.925},
                 {sun, -0.185116, 0},
                 {2 * latitude, -0.114332, 0}};
    double l = 218.3164477 + (481267.88123421 - 1.3969713) * t, b, r = 385000.56, s, c, sb, cb;

    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        sky_sincos(terms[i].argument, &s, &c);
        l += terms[i].longitude * s;
        r += terms[i].distance * c;
    }
    sky_sincos(latitude, &s, &c);
    b = 5.128122 * s;
    sky_sincos(latitude + moon, &s, &c);
    b += 0.280602 * s;
    sky_sincos(moon - latitude, &s, &c);
    b += 0.277693 * s;
    sky_sincos(2 * elongation - latitude, &s, &c);
    b += 0.173237 * s;
    sky_sincos(b, &sb, &cb);
    sky_sincos(l, &s, &c);
    position[0] = r * cb * c;
    position[1] = r * cb * s;
    position[2] = r * sb;
}

/* Adds the Earth's motion about its barycentre with the Moon, au a day. */
static void add_lunar_swing(double t, double velocity[3])
{
    const double earth_share = 1 / (1 + 81.3006), step = 0.02; /* days: the error is step^2, 1e-6 of it */
    double before[3], after[3];

    moon_position(t - step / century, before);
    moon_position(t + step / century, after);
    for (int i = 0; i < 3; i++)
        velocity[i] -= earth_share * (after[i] - before[i]) / (2 * step) / au_km;
}

penta_status penta_earth_velocity(double jd, double velocity[3])
{
    double t = (jd - epoch_2000) / century, v[3] = {0, 0, 0}, s, c;

    if (!velocity)
        return penta_fail(NULL, PENTA_INVALID, "a velocity needs a place to go");
    if (!(fabs(t) <= 10))
        return penta_fail(NULL, PENTA_INVALID,
                          "the Julian date %.17g is outside 2086295 to 2816795, the years 1000 to 3000", jd);
    add_velocity(&earth_moon, t, 1 - 1 / earth_moon.sun_masses, v);
    for (size_t i = 0; i < sizeof giants / sizeof *giants; i++)
        add_velocity(giants + i, t, -1 / (1 + giants[i].sun_masses), v); /* the Sun moves the opposite way */
    add_lunar_swing(t, v);
    sky_sincos(obliquity, &s, &c);
    velocity[0] = light_days * v[0];
    velocity[1] = light_days * (c * v[1] - s * v[2]);
    velocity[2] = light_days * (s * v[1] + c * v[2]);
    return PENTA_OK;
}

/* ---- aberration ---- */

penta_status penta_sky_aberration(size_t n, const double *ra, const double *dec, const double velocity[3],
                                  double *ra_out, double *dec_out)
{
    penta_status status = PENTA_OK;
    double square, shrink, v[3];

    if (!velocity || (n > 0 && (!ra_out || !dec_out)))
        return penta_fail(NULL, PENTA_INVALID, "aberration needs a velocity and places for the positions");
    square = sky_dot(velocity, velocity);
    if (!(square < 1))
        return penta_fail(NULL, PENTA_INVALID, "the observer's speed is %g of light's: it must be below 1",
                          sqrt(square));
    TRY(sky_check_positions(n, ra, dec));
    shrink = sqrt(1 - square); /* 1 / gamma */
    for (size_t i = 0; i < n; i++) {
        double along;

        sky_direction(ra[i], dec[i], v, NULL, NULL);
        along = sky_dot(v, velocity);
        for (int j = 0; j < 3; j++) /* times 1 + along, which is not needed */
            v[j] = shrink * v[j] + (1 + along / (1 + shrink)) * velocity[j];
        sky_angles(v, ra_out + i, dec_out + i);
    }
cleanup:
    return status;
}

/* ---- both ---- */

penta_status penta_sky_at_epoch(size_t n, const double *ra, const double *dec, const double *pm_ra_cosdec,
                                const double *pm_dec, double catalog_epoch, double epoch, bool aberration,
                                double *ra_out, double *dec_out)
{
    penta_status status = PENTA_OK;
    double velocity[3];

    if (!(epoch >= 1000 && epoch <= 3000))
        return penta_fail(NULL, PENTA_INVALID, "`epoch` is %.10g; it must be between 1000 and 3000", epoch);
    TRY(penta_sky_proper_motion(n, ra, dec, pm_ra_cosdec, pm_dec, epoch - catalog_epoch, ra_out, dec_out));
    if (aberration) {
        TRY(penta_earth_velocity(penta_julian_date(epoch), velocity));
        TRY(penta_sky_aberration(n, ra_out, dec_out, velocity, ra_out, dec_out));
    }
cleanup:
    return status;
}
