#include "luath_program.h"

static int argument_count;
static char **arguments;

// The C library passes to constructors what it passes to main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

int luath_argument_count(void) { return argument_count; }

const char *luath_argument(int index) { return arguments[index]; }
