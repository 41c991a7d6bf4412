#ifndef LUATH_SHIMS_H
#define LUATH_SHIMS_H
#include "luath_curl.h"
#include "luath_poll.h"
#include "luath_inflate.h"
#include "luath_microhttp.h"
#include "luath_lua.h"
#include "luath_children.h"
#include "luath_crypt.h"
#include "luath_crypto.h"
#include "luath_files.h"
#include "luath_jobs.h"
#include "luath_processes.h"
#include "luath_program.h"
#include "luath_terminal.h"
#include "luath_sqlite.h"
#include "luath_libraries.h"
#endif
