# Whether the tests of killed runs (test_run_killed.sh) would see a wrong protocol: each part of it is left out on purpose
# (tests/kill/steps.h), and the program that looks at what is left must say that it is neither of the states before and after.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

: "${PENTA_STEPS:?the library to preload}" "${PENTA_STATES:?the program that looks at states}"
sanitizer=$(ldd "$PENTA" | awk '/lib[at]san/ { printf "%s:", $3 }') # it must come first

expect 0 sample nbody -q -n 40 -o old
mkdir whole
cp -r old/. whole

copies() # BROKEN: what each step of a next run leaves, in copies/
{
    rm -rf res copies
    mkdir copies
    cp -r whole res
    PENTA_STEPS_DIR=$PWD/res PENTA_STEPS_COPY=$PWD/copies PENTA_STEPS_BREAK=$1 LD_PRELOAD=$sanitizer$PENTA_STEPS \
        expect 0 sample nbody -q -n 41 -o res
}

look() # BROKEN: how the next run finds them; variable seen
{
    seen=0
    PENTA_STEPS_DIR=$PWD/copies PENTA_STEPS_BREAK=$1 LD_PRELOAD=$sanitizer$PENTA_STEPS \
        "$PENTA_STATES" copies old res >states 2>wrong || seen=$?
}

must_see() # PATTERN WHAT
{
    [ "$seen" -eq 1 ] || fail "nobody sees that $2: $(cat states)"
    shows wrong "$1"
}

copies ''
look ''
equal "$seen $(cat wrong)" '0 ' 'what is seen of the protocol as it is'

copies commit
look ''
must_see '/[0-9]*: is neither before nor after' 'files are renamed before the manifest says so'
lacks wrong '/00001: '

copies sync
look ''
must_see '/[0-9]*\.power: is neither before nor after' 'files are not on the disk before the commit'
lacks wrong '/[0-9]+: ' # a kill alone does no harm there

copies ''
look sweep
must_see 'is neither before nor after' 'temporaries of dead processes stay'

copies ''
look settle
must_see 'is neither before nor after' 'what was pending is not done'
