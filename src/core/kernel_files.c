/*
 * Whether files of PoCL's kernel cache are whole. A power cut, a full disk or a copy that was interrupted leaves files
 * that are cut, empty or end in zeros. A shared object (ELF) has its table of sections at its end; LLVM bitcode is a
 * row of blocks with their lengths, which fill the file.
 */
#define _DEFAULT_SOURCE /* DT_DIR */
#include "core/kernel_files.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    DEEPEST = 6, /* kcache/XX/HASH/KERNEL/SIZES/FILE, and one more */
    YOUNG = 60,  /* s; another process may still be writing a file that changed this recently */
    PAUSE = 60   /* s; a look so soon after one of this boot is left out: opening thousands of folders takes 0.3 s */
};

/* In the cache: its time is YOUNG seconds before the last look, its content the boot's id. After a power cut files can
 * be damaged that a look before it has found whole. */
static const char stamp_name[] = "pentacl-checked";

typedef struct {
    struct timespec since; /* files that have not changed since then are whole */
    time_t young;          /* files written since then are left for a later look */
    penta_kernel_files found;
} look;

static bool read_at(int file, uint64_t offset, void *out, size_t bytes)
{
    return offset <= INT64_MAX && pread(file, out, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* The texts of the sections' names lie within the file, and the table that says so is no row of zeros. */
static bool is_whole_object(int file, uint64_t size)
{
    Elf64_Ehdr head;
    Elf64_Shdr names;

    if (!read_at(file, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shoff == 0)
        return true; /* of another kind of machine, or stripped: nothing is known of it */
    if (head.e_shentsize != sizeof names || head.e_shoff > size ||
        (uint64_t)head.e_shnum * sizeof names > size - head.e_shoff || head.e_shstrndx >= head.e_shnum)
        return false;
    return read_at(file, head.e_shoff + head.e_shstrndx * sizeof names, &names, sizeof names) &&
           names.sh_type == SHT_STRTAB && names.sh_offset <= size && names.sh_size <= size - names.sh_offset;
}

/* Two words begin each outermost block: 1 (of two bits: a block), its kind and width; then its length in words. */
static bool is_whole_bitcode(int file, uint64_t size)
{
    static const unsigned char magic[4] = {'B', 'C', 0xc0, 0xde}, wrapped[4] = {0xde, 0xc0, 0x17, 0x0b};
    unsigned char head[4];
    uint64_t at = sizeof head;

    if (!read_at(file, 0, head, sizeof head))
        return false;
    if (memcmp(head, wrapped, sizeof head) == 0)
        return true; /* as Apple has it */
    if (memcmp(head, magic, sizeof head) != 0 || size == sizeof head)
        return false;
    while (at < size) {
        unsigned char b[8];

        if (!read_at(file, at, b, sizeof b) || (b[0] & 3) != 1)
            return false;
        at += 8 + 4 * ((uint64_t)b[4] | (uint64_t)b[5] << 8 | (uint64_t)b[6] << 16 | (uint64_t)b[7] << 24);
    }
    return at == size;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);

    return length > wanted && strcmp(name + length - wanted, end) == 0;
}

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* Files that cannot be read are none of ours to judge. */
static void check_file(look *l, int folder, const char *name)
{
    bool object = ends_with(name, ".so"), whole;
    struct stat about;
    int file;

    if (!object && !ends_with(name, ".bc"))
        return;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode) ||
        is_before(about.st_ctim, l->since) || about.st_mtim.tv_sec >= l->young)
        return;
    file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return;
    l->found.checked++;
    whole = object ? is_whole_object(file, (uint64_t)about.st_size) : is_whole_bitcode(file, (uint64_t)about.st_size);
    close(file);
    if (!whole) {
        bool gone = unlinkat(folder, name, 0) == 0;

        l->found.removed += gone;
        l->found.stuck += !gone;
    }
}

/* PoCL 3.1 leaves an empty file tempfile_XXXXXX beside the folders for each program that it has compiled. */
static bool may_be_folder(const struct dirent *entry)
{
    return (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) && !strchr(entry->d_name, '.');
}

/* Takes over the file descriptor. */
static void check_folder(look *l, int folder, int depth)
{
    DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
    struct dirent *entry;

    if (!dir) {
        if (folder >= 0)
            close(folder);
        return;
    }
    while ((entry = readdir(dir))) {
        int inner;

        if (entry->d_name[0] == '.')
            continue;
        inner = depth < DEEPEST && may_be_folder(entry)
                    ? openat(folder, entry->d_name, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW)
                    : -1;
        if (inner >= 0)
            check_folder(l, inner, depth + 1);
        else
            check_file(l, folder, entry->d_name);
    }
    closedir(dir);
}

static size_t read_boot(char *out, size_t size)
{
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, out, size) : -1;

    if (file >= 0)
        close(file);
    return got > 0 ? (size_t)got : 0;
}

/* The time before which the last look in this boot has seen all files, a second earlier for clocks that are coarse; 0:
 * none. */
static struct timespec last_look(int folder, const char *boot, size_t length)
{
    struct timespec none = {0, 0};
    struct stat about;
    char text[64];
    int file = openat(folder, stamp_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool same = file >= 0 && length > 0 && fstat(file, &about) == 0 &&
                read(file, text, sizeof text) == (ssize_t)length && memcmp(text, boot, length) == 0;

    if (file >= 0)
        close(file);
    if (!same)
        return none;
    about.st_mtim.tv_sec--;
    return about.st_mtim;
}

/* Whether the last look, which began YOUNG seconds after its time, is so recent that another one is left out. */
static bool is_recent(struct timespec last, struct timespec now)
{
    return last.tv_sec > 0 && last.tv_sec <= now.tv_sec && now.tv_sec - last.tv_sec < YOUNG + PAUSE;
}

/* A stamp that cannot be written, or only in part, makes the next look a whole one. */
static void write_stamp(int folder, const char *boot, size_t length, struct timespec begun)
{
    int file = openat(folder, stamp_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    const struct timespec times[2] = {begun, begun};

    if (file < 0)
        return;
    if (write(file, boot, length) != (ssize_t)length || futimens(file, times) != 0)
        unlinkat(folder, stamp_name, 0);
    close(file);
}

penta_kernel_files penta_kernel_files_check(const char *folder)
{
    look l = {.found = {0, 0, 0}};
    char boot[64];
    size_t length = read_boot(boot, sizeof boot);
    int top = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    struct timespec begun;

    clock_gettime(CLOCK_REALTIME, &begun);
    if (top >= 0)
        l.since = last_look(top, boot, length);
    if (top >= 0 && !is_recent(l.since, begun)) {
        begun.tv_sec -= YOUNG;
        l.young = begun.tv_sec;
        check_folder(&l, dup(top), 0);
        if (l.found.stuck == 0)
            write_stamp(top, boot, length, begun);
    }
    if (top >= 0)
        close(top);
    return l.found;
}
