/* Rows of CUDA peers; of a build without CUDA there are none. */
#pragma once

#include "bench.h"
#include "peers/peers.h"

#ifdef PENTA_HAVE_CUDA

/* Whether the device under test is one of NVIDIA's; otherwise a note says that they are left out. */
bool bench_cuda_suits(bench *b);

typedef struct {
    const char *variant, *before_form; /* "cuda", and ", " where the name of its form follows */
    void *first, *second;              /* where its results go */
    bench_check check;                 /* of them */
    void *in;
    const char *alone; /* name of a second row, of one run between two events; NULL: none */
} bench_cuda_row;

/* Reads, checks and measures a peer, and destroys it. One that was not made steps aside with a note. */
void bench_cuda_add(bench *b, const bench_cuda_row *row, peer_cuda *peer);

#endif
