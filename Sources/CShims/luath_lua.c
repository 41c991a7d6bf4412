#include "luath_lua.h"
