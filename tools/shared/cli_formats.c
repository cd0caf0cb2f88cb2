/* Help that names the formats of this build. */
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/formats.h>
#include "shared/cli.h"

/* The kind whose name in braces the text begins with: "{images}"; PENTA_IO_KINDS: none. */
static int kind_at(const char *text)
{
    int kind = *text == '{' ? 0 : PENTA_IO_KINDS;

    for (; kind < PENTA_IO_KINDS; kind++) {
        const char *name = penta_io_kind_name((enum penta_io_kind)kind);
        size_t length = strlen(name);

        if (strncmp(text + 1, name, length) == 0 && text[length + 1] == '}')
            break;
    }
    return kind;
}

char *cli_with_formats(const char *text)
{
    enum { NAMES = 512 };
    size_t kinds = 0, n = 0;
    char *out;

    for (const char *at = text; *at; at++)
        kinds += kind_at(at) != PENTA_IO_KINDS;
    out = malloc(strlen(text) + kinds * NAMES + 1);
    for (; out && *text; text++) {
        int kind = kind_at(text);

        if (kind == PENTA_IO_KINDS) {
            out[n++] = *text;
            continue;
        }
        penta_io_format_names((enum penta_io_kind)kind, out + n, NAMES);
        n += strlen(out + n);
        text = strchr(text, '}');
    }
    if (out)
        out[n] = 0;
    return out;
}
