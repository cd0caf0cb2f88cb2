/* Bodies as text: NBabel, .mpv, NEMO's atos and CSV; what is left out, what is wrong and on which line. */

#include "body_files.h"

static const double two[14] = {1, 2, 3, 4, 5, 6, 7, 0.5, -2, -3, -4, -5, -6, -7};

static void expect_text_bodies(const char *text, size_t n, const double *rows, double time)
{
    expect_bodies(write_file("text", text, strlen(text)), n, rows, time);
}

TEST(nbabel)
{
    static const char *const files[] = {
        "-1 1 2 3 4 5 6 7\n-1 0.5 -2 -3 -4 -5 -6 -7\n",
        "1 1 2 3 4 5 6 7\n2 0.5 -2 -3 -4 -5 -6 -7",
        "\xef\xbb\xbf 1 1 2 3 4 5 6 7\r\n2 0.5 -2 -3 -4 -5 -6 -7\r\n\r\n",
        "1 1 2 3 4 5 6 7\r2 0.5 -2 -3 -4 -5 -6 -7\r",
        "# id m x y z vx vy vz\n\n  # more\n1\t1 2 3  4 5 6 7 # one\n\t2 0.5 -2 -3 -4 -5 -6 -7\t#two\n# end",
        "0 1.0 +2 3.0e0 0.4e1 50e-1 6. 0x7\n0 .5 -2 -3 -4 -5 -6 -7\n",
    };

    for (size_t i = 0; i < COUNT(files); i++)
        expect_text_bodies(files[i], 2, two, 0);
    expect_text_bodies("9 1 2 3 4 5 6 7", 1, two, 0);
}

TEST(nbabel_refused)
{
    expect_text_refused("1 1 2 3 4 5 6 7\n\n2 1 2 3 4 5 6\n", "line 3 (body 2) has 7 fields instead of 8 (id mass x y");
    expect_text_refused("1 1 2 3 4 5 6 7\n2 1 2 3 4 5 6 7 8\n", "line 2 (body 2) has 9 fields instead of 8");
    expect_text_refused("1 1 2 3 4 5 6 7\n2\n", "line 2 (body 2) has 1 field instead of 8");
    expect_text_refused("#\n1 1 2 nan 4 5 6 7\n", "line 2 (body 1): y is 'nan', not a finite number");
    expect_text_refused("1 1 2 3 4 5 6 7\n2 1 2 3 4 5 -inf 7\n", "line 2 (body 2): vy is '-inf', not a finite number");
    expect_text_refused("1 1 2 3 4 1e999 6 7\n", "line 1 (body 1): vx is '1e999', not a finite number");
    expect_text_refused("1 1 2 3 4 1.0D+00 6 7\n", "line 1 (body 1): vx is '1.0D+00', not a finite number");
    expect_text_refused("1 - 2 3 4 5 6 7\n", "line 1 (body 1): mass is '-', not a finite number");
    expect_text_refused("1 1 2 3 4 5 6 7\nx 1 2 3 4 5 6 7\n", "line 2 (body 2): id is 'x', not a finite number");
    expect_text_refused("1 1 2 3 4 5 6 7\n2 -1 2 3 4 5 6 7\n", "body 2 of 2: its mass is negative (-1)");
}

TEST(mpv)
{
    expect_text_bodies("2 0.25\n1 2 3 4 5 6 7\n0.5 -2 -3 -4 -5 -6 -7\n", 2, two, 0.25);
    expect_text_bodies("# c\n2 -3 # N time\n\n1   2 3 4    5 6 7\n0.5 -2 -3 -4 -5 -6 -7\n# end\n", 2, two, -3);
    expect_text_bodies("1 0.0\n1 2 3 4 5 6 7", 1, two, 0);
}

