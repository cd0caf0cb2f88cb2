/* Which pages of a file are read: channels, slices and times of TIFF, HDUs of FITS, lists of pages. */

#include "fits_files.h"

/* values: the pages that are read, or NULL; note: the doubt, or the error. */
static void expect_choice(const char *path, penta_io_choice choice, const char *values, const char *note)
{
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    penta_io_error err = {""};
    penta_io_image image;

    if (!penta_io_reader_open_chosen(path, &choice, &reader, &err)) {
        if (values || !strstr(err.text, note))
            fail_msg("%s", err.text);
        return;
    }
    if (!values || penta_io_reader_pages(reader) != strlen(values))
        fail_msg("%zu pages are read, not '%s': %s", penta_io_reader_pages(reader), values ? values : "",
                 penta_io_reader_doubt(reader) ? penta_io_reader_doubt(reader) : "");
    for (size_t i = 0; values[i]; i++) {
        size_t all;

        assert_true(penta_io_reader_read(reader, i, &image, &err));
        assert_int_equal((char)penta_io_image_value(&image, 0), values[i]);
        assert_true(penta_io_reader_place(reader, i, &all) < all);
        penta_io_image_free(&image);
    }
    if (note ? !strstr(penta_io_reader_doubt(reader), note) : penta_io_reader_doubt(reader) != NULL)
        fail_msg("the doubt is '%s', and not '%s'", penta_io_reader_doubt(reader), note ? note : "");
}

/* ---- lists ---- */

static const char *npy_of_five(void)
{
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 1, 1)}";
    char bytes[200];
    int n = snprintf(bytes, sizeof bytes, "\x93NUMPY\1%c%c%c%sabcde", 0, (int)sizeof header - 1, 0, header);

    return write_file("five.npy", bytes, (size_t)n);
}

TEST(lists)
{
    static const char *const bad[] = {
        "", "0", "x", "1,", ",1", "3-2", "1-:0", "1:2", "1-2:", "-3", "1 2", "1.5", "9999999999999999999"};
    const char *path = npy_of_five();

    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_choice(path, (penta_io_choice){.page = bad[i]}, NULL,
                      "`page` needs numbers or ranges from 1, such as 3");
        expect_choice(path, (penta_io_choice){.channel = bad[i]}, NULL, "`channel` needs numbers");
    }
    expect_choice(path, (penta_io_choice){.page = "5,1-4:2,3"}, "ace", NULL);
    expect_choice(path, (penta_io_choice){.page = "1-99"}, NULL, "has 5 pages, but `page` asks for 99");
    expect_choice(path, (penta_io_choice){.page = "4-", .channel = "1"}, "de", NULL);
    expect_choice(path, (penta_io_choice){.page = "6-"}, NULL, "has 5 pages, but `page` asks for 6");
    expect_choice(path, (penta_io_choice){.hdu = "0"}, NULL, "is no FITS file");
}

#ifdef PENTA_HAVE_TIFF

/* ---- channels, slices, times ---- */

/* A stack of n pages of one pixel, whose numbers are 'a', 'b', ...; kinds: a digit a page, its NewSubfileType. */
static const char *write_stack(const char *description, size_t n, const char *kinds)
{
    const char *path = in_directory("axes.tif");
    TIFF *tif = TIFFOpen(path, "w");

    assert_non_null(tif);
    for (size_t i = 0; i < n; i++) {
        tiff_spec s = {.width = 1, .height = 1, .bits = 8, .description = i == 0 ? description : NULL};

        s.kind = kinds ? (uint32_t)(kinds[i] - '0') : 0;
        add_tiff_page(tif, &s, &(char){(char)('a' + i)});
    }
    TIFFClose(tif);
    return path;
}

#define OME(order, c, z, t, more)                                                                                      \
    "<?xml version=\"1.0\"?><OME><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"" order                \
    "\" SizeX=\"1\" SizeY=\"1\" SizeC=\"" #c "\" SizeZ=\"" #z "\" SizeT=\"" #t "\">" more "</Pixels></Image></OME>"
#define PLANE(ifd, c, t, file)                                                                                         \
    "<TiffData FirstC='" #c "' FirstT='" #t "' FirstZ='0' IFD='" #ifd "' PlaneCount='1'><UUID FileName='" file         \
    "'>urn:uuid:0</UUID></TiffData>"

