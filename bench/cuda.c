#include "cuda.h"

#ifdef PENTA_HAVE_CUDA

#include <stdio.h>
#include <string.h>

typedef struct {
    bench *b;
    const bench_cuda_row *row;
    peer_cuda *peer;
    bool alone;
} job;

bool bench_cuda_suits(bench *b)
{
    const penta_device *device = penta_context_device(bench_context(b));
    bool suits = device->type == PENTA_DEVICE_GPU && strstr(device->vendor, "NVIDIA");

    if (!suits)
        bench_note(b, "CUDA peers left out: the device under test is not an NVIDIA GPU");
    return suits;
}

static void work(void *data, double *device_seconds)
{
    const job *j = data;

    if (peer_cuda_run(j->peer, j->alone, device_seconds) != PEER_CUDA_OK)
        bench_fail(j->b, "%s: %s", j->row->variant, peer_cuda_error());
}

static double check(void *data, const char *variant)
{
    const job *j = data;

    if (peer_cuda_read(j->peer, j->row->first, j->row->second) != PEER_CUDA_OK)
        bench_fail(j->b, "%s: %s", variant, peer_cuda_error());
    return j->row->check(j->row->in, variant);
}

void bench_cuda_add(bench *b, const bench_cuda_row *row, peer_cuda *peer)
{
    job j = {b, row, peer, false};
    char variant[128];

    if (!peer) {
        bench_note(b, "%s left out: %s", row->variant, peer_cuda_error());
        return;
    }
    snprintf(variant, sizeof variant, "%s%s%s", row->variant, row->before_form ? row->before_form : "",
             row->before_form ? peer_cuda_form(peer) : "");
    bench_work_row(b, variant, BENCH_PEER, BENCH_DEVICE, work, check, &j, NULL);
    j.alone = true;
    if (row->alone)
        bench_work_row(b, row->alone, BENCH_PEER, BENCH_DEVICE, work, NULL, &j, NULL);
    bench_machine_add(b, peer_cuda_device(peer));
    peer_cuda_destroy(peer);
}

#endif
