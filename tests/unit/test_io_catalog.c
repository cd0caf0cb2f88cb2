/* Star catalogues in CSV of every known layout, their units, and every error. */

#include "catalog_files.h"

TEST(other_files)
{
    expect_catalog_error(write_file("a.gz", "\x1f\x8b\x08\0\0", 5), "gunzip");
    expect_csv_error("SIMPLE  =                    T", "is a FITS file");
    expect_csv_error("<?xml version='1.0'?>", "VOTable");
    expect_catalog_error(write_file("u.csv", "\xff\xfer\0a\0", 6), "UTF-16");
    expect_catalog_error(in_directory("none.csv"), "no such file");
    expect_catalog_error(test_directory, "is a directory");
    expect_csv_error("# nothing\n", "no records");
}

/* ---- CSV ---- */

TEST(plain_names)
{
    static const char *const headers[] = {"ra,dec,mag",
                                          "RA,DEC,Vmag",
                                          "RAJ2000,DEJ2000,V",
                                          "_RAJ2000,_DEJ2000,VTmag",
                                          "ra_deg,dec_deg,magnitude",
                                          "RAdeg,DEdeg,Hpmag",
                                          "ra_icrs,dec_icrs,g",
                                          "RA_ICRS,DE_ICRS,vmag",
                                          "radeg,decdeg,MAG"};
    char text[256];

    for (size_t i = 0; i < COUNT(headers); i++) {
        HELD_BY(penta_io_catalog_free) penta_io_catalog c;

        snprintf(text, sizeof text, "%s\n10.5,-45.25,3.5\n-90,90,-1\n360,-90,0\n", headers[i]);
        c = open_csv(text);
        expect_format(&c, "CSV", 2000, 3);
        expect_star(&c, 0, "1", 10.5, -45.25, 3.5, 0, 0);
        expect_star(&c, 1, "2", 270, 90, -1, 0, 0);
        expect_star(&c, 2, "3", 0, -90, 0, 0, 0);
    }
}

TEST(ids_and_motion)
{
    HELD_BY(penta_io_catalog_free)
    penta_io_catalog c = open_csv("# a list\nid;PM_RA;pm_dec;dec;ra;mag;epoch\n"
                                  "18446744073709551615;1.5;-2;1;2;3;2010.5\n"
                                  "alpha \"1\";;;1;2;3;2010.5\n007;;9;1;2;3;2010.5\n;null;9;1;-1e-20;3;2010.5\n"
                                  "18446744073709551616;;;1;2;3;2010.5\n1.0;;;1;2;3;2010.5\n");

    expect_format(&c, "CSV", 2010.5, 6);
    expect_star(&c, 0, "18446744073709551615", 2, 1, 3, 1.5, -2);
    expect_star(&c, 1, "alpha \"1\"", 2, 1, 3, 0, 0);
    expect_star(&c, 2, "007", 2, 1, 3, 0, 9);
    expect_star(&c, 3, "4", 0, 1, 3, 0, 9);
    expect_star(&c, 4, "18446744073709551616", 2, 1, 3, 0, 0);
    expect_star(&c, 5, "1.0", 2, 1, 3, 0, 0);
    assert_true(c.ra[3] == 0); /* not 360 */
}

TEST(incomplete_rows)
{
    static const char limited[] = "ra,dec,mag,id\n1,2,5,a\n1,2,5.5,b\n1,2,4,c\n";
    penta_io_catalog c = open_csv("ra,dec,mag,name\n1,2,,a\n,2,3,b\n1,,3,c\n1,2,null,d\n4,5,6,e\n1,2,NULL,f\n");

    expect_format(&c, "CSV", 2000, 1);
    assert_int_equal(c.incomplete, 5);
    expect_star(&c, 0, "e", 4, 5, 6, 0, 0);
    penta_io_catalog_free(&c);
    c = open_csv("ra,dec,mag,pmra,pmdec\n1,2,NaN,1,1\n1,nan,3,1,1\nNA,2,3,1,1\n1,2,--,1,1\n4,5,6,nan,--\n");
    expect_format(&c, "CSV", 2000, 1);
    assert_int_equal(c.incomplete, 4);
    assert_int_equal(c.moving, 0);
    penta_io_catalog_free(&c);
    c = open_csv("ra,dec,mag\n");
    assert_int_equal(c.n, 0);
    penta_io_catalog_free(&c);
    c = open_catalog(write_file("a.csv", limited, sizeof limited - 1), 5);
    expect_format(&c, "CSV", 2000, 2);
    assert_int_equal(c.faint, 1);
    expect_star(&c, 1, "c", 1, 2, 4, 0, 0);
    penta_io_catalog_free(&c);
}

