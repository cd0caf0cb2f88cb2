#include "shared/fill.h"

#include <stdbool.h>
#include <string.h>

static void new_line(fill *f)
{
    fprintf(f->out, "%s\n%*s", f->shell ? " \\" : "", f->indent, "");
    f->column = f->indent;
}

/* Bytes up to the next blank; in a shell's line not one between quotes. */
static size_t word_length(const fill *f, const char *text)
{
    char quote = 0;
    size_t i = 0;

    for (; text[i] && (quote || (text[i] != ' ' && text[i] != '\n')); i++)
        if (f->shell && quote)
            quote = text[i] == quote ? 0 : quote;
        else if (f->shell && (text[i] == '\'' || text[i] == '"'))
            quote = text[i];
    return i;
}

/* Bytes that begin no letter of UTF-8 take no column. */
static int columns_of(const char *text, size_t length)
{
    int n = 0;

    for (size_t i = 0; i < length; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

/* How much of a word too long for a line goes onto this one: up to a comma, slash or bar; 0: nothing. */
static size_t piece_of(const char *word, size_t length, int room)
{
    size_t cut = 0;

    for (size_t i = 0; i < length && (int)i < room; i++)
        if (strchr(",/|", word[i]))
            cut = i + 1;
    return cut;
}

static void put(fill *f, const char *text, size_t length)
{
    fwrite(text, 1, length, f->out);
    f->column += columns_of(text, length);
}

static void put_word(fill *f, const char *word, size_t length, bool blank)
{
    int end = f->width - (f->shell ? 2 : 0);
    size_t piece;

    if (blank && f->column > f->indent && f->column + 1 + columns_of(word, length) > end)
        new_line(f);
    else if (blank)
        put(f, " ", 1);
    while (!f->shell && f->column + columns_of(word, length) > end &&
           (piece = piece_of(word, length, end - f->column)) > 0 && piece < length) {
        put(f, word, piece);
        word += piece;
        length -= piece;
        new_line(f);
    }
    put(f, word, length);
}

void fill_text(fill *f, const char *text)
{
    bool blank = false;

    while (*text) {
        size_t blanks = strspn(text, " \n"), length;

        if (blanks > 1 && text[0] == '\n' && text[1] == '\n') {
            fprintf(f->out, "\n");
            new_line(f);
            blank = false;
        } else {
            blank = blank || blanks > 0;
        }
        text += blanks;
        length = word_length(f, text);
        if (length > 0)
            put_word(f, text, length, blank && f->column > 0);
        text += length;
        blank = false;
    }
}

void fill_end(fill *f)
{
    putc('\n', f->out);
    f->column = 0;
}
