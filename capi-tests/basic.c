/* A store from open to destroy: gets of all kinds, batches, snapshots, iterators, properties. */
#include "test.h"

static void batches(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  rocksdb_writebatch_t* b = rocksdb_writebatch_create();
  rocksdb_writebatch_put(b, "bar", 3, "b", 1);
  rocksdb_writebatch_put(b, "box", 3, "c", 1);
  rocksdb_writebatch_set_save_point(b);
  rocksdb_writebatch_delete(b, "bar", 3);
  CHECK(rocksdb_writebatch_count(b) == 3);
  rocksdb_writebatch_rollback_to_save_point(b, &err);
  OK(err);
  rocksdb_writebatch_rollback_to_save_point(b, &err);
  FAILS(err, "NotFound: ");
  CHECK(rocksdb_writebatch_count(b) == 2);
  uint64_t before = rocksdb_get_latest_sequence_number(db);
  rocksdb_write(db, w, b, &err);
  OK(err);
  CHECK(rocksdb_get_latest_sequence_number(db) == before + 2);
  VALUE(db, NULL, "bar", "b");
  VALUE(db, NULL, "box", "c");
  size_t size;
  const char* rep = rocksdb_writebatch_data(b, &size);
  CHECK(size == 12 + 2 * 7 && rep[8] == 2);
  rocksdb_writebatch_t* again = rocksdb_writebatch_create_from(rep, size);
  CHECK(rocksdb_writebatch_count(again) == 2);
  rocksdb_write(db, w, again, &err);
  OK(err);
  rocksdb_writebatch_destroy(again);
  again = rocksdb_writebatch_create_from("short", 5);
  CHECK(rocksdb_writebatch_count(again) == 0);
  rocksdb_write(db, w, again, &err);
  FAILS(err, "Corruption: malformed WriteBatch (too small)");
  rocksdb_writebatch_destroy(again);
  rocksdb_writebatch_clear(b);
  const char* keys[] = {"v", "ec"};
  size_t key_sizes[] = {1, 2};
  const char* values[] = {"va", "", "lue"};
  size_t value_sizes[] = {2, 0, 3};
  rocksdb_writebatch_putv(b, 2, keys, key_sizes, 3, values, value_sizes);
  rocksdb_write(db, w, b, &err);
  OK(err);
  VALUE(db, NULL, "vec", "value");
  rocksdb_writebatch_destroy(b);
  rocksdb_writeoptions_destroy(w);
}

static int puts_seen, deletes_seen;
static void on_put(void* state, const char* k, size_t klen, const char* v, size_t vlen) {
  (void)k, (void)klen, (void)v, (void)vlen;
  CHECK(state == &puts_seen);
  puts_seen++;
}
static void on_delete(void* state, const char* k, size_t klen) {
  (void)state, (void)k, (void)klen;
  deletes_seen++;
}

static void iterate_batch(void) {
  rocksdb_writebatch_t* b = rocksdb_writebatch_create();
  rocksdb_writebatch_put(b, "a", 1, "1", 1);
  rocksdb_writebatch_singledelete(b, "s", 1);
  rocksdb_writebatch_merge(b, "m", 1, "x", 1);
  rocksdb_writebatch_put_log_data(b, "log", 3);
  rocksdb_writebatch_delete(b, "e", 1);
  rocksdb_writebatch_delete_range(b, "x", 1, "y", 1);
  rocksdb_writebatch_put(b, "z", 1, "1", 1);
  static const unsigned char want[] = {
      0,    0, 0,    0, 0,    0,   0,   0,   6,    0, 0,    0, 1, 1,   'a', 1,   '1', 7, 1,   's', 2, 1,
      'm', 1, 'x', 3, 3, 'l', 'o', 'g', 0, 1, 'e', 15, 1, 'x', 1, 'y', 1, 1, 'z', 1, '1'};
  size_t size;
  const char* rep = rocksdb_writebatch_data(b, &size);
  CHECK(size == sizeof want && memcmp(rep, want, size) == 0);
  rocksdb_writebatch_iterate(b, &puts_seen, on_put, on_delete);
  /* The range deletion ends the iteration. */
  CHECK(puts_seen == 1 && deletes_seen == 1);
  rocksdb_writebatch_destroy(b);
}

