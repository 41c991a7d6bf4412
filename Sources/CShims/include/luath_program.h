// The arguments of the program. Swift reads them from /proc, which a chroot or a small container may lack.
#ifndef LUATH_PROGRAM_H
#define LUATH_PROGRAM_H

// How many arguments the program has, with its name.
int luath_argument_count(void);

// An argument by its index; 0 is the name of the program.
const char *luath_argument(int index);

#endif
