#include <stddef.h>
#include <stdint.h>

/// libFuzzer's entry for programs that have a main of their own.
int LLVMFuzzerRunDriver(int *count, char ***arguments,
                        int (*test)(const uint8_t *bytes, size_t size));
