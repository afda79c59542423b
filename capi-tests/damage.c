/* A scan is never short without an error: one byte changed in a block in the middle. */
#include "test.h"

enum { COUNT = 20000 };

static int scan(rocksdb_iterator_t* it, int forward, char** err) {
  int n = 0;
  if (forward) {
    for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it)) n++;
  } else {
    for (rocksdb_iter_seek_to_last(it); rocksdb_iter_valid(it); rocksdb_iter_prev(it)) n++;
  }
  rocksdb_iter_get_error(it, err);
  return n;
}

int main(void) {
  char* err = NULL;
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_compression(o, rocksdb_no_compression);
  rocksdb_block_based_table_options_t* t = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_no_block_cache(t, 1);
  rocksdb_options_set_block_based_table_factory(o, t);
  rocksdb_block_based_options_destroy(t);
  rocksdb_t* db = rocksdb_open(o, "store", &err);
  OK(err);
  for (int i = 0; i < COUNT; i++) {
    char key[16];
    sprintf(key, "key%06d", i);
    put_cf(db, NULL, key, "some value or other");
  }
  flush_cf(db, NULL);
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  CHECK(rocksdb_livefiles_count(files) == 1);
  char path[256];
  snprintf(path, sizeof path, "store%s", rocksdb_livefiles_name(files, 0));
  long middle = (long)rocksdb_livefiles_size(files, 0) / 3;
  rocksdb_livefiles_destroy(files);

  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, r);
  CHECK(scan(it, 1, &err) == COUNT && err == NULL);
  CHECK(scan(it, 0, &err) == COUNT && err == NULL);
  rocksdb_iter_destroy(it);

  FILE* f = fopen(path, "r+b");
  CHECK(f != NULL && fseek(f, middle, SEEK_SET) == 0);
  int byte = fgetc(f);
  CHECK(fseek(f, middle, SEEK_SET) == 0 && fputc(byte ^ 4, f) != EOF && fclose(f) == 0);

  it = rocksdb_create_iterator(db, r);
  int before = scan(it, 1, &err);
  CHECK(before > 0 && before < COUNT);
  FAILS(err, "Corruption: *");
  int behind = scan(it, 0, &err);
  CHECK(behind > 0 && before + behind < COUNT);
  FAILS(err, "Corruption: *");
  char key[16];
  sprintf(key, "key%06d", before); /* within the damaged block */
  rocksdb_iter_seek(it, key, strlen(key));
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_get_error(it, &err);
  FAILS(err, "Corruption: *");
  size_t len;
  CHECK(rocksdb_get(db, r, key, strlen(key), &len, &err) == NULL && len == 0);
  FAILS(err, "Corruption: *");
  /* The next seek clears it. */
  rocksdb_iter_seek(it, "key019000", 9);
  CHECK(rocksdb_iter_valid(it));
  rocksdb_iter_get_error(it, &err);
  OK(err);
  rocksdb_iter_next(it);
  CHECK(rocksdb_iter_valid(it));
  rocksdb_iter_destroy(it);
  VALUE(db, NULL, "key000001", "some value or other");
  rocksdb_readoptions_destroy(r);
  rocksdb_close(db);
  rocksdb_options_destroy(o);
  return 0;
}
