#include "luath_crypto.h"
