#include "luath_curl.h"
