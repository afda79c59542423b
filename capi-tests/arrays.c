/* Multi-get: every slot of every array is written. */
#include "test.h"
#include <dirent.h>

enum { MANY = 10000 };
static const char* keys[MANY];
static size_t key_sizes[MANY];
static char* values[MANY];
static size_t sizes[MANY];
static char* errs[MANY];
static rocksdb_pinnableslice_t* pinned[MANY];
static const rocksdb_column_family_handle_t* families[MANY];
static char names[MANY][16];

static void junk(void) {
  memset(values, 0xA5, sizeof values);
  memset(sizes, 0xA5, sizeof sizes);
  memset(errs, 0xA5, sizeof errs);
  memset(pinned, 0xA5, sizeof pinned);
}

/* Key i is absent when i % 3 is 1, empty when it is 2; keys come in twos. */
static void check(size_t n, int with_families) {
  char want[16];
  for (size_t i = 0; i < n; i++) {
    CHECK(errs[i] == NULL);
    size_t k = i / 2;
    if (k % 3 == 1 || (with_families && i % 2 == 1 && k % 3 != 0)) {
      CHECK(values[i] == NULL && sizes[i] == 0);
    } else if (k % 3 == 2) {
      CHECK(values[i] != NULL && sizes[i] == 0);
    } else {
      sprintf(want, "%s%zu", with_families && i % 2 == 1 ? "other" : "v", k);
      CHECK(sizes[i] == strlen(want) && memcmp(values[i], want, sizes[i]) == 0);
    }
    free(values[i]);
  }
}

int main(void) {
  char* err = NULL;
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_create_missing_column_families(o, 1);
  const char* family_names[] = {"default", "other"};
  const rocksdb_options_t* family_options[] = {o, o};
  rocksdb_column_family_handle_t* cf[2];
  rocksdb_t* db =
      rocksdb_open_column_families(o, "store", 2, family_names, family_options, cf, &err);
  OK(err);
  for (size_t i = 0; i < MANY; i++) {
    size_t k = i / 2;
    sprintf(names[i], "key%06zu", k);
    keys[i] = names[i];
    key_sizes[i] = strlen(names[i]);
    families[i] = cf[i % 2];
    char value[16];
    sprintf(value, "v%zu", k);
    if (i % 2 == 0 && k % 3 != 1) put_cf(db, NULL, names[i], k % 3 == 2 ? "" : value);
    sprintf(value, "other%zu", k);
    if (i % 2 == 0 && k % 3 == 0) put_cf(db, cf[1], names[i], value);
  }
  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  static const size_t counts[] = {0, 1, 24, MANY};
  for (int flushed = 0; flushed < 2; flushed++) {
    for (int c = 0; c < 4; c++) {
      size_t n = counts[c];
      junk();
      rocksdb_multi_get(db, r, n, keys, key_sizes, values, sizes, errs);
      check(n, 0);
      junk();
      rocksdb_multi_get_cf(db, r, families, n, keys, key_sizes, values, sizes, errs);
      check(n, 1);
      junk();
      rocksdb_batched_multi_get_cf(db, r, cf[0], n, keys, key_sizes, pinned, errs, false);
      for (size_t i = 0; i < n; i++) {
        CHECK(errs[i] == NULL);
        size_t len, k = i / 2;
        CHECK((pinned[i] == NULL) == (k % 3 == 1));
        const char* bytes = rocksdb_pinnableslice_value(pinned[i], &len);
        CHECK(k % 3 != 2 || (bytes != NULL && len == 0));
        CHECK(k % 3 != 0 || (len > 1 && bytes[0] == 'v'));
        rocksdb_pinnableslice_destroy(pinned[i]);
      }
    }
    flush_cf(db, cf[0]);
    flush_cf(db, cf[1]);
  }
  rocksdb_readoptions_destroy(r);
  for (int i = 0; i < 2; i++) rocksdb_column_family_handle_destroy(cf[i]);
  rocksdb_close(db);
  rocksdb_options_destroy(o);

  /* One table cannot be read: its keys have errors, the others their values. */
  o = fresh_options();
  rocksdb_block_based_table_options_t* t = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_no_block_cache(t, 1);
  rocksdb_options_set_block_based_table_factory(o, t);
  rocksdb_block_based_options_destroy(t);
  rocksdb_options_set_disable_auto_compactions(o, 1);
  db = rocksdb_open(o, "torn", &err);
  OK(err);
  put_cf(db, NULL, "a", "first");
  flush_cf(db, NULL);
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  CHECK(rocksdb_livefiles_count(files) == 1);
  char path[256];
  snprintf(path, sizeof path, "torn%s", rocksdb_livefiles_name(files, 0));
  rocksdb_livefiles_destroy(files);
  put_cf(db, NULL, "b", "second");
  flush_cf(db, NULL);
  rocksdb_close(db);
  FILE* file = fopen(path, "r+b");
  CHECK(file != NULL);
  char byte;
  CHECK(fseek(file, 3, SEEK_SET) == 0 && fread(&byte, 1, 1, file) == 1);
  byte ^= 0x40;
  CHECK(fseek(file, 3, SEEK_SET) == 0 && fwrite(&byte, 1, 1, file) == 1);
  fclose(file);
  db = rocksdb_open(o, "torn", &err);
  OK(err);
  r = rocksdb_readoptions_create();
  const char* two[] = {"b", "a", "c"};
  size_t one[] = {1, 1, 1};
  junk();
  rocksdb_multi_get(db, r, 3, two, one, values, sizes, errs);
  CHECK(errs[0] == NULL && sizes[0] == 6 && memcmp(values[0], "second", 6) == 0);
  CHECK(values[1] == NULL && sizes[1] == 0 && errs[1] != NULL);
  CHECK(strncmp(errs[1], "Corruption: ", 12) == 0);
  CHECK(values[2] == NULL && sizes[2] == 0 && errs[2] == NULL);
  free(values[0]);
  free(errs[1]);
  rocksdb_readoptions_destroy(r);
  rocksdb_close(db);
  rocksdb_options_destroy(o);
  return 0;
}
