/* A call that is refused changes nothing: what follows works, and nothing of it is seen after reopen. */
#include "test.h"

static rocksdb_column_family_handle_t* cf[2];
static rocksdb_options_t* options;

static rocksdb_t* open_store(void) {
  char* err = NULL;
  const char* names[] = {"default", "other"};
  const rocksdb_options_t* each[] = {options, options};
  rocksdb_t* db = rocksdb_open_column_families(options, "store", 2, names, each, cf, &err);
  OK(err);
  return db;
}

static void close_store(rocksdb_t* db) {
  rocksdb_column_family_handle_destroy(cf[0]);
  rocksdb_column_family_handle_destroy(cf[1]);
  rocksdb_close(db);
}

static int round_number;

/* Put, get, flush, reopen; returns the store opened anew. */
static rocksdb_t* goes_on(rocksdb_t* db) {
  char value[16];
  sprintf(value, "%d", ++round_number);
  put_cf(db, cf[0], "after", value);
  put_cf(db, cf[1], "after", value);
  VALUE(db, cf[0], "after", value);
  VALUE(db, cf[1], "after", value);
  flush_cf(db, cf[0]);
  flush_cf(db, cf[1]);
  put_cf(db, cf[1], "logged", value);
  close_store(db);
  db = open_store();
  VALUE(db, cf[0], "after", value);
  VALUE(db, cf[1], "after", value);
  VALUE(db, cf[1], "logged", value);
  VALUE(db, cf[0], "b", "kept");
  VALUE(db, cf[1], "b", "kept");
  VALUE(db, cf[0], "refused", NULL);
  VALUE(db, cf[1], "refused", NULL);
  return db;
}

int main(void) {
  char* err = NULL;
  options = fresh_options();
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_t* db = open_store();
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  put_cf(db, cf[0], "b", "kept");
  put_cf(db, cf[1], "b", "kept");

  rocksdb_delete_range_cf(db, w, cf[1], "c", 1, "a", 1, &err);
  FAILS(err, "Invalid argument: end key comes before start key");
  db = goes_on(db);

  rocksdb_delete_range_cf(db, w, cf[1], "c", 1, "c", 1, &err);
  OK(err);

  rocksdb_writebatch_t* b = rocksdb_writebatch_create();
  rocksdb_writebatch_put_cf(b, cf[0], "refused", 7, "1", 1);
  rocksdb_writebatch_delete_range_cf(b, cf[1], "c", 1, "a", 1);
  rocksdb_write(db, w, b, &err);
  FAILS(err, "Invalid argument: end key comes before start key");
  VALUE(db, cf[0], "refused", NULL);
  db = goes_on(db);

  rocksdb_writebatch_clear(b);
  rocksdb_writebatch_put_cf(b, cf[1], "refused", 7, "1", 1);
  rocksdb_writebatch_merge_cf(b, cf[0], "b", 1, "x", 1);
  rocksdb_write(db, w, b, &err);
  FAILS(err, "Not implemented: Provide a merge_operator when opening DB");
  rocksdb_writebatch_destroy(b);
  db = goes_on(db);

  rocksdb_merge_cf(db, w, cf[1], "b", 1, "x", 1, &err);
  FAILS(err, "Not implemented: Provide a merge_operator when opening DB");
  db = goes_on(db);

  /* A family that is not there; then a batch of bytes that are no batch. */
  static const char strange[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 77, 1, 'k', 1, 'v'};
  b = rocksdb_writebatch_create_from(strange, sizeof strange);
  rocksdb_write(db, w, b, &err);
  FAILS(err, "Invalid argument: Invalid column family specified in write batch");
  rocksdb_writebatch_destroy(b);
  db = goes_on(db);
  for (size_t cut = 0; cut < sizeof strange; cut++) {
    b = rocksdb_writebatch_create_from(strange, cut);
    rocksdb_write(db, w, b, &err);
    FAILS(err, "Corruption: *");
    rocksdb_writebatch_destroy(b);
  }
  db = goes_on(db);

  const char* keys[] = {"write_buffer_size", "no_such_option"};
  const char* values[] = {"1000000", "1"};
  rocksdb_set_options(db, 2, keys, values, &err);
  FAILS(err, "Invalid argument: Could not find option: : no_such_option");
  keys[1] = "num_levels";
  rocksdb_set_options_cf(db, cf[1], 2, keys, values, &err);
  FAILS(err, "Invalid argument: Option not changeable: num_levels");
  values[0] = "many";
  rocksdb_set_options(db, 1, keys, values, &err);
  FAILS(err, "Invalid argument: Error parsing write_buffer_size:stoull");
  rocksdb_set_options(db, 0, keys, values, &err);
  FAILS(err, "Invalid argument: empty input");
  db = goes_on(db);

  rocksdb_writeoptions_disable_WAL(w, 1);
  rocksdb_writeoptions_set_sync(w, 1);
  rocksdb_put(db, w, "refused", 7, "1", 1, &err);
  FAILS(err, "Invalid argument: Sync writes has to enable WAL.");
  db = goes_on(db);

  close_store(db);
  rocksdb_writeoptions_destroy(w);
  rocksdb_options_destroy(options);
  return 0;
}