TEST(axes)
{
    static const char imagej[] = "ImageJ=1.54f\nimages=12\nchannels=2\nslices=2\nframes=3\nhyperstack=true\n";
    static const struct {
        const char *description;
        size_t pages;
        const char *page, *channel, *values, *note;
    } cases[] = {
        {imagej, 12, NULL, NULL, "aei",
         "axes.tif: channel 1 of 2 is read (`channel` chooses); slice 1 of 2 in depth is read (slice 2: `channel` 1 "
         "`page` 2-:2)"},
        {imagej, 12, "2-:2", "1", "cgk", NULL}, /* as the note says */
        {imagej, 12, NULL, "2", "bfj", "slice 1 of 2 in depth is read (slice 2: `page` 2-:2)"},
        {imagej, 12, "1-", "2", "bdfhjl", NULL},
        {imagej, 12, "2,11-", NULL, "bkl", NULL},
        {imagej, 12, NULL, "3", NULL, "has 2 channels, but `channel` asks for 3"},
        {imagej, 12, "7", "1", NULL, "has 6 pages of this channel, but `page` asks for 7"},
        {imagej, 12, "13", NULL, NULL, "has 12 pages, but `page` asks for 13"},
        {imagej, 5, NULL, NULL, "abcde", "what it says of its channels does not agree with its pages"},
        {"ImageJ=1.54f\nimages=4\nslices=4\n", 4, NULL, NULL, "abcd", NULL},
        {"{\"shape\": [2, 3, 1, 1], \"axes\": \"TCYX\"}", 6, NULL, NULL, "ad", "channel 1 of 3 is read"},
        {"{\"shape\": [2, 3, 1, 1], \"axes\": \"CTYX\"}", 6, NULL, "2", "def", NULL},
        {"{\"shape\": [2, 3, 1, 1], \"axes\": \"QQYX\"}", 6, NULL, NULL, "abcdef", NULL},
        {OME("XYCZT", 3, 1, 2, "<TiffData IFD=\"0\" PlaneCount=\"6\"/>"), 6, NULL, NULL, "ad",
         "channel 1 of 3 is read"},
        {OME("XYTZC", 3, 1, 2, "<TiffData/>"), 6, NULL, "3", "ef", NULL},
        {OME("XYZTC", 1, 3, 2, ""), 6, NULL, NULL, "ad", "slice 1 of 3 in depth is read (slice 2: `page` 2-:3)"},
        {OME("XYZTC", 1, 3, 2, ""), 6, "2-:3", NULL, "be", NULL},
        {OME("XYZTC", 1, 3, 1, ""), 3, NULL, NULL, "abc", "its 3 slices in depth are read as frames (`page` chooses)"},
        {OME("XYZTC", 1, 1, 3, ""), 3, NULL, NULL, "abc", NULL},
        {OME("XYCZT", 2, 1, 2,
             PLANE(3, 0, 0, "axes.tif") PLANE(1, 0, 1, "axes.tif") PLANE(0, 1, 0, "axes.tif")
                 PLANE(2, 1, 1, "axes.tif")),
         4, NULL, "1", "bd", NULL},
        {OME("XYCZT", 2, 1, 2,
             PLANE(0, 0, 0, "other.tif") PLANE(1, 0, 1, "other.tif") PLANE(0, 1, 0, "axes.tif")
                 PLANE(1, 1, 1, "axes.tif")),
         2, NULL, NULL, "ab", NULL}, /* a file a channel */
        {OME("XYCZT", 2, 1, 1, PLANE(0, 0, 0, "name.tif") PLANE(1, 1, 0, "name.tif")), 2, NULL, "2", "b",
         NULL}, /* renamed */
        {OME("XYCZT", 2, 1, 1, "<TiffData IFD='0' PlaneCount='2'/><TiffData IFD='1'/>"), 2, NULL, NULL, "ab",
         "does not agree"},
        {OME("XYCZT", 4294967295, 4294967295, 4294967295, "<TiffData/>"), 2, NULL, NULL, "a", "channel 1 of 2 is read"},
        {OME("XYCCT", 2, 1, 1, ""), 2, NULL, NULL, "ab", NULL}, /* no order */
        {"<OME><Pixels DimensionOrder='XYCZT' SizeC='2'><TiffData IFD='", 3, NULL, NULL, "abc", "does not agree with"},
        {"<OME><Image><Pixels DimensionOrder='XYCZT' SizeC='2' SizeT='1'><TiffData PlaneCount='2'/></Pixels></Image>"
         "<Image><Pixels DimensionOrder='XYCZT' SizeT='2'><TiffData IFD='2' PlaneCount='2'/></Pixels></Image></OME>",
         4, NULL, NULL, "a", "channel 1 of 2 is read (`channel` chooses); the first of its 2 series is read"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        expect_choice(write_stack(cases[i].description, cases[i].pages, NULL),
                      (penta_io_choice){.page = cases[i].page, .channel = cases[i].channel}, cases[i].values,
                      cases[i].note);
    for (size_t n = 1; n <= 20; n++) { /* stacks of frames alone */
        char text[80], all[] = "abcdefghijklmnopqrst";

        all[n] = 0;
        expect_choice(write_stack(NULL, n, NULL), (penta_io_choice){0}, all, NULL);
        snprintf(text, sizeof text, "ImageJ=1.53\nimages=%zu\n%s=%zu\n", n, n % 2 ? "frames" : "slices", n);
        expect_choice(write_stack(text, n, NULL), (penta_io_choice){0}, all, NULL);
    }
}

TEST(reduced_pages)
{
    expect_choice(write_stack(NULL, 6, "014120"), (penta_io_choice){0}, "aef",
                  "3 pages of reduced resolution are left out");
    expect_choice(write_stack(NULL, 2, "10"), (penta_io_choice){0}, "b", "1 page of reduced resolution is left out");
    expect_choice(write_stack(NULL, 1, "1"), (penta_io_choice){0}, "a", NULL);
    expect_choice(write_stack(OME("XYCZT", 2, 1, 1, ""), 4, "0101"), (penta_io_choice){.channel = "2"}, "c",
                  "2 pages of");
}

#endif

#ifdef PENTA_HAVE_FITS

#define SMALL IMAGE "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 2\nPCOUNT  = 0\nGCOUNT  = 1\n"

TEST(chosen_hdus)
{
    hand_made f = {.size = 0};
    const char *path;

    add_header(&f, EMPTY);
    add_header(&f, SMALL);
    add_data(&f, "wxyz", 4);
    add_table(&f, "");
    add_header(&f, IMAGE "BITPIX  = 8\nNAXIS   = 3\nNAXIS1  = 2\nNAXIS2  = 1\nNAXIS3  = 2\nEXTNAME = 'ERR     '\n");
    add_data(&f, "abcd", 4);
    path = save("many.fits", &f);
    expect_choice(path, (penta_io_choice){.hdu = NULL, .page = NULL}, "w",
                  "many.fits: its first image is read, and not HDU 3 (ERR) (`hdu` chooses)");
    expect_choice(path, (penta_io_choice){.hdu = "1", .page = NULL}, "w", NULL);
    expect_choice(path, (penta_io_choice){.hdu = "3", .page = NULL}, "ac", NULL);
    expect_choice(path, (penta_io_choice){.hdu = "3", .page = "2"}, "c", NULL);
    expect_choice(path, (penta_io_choice){.hdu = "1,3", .page = NULL}, "wac", NULL);
    expect_choice(path, (penta_io_choice){.hdu = "1-", .page = NULL}, "wac", "HDU 2 is no image and is left out");
    expect_choice(path, (penta_io_choice){.hdu = "2", .page = NULL}, NULL, "without an image in the HDUs of `hdu`");
    expect_choice(path, (penta_io_choice){.hdu = "4", .page = NULL}, NULL, "has HDUs 0 to 3, but `hdu` asks for 4");
    expect_choice(path, (penta_io_choice){.hdu = "3", .page = "3"}, NULL, "has 2 pages, but `page` asks for 3");
    expect_choice(write_file("a.pgm", "P5 1 1 255\nx", 12), (penta_io_choice){.hdu = "1", .page = NULL}, NULL,
                  "is no FITS file, so it has no HDU");
    for (int i = 0; i < 40; i++) { /* one image: nothing is left out */
        f.size = 0;
        add_header(&f, EMPTY);
        for (int k = 0; k < i % 7; k++)
            add_table(&f, "");
        add_header(&f, SMALL);
        add_data(&f, "wxyz", 4);
        for (int k = 0; k < i % 5; k++)
            add_table(&f, "");
        expect_choice(save("one.fits", &f), (penta_io_choice){.hdu = NULL, .page = NULL}, "w", NULL);
    }
}

#endif

IN_DIRECTORY;