static void snapshots(rocksdb_t* db) {
  char* err = NULL;
  size_t len;
  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  put_cf(db, NULL, "snap", "old");
  const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
  put_cf(db, NULL, "snap", "new");
  rocksdb_readoptions_set_snapshot(r, snapshot);
  char* value = rocksdb_get(db, r, "snap", 4, &len, &err);
  OK(err);
  CHECK(len == 3 && memcmp(value, "old", 3) == 0);
  free(value);
  flush_cf(db, NULL);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  value = rocksdb_get(db, r, "snap", 4, &len, &err);
  OK(err);
  CHECK(len == 3 && memcmp(value, "old", 3) == 0);
  free(value);
  rocksdb_readoptions_set_snapshot(r, NULL);
  rocksdb_release_snapshot(db, snapshot);
  VALUE(db, NULL, "snap", "new");
  rocksdb_readoptions_destroy(r);
}

static void reads(rocksdb_t* db) {
  char* err = NULL;
  size_t len;
  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  put_cf(db, NULL, "empty", "");
  char* value = rocksdb_get(db, r, "empty", 5, &len, &err);
  OK(err);
  CHECK(value != NULL && len == 0);
  rocksdb_free(value);
  value = rocksdb_get(db, r, "absent", 6, &len, &err);
  OK(err);
  CHECK(value == NULL && len == 0);
  rocksdb_pinnableslice_t* pinned = rocksdb_get_pinned(db, r, "bar", 3, &err);
  OK(err);
  CHECK(pinned != NULL);
  put_cf(db, NULL, "bar", "other");
  flush_cf(db, NULL);
  const char* bytes = rocksdb_pinnableslice_value(pinned, &len);
  CHECK(len == 1 && bytes[0] == 'b');
  rocksdb_pinnableslice_destroy(pinned);
  CHECK(rocksdb_get_pinned(db, r, "absent", 6, &err) == NULL && err == NULL);
  CHECK(rocksdb_pinnableslice_value(NULL, &len) == NULL && len == 0);
  rocksdb_pinnableslice_destroy(NULL);
  unsigned char found = 9;
  put_cf(db, NULL, "fresh", "value");
  value = NULL;
  CHECK(rocksdb_key_may_exist(db, r, "fresh", 5, &value, &len, NULL, 0, &found) == 1);
  CHECK(found == 1 && len == 5 && memcmp(value, "value", 5) == 0);
  free(value);
  CHECK(rocksdb_key_may_exist(db, r, "fresh", 5, NULL, NULL, NULL, 0, NULL) == 1);
  rocksdb_readoptions_destroy(r);
}

static void iterate(rocksdb_t* db) {
  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, r);
  char* err = NULL;
  size_t len;
  CHECK(!rocksdb_iter_valid(it));
  CHECK(rocksdb_iter_key(it, &len) == NULL && len == 0);
  rocksdb_iter_seek_to_first(it);
  char last[16] = "";
  int n = 0;
  for (; rocksdb_iter_valid(it); rocksdb_iter_next(it), n++) {
    const char* key = rocksdb_iter_key(it, &len);
    CHECK(len < sizeof last && strncmp(last, key, len) < 0);
    memcpy(last, key, len);
    last[len] = 0;
  }
  CHECK(n == 6);
  for (rocksdb_iter_seek_to_last(it); rocksdb_iter_valid(it); rocksdb_iter_prev(it)) {
    n--;
  }
  CHECK(n == 0);
  rocksdb_iter_seek(it, "b", 1);
  CHECK(rocksdb_iter_valid(it) && memcmp(rocksdb_iter_key(it, &len), "bar", 3) == 0);
  rocksdb_iter_seek_for_prev(it, "b", 1);
  CHECK(!rocksdb_iter_valid(it));
  rocksdb_iter_get_error(it, &err);
  OK(err);
  rocksdb_iter_destroy(it);
  rocksdb_readoptions_destroy(r);
}

