# penta autocorr: the names, headers, shapes and keys that other programs rely on, and the flags about output.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 40 30 | pgm 40 30 >a.pgm
hash_pixels 40 30 40 0 | pgm 40 30 >b.pgm
hash_pixels 40 30 80 0 | pgm 40 30 >c.pgm

# ---- one image ----
expect 0 autocorr -o one a.pgm
holds one a.c2d.npy a.c1d.csv series.csv $(pictures c1d c2d)
shows out '^a\.pgm  '
shows out '^results in one$'
npy_is one/a.c2d.npy '<f8' 21 # R = 30 / 3
equal "$(head -1 one/a.c1d.csv)" r,count,mean_r,c,sd 'header of c1d.csv'
equal "$(wc -l <one/a.c1d.csv)" 12 'lines of c1d.csv'
equal "$(column one/a.c1d.csv r | paste -sd ' ')" '0 1 2 3 4 5 6 7 8 9 10' 'column r'
equal "$(column one/a.c1d.csv count | paste -sd ' ')" '1 8 12 16 32 28 40 40 48 68 56' 'column count'
equal "$(sed -n 2p one/a.c1d.csv)" 0,1,0,1,0 'bin 0'
equal "$(head -1 one/series.csv)" index,file,time,r_max,r_max_se,c_max,r_min,c_min,status 'header of series.csv'
equal "$(wc -l <one/series.csv)" 2 'lines of series.csv'
equal "$(cut -d, -f1-3 one/series.csv | tail -1)" 0,a.pgm,0 'row of series.csv'
equal "$(head -c 8 one/c1d.png | od -A n -t x1 | tr -d ' ')" 89504e470d0a1a0a 'start of c1d.png'

# ---- with numerators; three frames; the directory is there already ----
expect 0 autocorr --numerators --max-offset 7 -o one b.pgm
npy_is one/b.n2d.npy '<i8' 15
npy_is one/b.c2d.npy '<f8' 15
exists one/a.c2d.npy
equal "$(cut -d, -f1-3 one/series.csv | tail -1)" 0,b.pgm,0 'row of series.csv'
expect 0 autocorr -R 7 -o three a.pgm b.pgm c.pgm
holds three {a,b,c}.c2d.npy {a,b,c}.c1d.csv series.csv $(pictures c1d c2d growth)
same three/b.c2d.npy one/b.c2d.npy
expect 0 autocorr -R 7 -o two a.pgm b.pgm
holds two {a,b}.c2d.npy {a,b}.c1d.csv series.csv $(pictures c1d c2d)
expect 0 autocorr -R 7 --no-plots -o plain a.pgm b.pgm c.pgm
holds plain {a,b,c}.c2d.npy {a,b,c}.c1d.csv series.csv

# ---- c2d and c1d agree with each other ----
awk -v R=7 -F, '
    NR == FNR { c[NR - 1] = $1; next }
    FNR == 1 { next }
    {
        n = s = d = 0
        for (Y = -R; Y <= R; Y++)
            for (X = -R; X <= R; X++) {
                r = sqrt(X * X + Y * Y)
                if (r >= $1 - 0.5 && r < $1 + 0.5) { n++; s += c[(Y + R) * (2 * R + 1) + X + R]; d += r }
            }
        if (n != $2 || (s / n - $4) ^ 2 > 1e-24 || (d / n - $3) ^ 2 > 1e-24) { print "bin", $1, "differs"; bad = 1 }
    }
    END { exit bad }' <(npy_values one/b.c2d.npy f8) one/b.c1d.csv >differs || fail "$(head -1 differs)"

# ---- JSON: stdout holds it and nothing else, whatever else is asked for ----
for flags in '' -v -q '-v --profile'; do
    expect 0 autocorr --json $flags -R 7 -o three a.pgm b.pgm c.pgm
    json 'keys - ["inputs", "outputs", "status", "error", "warnings"]
        == ["command", "demean", "device", "estimator", "frames", "growth", "notes", "seconds", "stages", "version"]'
done
json '.command == "autocorr" and (.version | test("^[0-9]+[.][0-9]+[.][0-9]+$"))'
json '.device | keys == ["name", "platform", "type"]'
json '.estimator == "unbiased" and .demean == "mean" and (.notes | length > 3)' # what was chosen and why
json '.frames | length == 3'
json 'all(.frames[]; ["file", "width", "height", "max_offset", "method", "fft", "r_max", "r_max_se", "c_max", "r_min",
      "status"] - keys == [])'
