/* Images of the formats that we decode ourselves, or with libpng and giflib in this process: penta_io_reader_*. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_is_foreign(data, size))
        return -1;
    fuzz_read_image(fuzz_file("image", data, size));
    return 0;
}
