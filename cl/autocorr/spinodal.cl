/*
 * The passes around the transforms of pentacl/spinodal.h. A plane is `height` rows of 2 waves doubles (math/fft.h), waves
 * = width / 2 + 1; f is the unnormalised transform of u. Without u^3 the equation is linear in f:
 *
 *   df/dt = L f + N(u),  L = -(k^4 + S k^2),  N(u) = -k^2 transform(u^3 - (1 + S) u).
 *
 * A step of h, with g = 1 - 1/sqrt 2 and d = 1 - 1 / (2 g):
 *
 *   f1 = (f + h g N(u)) / (1 - h g L)
 *   f' = (f + h (d N(u) + (1 - d) N(u1)) + h (1 - g) L f1) / (1 - h g L)
 *
 * One work-item a number or a wave. The transforms between them cost most of the time, so one form serves all devices.
 */
#ifdef PENTA_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* In place: u^3 - slope u, of u = scale times the plane. Grid (width, height). */
__kernel void spinodal_react(int width, int pitch, double scale, double slope, __global double *plane)
{
    int x = get_global_id(0);
    size_t at = (size_t)get_global_id(1) * pitch + x;

    if (x < width) {
        double u = scale * plane[at];

        plane[at] = u * (u * u - slope);
    }
}

/* k^2 of a wave; fx, fy: 2 pi over the grid's sides. */
static inline double square_of(int x, int y, int height, double fx, double fy)
{
    double kx = fx * x, ky = fy * (2 * y <= height ? y : y - height);

    return kx * kx + ky * ky;
}

/* plane: the transform of what spinodal_react left of u. out: N(u). plane becomes f1. Grid (waves, height). */
__kernel void spinodal_first(__global const double2 *f, int waves, int height, double fx, double fy, double stabiliser,
                             double h, double g, __global double2 *plane, __global double2 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    size_t at = (size_t)y * waves + x;

    if (x >= waves)
        return;
    double k2 = square_of(x, y, height, fx, fy);
    double2 n = -k2 * plane[at];

    out[at] = n;
    plane[at] = (f[at] + h * g * n) / (1 + h * g * k2 * (k2 + stabiliser));
}

/* plane: the same of u1; first: N(u). f becomes f', and so does plane. */
__kernel void spinodal_second(__global const double2 *first, int waves, int height, double fx, double fy,
                              double stabiliser, double h, double g, __global double2 *f, __global double2 *plane)
{
    int x = get_global_id(0), y = get_global_id(1);
    size_t at = (size_t)y * waves + x;

    if (x >= waves)
        return;
    double k2 = square_of(x, y, height, fx, fy), linear = -k2 * (k2 + stabiliser), divisor = 1 - h * g * linear;
    double d = 1 - 1 / (2 * g);
    double2 one = (f[at] + h * g * first[at]) / divisor;
    double2 next =
        (f[at] + h * (d * first[at] + (1 - d) * (-k2 * plane[at])) + h * (1 - g) * linear * one) / divisor;

    f[at] = next;
    plane[at] = next;
}