TEST(hyg)
{
    /* HYG 3 with radians; the Sun, a star with a HIP number, others with less */
    penta_io_catalog c = open_csv("id,hip,hd,hr,proper,ra,dec,dist,pmra,pmdec,mag,rarad,decrad\n"
                                  "0,,,,Sol,0,0,0,0,0,-26.7,0,0\n"
                                  "32263,32349.0,48915.0,2491.0,Sirius,6.7,-16.7,2.6,-546.01,-1223.08,-1.44,1.5,-0.25\n"
                                  "1,,224700.0,,,0,0,5,,,9.1,4.5,1.5\n"
                                  "118000,,,9110,,0,0,5,,,9.1,4.5,1.5\n"
                                  "119616,,,,,0,0,100000,,,9.1,6.25,-1.5\n");
    const double degree = 180 / 3.14159265358979323846;

    expect_format(&c, "HYG", 2000, 4);
    assert_int_equal(c.nonstellar, 1);
    expect_star(&c, 0, "HIP 32349", 1.5 * degree, -0.25 * degree, -1.44, -546.01, -1223.08);
    expect_star(&c, 1, "HD 224700", 4.5 * degree, 1.5 * degree, 9.1, 0, 0);
    expect_star(&c, 2, "HR 9110", 4.5 * degree, 1.5 * degree, 9.1, 0, 0);
    expect_star(&c, 3, "HYG 119616", 6.25 * degree, -1.5 * degree, 9.1, 0, 0);
    penta_io_catalog_free(&c);

    c = open_csv("StarID,HIP,HD,HR,ProperName,RA,Dec,Mag\n5,70890,,,Proxima Centauri,14.5,-62.5,11.01\n"); /* hours */
    expect_format(&c, "HYG", 2000, 1);
    expect_star(&c, 0, "HIP 70890", 217.5, -62.5, 11.01, 0, 0);
    penta_io_catalog_free(&c);
    c = open_csv("ra,dec,mag\n1,2,-26.7\n"); /* no HYG: bright, but the user's own */
    assert_int_equal(c.n, 1);
    penta_io_catalog_free(&c);
    expect_csv_error("id,hip,hd,hr,proper,ra,dec,mag\n1,2,3,4,,24.5,1,1\n",
                     "line 2, column 6 (ra): the right ascension '24.5' is outside 0 to 24 hours");
    expect_csv_error("rarad,decrad,mag\n6.3,1,1\n", "'6.3' is outside 0 to 2 pi radians");
    expect_csv_error("rarad,decrad,mag\n6.2,1.6,1\n", "'1.6' is outside -pi/2 to pi/2 radians");
}

TEST(hipparcos_and_tycho)
{
    /* as VizieR writes tables: comments, names, units, dashes */
    penta_io_catalog c = open_csv("#\n#Title: Hipparcos\n\n_RAJ2000\t_DEJ2000\tHIP\tVmag\tRAICRS\tDEICRS\tpmRA\tpmDE\n"
                                  "deg\tdeg\t \tmag\tdeg\tdeg\tmas/yr\tmas/yr\n"
                                  "----\t----\t------\t-----\t---\t---\t--------\t--------\n"
                                  "1\t2\t27989\t 0.45\t 88.79287161\t  7.40703634\t   27.33\t   10.86\n#END#\n");

    expect_format(&c, "Hipparcos", 1991.25, 1);
    expect_star(&c, 0, "HIP 27989", 88.79287161, 7.40703634, 0.45, 27.33, 10.86);
    penta_io_catalog_free(&c);
    c = open_csv("HIP,RAdeg,DEdeg,Plx,pmRA,pmDE,Hpmag\n87937,269.45402305,4.66828815,549,-797.84,10326.93,9.5\n");
    expect_format(&c, "Hipparcos", 1991.25, 1);
    assert_false(c.origin.epoch_stated);
    penta_io_catalog_free(&c);
    c = open_csv("HIP,RAdeg,DEdeg,Vmag\n1,2,3,4\n"); /* by that name alone J2000 */
    expect_format(&c, "CSV", 2000, 1);
    penta_io_catalog_free(&c);
    c = open_csv("HIP,Vmag,_RA.icrs,_DE.icrs\n1,9.1,0.0009,1.089\n");
    expect_format(&c, "Hipparcos", 1991.25, 1);
    penta_io_catalog_free(&c);
    c = open_csv("_RA.icrs,_DE.icrs,Vmag\n0.5,1,2\n");
    expect_format(&c, "CSV", 2000, 1);
    penta_io_catalog_free(&c);

    c = open_csv("TYC,RAmdeg,DEmdeg,pmRA,pmDE,BTmag,VTmag,HIP,RAdeg,DEdeg\n"
                 "1-13-1,1.12558209,2.26739400,27.7,-0.5,10.488,8.670,,1,2\n1-16-1,,,,,12.9,12.1,,1.05,1.89\n");
    expect_format(&c, "Tycho-2", 2000, 1);
    assert_int_equal(c.incomplete, 1);
    expect_star(&c, 0, "1-13-1", 1.12558209, 2.267394, 8.67, 27.7, -0.5);
    penta_io_catalog_free(&c);
    c = open_csv("TYC1,TYC2,TYC3,RAmdeg,DEmdeg,VTmag,HIP\n0001,00013,1,1,2,3,5\n");
    expect_star(&c, 0, "1-13-1", 1, 2, 3, 0, 0);
    penta_io_catalog_free(&c);
}

