/* A first program: open a store, write, read, iterate, look at the past, close.
 *
 *     cc -std=c99 quickstart.c -lrocksdb -o quickstart
 *     ./quickstart [PATH]
 *
 * Nothing here is MountDB's own: it runs with RocksDB as well. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every call that may fail takes `&err`, a string that is ours to free. */
static void check(const char* doing, char* err) {
  if (err != NULL) {
    fprintf(stderr, "%s: %s\n", doing, err);
    rocksdb_free(err);
    exit(1);
  }
}

static void put(rocksdb_t* db, rocksdb_writeoptions_t* how, const char* key,
                const char* value) {
  char* err = NULL;
  rocksdb_put(db, how, key, strlen(key), value, strlen(value), &err);
  check("put", err);
}

static void print_value(rocksdb_t* db, rocksdb_readoptions_t* how,
                        const char* label, const char* key) {
  char* err = NULL;
  size_t len = 0;
  char* value = rocksdb_get(db, how, key, strlen(key), &len, &err);
  check("get", err);
  if (value == NULL) {
    printf("%s: %s is not there\n", label, key);
  } else {
    printf("%s: %s = %.*s\n", label, key, (int)len, value);
    rocksdb_free(value);
  }
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "quickstart.db";
  char* err = NULL;

  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  check("open", err);

  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();

  /* Single writes. With sync on, a write is on the medium when the call returns;
   * without, it survives a killed process, but not a power cut. */
  put(db, write, "everest", "8849 m");
  put(db, write, "k2", "8611 m");
  put(db, write, "kangchenjunga", "8586 m");
  rocksdb_writeoptions_set_sync(write, 1);
  put(db, write, "lhotse", "8516 m");
  print_value(db, read, "get", "k2");
  print_value(db, read, "get", "matterhorn");

  /* A snapshot keeps the present, whatever is written later. */
  const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);

  /* A batch is written whole or not at all. */
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "makalu", 6, "8485 m", 6);
  rocksdb_writebatch_put(batch, "k2", 2, "8611 m, also Chogori", 20);
  rocksdb_writebatch_delete(batch, "lhotse", 6);
  rocksdb_write(db, write, batch, &err);
  check("write", err);
  rocksdb_writebatch_destroy(batch);
  print_value(db, read, "now", "k2");
  print_value(db, read, "now", "lhotse");

  rocksdb_readoptions_t* then = rocksdb_readoptions_create();
  rocksdb_readoptions_set_snapshot(then, snapshot);
  print_value(db, then, "before the batch", "k2");
  print_value(db, then, "before the batch", "lhotse");
  rocksdb_readoptions_destroy(then);
  rocksdb_release_snapshot(db, snapshot);

  /* Keys come in order. */
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, read);
  for (rocksdb_iter_seek(it, "k", 1); rocksdb_iter_valid(it);
       rocksdb_iter_next(it)) {
    size_t key_len = 0;
    size_t value_len = 0;
    const char* key = rocksdb_iter_key(it, &key_len);
    const char* value = rocksdb_iter_value(it, &value_len);
    printf("from k on: %.*s = %.*s\n", (int)key_len, key, (int)value_len,
           value);
  }
  /* The end and an error look alike until asked. */
  rocksdb_iter_get_error(it, &err);
  check("iterate", err);
  rocksdb_iter_destroy(it);

  rocksdb_readoptions_destroy(read);
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return 0;
}
