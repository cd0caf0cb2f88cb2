/* Gravity in CUDA: tiles of sources in shared memory, several bodies a thread, the reciprocal square root of
 * -use_fast_math. */
#include "cuda_common.cuh"

#include <stdio.h>
#include <stdlib.h>

typedef void (*nbody_kernel)(const float4 *bodies, int n, float eps2, float *acceleration);

/* bodies: x, y, z, mass; padded to whole blocks by bodies of mass 0. */
template <int EACH, int BLOCK>
static __global__ void __launch_bounds__(BLOCK) forces(const float4 *__restrict__ bodies, int n, float eps2,
                                                       float *__restrict__ acceleration)
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

struct peer_nbody_cuda {
    size_t n;
    float eps;
    int form;
    float4 *bodies;
    float *acceleration;
    cuda_timer timer;
    char device[256], name[64];
};

static peer_cuda_status enqueue(const void *data)
{
    const peer_nbody_cuda *p = (const peer_nbody_cuda *)data;
    size_t a_block = (size_t)forms[p->form].each * (size_t)forms[p->form].block;

    forms[p->form].kernel<<<(unsigned)((p->n + a_block - 1) / a_block), (unsigned)forms[p->form].block>>>(
        p->bodies, (int)p->n, p->eps * p->eps, p->acceleration);
    CUDA_TRY(cudaGetLastError());
    return PEER_CUDA_OK;
}

static peer_cuda_status copy_in(peer_nbody_cuda *p, const peer_bodies *b)
{
    size_t padded = (b->n + PADDING - 1) / PADDING * PADDING;
    float4 *host = (float4 *)calloc(padded, sizeof *host);
    cudaError_t error;

    if (!host)
        return cuda_failed("calloc", "out of memory", __FILE__, __LINE__);
    for (size_t i = 0; i < padded; i++) {
        size_t from = i < b->n ? i : 0;

        host[i] = make_float4(b->x[from], b->y[from], b->z[from], i < b->n ? b->mass[i] : 0);
    }
    error = cudaMalloc((void **)&p->bodies, padded * sizeof *host);
    if (error == cudaSuccess)
        error = cudaMemcpy(p->bodies, host, padded * sizeof *host, cudaMemcpyHostToDevice);
    free(host);
    CUDA_TRY(error);
    return PEER_CUDA_OK;
}

/* The form that takes the least time. */
static peer_cuda_status choose_form(peer_nbody_cuda *p)
{
    double least = 0, seconds;
    int best = 0;

    for (p->form = 0; p->form < FORMS; p->form++) {
        PEER_TRY(cuda_timer_calibrate(&p->timer, enqueue, p));
        PEER_TRY(cuda_timer_run(&p->timer, enqueue, p, &seconds));
        if (p->form == 0 || seconds < least) {
            least = seconds;
            best = p->form;
        }
    }
    p->form = best;
    snprintf(p->name, sizeof p->name, "%d bodies x %d threads", forms[best].each, forms[best].block);
    return cuda_timer_calibrate(&p->timer, enqueue, p);
}

static peer_cuda_status build(peer_nbody_cuda *p, const peer_bodies *bodies)
{
    PEER_TRY(cuda_open(p->device, sizeof p->device));
    PEER_TRY(cuda_timer_create(&p->timer));
    PEER_TRY(copy_in(p, bodies));
    CUDA_TRY(cudaMalloc((void **)&p->acceleration, 3 * bodies->n * sizeof *p->acceleration));
    return choose_form(p);
}

peer_cuda_status peer_nbody_cuda_create(const peer_bodies *bodies, peer_nbody_cuda **out)
{
    peer_nbody_cuda *p = (peer_nbody_cuda *)calloc(1, sizeof *p);
    peer_cuda_status status;

    *out = NULL;
    if (!p)
        return cuda_failed("calloc", "out of memory", __FILE__, __LINE__);
    p->n = bodies->n;
    p->eps = bodies->eps;
    status = build(p, bodies);
    if (status == PEER_CUDA_OK)
        *out = p;
    else
        peer_nbody_cuda_destroy(p);
    return status;
}

peer_cuda_status peer_nbody_cuda_run(peer_nbody_cuda *p, double *seconds)
{
    return cuda_timer_run(&p->timer, enqueue, p, seconds);
}

peer_cuda_status peer_nbody_cuda_read(peer_nbody_cuda *p, float *acceleration)
{
    CUDA_TRY(cudaMemcpy(acceleration, p->acceleration, 3 * p->n * sizeof *acceleration, cudaMemcpyDeviceToHost));
    return PEER_CUDA_OK;
}

const char *peer_nbody_cuda_form(const peer_nbody_cuda *p)
{
    return p->name;
}

const char *peer_nbody_cuda_device(const peer_nbody_cuda *p)
{
    return p->device;
}

void peer_nbody_cuda_destroy(peer_nbody_cuda *p)
{
    if (!p)
        return;
    cuda_timer_destroy(&p->timer);
    cudaFree(p->bodies);
    cudaFree(p->acceleration);
    free(p);
}
