/* The celestial coordinates in a FITS header; io/image.h reads FITS images, io/write.h writes them. */
#ifndef PENTACL_IO_FITS_H
#define PENTACL_IO_FITS_H

#include <stddef.h>

#include <pentacl/io/error.h>

#define PENTA_IO_SIP_ORDERS 10 /* orders 0 to 9 */

/*
 * A gnomonic projection as its header cards say it (Calabretta & Greisen 2002, A&A 395, 1077), with the SIP polynomials
 * where there are any (Shupe et al. 2005, ADASS XIV, P3.2.18). With u = x - crpix[0], v = y - crpix[1], pixels counted
 * from 1: degrees on the tangent plane = cd * (u + sum a[p][q] u^p v^q, v + sum b[p][q] u^p v^q). ap and bp are the way
 * back, of tangent-plane pixels. Coefficients beyond an order are 0. LONPOLE is 180 degrees.
 */
typedef struct {
    double crval[2]; /* right ascension and declination at crpix, degrees */
    double crpix[2]; /* 1-based: the centre of the first pixel is (1, 1) */
    double cd[2][2]; /* degrees a pixel; [world axis][pixel axis] */
    bool sip;        /* CTYPE ends in -SIP: a and b count */
    bool inverse;    /* so do ap and bp */
    int a_order, b_order, ap_order, bp_order;
    double a[PENTA_IO_SIP_ORDERS][PENTA_IO_SIP_ORDERS], b[PENTA_IO_SIP_ORDERS][PENTA_IO_SIP_ORDERS];
    double ap[PENTA_IO_SIP_ORDERS][PENTA_IO_SIP_ORDERS], bp[PENTA_IO_SIP_ORDERS][PENTA_IO_SIP_ORDERS];
    size_t width, height; /* IMAGEW and IMAGEH, else NAXIS1 and NAXIS2; 0: unknown. Not written. */
    bool fk5;             /* the frame is FK5 J2000; else ICRS */
} penta_io_fits_wcs_cards;

/*
 * Reads the coordinates of the first image (or header without pixels) in the file that has CTYPE1. They must be TAN or
 * TAN-SIP, right ascension first, in degrees, ICRS or FK5 J2000 (FK5 when the header has only EQUINOX = 2000; ICRS when
 * it says nothing). The matrix is CD, PC times CDELT, or CDELT with CROTA2. A LONPOLE of 0 is taken into the matrix,
 * others than 0 and 180 are refused; LATPOLE has no effect on this projection. Distortions other than SIP are refused.
 * On failure err holds one line.
 */
bool penta_io_fits_wcs(const char *path, penta_io_fits_wcs_cards *out, penta_io_error *err);

#endif
