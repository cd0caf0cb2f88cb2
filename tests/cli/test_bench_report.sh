# penta bench --all and --compare: what is in the reports, that their three forms agree, and what goes wrong.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ ! -x "$(dirname "$PENTA")/penta-bench" ]; then
    note "this build has no penta-bench"
    exit 0
fi

# ---- wrong usage ----
refuse 2 '--all needs --output DIR' bench --all
refuse 2 '--thorough does nothing with --compare' bench --compare a b --thorough
refuse 2 '--output is for --all, --compare and --scaling' bench stars --output somewhere
refuse 2 '--all and --compare both say what to do' bench --all --compare a b --output somewhere
refuse 2 '--compare needs two reports or more, but got 1' bench --compare a
refuse 2 "no case of --all has 'nosuch' in its name; --thorough has more" bench --all --case nosuch -o somewhere
refuse 2 "'nosuch' is none of autocorr," bench nosuch --all -o somewhere
refuse 2 'seconds' bench stars --seconds 0
absent somewhere
refuse 1 'nosuch.json' bench --compare nosuch.json nosuch.json
echo '{"format": "other"}' >other.json
refuse 1 'other.json: is no report of penta bench --all' bench --compare other.json other.json
echo '{"format": "penta-bench-report", "format_version": 1}' >empty.json
refuse 1 'this is not all of a report' bench --compare empty.json empty.json
echo '{"format": "penta-bench-report", "format_version": 999}' >later.json
refuse 1 'later.json: is a report of another version' bench --compare later.json later.json
echo '{"format": ' >broken.json
refuse 1 'broken.json:[0-9]+: ' bench --compare broken.json broken.json

# ---- =NAME is one case ----
expect 0 bench autocorr --list --case 750x1500-r25
[ "$(wc -l <out)" -gt 1 ] || fail 'a part of a name matches one case only'
expect 0 bench autocorr --list --case =750x1500-r25
equal "$(cat out)" 750x1500-r25 'the case of this name'

# ---- a report ----
expect 0 bench --all --case =test1-2^13 --seconds 0.01 --output first
shows out '^copy bandwidth +[0-9.]+ [MGT]B/s$'
shows out '^\[ 1/1\] stars test1-2\^13 \.\.\. [0-9]+ rows, [0-9.]+ s$'
holds first report.json report.md report.html
jq -e '.format == "penta-bench-report" and .format_version == 1 and (.thorough | not)' first/report.json >seen ||
    fail 'the report has no format'
jq -e '.cases_known > 60 and (.clocks | keys == ["device", "wall"])' first/report.json >seen ||
    fail 'the report does not say what there is and what its clocks are'
shows first/report.md '^\| cases \| 1 of [0-9]+, those that --case names \|'
jq -e '.limits | (.copy.value > 1e7 and .single.value > 1e8 and .int32.value > 1e7 and .launch.value < 1
        and .upload.value > 1e6 and .download.value > 1e6) and (.double.value > 1e7 or .double.reason != null)' \
    first/report.json >seen || fail 'the limits are not what a device has'
jq -e '.limits.copy.value as $copy | [.cases[0].rows[] | select(.limited_by == "memory")
        | .share * $copy * .median_ms * 1e-3 / .needs.bytes | . > 0.999 and . < 1.001] | length > 0 and all' \
    first/report.json >seen || fail 'a share is not bytes / (bandwidth time)'
jq -e '.cases[0].rows as $rows | [$rows[] | select(.kind == "ours") | .rate as $rate | .against[] | .peer as $peer
        | .ratio * ($rows[] | select(.variant == $peer and .kind == "peer") | .rate) / $rate | . > 0.999 and . < 1.001]
        | length > 0 and all' first/report.json >seen || fail 'a ratio is not that of the rates'
jq -e '[.cases[0].rows[] | select(.clock == "wall" and .kind == "ours") | has("limit")] | any | not' \
    first/report.json >seen || fail 'a time with transfers has a share'

# The three forms have the same rows.
jq -r '.cases[] | .rows[] | (if .kind == "peer" then "peer: " else "" end) + .variant' first/report.json |
    sort >rows.json
sed -n '/^## Cases/,$p' first/report.md | grep -E '^\| [a-z]' | cut -d '|' -f 2 |
    sed 's/^ //; s/ $//; s/\\//g' | sort >rows.md
