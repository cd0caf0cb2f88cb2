/* Gravity in CUDA: tiles of sources in shared memory, several bodies a thread, the reciprocal square root of
 * -use_fast_math. */
#include "cuda_common.cuh"

#include <stdio.h>

typedef void (*nbody_kernel)(const float4 *bodies, int n, float eps2, float *acceleration);

/* bodies: x, y, z, mass; padded to whole blocks by bodies of mass 0. */
template <int EACH, int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    forces(const float4 *__restrict__ bodies, int n, float eps2, float *__restrict__ acceleration)
{
    __shared__ float4 tile[BLOCK];
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
    float4 p[EACH];
    float3 a[EACH];

    for (int k = 0; k < EACH; k++) {
        p[k] = bodies[first + k * BLOCK];
        a[k] = make_float3(0, 0, 0);
    }
    for (int start = 0; start < n; start += BLOCK) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
#pragma unroll 32
        for (int j = 0; j < BLOCK; j++) {
            float4 q = tile[j];

#pragma unroll
            for (int k = 0; k < EACH; k++) {
                float dx = q.x - p[k].x, dy = q.y - p[k].y, dz = q.z - p[k].z;
                float inverse = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2))));
                float s = q.w * inverse * (inverse * inverse);

                a[k].x = fmaf(dx, s, a[k].x);
                a[k].y = fmaf(dy, s, a[k].y);
                a[k].z = fmaf(dz, s, a[k].z);
            }
        }
        __syncthreads();
    }
    for (int k = 0; k < EACH; k++) {
        int i = first + k * BLOCK;

        if (i < n) {
            acceleration[i] = a[k].x;
            acceleration[(size_t)n + i] = a[k].y;
            acceleration[2 * (size_t)n + i] = a[k].z;
        }
    }
}

static const struct {
    int each, block;
    nbody_kernel kernel;
} forms[] = {
    {1, 128, forces<1, 128>}, {2, 128, forces<2, 128>}, {4, 128, forces<4, 128>},
    {1, 256, forces<1, 256>}, {2, 256, forces<2, 256>}, {4, 256, forces<4, 256>},
    {1, 512, forces<1, 512>}, {2, 512, forces<2, 512>}, {4, 512, forces<4, 512>},
};

enum { FORMS = sizeof forms / sizeof *forms, PADDING = 2048 /* bodies: the largest 4 x 512 */ };

struct nbody_cuda : peer_cuda {
    peer_bodies host;
    int at = 0; /* the form */
    float4 *bodies;
    float *acceleration;

    explicit nbody_cuda(const peer_bodies *b) : host(*b)
    {
    }

    peer_cuda_status enqueue() const override
    {
        size_t a_block = (size_t)forms[at].each * (size_t)forms[at].block;

        forms[at].kernel<<<(unsigned)((host.n + a_block - 1) / a_block), (unsigned)forms[at].block>>>(
            bodies, (int)host.n, host.eps * host.eps, acceleration);
        CUDA_TRY(cudaGetLastError());
        return PEER_CUDA_OK;
    }

    peer_cuda_status copy_in()
    {
        size_t padded = (host.n + PADDING - 1) / PADDING * PADDING;
        float4 *packed = new (std::nothrow) float4[padded];
        peer_cuda_status status;

        if (!packed)
            return cuda_failed("new", "out of memory", __FILE__, __LINE__);
        for (size_t i = 0; i < padded; i++) {
            size_t from = i < host.n ? i : 0;

            packed[i] = make_float4(host.x[from], host.y[from], host.z[from], i < host.n ? host.mass[i] : 0);
        }
        status = make(padded, &bodies, packed);
        delete[] packed;
        return status;
    }

    /* With the form that takes the least time. */
    peer_cuda_status build() override
    {
        double least = 0, seconds;
        int best = 0;

        PEER_TRY(copy_in());
        PEER_TRY(make(3 * host.n, &acceleration));
        for (at = 0; at < FORMS; at++) {
            PEER_TRY(calibrate());
            PEER_TRY(time(repeats, &seconds));
            if (at == 0 || seconds < least) {
                least = seconds;
                best = at;
            }
        }
        at = best;
        snprintf(form, sizeof form, "%d bodies x %d threads", forms[best].each, forms[best].block);
        return PEER_CUDA_OK;
    }

    peer_cuda_status read(void *first, void *) const override
    {
        CUDA_TRY(cudaMemcpy(first, acceleration, 3 * host.n * sizeof *acceleration, cudaMemcpyDeviceToHost));
        return PEER_CUDA_OK;
    }
};

peer_cuda *peer_nbody_cuda_create(const peer_bodies *bodies)
{
    return cuda_create(new (std::nothrow) nbody_cuda(bodies));
}
