# What is installed for shells and readers: completion by bash, zsh and fish from where they look for it, the pages of the
# manual, licences.
. "$(dirname "${BASH_SOURCE[0]}")/embed.sh"
share=$prefix/share
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")

# ---- completion ----

mkdir -p place/dir.d
touch 'place/a frame.png' place/frame.csv
cd place || fail 'no folder'

by_bash() { # WORD... LAST
    bash -c 'source "$0/bash-completion/completions/penta"
        complete -p penta >/dev/null || exit 1
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _penta 2>&1
        printf "%s\n" "${COMPREPLY[@]}"' "$share" "$@" | sed 's|/$||'
}
by_zsh() { timeout 100 zsh -f "$here/offers.zsh" "$share/zsh/site-functions" "$(printf '%s ' "${@:1:$#-1}")${*: -1}" | sort -u; }
by_fish() { # as fish prints them: the word, a tab, its explanation
    PATH=$prefix/bin:$PATH XDG_DATA_DIRS=$share HOME=$PWD fish -c 'complete -C "$argv"' "$(printf '%s ' "${@:1:$#-1}")${*: -1}" | cut -f1 | sed 's|/$||'
}
# SHELL EXPECTED WORD... LAST: these words and no others
offers() {
    local shell=$1 expected=$2
    shift 2
    equal "$(by_"$shell" "$@" | sort | paste -sd ' ')" "$expected" "what $shell offers behind '$*'"
}

shells=bash
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        shells="$shells $shell"
    else
        note "skipped: $shell is not installed"
    fi
done
for shell in $shells; do
    offers $shell 'pca prepare' penta p
    offers $shell 'auto' penta autocorr --method a
    offers $shell 'eq1 pearson unbiased' penta autocorr --estimator ''
    offers $shell '--mask --max-offset --method' penta autocorr --m
    offers $shell 'dir.d' penta autocorr -o ''
    offers $shell 'frame.csv' penta autocorr --times fr
    offers $shell 'cpu gpu' penta autocorr -d ''
    offers $shell 'nbody' penta sample n
    offers $shell 'plane radial spiral tissue' penta sample optmap --kind ''
    offers $shell 'autocorr' penta bench au
done
cd .. || fail 'no folder'

# ---- the manual ----

man=$share/man/man1
commands=$("$PENTA" options | jq -r 'to_entries[] | .key, (.key + " " + (.value.commands // {} | keys[]))')
[ "$(wc -l <<<"$commands")" -ge 19 ] || fail "hardly any commands: $commands"
while read -r name; do
    page=$man/penta-${name// /-}.1
    exists "$page"
    for flag in $("$PENTA" $name --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -- '--.*'); do
        grep -qF -- "\\fB${flag//-/\\-}\\fP" "$page" || fail "$page lacks $flag"
    done
done <<<"$commands"
equal "$(ls "$man" | wc -l)" $(($(wc -l <<<"$commands") + 1)) 'pages of the manual'

sections() { # PAGE SECTION...
    local page=$1 section
    shift
    for section in "$@"; do
        grep -qx "\.SH $section" "$man/$page.1" || fail "$page has no section $section"
    done
}
for page in "$man"/*.1; do
    sections "$(basename "$page" .1)" NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' 'SEE ALSO'
done
for page in penta penta-autocorr penta-prepare penta-stars penta-nbody penta-pca penta-optmap; do
    sections $page FORMATS FILES ENVIRONMENT EXAMPLES
done
! grep -El '\{(images|cubes|movies|bodies|catalogs)\}' "$man"/*.1 || fail 'a page has a name that stands for formats'
! grep -l '^\.\\" \(MORE\|FORMATS\)' "$man"/*.1 || fail 'a page has lines that were to be replaced'
"$PENTA" autocorr --help | grep -q 'PNG' && grep -q PNG "$man/penta-autocorr.1" || fail 'penta-autocorr(1) lacks a format'
# Every page that a page refers to is there.
sed -n '/^\.SH SEE ALSO/,$s/^\.BR \(penta[^ ]*\) (1).*/\1/p' "$man"/*.1 | tr -d '\\' | sort -u | while read -r page; do
    exists "$man/$page.1"
done
if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning "$man"/*.1 >lint 2>&1 || fail "mandoc: $(head -n 5 lint)"
else
    note 'skipped: mandoc is not installed'
fi
if command -v groff >/dev/null; then
    for page in "$man"/*.1; do
        groff -man -ww -Tutf8 -z "$page" 2>lint || fail "groff: $(cat lint)"
        [ ! -s lint ] || fail "groff: $(head -n 5 lint)"
    done
else
    note 'skipped: groff is not installed'
fi
refuse 2 "no command 'nonesuch'" options --manual nonesuch

# ---- licences ----
exists "$share/doc/pentacl/"{LICENSE,THIRD-PARTY-NOTICES,DejaVuSans-LICENSE}
