/* What may be written to a terminal: control sequences, colours, and how long its lines are. */
#pragma once

#include <stdbool.h>

enum terminal_color { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER }; /* --color auto|always|never */

/* Whether lines may be drawn over: a terminal, and TERM is set and not "dumb". */
bool terminal_draws(int fd);

/* What --color says on the line, also for messages about the line itself; the last one wins, what it does not know is
 * left to the parser. */
void terminal_read_line(int argc, char *const *argv);
/* Whether it is a value of --color. */
bool terminal_is_color(const char *word);
/* Whether text may be coloured. With auto: where lines may be drawn over and NO_COLOR is empty or not set. */
bool terminal_colors(int fd);

/* Columns of text: COLUMNS where it is a number from 20 on, else those of a terminal, else 80. */
int terminal_columns(int fd);
