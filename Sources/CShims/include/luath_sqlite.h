// SQLite functions that need its macros or variadic functions, which Swift cannot import.
#ifndef LUATH_SQLITE_H
#define LUATH_SQLITE_H
#include <sqlite3.h>
#include <stdint.h>

// How many bytes at the start of a database file say what the file is (SQLite file format 1.3).
enum { LUATH_SQLITE_HEADER = 100 };

// Makes a new connection distrust what the file's schema may hold: no triggers, views or unsafe
// functions, no writing to the schema table. Errors get their extended codes.
int luath_sqlite_distrust(sqlite3 *database);

// Whether closing the connection leaves the write-ahead log alone, instead of copying it into the
// database and removing it.
int luath_sqlite_keep_log(sqlite3 *database, int keep);

// Whether there is a write-ahead log with something in it beside the file.
int luath_sqlite_has_log(sqlite3 *database);

// Reads the file's header through the connection's own descriptor, without a lock and without
// looking at a log or a journal. Another descriptor would not do: closing it would release the
// locks of every connection this process has to the file (fcntl_locking(2)).
// `length` is the length of the file, cut to that of the header; bytes beyond it are zero.
int luath_sqlite_read_header(sqlite3 *database, uint8_t header[LUATH_SQLITE_HEADER], int *length);

// Binds a copy of the bytes as a BLOB; no bytes are an empty BLOB, never NULL.
int luath_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

// Binds a copy of UTF-8 as TEXT; no bytes are an empty text, never NULL.
int luath_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

// Whether the file is no longer at the path it was opened by: renamed or removed.
int luath_sqlite_has_moved(sqlite3 *database);
#endif
