# offers.zsh FOLDER LINE: what zsh offers behind LINE, a line each, with the completion scripts of FOLDER. An inner zsh on a
# terminal of its own gets LINE and a tab typed; its compadd prints what it is given.
zmodload zsh/zpty || exit 3
mkdir -p ../zsh.d
cat >../zsh.d/.zshrc <<END
PROMPT=ready
unsetopt prompt_cr prompt_sp
fpath=(${(q)1} \$fpath)
END
cat >>../zsh.d/.zshrc <<'END'
autoload -Uz compinit && compinit -u -d ../zsh.d/dump
compadd() {
    [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]] || { builtin compadd "$@"; return }
    typeset -a offers
    builtin compadd -A offers "$@"
    (( $#offers == 0 )) || print -rl -- "offer:"${^offers}
    builtin compadd "$@" # so that no other tag is tried
}
at_end() { print -r -- offers-end }
comppostfuncs=(at_end)
bindkey '^I' complete-word
END
export ZDOTDIR=$PWD/../zsh.d
zpty inner zsh -d -i
zpty -r inner text '*ready*'
zpty -w -n inner "$2"$'\t'
zpty -r inner text '*offers-end*'
zpty -d inner
print -rl -- ${(f)text} | tr -d '\r' | sed -n 's/^.*offer://p'
