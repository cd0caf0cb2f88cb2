/* Bodies of all formats but HDF5, and the file of attributes beside them: penta_io_bodies_read. Behind a byte 0xfe
 * comes the attributes file of a fixed snapshot. */
#include "fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char snapshot[] = "2 0.5\n1 0 0 0 0 0 0\n1 1 1 1 0 0 0\n";

    if (fuzz_is_foreign(data, size))
        return -1;
    if (size > 0 && data[0] == 0xfe) {
        fuzz_file("bodies.attributes.csv", data + 1, size - 1);
        fuzz_read_bodies(fuzz_file("bodies", snapshot, sizeof snapshot - 1));
        unlink(fuzz_path("bodies.attributes.csv"));
    } else {
        fuzz_read_bodies(fuzz_file("bodies", data, size));
    }
    return 0;
}
