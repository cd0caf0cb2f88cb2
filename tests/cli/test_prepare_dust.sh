# penta prepare says once where much of the frames is marked as dust, and only there.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

specks() # STEP: 96 x 80 grey pixels with black squares of 3 px, STEP px apart
{
    awk -v step="$1" 'BEGIN {
        srand(1)
        for (y = 0; y < 80; y++)
            for (x = 0; x < 96; x++)
                print x % step < 3 && y % step < 3 ? 0 : int(120 + 10 * rand())
    }' | pgm 96 80
}

specks 16 >many.pgm
specks 40 >few.pgm

expect 0 prepare --register none -o many many.pgm few.pgm
one_line '1[0-9]\.[0-9] % of many\.pgm is marked as dust, and over 10 % of 1 of 2 frames.*raise --dust-limit'
expect 0 prepare --register none -o few few.pgm
silent
expect 0 prepare --register none -q -o quiet many.pgm # -q leaves warnings
one_line 'warning: .* is marked as dust'