TEST(mpv_refused)
{
    expect_text_refused("3 0\n1 2 3 4 5 6 7\n1 2 3 4 5 6 7\n0 0 0.0000000\n",
                        "line 4 (body 3) has 3 fields instead of 7 (mass");
    expect_text_refused("3 0\n1 2 3 4 5 6 7.00000000\n1 2 3 4 5 6 7.00000\n", "ends after 2 of the 3 bodies");
    expect_text_refused("1 0\n1 2 3 4 5 6 7\n#\n1 0\n",
                        "line 4: more follows the 1 body that its first line announces");
    expect_text_refused("2 0\n1 2 3 4 5 6 7\n1 2 3 4 5 6 7\n8", "line 4: more follows the 2 bodies");
    expect_text_refused("0 0\n",
                        "line 1: the number of bodies is 0, not a whole number from 1 on; NBabel has 8 numbers");
    expect_text_refused("-1 0\n1 2 3 4 5 6 7\n", "line 1: the number of bodies is -1, not a whole number");
    expect_text_refused("1.5 0\n1 2 3 4 5 6 7\n", "line 1: the number of bodies is 1.5, not a whole number");
    expect_text_refused("1 nan\n1 2 3 4 5 6 7\n", "line 1: the time is 'nan', not a finite number");
    expect_text_refused("1 0\n1 2 3 4 5 six 7\n", "line 2 (body 1): vy is 'six', not a finite number");
    expect_text_refused("1000000000 0\n1 2 3 4 5 6 7\n", "line 1: announces 1000000000 bodies, more than the 17 bytes");
    expect_text_refused("1e300 0\n1 2 3 4 5 6 7\n", "more than the 17 bytes after it can hold; it is truncated");
    expect_text_refused("1 0\n-1 2 3 4 5 6 7\n", "body 1 of 1: its mass is negative (-1)");
}

TEST(atos)
{
    expect_text_bodies("2\n3\n0.5\n1\n0.5\n2 3 4\n-2 -3 -4\n5 6 7\n-5 -6 -7\n", 2, two, 0.5);
    expect_text_bodies("# c\n2\n 3 0.5 1 0.5 2 3\n4 -2 -3 -4 5 6 7 # c\n-5 -6\n-7 # end", 2, two, 0.5);
    expect_text_bodies("1\n3\n0\n1\n2 3 4\n5 6 7", 1, two, 0);
}

TEST(atos_refused)
{
    expect_text_refused("2\n3\n0\n1\n1\n1 2 3\n1 2 3.00000000000\n1 2 3\n1 2", "ends before vz of body 2 of 2");
    expect_text_refused("2\n3\n0\n1\n1\n1 2 3\n1 2 3.00000000000", "ends before vx of body 1 of 2");
    expect_text_refused("1\n2\n0\n1\n1 2 3\n1 2 3\n", "line 2: after a number of bodies alone on its line");
    expect_text_refused("2\n1 2 3 4 5 6 7\n1 2 3 4 5 6 7\n", "NEMO's atos has 3 (dimensions)");
    expect_text_refused("1\n3\n0\n1\n1 2 3\n1 2 3\n4", "line 7: more follows the 1 body");
    expect_text_refused("1\n3\n0\n1\n1 2 inf\n1 2 3\n", "line 5 (body 1): z is 'inf', not a finite number");
    expect_text_refused("9\n3\n0\n1\n1 2 3\n1 2 3\n", "announces 9 bodies, more than the 19 bytes after it");
    expect_text_refused("1\n            ", "dimensions");
    expect_text_refused("1\n3\n          ", "ends before the time");
    expect_text_refused("7\n", "announces 7 bodies");
}

