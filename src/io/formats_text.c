/* The list of formats as text. */
#include "io/formats.h"

#include "io/text.h"

void io_format_names(bool (*at)(size_t i, penta_io_format *out), char *text, size_t size)
{
    penta_io_format f;
    size_t count = 0, n = 0;

    for (size_t i = 0; at(i, &f); i++)
        count += f.read;
    *text = 0;
    for (size_t i = 0; at(i, &f); i++)
        if (f.read) {
            io_append(text, size, "%s%s", n == 0 ? "" : n + 1 < count ? ", " : " and ", f.name);
            n++;
        }
}