/* ---- units ---- */

/* What a table was taken for, and where its first star is; reason: part of the note, or "" for none. */
static void expect_unit(penta_io_catalog c, const char *format, const char *unit, const char *reason, double ra,
                        double dec)
{
    assert_string_equal(c.origin.format, format);
    assert_string_equal(c.origin.ra_unit, unit);
    assert_true(*reason ? strstr(c.origin.unit_reason, reason) != NULL : !*c.origin.unit_reason);
    expect_near(c.ra[0], ra, 1e-9);
    expect_near(c.dec[0], dec, 1e-9);
    penta_io_catalog_free(&c);
}

/* Columns cut out of HYG. */
TEST(parts_of_hyg)
{
    static const char *const heads[] = {"id,proper,ra,dec,mag", "id,propername,ra,dec,mag", "absmag,ci,ra,dec,mag",
                                        "absmag,spect,ra,dec,mag", "dist,absmag,ra,dec,mag"};
    char text[256];

    for (size_t i = 0; i < COUNT(heads); i++) {
        snprintf(text, sizeof text, "%s\n1,2,6,-45,3\n3,4,7.5,2,1\n", heads[i]);
        expect_unit(open_csv(text), "HYG", "hour", "no value in its column ra is above 24", 90, -45);
        snprintf(text, sizeof text, "%s\n1,2,6,-45,3\n3,4,24.5,2,1\n", heads[i]); /* somebody's own */
        expect_unit(open_csv(text), "CSV", "deg", "", 6, -45);
        snprintf(text, sizeof text, "%s\n1,2,6,-45,3\n3,4,7.5,2,1\n", heads[i]);
        expect_unit(open_csv_in(text, PENTA_IO_RA_DEG), "CSV", "deg", "", 6, -45);
        expect_unit(open_csv_in(text, PENTA_IO_RA_HOUR), "HYG", "hour", "", 90, -45);
    }
    expect_unit(open_csv("hip,hr,proper,ra,dec,mag\n1,2,a,6,-45,3\n"), "HYG", "hour", "", 90, -45);
    expect_unit(open_csv_in("hip,hr,proper,ra,dec,mag\n1,2,a,6,-45,3\n", PENTA_IO_RA_DEG), "HYG", "deg", "", 6, -45);
    expect_unit(open_csv_in("ra,dec,mag,rarad,decrad\n6,-45,3,1,1\n", PENTA_IO_RA_HOUR), "CSV", "hour", "", 90, -45);
    expect_unit(open_csv_in("source_id,ra,dec,mag\n1,6,-45,3\n", PENTA_IO_RA_HOUR), "Gaia", "hour", "", 90, -45);
}

/* n stars on an even grid from (0, least_dec) to (most_ra, -least_dec). */
static const char *even_sky(size_t n, double most_ra, double least_dec)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "ra,dec,mag\n");

    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.4f,%.4f,3\n",
                                 most_ra * (double)(n - 1 - i) / (double)(n - 1),
                                 least_dec * (1 - 2.0 * (double)(i * 7 % n) / (double)n));
    return text;
}