TEST(csv)
{
    expect_text_bodies("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n0.5,-2,-3,-4,-5,-6,-7\n", 2, two, 0);
    expect_text_bodies("# c\n\nvz;time;VX;vy;M;z;y;x\n7;9;5;6;1;4;3;2\n-7;8;-5;-6;0.5;-4;-3;-2\n", 2, two, 0);
    expect_text_bodies("id,\"m\",x,y,z,vx,vy,vz\r\nA,1,2,3,4,5,6,7\r\nB,0.5,-2,-3,-4,-5,-6,-7\r\n", 2, two, 0);
    expect_text_bodies("m\tx\ty\tz\tvx\tvy\tvz\n1\t2\t3\t4\t5\t6\t7\n0.5\t-2\t-3\t-4\t-5\t-6\t-7\n", 2, two, 0);
    expect_text_bodies(",m,x,y,z,vx,vy,vz\n0,1,2,3,4,5,6,7\n1,0.5,-2,-3,-4,-5,-6,-7\n", 2, two, 0);
}

TEST(csv_refused)
{
    expect_text_refused("mass,x,y,z,vx,vy\n1,2,3,4,5,6\n", "its header has no column vz; it must name mass (or m), x");
    expect_text_refused("x,y,z,vx,vy,vz\n1,2,3,4,5,6\n", "no column mass");
    expect_text_refused("mass,m,x,y,z,vx,vy,vz\n1,1,2,3,4,5,6,7\n", "both a column mass and a column m");
    expect_text_refused("m,x,X,y,z,vx,vy,vz\n1,1,2,3,4,5,6,7\n", "refused.txt: ");
    expect_text_refused("1,2,3,4,5,6,7\n", "its first line does not name the columns; make it mass,x,y,z,vx,vy,vz");
    expect_text_refused("mass,x,y,z,vx,vy,vz\n", "holds no bodies");
    expect_text_refused("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n1,2,nan,4,5,6,7\n", "(body 2)");
    expect_text_refused("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n1,2,nan,4,5,6,7\n", "line 3, column 3 (y): 'nan'");
    expect_text_refused("mass,x,y,z,vx,vy,vz\n1,2,,4,5,6,7\n", "line 2, column 3 (y): '' is not a finite number");
    expect_text_refused("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n1,2,3\n", "line 3 has 3 fields");
    expect_text_refused("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n-1e-9,2,3,4,5,6,7\n", "body 2 of 2: its mass is negative");
    expect_text_refused("mass x y z vx vy vz\n1 2 3 4 5 6 7\n", "no column mass");
}

TEST(text_that_is_no_body)
{
    expect_text_refused("\n\n# nothing\n  \n", "holds no bodies, only empty lines or comments");
    expect_text_refused("1 2 3 4 5 6 7\n",
                        "line 1 has 7 fields, which is no layout of bodies; NBabel has 8 numbers a line");
    expect_text_refused("1 2 3 4 5 6 7 8 9\n", "line 1 has 9 fields");
    expect_text_refused("Dear reader\n", "no column mass");
    expect_refused(write_file("zero", "1 1 2 3 4 5 6 7\n\0", 17), "unknown format");
    expect_refused(write_file("bell", "1 1 2\a 3 4 5 6 7\n", 17), "unknown format");
}

/* Zeros beyond what tells text from other files. */
TEST(late_zeros)
{
    char text[64 * 16 + 1];

    for (size_t i = 0; i < 64; i++)
        memcpy(text + 16 * i, "1 1 2 3 4 5 6 7\n", 17);
    text[900] = 0;
    expect_refused(write_file("zero", text, sizeof text - 1), "is not text (byte 900 is zero)");
}

/* Every cut of a file is refused or gives whole bodies from its beginning. */
TEST(cut_text)
{
    static const char *const files[] = {"2 0.25\n1 2 3 4 5 6 7\n0.5 -2 -3 -4 -5 -6 -7\n",
                                        "2\n3\n0.5\n1\n0.5\n2 3 4\n-2 -3 -4\n5 6 7\n-5 -6 -7\n"};

    for (size_t i = 0; i < COUNT(files); i++)
        for (size_t n = 0; n + 1 < strlen(files[i]) - 1; n++)
            expect_refused(write_file("cut", files[i], n), "cut: ");
}

IN_DIRECTORY;
