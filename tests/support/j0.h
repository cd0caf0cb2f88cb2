/* The first trough of the Bessel function J0 and the peak after it. J0 is the autocorrelation of a ring of one wave
 * number. */
#pragma once

#define J0_TROUGH_AT 3.831705970207512
#define J0_TROUGH    (-0.402759395702553)
#define J0_PEAK_AT   7.015586669815619
#define J0_PEAK      0.300115752526133
