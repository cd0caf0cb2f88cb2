/* GDAL describes some ENVI data in their header by the name under which it wrote them, which is a temporary one. */
#define _POSIX_C_SOURCE 200809L

#include "io/cube_gdal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"

/* The file's bytes with a zero behind them; NULL: it cannot be read. */
static char *read_text(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    long end = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;

    if (end >= 0 && fseek(in, 0, SEEK_SET) == 0)
        text = malloc((size_t)end + 1);
    if (text && fread(text, 1, (size_t)end, in) != (size_t)end) {
        free(text);
        text = NULL;
    }
    if (text)
        text[end] = 0;
    *size = text ? (size_t)end : 0;
    if (in)
        fclose(in);
    return text;
}

bool io_cube_envi_name_data(const char *header, const char *data)
{
    size_t size;
    char *text = read_text(header, &size), *at = text ? strstr(text, data) : NULL;
    const char *name = io_path_base(data);
    FILE *out = at ? fopen(header, "wb") : NULL;
    bool ok = text && (!at || out);

    if (out) {
        const char *behind = at + strlen(data);

        ok = fwrite(text, 1, (size_t)(at - text), out) == (size_t)(at - text) && fputs(name, out) >= 0 &&
             fputs(behind, out) >= 0;
        ok = fclose(out) == 0 && ok;
    }
    free(text);
    return ok;
}
