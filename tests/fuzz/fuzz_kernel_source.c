/* The expander of kernel files under PENTACL_KERNEL_DIR, and the lines of a build log. Files are apart by a zero byte:
 * a.cl, b.clh, c.clh; the last one is a build log too. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.cl", "b.clh", "c.clh"};
    char directory[512], *text = NULL, *log = NULL, *moved = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
        size_t length = zero ? (size_t)(zero - data) : size;

        strcpy(directory, fuzz_file(names[i], data, length));
        free(log);
        log = fuzz_text(data, length);
        data += length + (zero != NULL);
        size -= length + (zero != NULL);
    }
    *strrchr(directory, '/') = 0;
    setenv("PENTACL_KERNEL_DIR", directory, 1);
    if (penta_source_load(NULL, "a.cl", &text) == PENTA_OK) {
        fuzz_check(strncmp(text, "#line 1 \"a.cl\"\n", 15) == 0, "expanded source begins with its name");
        if (penta_source_relocate(NULL, text, log, &moved) == PENTA_OK)
            fuzz_check(moved != NULL, "a log has a text");
    } else {
        fuzz_check(!text && *penta_last_error(NULL), "an error says something");
    }
    free(text);
    free(log);
    free(moved);
    return 0;
}
