/* Files of compiled programs in a folder of this user's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a program was made of and for. It stands in the program's file and is compared byte by byte. */
typedef struct penta_program_key {
    char *text;
    size_t length;
} penta_program_key;

typedef enum { PENTA_FILE_NONE, PENTA_FILE_WHOLE, PENTA_FILE_DAMAGED } penta_file_state;

/* Opens the folder; make: makes it if there is none. -1: why says what is wrong, or is "" where there is none. */
int penta_program_folder(const char *path, bool make, char *why, size_t room);

/* The program of the key, freed with free. A damaged file is removed. */
penta_file_state penta_program_load(int folder, const penta_program_key *key, void **data, size_t *bytes);
/* Puts a file into its place in one step; most: bytes of all files, beyond which the oldest go. */
bool penta_program_store(int folder, const penta_program_key *key, const void *data, size_t bytes, uint64_t most);
void penta_program_remove(int folder, const penta_program_key *key);

/* How many programs there are; their bytes. remove: removes them, and what stopped processes left. */
size_t penta_program_count(int folder, bool remove, uint64_t *bytes);