json '[.frames[].file] == ["a.pgm", "b.pgm", "c.pgm"]'
json 'all(.frames[]; .width == 40 and .height == 30 and .max_offset == 7)'
json 'all(.frames[]; .method | IN("naive", "lines", "tiled", "fft", "ntt"))'
json 'all(.frames[]; if .method == "fft" then .fft | IN("clfft", "vkfft", "simd") else .fft == null end)'
json 'all(.frames[]; .status | IN("ok", "outlier", "no_trough", "at_edge", "flat", "weak"))'
json '[.growth[].model] == ["proportional", "linear", "power"]'
json '[.growth[].parameters | keys_unsorted] == [["v"], ["R0", "v"], ["A", "t0", "a"]]'
json '[.growth[].standard_errors | keys_unsorted] == [["v"], ["R0", "v"], ["A", "t0", "a"]]'
json 'all(.growth[]; ["aicc", "weighted", "chi2", "dof", "reduced_chi2", "p_value", "contradicted"] - keys == [])'
json '.seconds | keys == ["device", "total"] and .total > 0 and .device > 0 and .device <= .total'
expect 0 autocorr --json -R 7 --no-plots -o plain a.pgm
silent
json '.growth == []'

# ---- what -q and --profile print ----
expect 0 autocorr -q -R 7 --no-plots -o plain a.pgm
silent
shows out '^a\.pgm +no peak'
lacks out 'results in'
expect 0 autocorr --profile -R 7 --no-plots -o plain a.pgm
shows out '^results in plain$'
shows err '^autocorr_finish_overlaps +[0-9]+ '
shows err '^write +[0-9]+ '
shows err '^read +[0-9]+ '

# ---- -v shows the whole trace of a library error, otherwise it is one line ----
expect 1 autocorr -v -d nosuchdevice -o plain a.pgm
shows err '^penta autocorr: error: no OpenCL device matches'
[ "$(wc -l <err)" -gt 1 ] || fail "-v gives no trace"

# ---- names: equal stems do not write over one another, however they come about ----
mkdir x y z
cp a.pgm x/same.pgm
cp b.pgm y/same.pgm
cp c.pgm z/same-2.pgm
expect 0 autocorr -R 7 --no-plots -o names x/same.pgm y/same.pgm
holds names same.c2d.npy same.c1d.csv same-2.c2d.npy same-2.c1d.csv series.csv
same names/same.c2d.npy three/a.c2d.npy
same names/same-2.c2d.npy three/b.c2d.npy
expect 0 autocorr -R 7 --no-plots -o clash x/same.pgm y/same.pgm z/same-2.pgm
equal "$(ls clash/*.c2d.npy | wc -l)" 3 'files of three frames whose names clash'
for f in a b c; do
    found=0
    for g in clash/*.c2d.npy; do
        cmp -s three/$f.c2d.npy "$g" && found=1
    done
    [ $found = 1 ] || fail "the result of $f.pgm was written over"
done
cp a.pgm .hidden
cp a.pgm noextension
cp a.pgm two.dots.pgm
cp a.pgm -- -dash.pgm
cp a.pgm 'comma, "quote" and space.pgm'
expect 0 autocorr -R 7 --no-plots --json -o odd .hidden noextension two.dots.pgm 'comma, "quote" and space.pgm' -- -dash.pgm
exists odd/{.hidden,noextension,two.dots,-dash,'comma, "quote" and space'}.c1d.csv
json '[.frames[].file] == [".hidden", "noextension", "two.dots.pgm", "comma, \"quote\" and space.pgm", "-dash.pgm"]'
shows odd/series.csv '^3,"comma, ""quote"" and space\.pgm",3,'
latin=$(printf 'latin-\xe9.pgm') # a name that is no UTF-8
if cp a.pgm "$latin" 2>/dev/null; then
    expect 0 autocorr -R 7 --no-plots --json -o odd "$latin"
    json '.frames | length == 1'
    exists "odd/${latin%.pgm}.c2d.npy"
fi
no_temporaries .