TEST(evidence)
{
    const double degree = 180 / 3.14159265358979323846;

    expect_unit(open_csv(even_sky(30, 23.5, -60)), "CSV", "hour", "none of the 30 values in its column ra is above 24",
                352.5, -60);
    expect_unit(open_csv(even_sky(29, 23.5, -60)), "CSV", "deg", "leave the unit open", 23.5, -60); /* too few */
    expect_unit(open_csv(even_sky(30, 19.5, -60)), "CSV", "deg", "leave the unit open", 19.5, -60); /* a field */
    expect_unit(open_csv(even_sky(30, 23.5, -20)), "CSV", "deg", "leave the unit open", 23.5, -20); /* a stripe */
    expect_unit(open_csv(even_sky(30, 24.5, -60)), "CSV", "deg", "", 24.5, -60);
    expect_unit(open_csv_in(even_sky(30, 23.5, -60), PENTA_IO_RA_DEG), "CSV", "deg", "", 23.5, -60);
    expect_unit(open_csv("ra,dec,mag\n23,1,2\n-1,1,2\n"), "CSV", "deg", "", 23, 1);
    expect_unit(open_csv("ra_deg,dec,mag\n23,1,2\n"), "CSV", "deg", "", 23, 1);
    expect_unit(open_csv_in("ra_deg,dec,mag\n2,1,2\n", PENTA_IO_RA_HOUR), "CSV", "hour", "", 30, 1);
    expect_unit(open_csv_in("ra,dec,mag\n1,-1.5,2\n", PENTA_IO_RA_RAD), "CSV", "rad", "", degree, -1.5 * degree);
    expect_unit(open_csv("ra,dec,mag\nh,deg,mag\n--,--,--\n23,1,2\n"), "CSV", "hour", "", 345, 1); /* row of units */
    expect_csv_error("hip,hr,proper,ra,dec,mag\n1,2,a,24.5,1,1\n",
                     "outside 0 to 24 hours; correct it, or the `ra_unit`");
}

/* Hipparcos-2 in radians, as its authors give it, and in degrees, as VizieR does. */
TEST(hipparcos_2)
{
    const double degree = 180 / 3.14159265358979323846;

    expect_unit(open_csv("HIP,RArad,DErad,Hpmag\n1,6.25,-1.5,9.2\n2,1,1,9\n"), "Hipparcos", "rad", "above 2 pi",
                6.25 * degree, -1.5 * degree);
    expect_unit(open_csv("HIP,RArad,DErad,Hpmag\n1,6.25,-1.5,9.2\n2,6.3,1,9\n"), "Hipparcos", "deg", "", 6.25, -1.5);
    expect_unit(open_csv("HIP,RArad,DErad,Hpmag\n1,6.25,-1.5,9.2\n2,1,1.6,9\n"), "Hipparcos", "deg", "", 6.25, -1.5);
    expect_unit(open_csv("HIP\tRArad\tDErad\tHpmag\n \tdeg\tdeg\tmag\n--\t--\t--\t--\n1\t6.25\t-1.5\t9.2\n"),
                "Hipparcos", "deg", "", 6.25, -1.5);
    expect_unit(open_csv_in("RArad,DErad,Hpmag\n6.25,-1.5,9.2\n", PENTA_IO_RA_DEG), "Hipparcos", "deg", "", 6.25, -1.5);
    expect_unit(open_csv_in("RArad,DErad,Hpmag\n6.25,-1.5,9.2\n", PENTA_IO_RA_RAD), "Hipparcos", "rad", "",
                6.25 * degree, -1.5 * degree);
    expect_unit(open_csv("HIP,Vmag,_RA_icrs,_DE_icrs\n1,9.1,0.5,1.089\n"), "Hipparcos", "deg", "", 0.5, 1.089);
    expect_unit(open_csv("Vmag,_RA_icrs,_DE_icrs\n9.1,0.5,1.089\n"), "CSV", "deg", "", 0.5, 1.089);
}

