/*
 * Ctrl-C and the other signals that end a program. Once they are caught, all threads block them but one, which waits
 * for them: the compiler within an OpenCL driver may be LLVM's, whose own handlers remove the files that it is writing,
 * and the compilation then fails with lines on stderr. Threads that were begun before have the handler.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <pentacl/io/output.h>
#include "shared/cli.h"
#include "shared/early.h"

static atomic_bool caught;
static atomic_int interrupted;           /* the number of the signal */
static atomic_int interrupted_elsewhere; /* that another rank had; one that comes here is still the first */

static void end_by(int number)
{
    sigset_t set;

    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number); /* in a handler it comes when that is left */
}

enum { GRACE = 2 }; /* s after the first signal, in which the program ends by itself and keeps what was finished */

/* The second one ends the program, as does the first where nobody looks for it; temporary files go. */
static void on_interrupt(int number)
{
    if (atomic_load(&caught) && number != SIGPIPE && !atomic_load(&interrupted)) {
        atomic_store(&interrupted, number);
        return;
    }
    if (!atomic_load(&interrupted) && number != SIGPIPE)
        early_say();
    penta_io_pending_remove();
    signal(number, SIG_DFL);
    raise(number);
}

static void handle(int number, bool even_if_ignored)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, before;

    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && (even_if_ignored || before.sa_handler != SIG_IGN))
        sigaction(number, &action, NULL);
}

void cli_end_on_signals(void)
{
    handle(SIGINT, false);
    handle(SIGTERM, false);
    handle(SIGHUP, false);
    handle(SIGPIPE, false);
}

static sigset_t of_interrupts(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

/* Other threads may be tidying up, so that files which they remove are still in the directories. */
static void end_at_once(int number)
{
    penta_io_pending_remove();
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    penta_io_pending_remove();
    end_by(number);
}

static void *wait_for_them(void *unused)
{
    const sigset_t set = of_interrupts();
    int number;

    while (sigwait(&set, &number) == 0) {
        if (atomic_load(&interrupted))
            end_at_once(number);
        atomic_store(&interrupted, number);
        nanosleep(&(struct timespec){.tv_sec = GRACE}, NULL); /* another one waits */
    }
    return unused;
}

void cli_catch_interrupts(void)
{
    const sigset_t set = of_interrupts();
    pthread_t waiting;

    if (atomic_exchange(&caught, true))
        return;
    handle(SIGINT, true);
    handle(SIGTERM, true);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&waiting, NULL, wait_for_them, NULL) == 0)
        pthread_detach(waiting);
    else
        pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* the handler will do */
}

int cli_signal(void)
{
    int here = atomic_load(&interrupted);

    return here ? here : atomic_load(&interrupted_elsewhere);
}

bool cli_interrupted(void)
{
    return cli_signal() != 0;
}

void cli_interrupt(int number)
{
    atomic_store(&interrupted_elsewhere, number);
}

void cli_end_by_signal(void)
{
    end_by(cli_signal());
}

void cli_let_interrupts_through(void)
{
    const sigset_t set = of_interrupts();

    if (atomic_load(&caught))
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
