/*
 * VkFFT as functions of one file (vkfft.c): the library is a header of functions, which take minutes to compile under
 * sanitizers, so that file is compiled without them. The types are those of vkFFT.h, which no other file includes.
 */
#pragma once

#include "core/internal.h"

#define VKFFT_BACKEND 3
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wwrite-strings"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <vkFFT.h>
#pragma GCC diagnostic pop

/* initializeVkFFT, which compiles in ctx. *built: what its last program came to; where that is an error it has a text.
 * Not thread-safe, as VkFFT is not: the caller holds a lock. */
VkFFTResult vkfft_initialise(penta_context *ctx, VkFFTApplication *app, const VkFFTConfiguration *c,
                             penta_status *built);
/* VkFFTAppend. */
VkFFTResult vkfft_append(VkFFTApplication *app, bool inverse, VkFFTLaunchParams *params);
/* deleteVkFFT, under the same lock. */
void vkfft_delete(VkFFTApplication *app);
