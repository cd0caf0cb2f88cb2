/* Star frames in CUDA, star-centric: a block a star, a thread a pixel, as Fig. 5 of Li et al. has it. */
#include "cuda_common.cuh"

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

struct stars_cuda : peer_cuda {
    peer_scene scene;
    float *x, *y, *magnitude, *image; /* on the device */

    explicit stars_cuda(const peer_scene *s) : scene(*s)
    {
    }

    peer_cuda_status enqueue() const override
    {
        const peer_scene *s = &scene;
        unsigned across = s->n < 65535 ? (unsigned)s->n : 65535, down = (unsigned)((s->n + across - 1) / across);
        unsigned side = s->roi < 32 ? (unsigned)s->roi : 32;

        CUDA_TRY(cudaMemsetAsync(image, 0, s->width * s->height * sizeof *image));
        draw<<<dim3(across, down), dim3(side, side)>>>(x, y, magnitude, s->n, (int)s->width, (int)s->height, s->roi,
                                                       s->sigma, s->amplitude, image);
        CUDA_TRY(cudaGetLastError());
        return PEER_CUDA_OK;
    }

    peer_cuda_status build() override
    {
        PEER_TRY(make(scene.n, &x, scene.x));
        PEER_TRY(make(scene.n, &y, scene.y));
        PEER_TRY(make(scene.n, &magnitude, scene.magnitude));
        return make(scene.width * scene.height, &image);
    }

    peer_cuda_status read(void *first, void *) const override
    {
        CUDA_TRY(cudaMemcpy(first, image, scene.width * scene.height * sizeof *image, cudaMemcpyDeviceToHost));
        return PEER_CUDA_OK;
    }
};

peer_cuda *peer_stars_cuda_create(const peer_scene *scene)
{
    return cuda_create(new (std::nothrow) stars_cuda(scene));
}
