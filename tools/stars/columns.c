#include "stars/columns.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void star_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

const char *star_list_columns(const penta_io_csv *csv, char buffer[COLUMN_LIST_BYTES])
{
    *buffer = 0;
    for (size_t i = 0; i < penta_io_csv_columns(csv); i++)
        star_append(buffer, COLUMN_LIST_BYTES, "%s%.40s", i ? ", " : "", penta_io_csv_name(csv, i));
    if (strlen(buffer) + 1 == COLUMN_LIST_BYTES)
        memcpy(buffer + COLUMN_LIST_BYTES - 4, "...", 4);
    return buffer;
}
