#include "math/chi2.h"

#include <float.h>
#include <math.h>

enum { MOST_TERMS = 100000 };

/* P(a, x) = x^a e^-x / Gamma(a + 1) (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...). */
static double lower(double a, double x, double front)
{
    double term = 1 / a, sum = term;

    for (int n = 1; n < MOST_TERMS && term > sum * DBL_EPSILON / 4; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return front * sum;
}

/* Q(a, x) = x^a e^-x / Gamma(a) 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...))), by Lentz's method. */
static double upper(double a, double x, double front)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d, change = 0;

    for (int n = 1; n < MOST_TERMS && fabs(change - 1) > 4 * DBL_EPSILON; n++) {
        double an = -n * (n - a);

        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        change = c * d;
        h *= change;
    }
    return front * h;
}

double penta_chi2_tail(double chi2, double dof)
{
    double a = dof / 2, x = chi2 / 2, front;

    if (!(dof > 0) || !(chi2 >= 0))
        return (double)NAN;
    if (x == 0)
        return 1;
    if (isinf(x))
        return 0;
    front = exp(a * log(x) - x - lgamma(a));
    return x < a + 1 ? 1 - lower(a, x, front) : upper(a, x, front);
}
