/*
 * A page: an array of blocks, written as Markdown, HTML or plain text. A block is {"heading": text, "level": 1..3},
 * {"text": text}, {"list": [text]}, {"image": file, "title": text} or {"columns": [text], "rows": [[cell]]}. A cell is
 * a text or {"text", "bar": 0..1, "peer": bool}, whose bar HTML draws. The first column is aligned left, and those
 * whose name begins with "<".
 */
#ifndef PENTA_BENCH_PAGE_H
#define PENTA_BENCH_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/* Appends blocks. */
void page_heading(json_t *page, int level, const char *text);
void page_text(json_t *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_list(json_t *page, json_t *texts);
/* A picture in the page's folder; in plain text its title. */
void page_image(json_t *page, const char *file, const char *title);
/* Columns: names with '|' between. Returns the rows, borrowed. */
json_t *page_table(json_t *page, const char *columns);

/* Cells: "1.53·10⁹", of three digits, with a power of 1000; "-" for what is no number. */
json_t *page_number(double value);
/* "x2.3", with a "~" before it where `near`. */
json_t *page_ratio(double ratio, bool near);
json_t *page_share(double share);
json_t *page_bar(json_t *text, double bar, bool peer);
/* "40.1 GB/s", "3.2 µs". */
json_t *page_quantity(double value, const char *unit);

void page_markdown(const json_t *page, FILE *out);
void page_html(const json_t *page, const char *title, FILE *out);
void page_plain(const json_t *page, FILE *out);

/* For those who write pages: the text of a cell; its place in the line of columns; characters of UTF-8. */
const char *page_cell(const json_t *cell);
bool page_is_left(const json_t *columns, size_t i, const char **name);

#endif
