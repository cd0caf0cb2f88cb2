/* Not to be compiled: tests/CMakeLists.txt expects the compiler to say why. */
#include "core/core.h"

penta_status launch(penta_kernel *kernel, penta_buffer *b);

penta_status launch(penta_kernel *kernel, penta_buffer *b)
{
    return penta_launch(kernel, penta_grid_1d(1),
                        ARGS(b, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21));
}
