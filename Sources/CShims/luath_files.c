#define _GNU_SOURCE
#include "luath_files.h"

#include <stdio.h>

int luath_exchange_names(
    int first_folder, const char *first_name, int second_folder, const char *second_name) {
#ifdef __APPLE__
  return renameatx_np(first_folder, first_name, second_folder, second_name, RENAME_SWAP);
#else
  return renameat2(first_folder, first_name, second_folder, second_name, RENAME_EXCHANGE);
#endif
}

int luath_input_ahead(void) {
  flockfile(stdin);
  // Only glibc's internal members show how much is buffered; getc would wait for more.
  int byte = stdin->_IO_read_ptr < stdin->_IO_read_end ? getc_unlocked(stdin) : -1;
  funlockfile(stdin);
  return byte;
}
