/* A series through `prepare`, and registration beside the algorithms of OpenCV and scikit-image in native C. */
#include "bench.h"

void bench_prepare(bench *b)
{
    if (bench_case(b, "750x1500", 1, "frame"))
        bench_fail(b, "prepare: to be written");
}
