/* The state of a watched series: state.json, and after a zero byte the bytes of all of its arrays. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pentacl/io/archive.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const arrays[] = {".prepare/key-1.npy", ".prepare/last-1.npy", ".prepare/illumination-1.npy"};
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t text = zero ? (size_t)(zero - data) : size;
    penta_io_archive archive;
    penta_io_error err = {""};
    bool found = false;
    char directory[512];

    if (zero && fuzz_is_foreign(zero + 1, size - text - 1))
        return -1;
    mkdir(fuzz_path(".prepare"), 0700);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        fuzz_file(arrays[i], zero ? zero + 1 : data, zero ? size - text - 1 : 0);
    strcpy(directory, fuzz_file(".prepare/state.json", data, text));
    *strstr(directory, "/.prepare") = 0;
    if (!penta_io_archive_read(directory, &found, &archive, &err))
        fuzz_check_error(&err);
    fuzz_check(found, "an archive is found");
    for (size_t i = 0; i < archive.count; i++)
        fuzz_check(archive.files[i].file && !strchr(archive.files[i].file, '/') && archive.files[i].stem &&
                       !strchr(archive.files[i].stem, '/'),
                   "names of frames are without a folder");
    penta_io_archive_free(&archive);
    return 0;
}
