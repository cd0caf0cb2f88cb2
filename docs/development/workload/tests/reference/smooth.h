/* The smooth workload as its formula is written. */
#ifndef PENTA_REFERENCE_SMOOTH_H
#define PENTA_REFERENCE_SMOOTH_H

/* One pixel of the answer. zero: zeros beyond the image, else nothing. */
double reference_smooth(const float *in, int width, int height, int radius, int zero, int x, int y);

#endif
