/* What every C program here uses. A failed check prints its place and ends the program with 1. */
#ifndef MOUNTDB_TEST_H
#define MOUNTDB_TEST_H

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

/* No error. */
#define OK(err)                                                      \
  do {                                                               \
    if ((err) != NULL) {                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (err));     \
      exit(1);                                                       \
    }                                                                \
  } while (0)

/* This error, which is freed; with a trailing '*', one that begins so. */
static inline void fails_at(const char* file, int line, char** err, const char* want) {
  size_t len = strlen(want);
  int prefix = len > 0 && want[len - 1] == '*';
  if (*err == NULL || (prefix ? strncmp(*err, want, len - 1) : strcmp(*err, want)) != 0) {
    fprintf(stderr, "%s:%d: got \"%s\", not \"%s\"\n", file, line, *err ? *err : "no error", want);
    exit(1);
  }
  free(*err);
  *err = NULL;
}
#define FAILS(err, want) fails_at(__FILE__, __LINE__, &(err), (want))

/* The options that nearly all programs want. */
static inline rocksdb_options_t* fresh_options(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  return options;
}

static inline void put_cf(rocksdb_t* db, rocksdb_column_family_handle_t* cf, const char* key,
                          const char* value) {
  char* err = NULL;
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  if (cf != NULL) {
    rocksdb_put_cf(db, w, cf, key, strlen(key), value, strlen(value), &err);
  } else {
    rocksdb_put(db, w, key, strlen(key), value, strlen(value), &err);
  }
  OK(err);
  rocksdb_writeoptions_destroy(w);
}

/* The value of a key is this one; NULL means that it is not there. */
static inline void value_at(const char* file, int line, rocksdb_t* db,
                            rocksdb_column_family_handle_t* cf, const char* key, const char* want) {
  char* err = NULL;
  size_t len;
  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  char* value = cf != NULL ? rocksdb_get_cf(db, r, cf, key, strlen(key), &len, &err)
                           : rocksdb_get(db, r, key, strlen(key), &len, &err);
  if (err != NULL || (value == NULL) != (want == NULL) ||
      (want != NULL && (len != strlen(want) || memcmp(value, want, len) != 0))) {
    fprintf(stderr, "%s:%d: %s is \"%.*s\", not \"%s\" (%s)\n", file, line, key,
            value ? (int)len : 4, value ? value : "NULL", want ? want : "NULL", err ? err : "ok");
    exit(1);
  }
  free(value);
  rocksdb_readoptions_destroy(r);
}
#define VALUE(db, cf, key, want) value_at(__FILE__, __LINE__, (db), (cf), (key), (want))

static inline void flush_cf(rocksdb_t* db, rocksdb_column_family_handle_t* cf) {
  char* err = NULL;
  rocksdb_flushoptions_t* f = rocksdb_flushoptions_create();
  if (cf != NULL) {
    rocksdb_flush_cf(db, f, cf, &err);
  } else {
    rocksdb_flush(db, f, &err);
  }
  OK(err);
  rocksdb_flushoptions_destroy(f);
}

#endif
