/* Star frames in CUDA, star-centric: a block a star, a thread a pixel, as Fig. 5 of Li et al. has it. */
#include "cuda_common.cuh"

#include <stdlib.h>

struct peer_stars_cuda {
    peer_scene scene; /* x, y and magnitude on the device */
    float *image;
    cuda_timer timer;
    char device[256];
};

static __global__ void draw(const float *xs, const float *ys, const float *magnitudes, size_t n, int width, int height,
                            int roi, float sigma, float amplitude, float *image)
{
    __shared__ float brightness, x, y;
    __shared__ int left, top;
    size_t star = blockIdx.x + (size_t)blockIdx.y * gridDim.x;

    if (star >= n)
        return;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        brightness = amplitude * powf(2.512f, -magnitudes[star]) / (2 * 3.14159265f * sigma * sigma);
        x = xs[star];
        y = ys[star];
        left = (int)ceilf(x - 0.5f * roi);
        top = (int)ceilf(y - 0.5f * roi);
    }
    __syncthreads();
    for (int j = threadIdx.y; j < roi; j += blockDim.y)
        for (int i = threadIdx.x; i < roi; i += blockDim.x) {
            int px = left + i, py = top + j;
            float dx = px - x, dy = py - y;

            if (px >= 0 && px < width && py >= 0 && py < height)
                atomicAdd(&image[(size_t)py * width + px],
                          brightness * expf(-(dx * dx + dy * dy) / (2 * sigma * sigma)));
        }
}

static peer_cuda_status enqueue(const void *data)
{
    const peer_stars_cuda *p = (const peer_stars_cuda *)data;
    const peer_scene *s = &p->scene;
    unsigned across = s->n < 65535 ? (unsigned)s->n : 65535, down = (unsigned)((s->n + across - 1) / across);
    unsigned side = s->roi < 32 ? (unsigned)s->roi : 32;

    CUDA_TRY(cudaMemsetAsync(p->image, 0, s->width * s->height * sizeof *p->image));
    draw<<<dim3(across, down), dim3(side, side)>>>(s->x, s->y, s->magnitude, s->n, (int)s->width, (int)s->height,
                                                   s->roi, s->sigma, s->amplitude, p->image);
    CUDA_TRY(cudaGetLastError());
    return PEER_CUDA_OK;
}

static peer_cuda_status copy_in(const float *from, size_t n, const float **to)
{
    float *memory = NULL;

    CUDA_TRY(cudaMalloc((void **)&memory, n * sizeof *memory));
    *to = memory;
    CUDA_TRY(cudaMemcpy(memory, from, n * sizeof *memory, cudaMemcpyHostToDevice));
    return PEER_CUDA_OK;
}

static peer_cuda_status build(peer_stars_cuda *p, const peer_scene *scene)
{
    PEER_TRY(cuda_open(p->device, sizeof p->device));
    PEER_TRY(cuda_timer_create(&p->timer));
    PEER_TRY(copy_in(scene->x, scene->n, &p->scene.x));
    PEER_TRY(copy_in(scene->y, scene->n, &p->scene.y));
    PEER_TRY(copy_in(scene->magnitude, scene->n, &p->scene.magnitude));
    CUDA_TRY(cudaMalloc((void **)&p->image, scene->width * scene->height * sizeof *p->image));
    return cuda_timer_calibrate(&p->timer, enqueue, p);
}

peer_cuda_status peer_stars_cuda_create(const peer_scene *scene, peer_stars_cuda **out)
{
    peer_stars_cuda *p = (peer_stars_cuda *)calloc(1, sizeof *p);
    peer_cuda_status status;

    *out = NULL;
    if (!p)
        return cuda_failed("calloc", "out of memory", __FILE__, __LINE__);
    p->scene = *scene;
    p->scene.x = p->scene.y = p->scene.magnitude = NULL;
    status = build(p, scene);
    if (status == PEER_CUDA_OK)
        *out = p;
    else
        peer_stars_cuda_destroy(p);
    return status;
}

peer_cuda_status peer_stars_cuda_run(peer_stars_cuda *p, double *seconds)
{
    return cuda_timer_run(&p->timer, enqueue, p, seconds);
}

peer_cuda_status peer_stars_cuda_run_alone(peer_stars_cuda *p, double *seconds)
{
    cuda_timer once = p->timer;

    once.repeats = 1;
    return cuda_timer_run(&once, enqueue, p, seconds);
}

peer_cuda_status peer_stars_cuda_read(peer_stars_cuda *p, float *image)
{
    CUDA_TRY(cudaMemcpy(image, p->image, p->scene.width * p->scene.height * sizeof *image, cudaMemcpyDeviceToHost));
    return PEER_CUDA_OK;
}

const char *peer_stars_cuda_device(const peer_stars_cuda *p)
{
    return p->device;
}

void peer_stars_cuda_destroy(peer_stars_cuda *p)
{
    if (!p)
        return;
    cuda_timer_destroy(&p->timer);
    cudaFree((void *)p->scene.x);
    cudaFree((void *)p->scene.y);
    cudaFree((void *)p->scene.magnitude);
    cudaFree(p->image);
    free(p);
}
