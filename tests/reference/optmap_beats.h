/* The analysis of include/pentacl/beats.h and rotors.h in double precision, as the formulas stand there. */
#pragma once

#include <pentacl/rotors.h>

/* Of one pixel in frames first .. end - 1 of its trace: activation, repolarisation, apd x 4 (ms), rise (ms), amplitude,
 * snr (dB). NaN where there is no value. */
void reference_beat(const float *trace, size_t frames, double rate, size_t first, size_t end, double values[9]);

/* Velocity of pixel (x, y) from a map of activation times, cm/s. */
void reference_velocity(const float *activation, size_t height, size_t width, size_t x, size_t y, double pixel_size,
                        const penta_beats_options *o, double v[2]);

/* A trace less its mean and the Hilbert transform of that, by sums. */
void reference_analytic(const double *trace, size_t frames, double *f, double *h);

/* penta_phase as rotors.h has it, of the whole movie: frames x height x width, radians; and the amplitudes. */
void reference_phases(const penta_movie_view *movie, const penta_rotors_options *o, double *phase, double *amplitude);

/* Dominant frequency, Hz, and regularity of a trace by sums. */
void reference_dominant_frequency(const float *trace, size_t frames, double rate, double low, double high,
                                  double *frequency, double *regularity);
