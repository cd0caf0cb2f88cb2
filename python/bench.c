/* The calls that bench.py times, in a loop of C on the same plans. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include <pentacl/pentacl.h>

double loop_autocorr(penta_autocorr *plan, const penta_autocorr_frame *frame, penta_autocorr_result *result, int calls);
double loop_nbody(penta_nbody *plan, int calls);
double loop_stars(penta_stars *plan, const penta_stars_list *list, penta_stars_result *result, int calls);

/* Of this thread: what other programs do on the machine does not count, nor what the driver's threads do. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds a call; below 0: a call failed. */
double loop_autocorr(penta_autocorr *plan, const penta_autocorr_frame *frame, penta_autocorr_result *result, int calls)
{
    double begin = now();

    for (int i = 0; i < calls; i++)
        if (penta_autocorr_run(plan, 1, frame, result) != PENTA_OK)
            return -1;
    return (now() - begin) / calls;
}

double loop_nbody(penta_nbody *plan, int calls)
{
    double begin = now();

    for (int i = 0; i < calls; i++)
        if (penta_nbody_advance(plan, 1) != PENTA_OK)
            return -1;
    return (now() - begin) / calls;
}

double loop_stars(penta_stars *plan, const penta_stars_list *list, penta_stars_result *result, int calls)
{
    double begin = now();

    for (int i = 0; i < calls; i++) {
        penta_stars_scene scene;

        if (penta_stars_scene_by_pixel(plan, list, &scene) != PENTA_OK)
            return -1;
        if (penta_stars_draw(plan, &scene, result) != PENTA_OK)
            return -1;
        penta_stars_scene_free(&scene);
    }
    return (now() - begin) / calls;
}
