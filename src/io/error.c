/* Error lines: formatted in a separate buffer first, because an argument may be the text of the same penta_io_error. */
#include <pentacl/io/error.h>
#include <pentacl/numbers.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t penta_io_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    if (*c == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
        return 2;
    return *c && (*c < ' ' || *c == 0x7f);
}

/* File names and texts of libraries may contain anything; the message must stay one line without control characters. */
static void keep_printable(char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = penta_io_control(text);
        memset(text, '?', n);
    }
}

bool penta_io_fail(penta_io_error *err, const char *format, ...)
{
    char line[sizeof err->text];
    va_list args;
    int length;

    if (!err)
        return false;
    va_start(args, format);
    length = penta_vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0)
        snprintf(line, sizeof line, "unknown error (its text could not be formatted)");
    else if ((size_t)length >= sizeof line)
        memcpy(line + sizeof line - 4, "...", 4);
    keep_printable(line);
    memcpy(err->text, line, strlen(line) + 1);
    return false;
}