TEST(sexagesimal)
{
    static const char *const bad[] = {"5.9",        "05 60 10",  "05 55 61", "05 55 10 3", "05 55.5 10", "x",
                                      "05 55 10 N", "0x5 55 10", "05,55",    "1.2.3 4",    "25 00 00"};
    char text[128];

    expect_unit(open_csv("HIP,RAhms,DEdms,Vmag\n27989,05 55 10.29,+07 24 25.3,0.45\n"), "Hipparcos", "sexagesimal", "",
                15 * (5 + 55 / 60.0 + 10.29 / 3600), 7 + 24 / 60.0 + 25.3 / 3600);
    expect_unit(open_csv("RAhms,DEdms,Vmag\n0:0:0.3,-00:30:00,0.45\n"), "CSV", "sexagesimal", "", 15 * 0.3 / 3600,
                -0.5);
    expect_unit(open_csv("RAhms,DEdms,Vmag\n23h59m60s,-89d59.5m,1\n"), "CSV", "sexagesimal", "", 0, -(89 + 59.5 / 60));
    expect_unit(open_csv("RAhms,DEdms,Vmag,RAICRS,DEICRS\n5 5 5,7 7 7,1,2,3\n"), "Hipparcos", "deg", "", 2, 3);
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(text, sizeof text, "RAhms,DEdms,Vmag\n\"%s\",1 1 1,1\n", bad[i]);
        expect_csv_error(text, "line 2, column 1 (RAhms)");
    }
    expect_csv_error("RAhms,DEdms,Vmag\n1 1 1,-90 00 01,1\n", "line 2, column 2 (DEdms): the declination '-90 00 01'");
}

/* VizieR's tables have sexagesimal columns beside decimal ones, or alone; the same star. */
TEST(both_forms)
{
    static const char *const tables[] = {
        "_RAJ2000\t_DEJ2000\tRAJ2000\tDEJ2000\tVmag\ndeg\tdeg\t\"h:m:s\"\t\"d:m:s\"\tmag\n--\t--\t--\t--\t--\n"
        "316.725\t38.75\t21 06 54\t+38 45 00\t5.2\n",
        "ra,dec,raj2000,dej2000,mag\n21:06:54,38:45:00,316.725,38.75,5.2\n",
        "RAJ2000,DEJ2000,Vmag\n,,1\n21 06 54.0,+38 45 00,5.2\n", "RA_ICRS,DE_ICRS,Gmag\n21 06 54,38.75,5.2\n",
        "ra,dec,mag\n21h06m54s,38d45m0s,5.2\n"};

    for (size_t i = 0; i < COUNT(tables); i++) {
        HELD_BY(penta_io_catalog_free) penta_io_catalog c = open_csv(tables[i]);

        assert_int_equal(c.n, 1);
        expect_near(c.ra[0], 316.725, 1e-9);
        expect_near(c.dec[0], 38.75, 1e-9);
    }
}

/* ---- proper motions ---- */

static penta_io_catalog open_motion(const char *ra, const char *dec)
{
    char text[256];

    snprintf(text, sizeof text, "ra\tdec\tmag\tpmRA\tpmDE\ndeg\tdeg\tmag\t%s\t%s\n-\t-\t-\t-\t-\n1\t60\t5\t2\t-3\n", ra,
             dec);
    return open_csv(text);
}

