// System calls that Swift cannot import, as their headers hide them behind feature macros.
#ifndef LUATH_FILES_H
#define LUATH_FILES_H

// Lets two names change places in one step; both must exist. 0, or -1 with errno, which is EINVAL
// or ENOSYS where the file system cannot do it.
int luath_exchange_names(
    int first_folder, const char *first_name, int second_folder, const char *second_name);

// The next byte of standard input that C's stream has read ahead; -1 when it holds none.
int luath_input_ahead(void);
#endif