same rows.json rows.md
sed -n '/<h2>Cases/,$p' first/report.html | grep -oE '<tr><td class="left">[^<]*' | sed 's/.*>//' | sort >rows.html
same rows.json rows.html
lacks first/report.html '(src|href)='

# ---- beside another one ----
expect 0 bench stars --all --case =test1-2^13 --seconds 0.01 -o second --json
valid
json '.cases[0].status == "ok" and ([.outputs[] | select(.kind == "report")] | length) == 3'
jq -S .cases out >answered
jq -S .cases second/report.json >written
equal "$(jq '.[0].rows | length' answered)" "$(jq '.[0].rows | length' written)" 'rows of the answer'
expect 0 bench --compare first second/report.json --output both
holds both comparison.md comparison.html
shows out '^  +A +B +B/A'
shows out '^  stars test1-2\^13 +tile resident +device +frames/s '
shows both/comparison.md '^\| stars test1-2\\\^13 \| tile resident \|'
expect 0 bench --compare first second --json
valid
json '[.reports[].path] == ["first", "second"]'
json '[.comparison[] | .rates | length == 2 and all(. > 0)] | length > 5 and all'
jq '.comparison[] | select(.variant == "tile resident") | .rates[1]' out >rate
jq -e --slurpfile rate rate '.cases[0].rows[] | select(.variant == "tile resident") | .rate / $rate[0]
        | . > 0.999 and . < 1.001' \
    second/report.json >seen || fail 'the comparison has another rate'

# ---- each case finds the drivers that OCL_ICD_FILENAMES names, a list that the loader takes apart where it stands ----
(
    export OCL_ICD_VENDORS=$PWD/none OCL_ICD_FILENAMES
    OCL_ICD_FILENAMES=libnone.so:$(cat /etc/OpenCL/vendors/pocl.icd 2>/dev/null || :)
    if "$PENTA" devices >/dev/null 2>&1; then
        expect 0 bench --all -d cpu --case =test1-2^13 --seconds 0.01 --output named
    else
        note 'this OpenCL loader (ocl-icd before 2.3.2) takes no drivers from OCL_ICD_FILENAMES, or PoCL is not there'
    fi
) || exit 1

# ---- without Python there are no pages, and one line says so ----
PATH=$PWD/nothing "$PENTA" bench --all --case =test1-2^13 --seconds 0.001 -o alone >out 2>err || fail "without Python: $(cat err)"
holds alone report.json
jq -e '.cases[0].status == "ok"' alone/report.json >seen || fail 'the report without pages has no case'
shows out '^alone/report.json$'
equal "$(cat err)" 'penta bench: note: alone/report.md and report.html are missing: there is no program python3, which makes pages' 'notes'
PATH=$PWD/nothing "$PENTA" bench --compare first second >out 2>err && fail 'compared without Python'
shows err 'error: there is no program python3, which makes pages'
python3 "$(dirname "${BASH_SOURCE[0]}")/../../bench/pages.py" alone/report.json
holds alone report.json report.md report.html

# ---- a case that fails says why, and the others go on ----
cp -r "$(dirname "${BASH_SOURCE[0]}")/../../cl" kernels
for file in kernels/stars/*.cl; do
    echo 'this is no kernel' >"$file"
done
export PENTACL_KERNEL_DIR=kernels
run bench stars --all --seconds 0.01 -o failed
equal "$code" 1 'exit code of a run with cases that failed'
shows err '2 of 2 cases failed; failed/report.json says why'
unset PENTACL_KERNEL_DIR
jq -e '[.cases[] | .status == "failed" and (.reason | length) > 10 and .rows == []]
        | length == 2 and all' failed/report.json >seen ||
    fail 'the report does not say what failed'
shows failed/report.md '^failed: '

# ---- Ctrl-C: the report has what was done ----
begin bench stars --all --seconds 0.1 -o cut # the second case must not be over before the signal comes
for ((i = 0; i < 1200; i++)); do
    grep -q '^\[' out && break
    sleep 0.05
done
stop INT
equal "$code" "$(by_signal INT)" 'exit code'
shows err 'interrupted; cut has the cases before'
jq -e '.cases | length == 2 and .[1].status == "interrupted"' cut/report.json >seen ||
    fail 'the report does not say what was cut'