TEST(motion_units)
{
    static const struct {
        const char *unit;
        double mas;
    } units[] = {{"mas/yr", 1},
                 {"", 1},
                 {"---", 1},
                 {"mas / yr", 1},
                 {"mas.yr-1", 1},
                 {"mas yr^-1", 1},
                 {"mas.yr**-1", 1},
                 {"arcsec/yr", 1000},
                 {"arcsec/a", 1000},
                 {"0.1mas/yr", 0.1},
                 {"10mas/yr", 10},
                 {"uas/yr", 1e-3},
                 {"deg/yr", 3.6e6},
                 {"arcsec/ha", 10},
                 {"as/century", 10},
                 {"arcmin/yr", 6e4},
                 {"DEG/YEAR", 3.6e6},
                 {"arcsec/d", 365250},
                 {"rad/yr", 206264806.2470964}};
    static const char *const bad[] = {"km/s", "mas", "[mas/yr]", "arcsec/cyr", "10**-3arcsec/yr", "0mas/yr", "pix/yr"};
    char text[256];

    for (size_t i = 0; i < COUNT(units); i++) {
        HELD_BY(penta_io_catalog_free) penta_io_catalog c = open_motion(units[i].unit, units[i].unit);

        expect_near(c.pmra[0], 2 * units[i].mas, 1e-9 * units[i].mas);
        expect_near(c.pmdec[0], -3 * units[i].mas, 1e-9 * units[i].mas);
        assert_int_equal(c.moving, 1);
    }
    for (int i = 0; i < 3; i++) { /* of time: without cos(60 deg) */
        HELD_BY(penta_io_catalog_free)
        penta_io_catalog c = open_motion(i == 0 ? "s/yr" : i == 1 ? "s/ha" : "ms/yr", "arcsec/yr");

        expect_near(c.pmra[0], i == 0 ? 15000 : i == 1 ? 150 : 15, 1e-6);
        expect_near(c.pmdec[0], -3000, 1e-6);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(text, sizeof text, "ra,dec,mag,pmRA,pmDE\ndeg,deg,mag,mas/yr,%s\n-,-,-,-,-\n1,2,3,4,5\n", bad[i]);
        expect_csv_error(text, "of its column pmDE is not known; convert the column to mas/yr");
    }
    expect_csv_error("ra,dec,mag,pmRA,pmDE\ndeg,deg,mag,s/yr,s/yr\n-,-,-,-,-\n1,2,3,4,5\n",
                     "the unit 's/yr' of its column pmDE");
    expect_csv_error("ra,dec,mag\ndeg,arcmin,mag\n-,-,-\n1,2,3\n", "the unit 'arcmin' of its column dec");
    expect_csv_error("ra,dec,mag\narcsec,deg,mag\n-,-,-\n1,2,3\n", "the unit 'arcsec' of its column ra");
    expect_csv_error("ra,dec,mag\ndeg,deg,mmag\n-,-,-\n1,2,3\n", "the unit 'mmag' of its column mag");
}

/* Columns beside ra, dec and mag that are called proper motions, and that are something else. */
TEST(motion_names)
{
    static const char *const motions[] = {
        "pm_ra_masyr",      "pmRA_mas", "pmRA*cosDE", "PMALPHA", "muRA", "mu_alpha", "mu_delta", "proper_motion_ra",
        "properMotion",     "RApm",     "dec_pm",     "pm",      "pmx",  "PMD",      "muD",      "pmra [arcsec/yr]",
        "pm_ra_cosdec_deg", "pmDEC_as", "pmLon"};
    static const char *const others[] = {
        "Hpmag_2",  "Pmag", "ppm",    "PPM",          "rpm",         "pmag",        "e_pmRA",   "pmRA_error",
        "pm_sigma", "mu",   "mult",   "multiplicity", "number",      "magnitude_b", "latitude", "amplitude",
        "parallax", "plx",  "rv",     "spect",        "sptype",      "B-V",         "ci",       "dist",
        "x",        "y",    "z",      "vx",           "vy",          "con",         "flag",     "var",
        "hd_2",     "sao",  "tmag",   "jmag",         "teff",        "logg",        "mass",     "lum",
        "absmag",   "comp", "simbad", "epoch_ra",     "temperature", "umu8"};
    char text[256];

    for (size_t i = 0; i < COUNT(motions) + COUNT(others); i++) {
        bool moves = i < COUNT(motions);
        const char *name = moves ? motions[i] : others[i - COUNT(motions)];
        HELD_BY(penta_io_catalog_free) penta_io_catalog c;

        snprintf(text, sizeof text, "ra,dec,mag,%s\n1,2,3,4\n", name);
        c = open_csv(text);
        assert_string_equal(c.origin.motion_like, moves ? name : "");
        assert_int_equal(c.moving, 0);
    }
}

TEST(gaia)
{
    penta_io_catalog c = open_csv("source_id,ref_epoch,ra,dec,pmra,pmdec,phot_g_mean_mag\n"
                                  "4295806720000000001,2015.5,44.99615537864534,0.00561581,11.94,-14.2,17.64\n"
                                  "38655544960,2015.5,45.0,0.02,,,\n9007199254740993,2015.5,45.1,0.03,,,15\n");

    expect_format(&c, "Gaia", 2015.5, 2);
    assert_int_equal(c.incomplete, 1);
    expect_star(&c, 0, "4295806720000000001", 44.99615537864534, 0.00561581, 17.64, 11.94, -14.2);
    assert_true(c.ids.value[1] == UINT64_C(9007199254740993)); /* not a double */
    penta_io_catalog_free(&c);
    c = open_csv("ra,dec,phot_g_mean_mag\n1,2,3\n");
    expect_format(&c, "Gaia", 2016, 1);
    penta_io_catalog_free(&c);
    c = open_csv("RA_ICRS,DE_ICRS,Source,Gmag,RAJ2000,DEJ2000\n1,2,77,3,4,5\n");
    expect_format(&c, "Gaia", 2016, 1);
    expect_star(&c, 0, "77", 1, 2, 3, 0, 0);
    penta_io_catalog_free(&c);
    expect_csv_error("ra,dec,phot_g_mean_mag,ref_epoch\n1,2,3,2016\n1,2,3,2015.5\n",
                     "line 3, column 4 (ref_epoch): the epoch '2015.5' differs from that of the stars before");
    expect_csv_error("ra,dec,mag,epoch\n1,2,3,51544\n", "the epoch '51544' is outside 1000 to 3000 Julian years");
    expect_csv_error("ra,dec,mag,epoch\n1,2,3,J2000\n", "line 2, column 4 (epoch): 'J2000' is not a finite number");
}

