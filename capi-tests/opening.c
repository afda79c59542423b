/* A folder has at most one writer, and whatever fails or closes leaves the lock free. */
#include "test.h"
#include <sys/wait.h>
#include <unistd.h>

/* Opens and closes in another process, which starts from scratch; prints the error there is. */
static char* elsewhere(const char* program) {
  char command[512];
  snprintf(command, sizeof command, "%s child", program);
  FILE* out = popen(command, "r");
  CHECK(out != NULL);
  static char text[512];
  size_t n = fread(text, 1, sizeof text - 1, out);
  text[n] = 0;
  CHECK(pclose(out) == 0);
  return text;
}

static int reversed(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state;
  int r = memcmp(b, a, alen < blen ? alen : blen);
  return r != 0 ? r : blen < alen ? -1 : blen > alen;
}
static const char* name(void* state) {
  (void)state;
  return "reversed";
}
static void nothing(void* state) { (void)state; }

int main(int argc, char** argv) {
  char* err = NULL;
  rocksdb_options_t* o = fresh_options();
  rocksdb_t* db = rocksdb_open(o, "store", &err);
  if (argc > 1) {
    printf("%s", err != NULL ? err : "opened");
    free(err);
    if (db != NULL) rocksdb_close(db);
    rocksdb_options_destroy(o);
    return 0;
  }
  OK(err);
  CHECK(rocksdb_open(o, "store", &err) == NULL);
  CHECK(strstr(err, ": store/LOCK: No locks available") != NULL);
  FAILS(err, "IO error: lock hold by current process, acquire time *");
  CHECK(rocksdb_open(o, "./store/", &err) == NULL);
  FAILS(err, "IO error: lock hold by current process, acquire time *");
  rocksdb_destroy_db(o, "store", &err);
  FAILS(err, "IO error: lock hold by current process, acquire time *");
  CHECK(strcmp(elsewhere(argv[0]),
               "IO error: While lock file: store/LOCK: Resource temporarily unavailable") == 0);
  put_cf(db, NULL, "k", "v");
  rocksdb_close(db);
  CHECK(strcmp(elsewhere(argv[0]), "opened") == 0);

  /* Failed opens, each followed by a right one. */
  const char* names[] = {"default", "no such family"};
  const rocksdb_options_t* each[] = {o, o};
  rocksdb_column_family_handle_t* cf[2] = {NULL, NULL};
  rocksdb_comparator_t* cmp = rocksdb_comparator_create(NULL, nothing, reversed, name);
  for (int i = 0; i < 5; i++) {
    CHECK(rocksdb_open_column_families(o, "store", 2, names, each, cf, &err) == NULL);
    FAILS(err, "Invalid argument: Column family not found: no such family");
    CHECK(cf[0] == NULL && cf[1] == NULL);
    rocksdb_options_set_comparator(o, cmp);
    CHECK(rocksdb_open(o, "store", &err) == NULL);
    FAILS(err, "Invalid argument: reversed: does not match existing comparator "
               "leveldb.BytewiseComparator");
    rocksdb_options_set_comparator(o, NULL);
    db = rocksdb_open(o, "store", &err);
    OK(err);
    VALUE(db, NULL, "k", "v");
    rocksdb_close(db);
    CHECK(strcmp(elsewhere(argv[0]), "opened") == 0);
  }
  rocksdb_comparator_destroy(cmp);

  CHECK(rocksdb_open(o, "no/such/parent", &err) == NULL);
  FAILS(err, "IO error: No such file or directory: While mkdir if missing: no/such/parent: "
             "No such file or directory");
  CHECK(rocksdb_open_for_read_only(o, "nowhere", 0, &err) == NULL);
  FAILS(err, "IO error: No such file or directory: While opening a file for sequentially reading: "
             "nowhere/CURRENT: No such file or directory");
  size_t n = 99;
  char** list = rocksdb_list_column_families(o, "nowhere", &n, &err);
  FAILS(err, "IO error: No such file or directory: While opening a file for sequentially reading: "
             "nowhere/CURRENT: No such file or directory");
  CHECK(list != NULL && n == 0);
  rocksdb_list_column_families_destroy(list, n);
  rocksdb_destroy_db(o, "store", &err);
  OK(err);
  CHECK(access("store", F_OK) != 0);
  rocksdb_options_destroy(o);
  return 0;
}
