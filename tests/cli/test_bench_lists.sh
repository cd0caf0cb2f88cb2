# penta bench [WORKLOAD]: which cases are timed by default, with --thorough and with --case; medians with their spread, both
# clocks by name, and what a terminal sees of it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/bench_spread.sh"

if [ ! -x "$(dirname "$PENTA")/penta-bench" ]; then
    note "this build has no penta-bench"
    exit 0
fi

# ---- the smaller cases are some of all ----
for name in autocorr stars nbody pca optmap prepare; do
    expect 0 bench $name --list --json
    valid
    json '(.names | length) > (.default_names | length) and (.default_names | length) > 0 and .default_names - .names == []'
    expect 0 bench $name --list --thorough
    cp out thorough.list
    expect 0 bench $name --list
    same thorough.list out
done
refuse 2 "no case has 'nosuch' in its name" bench --case nosuch
refuse 2 '--thorough does nothing with --scaling' bench --scaling --thorough

# Which cases these are by the help, and that there are cases of these names.
expect 0 bench --help
tr '\n' ' ' <out | grep -oE 'smaller cases: [^.]*\.' | sed 's/.*cases: //; s/\.$//; s/\*//g; s/, /\n/g' | sort >help.cases
for name in autocorr stars nbody pca optmap prepare; do
    "$PENTA" bench $name --list --json | jq -r --arg name $name '.default_names[] | $name + " " + .'
done | sort >list.cases
same help.cases list.cases

# ---- a workload: its smaller cases; the line at the end ----
expect 0 bench stars --seconds 0.001 --json
valid
json '.case_list == {"name": "smaller", "cases": 2, "of": 14}'
json '[.rows[].case] | unique == ["test1-2^13", "test1-2^17"]'
json 'all(.rows[]; .workload == "stars")'
cp out smaller.json
expect 0 bench nbody --seconds 0.001
shows out '^2 of 5 cases in [0-9]+ s; --thorough times all'
equal "$(grep -c '^nbody .*: ms per' out)" 2 'cases in the table'

# ---- --case takes all cases there are, with --thorough too, of one workload and of all ----
expect 0 bench stars --case =test1-2^5 --seconds 0.001
lacks out 'cases in'
cp out one.out
for more in --thorough --json; do
    expect 0 bench stars --case =test1-2^5 --seconds 0.001 $more
done
valid
json '.case_list == {"name": "chosen", "cases": 1, "of": 14} and ([.rows[].case] | unique == ["test1-2^5"])'
expect 0 bench --case 2^5 --seconds 0.1 --json # up to a second for five runs of a row of some milliseconds
valid
cp out chosen.json
json '.case_list.name == "chosen" and .case_list.cases == 1 and .case_list.of > 60'
json '[.rows[] | .workload + " " + .case] | unique == ["stars test1-2^5"]'

# ---- the spread, and the clocks ----
spread_in_order smaller.json
spread_in_order chosen.json
jq -e '[.rows[] | select(.runs >= 5) | .q3_ms > .q1_ms] | any' chosen.json >seen || fail 'no row has a spread'
jq -e '.clocks as $clocks | [.rows[].clock] | unique == ($clocks | keys)' smaller.json >seen ||
    fail 'the clocks of the rows are not those that are named'
jq -e '.clocks | (.device | test("events")) and (.wall | test("host"))' smaller.json >seen || fail 'the clocks are not explained'
shows one.out '^clock device: .*events'
shows one.out '^clock wall: .*host'
shows one.out '^ +clock +runs +median +spread +min +max '

# ---- a terminal sees which case runs, unless -q or a terminal that cannot draw ----
on_terminal() # TERM ARGUMENT...: standard error is a terminal; typescript: what it got
{
    local term=$1

    shift
    TERM=$term script -qefc "$(printf '%q ' "$PENTA" "$@")" typescript >/dev/null </dev/null ||
        fail "penta $* on a terminal: $(cat typescript)"
}
if command -v script >/dev/null; then
    on_terminal xterm bench stars --case =test1-2^5 --seconds 0.001
    grep -q $'\r\[1/1\] stars test1-2^5: 3 rows, ' typescript || fail "no progress: $(cat -v typescript)"
    tr '\r' '\n' <typescript | sed 's/\x1b\[K//g' | grep -q '^stars test1-2^5: ms per frame' || fail 'the table is behind the progress'
    on_terminal dumb bench stars --case =test1-2^5 --seconds 0.001
    grep -q 'note: \[1/1\] stars test1-2^5' typescript || fail 'a dumb terminal sees no case'
    grep -q ' rows, ' typescript && fail 'drawn on a dumb terminal'
    on_terminal xterm bench stars -q --case =test1-2^5 --seconds 0.001
    grep -qE '\[1/1\]|note:' typescript && fail 'notes or progress in spite of -q'
    grep -q '^stars test1-2^5: ms per frame' typescript || fail '-q silences the results'
else
    note 'there is no program script; what a terminal sees is left out'
fi
expect 0 bench stars -q --case =test1-2^5 --seconds 0.001
equal "$(cat err)" '' 'what -q says'
exit 0
