/* Letters as strokes. */
#ifndef PENTA_PLOT_FONT_H
#define PENTA_PLOT_FONT_H

/*
 * The strokes of the next letter of UTF-8 text; *text moves on to the one after. Pairs of digits are x 0..4 and y 0..8
 * (top of capitals 0, of small letters 2, baseline 6, descenders 8), spaces separate strokes, and a dot is a stroke of
 * two equal pairs. *width: units that the letter takes without the gap behind it.
 */
const char *plot_next_letter(const char **text, int *width);

#endif
