// Files: calls that Swift cannot import, as their headers hide them behind feature macros, and the removal of folders.
#ifndef LUATH_FILES_H
#define LUATH_FILES_H

// Exchanges two names atomically; both must exist. 0, or -1 with errno: EINVAL or ENOSYS where the file
// system does not support it.
int luath_exchange_names(
    int first_folder, const char *first_name, int second_folder, const char *second_name);

// Reads the next byte that C's stdin stream has already buffered; -1 when its buffer is empty.
int luath_input_ahead(void);

// Removes a file, or a folder with its contents; follows no symbolic links. Safe after fork.
void luath_remove_tree(const char *path);

#endif