TEST(missing_columns)
{
    char wide[4096] = "ra,dec";

    expect_csv_error("ra,mag,Bmag\n1,2,3\n", "has no column for the declination (dec, dec_deg, ");
    expect_csv_error("ra,mag,Bmag\n1,2,3\n", "; its columns are: ra, mag, Bmag");
    expect_csv_error("dec,vmag\n1,2\n", "has no column for the right ascension (ra, ra_deg, ");
    expect_csv_error("ra,dec\n1,2\n", "has no column for the magnitude (mag, magnitude, vmag, ");
    expect_csv_error("a,b\n1,2\n", ") and for the declination (");
    expect_csv_error("1,2,3\n4,5,6\n", "; its columns are: 1, 2, 3");
    expect_csv_error("rarad,dec,mag\n1,2,3\n", "has no column for the right ascension");
    for (int i = 0; i < 150; i++)
        snprintf(wide + strlen(wide), sizeof wide - strlen(wide), ",some_other_column_%d", i);
    expect_csv_error(wide, "some_other_column_0");
    expect_csv_error(wide, "...");
    expect_csv_error("ra,dec,mag,pmra,pmDelta\n1,2,3,4,5\n",
                     "has a column for the proper motion in right ascension but none for the proper motion in "
                     "declination (pmdec, pmde, pm_dec, pm_de)");
}

TEST(bad_values)
{
    static const char *const bad[] = {"inf", "-Infinity", "1e999", "05 55 10.3", "x"};
    static const char *const names[] = {"ra", "dec", "mag", "pmra", "pmdec"};
    char text[256], what[128];

    for (size_t i = 0; i < COUNT(bad); i++)
        for (int column = 0; column < 5; column++) {
            int used = snprintf(text, sizeof text, "ra,dec,mag,pmra,pmdec\n\n1,2,3,4,5\n");

            for (int k = 0; k < 5; k++)
                used += snprintf(text + used, sizeof text - used, "%s%s", k ? "," : "", k == column ? bad[i] : "1");
            snprintf(what, sizeof what, "line 4, column %d (%s): '%s' is not a finite number", column + 1,
                     names[column], bad[i]);
            expect_csv_error(text, what);
        }
    expect_csv_error("ra,dec,mag\n1,90.001,3\n",
                     "line 2, column 2 (dec): the declination '90.001' is outside -90 to 90 degrees");
    expect_csv_error("ra,dec,mag\n1,2,3\n1,-91,3\n", "line 3, column 2 (dec): the declination '-91'");
    expect_csv_error("ra,dec,mag\n361,1,3\n", "the right ascension '361' is outside -360 to 360 degrees");
    expect_csv_error("ra,dec,mag\n1,2\n", "line 2 has 2 fields");
}

/* Whatever the bytes are, a catalogue or an error: never a fault. */
TEST(damaged_files)
{
    static const char seed[] =
        "tyc1,tyc2,tyc3,id,ra,dec,vmag,pmra,pmdec,epoch\n1,2,3,q,4,5,6,7,8,2000\n,,,,4,5,6,,,2000";
    penta_io_catalog c;
    penta_io_error err;

    for (size_t i = 0; i < sizeof seed - 1; i++)
        for (const char *with = ",\"\n-\xff.e9"; *with; with++) {
            char text[sizeof seed];

            memcpy(text, seed, sizeof seed);
            text[i] = *with;
            if (penta_io_catalog_read(write_file("fuzz.csv", text, sizeof seed - 1), NULL, &c, &err))
                penta_io_catalog_free(&c);
        }
}

IN_DIRECTORY;
