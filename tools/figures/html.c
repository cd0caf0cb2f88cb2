/* Text and bytes inside HTML. */
#include <string.h>

#include "figures/html.h"
#include "figures/pen.h"

size_t utf8_bytes(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = at[0] < 0x80 ? 1 : at[0] >= 0xf0 && at[0] < 0xf8 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc0 ? 2 : 0;
    unsigned code = n > 1 ? at[0] & (0x7fu >> n) : at[0];

    if (at[0] >= 0xf8)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    return n > 1 && (code < least[n] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) ? 0 : n;
}

void html_text(FILE *out, const char *text, size_t most)
{
    const unsigned char *at = (const unsigned char *)(text ? text : ""), *begin = at;

    while (*at && (size_t)(at - begin) < most) {
        size_t n = utf8_bytes((const char *)at);

        if (n == 0 || *at < ' ' || *at == 0x7f)
            fputs("\xef\xbf\xbd", out);
        else if (strchr("&<>\"'", *at))
            fprintf(out, "&#%d;", *at);
        else
            fwrite(at, 1, n, out);
        at += n > 0 ? n : 1;
    }
}

void html_png(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    fputs("data:image/png;base64,", out);
    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        unsigned v = (unsigned)bytes[i] << 16;

        v |= n > 1 ? (unsigned)bytes[i + 1] << 8 : 0;
        v |= n > 2 ? (unsigned)bytes[i + 2] : 0;
        putc(digits[v >> 18], out);
        putc(digits[v >> 12 & 63], out);
        putc(n > 1 ? digits[v >> 6 & 63] : '=', out);
        putc(n > 2 ? digits[v & 63] : '=', out);
    }
}
