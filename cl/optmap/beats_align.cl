/*
 * Mean of a trace and its neighbours along a row or a column, each shifted by its own activation time:
 *   out_p[n] = sum_q w(q - p) v_q(n + (T_q - T_p) rate / 1000) / sum_q w(q - p),
 * over q with a known time. v is interpolated by cubic convolution (R. Keys, IEEE ASSP 29 (1981) 1153) and constant
 * beyond its ends. One pass along x and one along y together give the mean over the plane, because the shifts add up.
 */
#ifdef PENTA_CPU
#define CHUNK 64 /* frames per work-item */
#define GROUP 1
#else
#define CHUNK 1
#define GROUP 64
#endif

/* Apart, as a CPU's compiler takes its time for what is rare. */
#ifdef PENTA_CPU
__attribute__((noinline)) static void
#else
static inline void
#endif
add_at_ends(__global const float *restrict trace, int frames, int n, float4 w, float *restrict sum)
{
    for (int k = 0; k < CHUNK; k++)
        sum[k] += w.x * trace[clamp(n + k - 1, 0, frames - 1)] + w.y * trace[clamp(n + k, 0, frames - 1)] +
                  w.z * trace[clamp(n + k + 1, 0, frames - 1)] + w.w * trace[clamp(n + k + 2, 0, frames - 1)];
}

static inline void add(__global const float *restrict trace, int frames, int n, float4 w, float *restrict sum)
{
    if (n < 1 || n + CHUNK + 1 >= frames) {
        add_at_ends(trace, frames, n, w, sum);
        return;
    }
    for (int k = 0; k < CHUNK; k++)
        sum[k] += w.x * trace[n + k - 1] + w.y * trace[n + k] + w.z * trace[n + k + 1] + w.w * trace[n + k + 2];
}

/*
 * Work-item (frames, pixel - skip): CHUNK frames of first .. end - 1. Pixels of `traces` are `pitch` apart. times: ms,
 * NaN if unknown; out of such a pixel is 0. Neighbours in a row of `line` pixels are `step` apart; a pixel's position
 * in its row is pixel / below % line. weights: of distances 0 .. radius. rate: frames per ms.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_align(__global const float *restrict traces, __global const float *restrict times, int frames, ulong pitch,
                   int first, int end, int skip, int line, int below, int step, __global const float *restrict weights,
                   int radius, float rate, __global float *restrict out)
{
    int from = first + (int)get_global_id(0) * CHUNK, pixel = skip + get_global_id(1);
    int place = pixel / below % line;
    float here = times[pixel], sum[CHUNK], all = 0;
    __global float *to = out + pixel * pitch;

    if (from >= end)
        return;
    for (int k = 0; k < CHUNK; k++)
        sum[k] = 0;
    for (int i = max(-radius, -place); i <= min(radius, line - 1 - place) && isfinite(here); i++) {
        int q = pixel + i * step;
        float shift = (times[q] - here) * rate, whole = floor(shift), f = shift - whole, w = weights[abs(i)];
        float4 cubic = {f * (-0.5f + f * (1 - 0.5f * f)), 1 + f * f * (-2.5f + 1.5f * f),
                        f * (0.5f + f * (2 - 1.5f * f)), f * f * (-0.5f + 0.5f * f)};

        if (!isfinite(shift))
            continue;
        add(traces + q * pitch, frames, from + (int)clamp(whole, -(float)frames, (float)frames), w * cubic, sum);
        all += w;
    }
    for (int k = 0; k < CHUNK && from + k < end; k++)
        to[from + k] = all > 0 ? sum[k] / all : 0;
}