static void told(rocksdb_t* db) {
  char* err = NULL;
  uint64_t number = 77;
  CHECK(rocksdb_property_int(db, "rocksdb.num-snapshots", &number) == 0 && number == 0);
  CHECK(rocksdb_property_int(db, "no such", &number) == -1);
  CHECK(rocksdb_property_value(db, "no such") == NULL);
  char* text = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK(text != NULL);
  free(text);
  flush_cf(db, NULL);
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  CHECK(rocksdb_livefiles_count(files) > 0);
  CHECK(rocksdb_livefiles_name(files, 0)[0] == '/');
  CHECK(strcmp(rocksdb_livefiles_column_family_name(files, 0), "default") == 0);
  CHECK(rocksdb_livefiles_size(files, 0) > 0 && rocksdb_livefiles_entries(files, 0) > 0);
  size_t total = 0;
  for (int i = 0; i < rocksdb_livefiles_count(files); i++) {
    total += rocksdb_livefiles_size(files, i);
  }
  CHECK(rocksdb_livefiles_name(files, 1000) == NULL);
  rocksdb_livefiles_destroy(files);
  rocksdb_column_family_metadata_t* meta = rocksdb_get_column_family_metadata(db);
  CHECK(rocksdb_column_family_metadata_get_size(meta) == total);
  CHECK(rocksdb_column_family_metadata_get_level_count(meta) == 7);
  CHECK(rocksdb_column_family_metadata_get_level_metadata(meta, 7) == NULL);
  uint64_t sum = 0;
  for (size_t i = 0; i < 7; i++) {
    rocksdb_level_metadata_t* level = rocksdb_column_family_metadata_get_level_metadata(meta, i);
    CHECK(rocksdb_level_metadata_get_level(level) == (int)i);
    for (size_t j = 0; j < rocksdb_level_metadata_get_file_count(level); j++) {
      rocksdb_sst_file_metadata_t* file = rocksdb_level_metadata_get_sst_file_metadata(level, j);
      sum += rocksdb_sst_file_metadata_get_size(file);
      char* name = rocksdb_sst_file_metadata_get_relative_filename(file);
      CHECK(name[0] != '/');
      free(name);
      size_t len;
      char* key = rocksdb_sst_file_metadata_get_smallestkey(file, &len);
      CHECK(len > 0);
      free(key);
      rocksdb_sst_file_metadata_destroy(file);
    }
    rocksdb_level_metadata_destroy(level);
  }
  CHECK(sum == total);
  rocksdb_column_family_metadata_destroy(meta);
  const char* start[] = {"a", "z"};
  size_t start_len[] = {1, 1};
  const char* limit[] = {"z", "zz"};
  size_t limit_len[] = {1, 2};
  uint64_t sizes[] = {7, 7};
  rocksdb_approximate_sizes(db, 2, start, start_len, limit, limit_len, sizes, &err);
  OK(err);
  CHECK(sizes[0] > 0 && sizes[1] == 0);
}

int main(void) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK(rocksdb_open(options, "store", &err) == NULL);
  FAILS(err, "Invalid argument: store/CURRENT: does not exist (create_if_missing is false)");
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, "store", &err);
  OK(err);
  rocksdb_options_t* closed = rocksdb_options_create();
  rocksdb_options_destroy(closed);
  batches(db);
  iterate_batch();
  snapshots(db);
  reads(db);
  iterate(db);
  told(db);

  rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &err);
  OK(err);
  rocksdb_checkpoint_create(checkpoint, "copy", 0, &err);
  OK(err);
  rocksdb_checkpoint_create(checkpoint, "copy", 0, &err);
  FAILS(err, "Invalid argument: Directory exists");
  rocksdb_close(db);
  rocksdb_checkpoint_object_destroy(checkpoint);

  db = rocksdb_open_for_read_only(options, "copy", 0, &err);
  OK(err);
  VALUE(db, NULL, "vec", "value");
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  rocksdb_put(db, w, "k", 1, "v", 1, &err);
  FAILS(err, "Not implemented: Not supported operation in read only mode.");
  rocksdb_writeoptions_destroy(w);
  rocksdb_close(db);

  rocksdb_options_set_error_if_exists(options, 1);
  CHECK(rocksdb_open(options, "store", &err) == NULL);
  FAILS(err, "Invalid argument: store: exists (error_if_exists is true)");
  rocksdb_options_set_error_if_exists(options, 0);
  db = rocksdb_open(options, "store", &err);
  OK(err);
  VALUE(db, NULL, "vec", "value");
  rocksdb_close(db);
  rocksdb_destroy_db(options, "store", &err);
  OK(err);
  rocksdb_destroy_db(options, "store", &err);
  OK(err);
  rocksdb_options_destroy(options);
  return 0;
}
