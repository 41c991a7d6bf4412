#include "luath_microhttp.h"
