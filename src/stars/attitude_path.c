/* Attitudes of a camera during an exposure. */
#include <pentacl/exposure.h>

#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "stars/sky.h"

static penta_status new_path(size_t n, penta_attitude_path *out)
{
    penta_status status = PENTA_OK;

    *out = (penta_attitude_path){.n = n};
    TRY(penta_calloc(NULL, n, sizeof *out->time, &out->time));
    TRY(penta_calloc(NULL, n, sizeof *out->attitude, &out->attitude));
cleanup:
    if (status != PENTA_OK)
        penta_attitude_path_free(out);
    return status;
}

void penta_attitude_path_free(penta_attitude_path *path)
{
    free(path->time);
    free(path->attitude);
    *path = (penta_attitude_path){0};
}

/* ---- constant rates ---- */

/*
 * The attitude after the camera has turned by the angle (rad) about one of its own axes. Seen in those axes the sky
 * turns the opposite way, so the turn multiplies the attitude from the left, with the angle reversed.
 */
static penta_attitude turned(const penta_attitude *q, const double axis[3], double angle)
{
    double w = cos(angle / 2), s = -sin(angle / 2), x = s * axis[0], y = s * axis[1], z = s * axis[2];

    return (penta_attitude){w * q->w - x * q->x - y * q->y - z * q->z, w * q->x + x * q->w + y * q->z - z * q->y,
                            w * q->y - x * q->z + y * q->w + z * q->x, w * q->z + x * q->y - y * q->x + z * q->w};
}

static double norm(const double rate[3])
{
    return sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]);
}

static penta_status check_turn(const penta_attitude *middle, const double rate[3], double exposure)
{
    if (!middle || !rate)
        return penta_fail(NULL, PENTA_INVALID, "a path needs an attitude and rates");
    if (!isfinite(norm(rate)) || !(exposure >= 0 && exposure < INFINITY))
        return penta_fail(NULL, PENTA_INVALID, "rates of %g, %g, %g deg/s over %g s: they must be finite", rate[0],
                          rate[1], rate[2], exposure);
    if (norm(rate) * exposure > PENTA_ATTITUDE_MOST_TURN)
        return penta_fail(NULL, PENTA_INVALID,
                          "`rate` turns the camera by %g deg during the exposure; at most %g are possible",
                          norm(rate) * exposure, PENTA_ATTITUDE_MOST_TURN);
    return PENTA_OK;
}

penta_status penta_attitude_path_turn(const penta_attitude *middle, const double rate[3], double exposure,
                                      penta_attitude_path *out)
{
    penta_status status = PENTA_OK;
    double speed, angle, axis[3];
    size_t steps;
    bool still;

    *out = (penta_attitude_path){0};
    TRY(check_turn(middle, rate, exposure));
    speed = norm(rate);
    angle = speed * exposure / SKY_RADIAN;
    still = !(speed * exposure > 0);
    steps = still ? 0 : 1 + (size_t)angle; /* below 1 rad each, so the smaller angle is the right one */
    TRY(new_path(steps + 1, out));
    out->attitude[0] = *middle;
    for (int i = 0; i < 3 && !still; i++)
        axis[i] = rate[i] / speed;
    for (size_t i = 0; i <= steps && !still; i++) {
        out->time[i] = (double)i / (double)steps;
        out->attitude[i] = turned(middle, axis, (out->time[i] - 0.5) * angle);
    }
cleanup:
    return status;
}

/* ---- measured attitudes ---- */

static penta_status check_times(size_t n, const double *time, const penta_attitude *attitude)
{
    if (!time || !attitude || n == 0)
        return penta_fail(NULL, PENTA_INVALID, "a path needs attitudes and their times");
    if (n == 1)
        return penta_fail(NULL, PENTA_INVALID, "there is one row; an exposure needs its beginning and its end");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(time[i]))
            return penta_fail(NULL, PENTA_INVALID, "row %zu: the time is not finite", i + 1);
    for (size_t i = 1; i < n; i++)
        if (!(time[i] > time[i - 1]))
            return penta_fail(NULL, PENTA_INVALID, "row %zu: the time %.10g does not come after %.10g; sort the rows",
                              i + 1, time[i], time[i - 1]);
    return PENTA_OK;
}

penta_status penta_attitude_path_follow(size_t n, const double *time, const penta_attitude *attitude,
                                        penta_attitude_path *out)
{
    penta_status status = PENTA_OK;

    *out = (penta_attitude_path){0};
    TRY(check_times(n, time, attitude));
    TRY(new_path(n, out));
    for (size_t i = 0; i < n; i++) {
        out->time[i] = (time[i] - time[0]) / (time[n - 1] - time[0]);
        out->attitude[i] = attitude[i];
    }
cleanup:
    return status;
}

/* ---- reading a path ---- */

penta_status penta_attitude_path_at(const penta_attitude_path *path, double time, penta_attitude *out)
{
    size_t low = 0, high;

    if (!path || !out || path->n == 0)
        return penta_fail(NULL, PENTA_INVALID, "a path of attitudes is empty");
    *out = path->attitude[0];
    high = path->n - 1;
    if (path->n == 1)
        return PENTA_OK;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        *(path->time[middle] <= time ? &low : &high) = middle;
    }
    return penta_attitude_slerp(&path->attitude[low], &path->attitude[high],
                                (time - path->time[low]) / (path->time[high] - path->time[low]), out);
}

double sky_attitude_angle(const penta_attitude *a, const penta_attitude *b)
{
    double dot = fabs(a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z);

    return 2 * acos(dot < 1 ? dot : 1) * SKY_RADIAN;
}

double penta_attitude_path_swing(const penta_attitude_path *path)
{
    penta_attitude middle;
    double most = 0;

    if (penta_attitude_path_at(path, 0.5, &middle) != PENTA_OK)
        return 0;
    for (size_t i = 0; i < path->n && path->n > 1; i++)
        most = fmax(most, sky_attitude_angle(&path->attitude[i], &middle));
    return most;
}
