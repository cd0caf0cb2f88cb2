/*
 * Stars drawn into OpenCL memory of this program's own, on its own queue, which then reads the frame: nothing goes
 * through host memory in between. Usage: device [DEVICE], as in `penta -d`.
 */
#include <math.h>
#include <stdio.h>

#include <pentacl/opencl.h>
#include <pentacl/pentacl.h>

enum { WIDTH = 512, HEIGHT = 512, STARS = 1000, PIXELS = WIDTH * HEIGHT };

static double x[STARS], y[STARS], magnitude[STARS];
static float frame[PIXELS];

/* What this program has, whatever it does with it: a context, a queue and a buffer. */
typedef struct {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem memory;
} own_opencl;

static int set_up(const char *selector, own_opencl *own)
{
    penta_context *chooser = NULL;
    cl_int code;

    if (penta_context_create(selector, &chooser) != PENTA_OK)
        return 0;
    own->device = penta_opencl_device(chooser);
    own->context = penta_opencl_context(chooser);
    clRetainContext(own->context);
    penta_context_destroy(chooser);
    own->queue = clCreateCommandQueue(own->context, own->device, CL_QUEUE_PROFILING_ENABLE, &code);
    own->memory = clCreateBuffer(own->context, CL_MEM_READ_WRITE, sizeof frame, NULL, &code);
    return code == CL_SUCCESS;
}

int main(int argc, char **argv)
{
    own_opencl own = {0};
    penta_context *ctx = NULL;
    penta_stars *plan = NULL;
    penta_stars_options options;
    const penta_stars_list list = {.n = STARS, .x = x, .y = y, .magnitude = magnitude};
    penta_stars_result result = {0};
    double light = 0;
    int good;

    penta_stars_random(1, STARS, WIDTH, HEIGHT, 12, x, y, magnitude);
    for (int i = 0; i < STARS; i++) { /* away from the edges, where light is lost */
        x[i] = 20 + x[i] * (WIDTH - 40) / WIDTH;
        y[i] = 20 + y[i] * (HEIGHT - 40) / HEIGHT;
    }
    penta_stars_options_init(&options);
    good = set_up(argc > 1 ? argv[1] : NULL, &own) &&
           penta_context_from_opencl(own.context, own.device, &ctx) == PENTA_OK &&
           penta_opencl_use_queue(ctx, own.queue) == PENTA_OK &&
           penta_opencl_array(ctx, own.memory, 0, sizeof frame, &result.image) == PENTA_OK &&
           penta_stars_create(ctx, WIDTH, HEIGHT, &options, &plan) == PENTA_OK &&
           penta_stars_run(plan, &list, &result) == PENTA_OK &&
           clEnqueueReadBuffer(own.queue, own.memory, CL_TRUE, 0, sizeof frame, frame, 0, NULL, NULL) == CL_SUCCESS;
    if (!good)
        fprintf(stderr, "device: %s\n", penta_last_error(ctx));
    for (int i = 0; i < PIXELS; i++)
        light += (double)frame[i];
    if (good)
        printf("%zu stars, %.6g of %.6g of their light in the frame (%s)\n", result.drawn, light, result.flux_total,
               fabs(light / result.flux_total - 1) < 1e-3 ? "ok" : "wrong");
    penta_stars_destroy(plan);
    penta_context_destroy(ctx); /* forgets the array */
    clReleaseMemObject(own.memory);
    clReleaseCommandQueue(own.queue);
    clReleaseContext(own.context);
    return !good;
}
