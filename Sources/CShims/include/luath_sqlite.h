// SQLite functions that need its macros or variadic functions, which Swift cannot import.
#ifndef LUATH_SQLITE_H
#define LUATH_SQLITE_H
#include <sqlite3.h>
#include <stdint.h>

// The size of a database file's header (SQLite file format 1.3).
enum { LUATH_SQLITE_HEADER = 100 };

// Restricts a new connection, as the file's schema is not trusted: no triggers, views or unsafe functions,
// no writing to the schema table. Also turns on extended error codes.
int luath_sqlite_distrust(sqlite3 *database);

// Sets whether closing the connection keeps the write-ahead log, instead of copying it into the database
// and removing it.
int luath_sqlite_keep_log(sqlite3 *database, int keep);

// Whether the file has a write-ahead log that is not empty.
int luath_sqlite_has_log(sqlite3 *database);

// Reads the file's header through the connection's own descriptor, without a lock and without reading the
// log or journal. Closing another descriptor would release the locks of every connection that this process
// has to the file (fcntl_locking(2)).
// `length` receives the length of the file, at most that of the header; bytes beyond it are zero.
int luath_sqlite_read_header(sqlite3 *database, uint8_t header[LUATH_SQLITE_HEADER], int *length);

// Binds a copy of the bytes as a BLOB; zero bytes are an empty BLOB, never NULL.
int luath_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

// Binds a copy of UTF-8 as TEXT; zero bytes are an empty text, never NULL.
int luath_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

// Whether the file is no longer at the path it was opened by: renamed or removed.
int luath_sqlite_has_moved(sqlite3 *database);
#endif
