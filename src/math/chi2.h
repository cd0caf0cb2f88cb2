/* The distribution of chi-square. */
#pragma once

/*
 * The probability that chi-square with dof degrees of freedom exceeds chi2 >= 0: Q(dof/2, chi2/2), the regularised
 * upper incomplete gamma function, by its series below chi2 = dof + 2 and its continued fraction above (Abramowitz &
 * Stegun 6.5.29 and 6.5.31). Relative error below 1e-10 for dof up to 1e6; NaN if dof <= 0 or chi2 is NaN.
 */
double penta_chi2_tail(double chi2, double dof);
