# penta bench --scaling: a row for each number of members with the efficiency of its times, in all forms, and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ ! -x "$(dirname "$PENTA")/penta-bench" ]; then
    note "this build has no penta-bench"
    exit 0
fi

# ---- wrong usage ----
refuse 2 "no case of --scaling has 'nosuch' in its name; --list lists them" bench --scaling --case nosuch
refuse 2 "no case of --scaling of pca has '=8192' in its name" bench --scaling pca --case =8192
refuse 2 "'nosuch' is none of autocorr," bench --scaling nosuch
refuse 2 'needs one workload, but got 2' bench --scaling nbody pca
refuse 2 '--all and --scaling both say what to do' bench --all --scaling -o somewhere
refuse 2 '--ladder and --scaling both say what to do' bench --ladder --scaling nbody
refuse 2 '--thorough does nothing with --scaling' bench --scaling --thorough
refuse 2 'seconds' bench --scaling --seconds 0
refuse 1 "no OpenCL device matches 'nosuch'" bench --scaling -d nosuch --case =8192
refuse 2 'has an empty place' bench --scaling -d "$one,," --case =8192
absent somewhere

# ---- cases ----
expect 0 bench --scaling --list
equal "$(cut -d ' ' -f 1 out | sort -u | tr '\n' ' ')" 'autocorr nbody optmap pca ' 'workloads that scale'
equal "$(sort out | uniq -d)" '' 'names of cases that occur twice'
expect 0 bench --scaling nbody --list --json
valid
json '.names | index("nbody 65536") != null and index("nbody 8192") != null and all(startswith("nbody "))'

# ---- the numbers: a strong and a weak case ----
expect 0 bench --scaling autocorr --case =256x256-r64-64 -d "$two" --seconds 0.01 --json
valid
json '.members | length == 2 and (map(.rank) == [0, 1]) and all(.parts == 2 and .host != "")'
json '.scaling | length == 1 and .[0].kind == "strong" and .[0].wanted == null and (.[0].rows | map(.members) == [1, 2])'
json '.scaling[0].rows[0].efficiency == 1'
json '.scaling[0].rows | .[0].median_ms as $one | all(.members * .efficiency * .median_ms / $one | . > 0.9999 and . < 1.0001)'
json '.scaling[0].rows | all(.runs >= 5 and .min_ms > 0 and .min_ms <= .q1_ms and .q1_ms <= .median_ms and
    .median_ms <= .q3_ms and .q3_ms <= .max_ms)'
json '.clocks | keys == ["device", "wall"]'
json '.scaling[0].rows | all((.kernel_seconds | length) == .members and all(.kernel_seconds[]; . > 0))'
json '.scaling[0].rows | all(.efficiency > 0 and .efficiency <= 4)' # 1.5 at most on cores that nobody else uses

expect 0 bench --scaling pca --case =128x128x224-u16-4 -d "$two" --seconds 0.01 --json
valid
json '.scaling[0].kind == "weak"'
json '.scaling[0].rows | .[0].median_ms as $one | all(.efficiency * .median_ms / $one | . > 0.9999 and . < 1.0001)'

# ---- the table and the report ----
expect 0 bench --scaling nbody --case =8192 -d "$two" --seconds 0.01 -o report
shows out '^member 0: device [0-9]+, part 1 of 2 \(.*\), [0-9]+ '
shows out '^nbody 8192: .*, strong scaling$'
shows out '^ +2 +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ % +[0-9.]+   [0-9.]+ [0-9.]+$'
holds report report.md report.html report.json scaling.png
equal "$(head -c 8 report/scaling.png | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a 'the signature of a PNG'
jq -e '.format == "penta-bench-scaling" and .format_version == 1 and (.members | length) == 2
        and (.scaling[0].rows | length) == 2' report/report.json >seen || fail 'the report has another form'
shows report/report.md '^\| 2 \| [0-9]+ \| '
shows report/report.md '^!\[.*\]\(scaling.png\)'
shows report/report.html '<img src="scaling.png"'

# ---- a result that depends on the number of members is an error ----
cp -r "$(dirname "${BASH_SOURCE[0]}")/../../cl" kernels
sed -i 's/vstore16(sum, 0, acceleration/vstore16(sum * layers, 0, acceleration/' kernels/nbody/simd_pairs.cl
sed -i 's/^    __local memory_t m;$/&\n    eps2 += held;/' kernels/nbody/shared_pairs.cl
PENTACL_KERNEL_DIR=kernels refuse 1 'WRONG RESULT: 2 members give other bytes than one' \
    bench --scaling nbody --case =8192 -d "$two" --seconds 0.01 --json

# ---- ranks: the same with mpirun, whose rank 0 speaks ----
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
expect_ranks 0 2 bench --scaling --list
equal "$(grep -c '^nbody 8192$' out)" 1 'times that a case is listed'
expect_ranks 0 2 bench --scaling autocorr --case =256x256-r64-64 -d "$one" --seconds 0.01 --json -o ranks
valid
json '(.members | map(.rank) == [0, 1]) and all(.members[]; .parts == 2)'
json '.scaling[0].rows | map(.members) == [1, 2] and all((.kernel_seconds | length) == .members)'
holds ranks report.md report.html report.json scaling.png
PENTACL_KERNEL_DIR=kernels expect_ranks 1 2 bench --scaling nbody --case =8192 -d "$one" --seconds 0.01
shows err 'WRONG RESULT: 2 members give other bytes than one'
