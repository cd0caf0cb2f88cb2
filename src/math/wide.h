/* Loops over independent lanes, for processors with wider vectors too. */
#pragma once

/*
 * Before a static function (another's resolver would be exported): the compiler makes it twice, once for processors
 * with AVX2, and the loader picks one. Both give the same bits: a wider register holds more lanes, whose sums stay
 * apart, and AVX2 has no fused multiply-add. Sanitizers cannot run before the loader has picked, so they get one
 * version.
 */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&     \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PENTA_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PENTA_WIDE
#endif
