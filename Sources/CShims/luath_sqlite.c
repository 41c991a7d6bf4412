#include "luath_sqlite.h"

#include <string.h>
#include <sys/stat.h>

int luath_sqlite_distrust(sqlite3 *database) {
  static const struct { int option, value; } settings[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
  };
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    int status = sqlite3_db_config(database, settings[i].option, settings[i].value, (int *)NULL);
    if (status != SQLITE_OK) return status;
  }
  return sqlite3_extended_result_codes(database, 1);
}

int luath_sqlite_keep_log(sqlite3 *database, int keep) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)NULL);
}

int luath_sqlite_has_log(sqlite3 *database) {
  // SQLite's name for it: the path of the file with symbolic links resolved.
  const char *name = sqlite3_db_filename(database, "main");
  struct stat log;
  return name != NULL && stat(sqlite3_filename_wal(name), &log) == 0 && log.st_size > 0;
}

int luath_sqlite_read_header(
    sqlite3 *database, uint8_t header[LUATH_SQLITE_HEADER], int *length) {
  memset(header, 0, LUATH_SQLITE_HEADER);
  *length = 0;
  sqlite3_file *file = NULL;
  int status = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (status != SQLITE_OK) return status;
  if (file == NULL || file->pMethods == NULL) return SQLITE_CANTOPEN;
  sqlite3_int64 size = 0;
  status = file->pMethods->xFileSize(file, &size);
  if (status != SQLITE_OK || size == 0) return status;
  *length = size < LUATH_SQLITE_HEADER ? (int)size : LUATH_SQLITE_HEADER;
  return file->pMethods->xRead(file, header, *length, 0);
}

// A null pointer would bind NULL.
static const void *some(const void *bytes) { return bytes == NULL ? "" : bytes; }

int luath_sqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, uint64_t count) {
  return sqlite3_bind_blob64(statement, index, some(bytes), count, SQLITE_TRANSIENT);
}

int luath_sqlite_bind_text(
    sqlite3_stmt *statement, int index, const void *bytes, uint64_t count) {
  return sqlite3_bind_text64(
      statement, index, some(bytes), count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int luath_sqlite_has_moved(sqlite3 *database) {
  int moved = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved;
}
