// The wrappers are inline; this file checks that their header compiles alone.
#include "luath_curl.h"
