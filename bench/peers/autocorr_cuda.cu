/* The CUDA peers of autocorr: what they share, and the direct one. */
#include "autocorr_cuda.cuh"

/* ---- direct ---- */

/*
 * A block has 32 X offsets (its lanes) by 32 Y offsets (4 in each thread, 8 warps). It walks over tiles of the image:
 * `a` holds TILE_W x TILE_H pixels between EXTRA lines of zeros, `b` the pixels that these meet at the block's offsets,
 * zero outside the image. Each line of b is read once for the 4 offsets of a thread: the words of its lane's 4 pixels
 * are shifted together from two aligned words. A tile's sums stay below TILE_W TILE_H 255^2 < 2^32.
 */
enum {
    LANES = 32,
    WARPS = 8,
    OFFSETS = 4, /* Y offsets of a thread */
    THREADS = LANES * WARPS,
    TILE_W = 128,
    TILE_H = 64,
    EXTRA = OFFSETS - 1,
    A_H = TILE_H + 2 * EXTRA,
    B_W = TILE_W + LANES,
    B_H = TILE_H + OFFSETS * WARPS - 1
};

/* Bytes of the image's rectangle at (x0, y0) into a tile of w x h; zero outside the image. */
static __device__ void load_tile(uint8_t *tile, int w, int h, const uint8_t *image, int width, int height, int x0,
                                 int y0)
{
    for (int i = threadIdx.x; i < w * h; i += THREADS) {
        int x = x0 + i % w, y = y0 + i / w;

        tile[i] = x >= 0 && x < width && y >= 0 && y < height ? image[(size_t)y * width + x] : 0;
    }
}

/* sums[j] += products of the tile at Y offset 4 warp + j, X offset lane, from the block's first. */
static __device__ void tile_sums(const uint8_t (*a)[TILE_W], const uint8_t (*b)[B_W], int lane, int warp,
                                 uint32_t sums[OFFSETS])
{
    int shift = 8 * (lane % 4);

    for (int line = 0; line < TILE_H + EXTRA; line++) {
        const uint32_t *words = (const uint32_t *)b[OFFSETS * warp + line] + lane / 4;
        uint32_t low = words[0];

#pragma unroll
        for (int quad = 0; quad < TILE_W / 16; quad++) {
            uint4 lines[OFFSETS];
            uint32_t high, pixels;

#pragma unroll
            for (int j = 0; j < OFFSETS; j++)
                lines[j] = ((const uint4 *)a[EXTRA + line - j])[quad];
#define STEP(part, k)                                                                                                  \
    high = words[4 * quad + k + 1];                                                                                    \
    pixels = __funnelshift_r(low, high, shift);                                                                        \
    for (int j = 0; j < OFFSETS; j++)                                                                                  \
        sums[j] = __dp4a(lines[j].part, pixels, sums[j]);                                                              \
    low = high;
            STEP(x, 0)
            STEP(y, 1)
            STEP(z, 2)
            STEP(w, 3)
#undef STEP
        }
    }
}

/* Adds to planes, which are zero before. Grid: X blocks, Y blocks, parts of the tiles. */
static __global__ void __launch_bounds__(THREADS)
    direct(const uint8_t *image, int width, int height, int r, unsigned long long *plane)
{
    __shared__ __align__(16) uint8_t a[A_H][TILE_W], b[B_H][B_W];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    int first_x = (int)blockIdx.x * LANES - r, first_y = (int)blockIdx.y * OFFSETS * WARPS;
    int across = (width + TILE_W - 1) / TILE_W, tiles = across * ((height + TILE_H - 1) / TILE_H);
    unsigned long long totals[OFFSETS] = {0, 0, 0, 0};

    for (int tile = blockIdx.z; tile < tiles; tile += gridDim.z) {
        int x0 = tile % across * TILE_W, y0 = tile / across * TILE_H;
        uint32_t sums[OFFSETS] = {0, 0, 0, 0};

        if (y0 + first_y >= height || x0 + first_x >= width || x0 + first_x + B_W <= 0)
            continue; /* the whole block: nothing overlaps */
        /* Lines above and below the tile must be zero, not the image's: the same pixels belong to other tiles. */
        load_tile(&a[EXTRA][0], TILE_W, TILE_H, image, width, height, x0, y0);
        for (int i = threadIdx.x; i < EXTRA * TILE_W; i += THREADS) {
            a[i / TILE_W][i % TILE_W] = 0;
            a[EXTRA + TILE_H + i / TILE_W][i % TILE_W] = 0;
        }
        load_tile(&b[0][0], B_W, B_H, image, width, height, x0 + first_x, y0 + first_y);
        __syncthreads();
        tile_sums(a, b, lane, warp, sums);
        for (int j = 0; j < OFFSETS; j++)
            totals[j] += sums[j];
        __syncthreads();
    }
    for (int j = 0; j < OFFSETS; j++) {
        int x = first_x + lane, y = first_y + OFFSETS * warp + j;

        if (x <= r && y <= r)
            atomicAdd(&plane[(size_t)y * (2 * r + 1) + x + r], totals[j]);
    }
}

struct autocorr_direct : autocorr_cuda {
    /* Enough blocks to fill any device when the offsets alone are few. */
    peer_cuda_status enqueue() const override
    {
        const unsigned wanted = 2048;
        unsigned r = (unsigned)max_offset;
        unsigned x = (2 * r + LANES) / LANES, y = (r + OFFSETS * WARPS) / (OFFSETS * WARPS);
        unsigned tiles = (unsigned)((width + TILE_W - 1) / TILE_W * ((height + TILE_H - 1) / TILE_H));
        unsigned parts = (wanted + x * y - 1) / (x * y);

        if (parts > tiles)
            parts = tiles;
        CUDA_TRY(cudaMemsetAsync(planes, 0, frames * plane_size() * sizeof *planes));
        for (size_t i = 0; i < frames; i++) {
            direct<<<dim3(x, y, parts), THREADS>>>(images + i * width * height, (int)width, (int)height, (int)r,
                                                   (unsigned long long *)(planes + i * plane_size()));
            CUDA_TRY(cudaGetLastError());
        }
        return PEER_CUDA_OK;
    }
};

/* ---- common ---- */

peer_cuda_status autocorr_cuda::build()
{
    size_t pixels = width * height;

    PEER_TRY(make(frames * pixels, &images));
    for (size_t i = 0; i < frames; i++)
        CUDA_TRY(cudaMemcpy(images + i * pixels, host[i], pixels, cudaMemcpyHostToDevice));
    return make(frames * plane_size(), &planes);
}

peer_cuda_status autocorr_cuda::read(void *first, void *) const
{
    CUDA_TRY(cudaMemcpy(first, planes, frames * plane_size() * sizeof *planes, cudaMemcpyDeviceToHost));
    return PEER_CUDA_OK;
}

peer_cuda *peer_autocorr_cuda_create(peer_cuda_form_of_autocorr form, size_t width, size_t height, size_t max_offset,
                                     size_t frames, const uint8_t *const *images)
{
    autocorr_cuda *peer = form == PEER_CUDA_DIRECT ? new (std::nothrow) autocorr_direct
                                                   : autocorr_cufft_new(form == PEER_CUDA_FFT_SINGLE);

    if (peer) {
        peer->width = width;
        peer->height = height;
        peer->max_offset = max_offset;
        peer->frames = frames;
        peer->host = images;
    }
    return cuda_create(peer);
}
