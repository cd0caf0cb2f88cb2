/* Smoothing of drifts over a series. */
#include "prepare/prepare.h"

penta_status penta_drift_smooth(size_t n, penta_drift *drift, size_t frames)
{
    (void)n;
    (void)drift;
    (void)frames;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "penta_drift_smooth: to be written");
}
