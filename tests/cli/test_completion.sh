# Completion by bash, for real, and the syntax of the scripts for zsh and fish.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 options --completion bash
silent
cp out penta.bash
refuse 2 'completion and --manual' options --manual penta --completion zsh
refuse 2 'completion needs one of' options --completion tcsh

# ---- bash: what it would offer behind these words, a line each ----
mkdir dir.d
touch 'a frame.png' frame.csv
bash -n penta.bash || fail 'bash does not like its script'
offer() # WORD... LAST
{
    bash -c 'source ./penta.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _penta 2>&1
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort >offered
}
offers() # EXPECTED WORD... LAST: these words and no others, in the order of sort
{
    local expected=$1
    shift
    offer "$@"
    equal "$(tr '\n' ' ' <offered)" "$expected" "what is offered behind '$*'"
}
offers 'pca prepare ' penta p
offers 'sample selftest stars ' penta s
offers '--version ' penta --v
offers 'auto ' penta autocorr --method a
offers 'pearson ' penta autocorr -o x --estimator = p
offers 'eq1 pearson unbiased ' penta autocorr --estimator = # of --estimator=
offers '--mask --max-offset --method ' penta autocorr --m
offers '--max-offset ' penta autocorr --keep-going --max
offers 'paper ' penta autocorr --preset ''
offers 'dir.d ' penta autocorr -o ''
offers 'dir.d ' penta autocorr --output ''
offers 'frame.csv ' penta autocorr --times fr
offers 'a frame.png ' penta autocorr -o dir.d a
offers 'a frame.png auto ' penta optmap --mask a
offers ' ' penta autocorr --interval ''
offers ' ' penta devices ''
offers 'cpu gpu ' penta autocorr -d ''
offers 'nbody ' penta sample n
offers 'autocorr nbody optmap pca prepare stars ' penta sample ''
offers '--kind ' penta sample optmap --ki
offers 'plane radial spiral tissue ' penta sample optmap --kind ''
offers 'dir.d ' penta sample pca -o ''
offers 'disc ' penta nbody --ic d
offers 'autocorr ' penta bench au
offers 'frame.csv ' penta stars -o fr # a file, not a directory
offers 'bash ' penta options --completion ba
offers '--help --json -h ' penta help -
offers 'autocorr ' penta help autoc
offers 'autocorr nbody optmap pca prepare stars ' penta help sample ''
offers ' ' penta help nbody x

# ---- every flag of the help is offered ----
for name in autocorr stars nbody pca optmap prepare 'sample optmap' bench options; do
    "$PENTA" $name --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -- '--.*' | sort -u >flags
    offer penta $name --
    grep -vx -- --help offered >offered.flags
    same flags offered.flags
done

# ---- the other shells ----
expect 0 options --completion zsh
silent
shows out '^#compdef penta$'
shows out "'\(-o --output\)'\{-o\+,--output=\}"
cp out _penta
expect 0 options --completion fish
silent
shows out "^complete -c penta -n '__penta_is autocorr' -l method -x -a 'auto "
shows out "^complete -c penta -n '__penta_is sample optmap' -l kind -x -a 'plane "
cp out penta.fish
if command -v zsh >/dev/null; then
    zsh -n _penta || fail 'zsh does not like its script'
else
    note 'zsh is not installed: its script was read by bash, whose quotes and words it has'
    bash -n _penta || fail 'the script for zsh has a quote or bracket too many'
fi
if command -v fish >/dev/null; then
    fish --no-execute penta.fish || fail 'fish does not like its script'
else
    note 'fish is not installed: its script was not read by it'
fi
