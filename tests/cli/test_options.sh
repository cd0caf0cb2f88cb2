# penta options: every command with all its flags and operands, the same as its help has.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 options
silent
cp out options.json

# ---- every command that the help lists, and every sample ----
expect 0 help
commands=$(sed -n 's/^  \([a-z0-9][a-z0-9]*\) .*/\1/p' out)
equal "$(jq -r 'keys_unsorted[]' options.json | sort)" "$(sort <<<"$commands")" 'commands'
expect 0 sample --help
samples=$(sed -n 's/^  \([a-z0-9][a-z0-9]*\) .*/\1/p' out)
equal "$(jq -r '.sample.commands | keys_unsorted[]' options.json | sort)" "$(sort <<<"$samples")" 'samples'
for name in autocorr stars nbody pca optmap prepare; do
    grep -qx $name <<<"$commands" || fail "there is no $name"
    grep -qx $name <<<"$samples" || fail "there is no sample $name"
done

# ---- flags, with their letters, and operands; no name or letter twice in a command ----
compare() # JQ-PATH COMMAND...
{
    local path=$1
    shift
    expect 0 "$@" --help
    silent
    cp out "$1.help"
    grep -E '^ +(-[a-zA-Z], )?--[a-z]' out | grep -vE '^ +--preset [a-z]' |
        sed -E 's/^ +(-([a-zA-Z]), )?--([a-z0-9-]+).*/\3 \2/; s/ $//' | sort >help.flags
    jq -r "$path.tables[].options[] | .name + (if .letter then \" \" + .letter else \"\" end)" options.json | tr _ - |
        sort >json.flags
    same help.flags json.flags
    equal "$(uniq -d json.flags)" '' "flags of penta $* that are there twice"
    equal "$(cut -d ' ' -s -f 2 json.flags | sort | uniq -d)" '' "letters of penta $* that are there twice"
    sed -n '/^Operands:$/,/^$/ { s/^  \([A-Z]*\).*/\1/p }' out >help.operands
    jq -r "$path.operands[].name" options.json >json.operands
    same help.operands json.operands
    while read -r operand; do
        grep -q "^usage: .*$operand" out || fail "the usage of penta $* does not have $operand"
    done <json.operands
    jq -e "all($path.tables[]; (.title, .name | length > 0) and (.options | length > 0))" options.json >jq.out ||
        fail "a table of $* has no name"
    jq -e "$path as \$c | all(\$c.rules[].options[]; IN(\$c.tables[].options[].name))" options.json >jq.out ||
        fail "a rule of $* is about a flag that it does not have"
}

flags=0
for name in $commands; do
    [ $name = sample ] || compare ".$name" $name
    flags=$((flags + $(wc -l <json.flags)))
done
for name in $samples; do
    compare ".sample.commands.$name" sample $name
done
[ $flags -gt 150 ] || fail "only $flags flags were compared"
while read -r name wanted; do
    jq -r ".$name.tables[].options[] | .name + (if .letter then \":\" + .letter else \"\" end)" options.json | tr _ - >json.flags
    for flag in $wanted; do
        grep -Eqx -- "$flag(:.)?" json.flags || fail "penta $name has no --$flag"
    done
done <<'END'
nbody input:i ic bodies:n seed restart steps dt eps integrator precision kernel step-mode eta forces-only points diagnose-every
nbody snapshot-every format frames view extent size
optmap rate:r pixel-size raw variable ratio mask:m signed saturated keep-going engine interp taps window sigma median
optmap median-edges polarity baseline min-intensity min-range min-value drift correlation max-lag demean tails invalid border
optmap out-rate fft elements batch refractory threshold velocity velocity-window min-upstroke reach gap min-life shifts average
optmap phase low high no-movie no-report output:o json
pca components:k variance standardize whiten kind cov precision ddof no-data variable shape bands:b drop-bands window mask:m
pca transform inverse filter:f rescale type format output:o json
prepare crop grey white flatten flatten-sigma flatten-degree dust dust-key dust-limit dust-size dust-grow dust-most register
prepare correlation max-drift max-angle min-score key-score smooth-drift interpolation contrast contrast-of depth fft batch dark
prepare flat recipe print-recipe format watch interval watch-every watch-idle keep-going no-sheet output:o device:d json
END
for choices in 'jsplit|double|ds' 'auto|triangle|syrk|gemm|splitk|square|volkov' 'gaussian|overlay|poly|series|none' \
    'mask|copy|none' 'shift|rigid|none'; do
    cat ./*.help | grep -qF "$choices" || fail "no help has $choices"
done

# ---- the library's tables under their names ----
for table in autocorr.autocorr stars.stars stars.detector nbody.nbody pca.pca optmap.optmap optmap.beats optmap.rotors \
    prepare.prepare sample.commands.optmap.tissue sample.commands.optmap.camera; do
    jq -e ".${table%.*}.tables | any(.name == \"${table##*.}\")" options.json >jq.out || fail "there is no table $table"
done
for table in autocorr.spinodal stars.detector optmap.beats optmap.rotors optmap.spiral optmap.tissue optmap.camera; do
    jq -e ".${table%.*}.library | any(.name == \"${table##*.}\" and (.options | length > 0))" options.json >jq.out ||
        fail "the library's table $table is not there"
done
jq -e '.stars.tables | [.[] | select(.name == "detector").options[].name] | length == 13 or length > 13' options.json >jq.out ||
    fail 'the detector lacks options'
jq -e '.autocorr.options == (.autocorr.tables[] | select(.name == "autocorr").options)' options.json >jq.out ||
    fail 'the options of autocorr are not its table'
jq -e '.stars.rules | any(.kind == "single" and (.options | contains(["list", "random"])))' options.json >jq.out ||
    fail 'the rules of stars lack which stars to draw'
jq -e '.bench.operands[0].choices | contains(["autocorr", "pca"])' options.json >jq.out || fail 'bench has no workloads'
