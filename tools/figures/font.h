/* Letters as strokes. */
#ifndef PENTA_PLOT_FONT_H
#define PENTA_PLOT_FONT_H

/*
 * The strokes of the next letter of UTF-8 text, which is moved on: pairs of digits are x 0..4 and y 0..8 (top of
 * capitals 0, of small letters 2, feet 6, tails 8), strokes are apart by spaces, a point is a stroke of two equal
 * pairs. *width: units that the letter takes without the gap behind it.
 */
const char *plot_next_letter(const char **text, int *width);

#endif
