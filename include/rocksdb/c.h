#ifndef MOUNTDB_ROCKSDB_C_H
#define MOUNTDB_ROCKSDB_C_H

/* Written by cbindgen from src/capi. Change that, then build. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ROCKSDB_LIBRARY_API
#define ROCKSDB_LIBRARY_API
#endif

/*
 * RocksDB's C API, level 8 (the declarations of RocksDB 8.10), served by MountDB.
 *
 * Types are opaque. Booleans are unsigned char: 0 is false, anything else true.
 *
 * Errors: *errptr is NULL or a malloc'ed string. A call that succeeds leaves it
 * alone; one that fails frees it and puts a new one there, to be freed with free
 * or rocksdb_free. So is every other char* that a call returns, unless it is const.
 *
 * Bytes come as pointer and length and need no NUL at the end. After a call has
 * returned, the library no longer looks at what was handed to it, except for
 * comparators, compaction filters and callback states.
 *
 * A handle must not be used in a forked child, and no function may be called
 * from a signal handler.
 */

/**
 * For `rocksdb_block_based_options_set_index_type`.
 */
enum {
  rocksdb_block_based_table_index_type_binary_search = 0,
  rocksdb_block_based_table_index_type_hash_search = 1,
  rocksdb_block_based_table_index_type_two_level_index_search = 2,
};

/**
 * For `rocksdb_block_based_options_set_data_block_index_type`.
 */
enum {
  rocksdb_block_based_table_data_block_index_type_binary_search = 0,
  rocksdb_block_based_table_data_block_index_type_binary_search_and_hash = 1,
};

/**
 * For `rocksdb_options_set_compression` and its kin.
 */
enum {
  rocksdb_no_compression = 0,
  rocksdb_snappy_compression = 1,
  rocksdb_zlib_compression = 2,
  rocksdb_bz2_compression = 3,
  rocksdb_lz4_compression = 4,
  rocksdb_lz4hc_compression = 5,
  rocksdb_xpress_compression = 6,
  rocksdb_zstd_compression = 7,
};

/**
 * For `rocksdb_options_set_compaction_style`.
 */
enum {
  rocksdb_level_compaction = 0,
  rocksdb_universal_compaction = 1,
  rocksdb_fifo_compaction = 2,
};

/**
 * For `rocksdb_universal_compaction_options_set_stop_style`.
 */
enum {
  rocksdb_similar_size_compaction_stop_style = 0,
  rocksdb_total_size_compaction_stop_style = 1,
};

/**
 * For `rocksdb_options_set_wal_recovery_mode`.
 */
enum {
  rocksdb_tolerate_corrupted_tail_records_recovery = 0,
  rocksdb_absolute_consistency_recovery = 1,
  rocksdb_point_in_time_recovery = 2,
  rocksdb_skip_any_corrupted_records_recovery = 3,
};

/**
 * For `rocksdb_options_set_prepopulate_blob_cache`.
 */
enum {
  rocksdb_prepopulate_blob_disable = 0,
  rocksdb_prepopulate_blob_flush_only = 1,
};

/**
 * For `rocksdb_set_perf_level`.
 */
enum {
  rocksdb_uninitialized = 0,
  rocksdb_disable = 1,
  rocksdb_enable_count = 2,
  rocksdb_enable_time_except_for_mutex = 3,
  rocksdb_enable_time = 4,
  rocksdb_out_of_bounds = 5,
};

/**
 * For `rocksdb_perfcontext_metric`.
 */
enum {
  rocksdb_user_key_comparison_count = 0,
  rocksdb_block_cache_hit_count = 1,
  rocksdb_block_read_count = 2,
  rocksdb_block_read_byte = 3,
  rocksdb_block_read_time = 4,
  rocksdb_block_checksum_time = 5,
  rocksdb_block_decompress_time = 6,
  rocksdb_get_read_bytes = 7,
  rocksdb_multiget_read_bytes = 8,
  rocksdb_iter_read_bytes = 9,
  rocksdb_internal_key_skipped_count = 10,
  rocksdb_internal_delete_skipped_count = 11,
  rocksdb_internal_recent_skipped_count = 12,
  rocksdb_internal_merge_count = 13,
  rocksdb_get_snapshot_time = 14,
  rocksdb_get_from_memtable_time = 15,
  rocksdb_get_from_memtable_count = 16,
  rocksdb_get_post_process_time = 17,
  rocksdb_get_from_output_files_time = 18,
  rocksdb_seek_on_memtable_time = 19,
  rocksdb_seek_on_memtable_count = 20,
  rocksdb_next_on_memtable_count = 21,
  rocksdb_prev_on_memtable_count = 22,
  rocksdb_seek_child_seek_time = 23,
  rocksdb_seek_child_seek_count = 24,
  rocksdb_seek_min_heap_time = 25,
  rocksdb_seek_max_heap_time = 26,
  rocksdb_seek_internal_seek_time = 27,
  rocksdb_find_next_user_entry_time = 28,
  rocksdb_write_wal_time = 29,
  rocksdb_write_memtable_time = 30,
  rocksdb_write_delay_time = 31,
  rocksdb_write_pre_and_post_process_time = 32,
  rocksdb_db_mutex_lock_nanos = 33,
  rocksdb_db_condition_wait_nanos = 34,
  rocksdb_merge_operator_time_nanos = 35,
  rocksdb_read_index_block_nanos = 36,
  rocksdb_read_filter_block_nanos = 37,
  rocksdb_new_table_block_iter_nanos = 38,
  rocksdb_new_table_iterator_nanos = 39,
  rocksdb_block_seek_nanos = 40,
  rocksdb_find_table_nanos = 41,
  rocksdb_bloom_memtable_hit_count = 42,
  rocksdb_bloom_memtable_miss_count = 43,
  rocksdb_bloom_sst_hit_count = 44,
  rocksdb_bloom_sst_miss_count = 45,
  rocksdb_key_lock_wait_time = 46,
  rocksdb_key_lock_wait_count = 47,
  rocksdb_env_new_sequential_file_nanos = 48,
  rocksdb_env_new_random_access_file_nanos = 49,
  rocksdb_env_new_writable_file_nanos = 50,
  rocksdb_env_reuse_writable_file_nanos = 51,
  rocksdb_env_new_random_rw_file_nanos = 52,
  rocksdb_env_new_directory_nanos = 53,
  rocksdb_env_file_exists_nanos = 54,
  rocksdb_env_get_children_nanos = 55,
  rocksdb_env_get_children_file_attributes_nanos = 56,
  rocksdb_env_delete_file_nanos = 57,
  rocksdb_env_create_dir_nanos = 58,
  rocksdb_env_create_dir_if_missing_nanos = 59,
  rocksdb_env_delete_dir_nanos = 60,
  rocksdb_env_get_file_size_nanos = 61,
  rocksdb_env_get_file_modification_time_nanos = 62,
  rocksdb_env_rename_file_nanos = 63,
  rocksdb_env_link_file_nanos = 64,
  rocksdb_env_lock_file_nanos = 65,
  rocksdb_env_unlock_file_nanos = 66,
  rocksdb_env_new_logger_nanos = 67,
  rocksdb_number_async_seek = 68,
  rocksdb_blob_cache_hit_count = 69,
  rocksdb_blob_read_count = 70,
  rocksdb_blob_read_byte = 71,
  rocksdb_blob_read_time = 72,
  rocksdb_blob_checksum_time = 73,
  rocksdb_blob_decompress_time = 74,
  rocksdb_internal_range_del_reseek_count = 75,
  rocksdb_block_read_cpu_time = 76,
  rocksdb_total_metric_count = 79,
};

/**
 * For `rocksdb_options_set_statistics_level`.
 */
enum {
  rocksdb_statistics_level_disable_all = 0,
  rocksdb_statistics_level_except_histogram_or_timers = 1,
  rocksdb_statistics_level_except_timers = 2,
  rocksdb_statistics_level_except_detailed_timers = 3,
  rocksdb_statistics_level_except_time_for_mutex = 4,
  rocksdb_statistics_level_all = 5,
};

/**
 * A second name of `rocksdb_statistics_level_disable_all`.
 */
enum {
  rocksdb_statistics_level_except_tickers = 0,
};

/**
 * Not served.
 */
typedef struct rocksdb_backup_engine_info_t rocksdb_backup_engine_info_t;

/**
 * Options of backups.
 */
typedef struct rocksdb_backup_engine_options_t rocksdb_backup_engine_options_t;

/**
 * Not served.
 */
typedef struct rocksdb_backup_engine_t rocksdb_backup_engine_t;

/**
 * Options of tables.
 */
typedef struct rocksdb_block_based_table_options_t rocksdb_block_based_table_options_t;

/**
 * A block cache.
 */
typedef struct rocksdb_cache_t rocksdb_cache_t;

/**
 * Makes checkpoints of a store.
 */
typedef struct rocksdb_checkpoint_t rocksdb_checkpoint_t;

/**
 * A column family.
 */
typedef struct rocksdb_column_family_handle_t rocksdb_column_family_handle_t;

/**
 * The levels of a family.
 */
typedef struct rocksdb_column_family_metadata_t rocksdb_column_family_metadata_t;

/**
 * A compaction filter.
 */
typedef struct rocksdb_compactionfilter_t rocksdb_compactionfilter_t;

/**
 * Why a filter is made.
 */
typedef struct rocksdb_compactionfiltercontext_t rocksdb_compactionfiltercontext_t;

/**
 * A filter factory; C's pointer is really that of an `Arc` of `callbacks::Owned`.
 */
typedef struct rocksdb_compactionfilterfactory_t rocksdb_compactionfilterfactory_t;

/**
 * Options of a manual compaction.
 */
typedef struct rocksdb_compactoptions_t rocksdb_compactoptions_t;

/**
 * An order of keys.
 */
typedef struct rocksdb_comparator_t rocksdb_comparator_t;

/**
 * Options of cuckoo tables. Kept; tables are written in the one format that we have.
 */
typedef struct rocksdb_cuckoo_table_options_t rocksdb_cuckoo_table_options_t;

/**
 * A folder and how full it may get.
 */
typedef struct rocksdb_dbpath_t rocksdb_dbpath_t;

/**
 * An environment.
 */
typedef struct rocksdb_env_t rocksdb_env_t;

/**
 * Options of files. RocksDB has no setter for them in C.
 */
typedef struct rocksdb_envoptions_t rocksdb_envoptions_t;

/**
 * Options of the FIFO style.
 */
typedef struct rocksdb_fifo_compaction_options_t rocksdb_fifo_compaction_options_t;

/**
 * Named by RocksDB, used by no function.
 */
typedef struct rocksdb_filelock_t rocksdb_filelock_t;

/**
 * A filter policy; C's pointer is really that of an `Arc` of `callbacks::Owned`.
 */
typedef struct rocksdb_filterpolicy_t rocksdb_filterpolicy_t;

/**
 * Options of a flush.
 */
typedef struct rocksdb_flushoptions_t rocksdb_flushoptions_t;

/**
 * Options of a clock cache.
 */
typedef struct rocksdb_hyper_clock_cache_options_t rocksdb_hyper_clock_cache_options_t;

/**
 * Options of ingestion.
 */
typedef struct rocksdb_ingestexternalfileoptions_t rocksdb_ingestexternalfileoptions_t;

/**
 * A cursor.
 */
typedef struct rocksdb_iterator_t rocksdb_iterator_t;

/**
 * One level.
 */
typedef struct rocksdb_level_metadata_t rocksdb_level_metadata_t;

/**
 * Live files, with the strings that C gets to see.
 */
typedef struct rocksdb_livefiles_t rocksdb_livefiles_t;

/**
 * Where log lines go.
 */
typedef struct rocksdb_logger_t rocksdb_logger_t;

/**
 * Options of an LRU cache.
 */
typedef struct rocksdb_lru_cache_options_t rocksdb_lru_cache_options_t;

/**
 * Not served.
 */
typedef struct rocksdb_memory_allocator_t rocksdb_memory_allocator_t;

/**
 * Whose memory is summed up.
 */
typedef struct rocksdb_memory_consumers_t rocksdb_memory_consumers_t;

/**
 * What they use.
 */
typedef struct rocksdb_memory_usage_t rocksdb_memory_usage_t;

/**
 * A merge operator; C's pointer is really that of an `Arc` of `callbacks::Owned`.
 */
typedef struct rocksdb_mergeoperator_t rocksdb_mergeoperator_t;

/**
 * Options of an optimistic transaction.
 */
typedef struct rocksdb_optimistictransaction_options_t rocksdb_optimistictransaction_options_t;

/**
 * Not served.
 */
typedef struct rocksdb_optimistictransactiondb_t rocksdb_optimistictransactiondb_t;

/**
 * Options of a store and of a family.
 */
typedef struct rocksdb_options_t rocksdb_options_t;

/**
 * Counters of the calling thread.
 */
typedef struct rocksdb_perfcontext_t rocksdb_perfcontext_t;

/**
 * A value that stays where it is.
 */
typedef struct rocksdb_pinnableslice_t rocksdb_pinnableslice_t;

/**
 * Named by RocksDB, used by no function.
 */
typedef struct rocksdb_randomfile_t rocksdb_randomfile_t;

/**
 * A bound on bytes a second.
 */
typedef struct rocksdb_ratelimiter_t rocksdb_ratelimiter_t;

/**
 * Options of a read.
 */
typedef struct rocksdb_readoptions_t rocksdb_readoptions_t;

/**
 * Options of restoring.
 */
typedef struct rocksdb_restore_options_t rocksdb_restore_options_t;

/**
 * Named by RocksDB, used by no function.
 */
typedef struct rocksdb_seqfile_t rocksdb_seqfile_t;

/**
 * A prefix extractor; C's pointer is really that of an `Arc` of `callbacks::Owned`.
 */
typedef struct rocksdb_slicetransform_t rocksdb_slicetransform_t;

/**
 * A held moment.
 */
typedef struct rocksdb_snapshot_t rocksdb_snapshot_t;

/**
 * One file.
 */
typedef struct rocksdb_sst_file_metadata_t rocksdb_sst_file_metadata_t;

/**
 * Not served.
 */
typedef struct rocksdb_sstfilewriter_t rocksdb_sstfilewriter_t;

/**
 * Numbers of a histogram.
 */
typedef struct rocksdb_statistics_histogram_data_t rocksdb_statistics_histogram_data_t;

/**
 * An open store, with the default family at hand since most calls want it.
 */
typedef struct rocksdb_t rocksdb_t;

/**
 * Options of a transaction.
 */
typedef struct rocksdb_transaction_options_t rocksdb_transaction_options_t;

/**
 * Not served.
 */
typedef struct rocksdb_transaction_t rocksdb_transaction_t;

/**
 * Options of a store with transactions.
 */
typedef struct rocksdb_transactiondb_options_t rocksdb_transactiondb_options_t;

/**
 * Not served.
 */
typedef struct rocksdb_transactiondb_t rocksdb_transactiondb_t;

/**
 * Options of the universal style.
 */
typedef struct rocksdb_universal_compaction_options_t rocksdb_universal_compaction_options_t;

/**
 * Options of waiting.
 */
typedef struct rocksdb_wait_for_compact_options_t rocksdb_wait_for_compact_options_t;

/**
 * A cursor over the batches of the logs.
 */
typedef struct rocksdb_wal_iterator_t rocksdb_wal_iterator_t;

/**
 * Named by RocksDB; nothing makes one.
 */
typedef struct rocksdb_wal_readoptions_t rocksdb_wal_readoptions_t;

/**
 * Named by RocksDB, used by no function.
 */
typedef struct rocksdb_writablefile_t rocksdb_writablefile_t;

/**
 * A bound on memtables.
 */
typedef struct rocksdb_write_buffer_manager_t rocksdb_write_buffer_manager_t;

/**
 * Writes to be made as one, and why a record was not taken.
 */
typedef struct rocksdb_writebatch_t rocksdb_writebatch_t;

/**
 * Not served.
 */
typedef struct rocksdb_writebatch_wi_t rocksdb_writebatch_wi_t;

/**
 * Options of a write.
 */
typedef struct rocksdb_writeoptions_t rocksdb_writeoptions_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes an empty batch.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_writebatch_t *rocksdb_writebatch_create(void);

/**
 * Makes a batch of the bytes that `rocksdb_writebatch_data` gave. They are checked when it is written.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_writebatch_t *rocksdb_writebatch_create_from(const char *rep,
                                                            size_t size);

/**
 * Destroys a batch.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_destroy(struct rocksdb_writebatch_t *b);

/**
 * Removes all records and save points.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_clear(struct rocksdb_writebatch_t *b);

/**
 * How many records there are, notes for the log left out.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_writebatch_count(struct rocksdb_writebatch_t *b);

/**
 * Sets a key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_put(struct rocksdb_writebatch_t *b,
                            const char *key,
                            size_t klen,
                            const char *val,
                            size_t vlen);

/**
 * Sets a key of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_put_cf(struct rocksdb_writebatch_t *b,
                               struct rocksdb_column_family_handle_t *column_family,
                               const char *key,
                               size_t klen,
                               const char *val,
                               size_t vlen);

/**
 * Sets a key; key and value come in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_putv(struct rocksdb_writebatch_t *b,
                             int num_keys,
                             const char *const *keys_list,
                             const size_t *keys_list_sizes,
                             int num_values,
                             const char *const *values_list,
                             const size_t *values_list_sizes);

/**
 * Sets a key of a family; key and value come in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_putv_cf(struct rocksdb_writebatch_t *b,
                                struct rocksdb_column_family_handle_t *column_family,
                                int num_keys,
                                const char *const *keys_list,
                                const size_t *keys_list_sizes,
                                int num_values,
                                const char *const *values_list,
                                const size_t *values_list_sizes);

/**
 * Adds an operand to a key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_merge(struct rocksdb_writebatch_t *b,
                              const char *key,
                              size_t klen,
                              const char *val,
                              size_t vlen);

/**
 * Adds an operand to a key of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_merge_cf(struct rocksdb_writebatch_t *b,
                                 struct rocksdb_column_family_handle_t *column_family,
                                 const char *key,
                                 size_t klen,
                                 const char *val,
                                 size_t vlen);

/**
 * Adds an operand to a key; both come in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_mergev(struct rocksdb_writebatch_t *b,
                               int num_keys,
                               const char *const *keys_list,
                               const size_t *keys_list_sizes,
                               int num_values,
                               const char *const *values_list,
                               const size_t *values_list_sizes);

/**
 * Adds an operand to a key of a family; both come in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_mergev_cf(struct rocksdb_writebatch_t *b,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  int num_keys,
                                  const char *const *keys_list,
                                  const size_t *keys_list_sizes,
                                  int num_values,
                                  const char *const *values_list,
                                  const size_t *values_list_sizes);

/**
 * Removes a key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete(struct rocksdb_writebatch_t *b,
                               const char *key,
                               size_t klen);

/**
 * Removes a key of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_cf(struct rocksdb_writebatch_t *b,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  const char *key,
                                  size_t klen);

/**
 * Removes a key that was set once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_singledelete(struct rocksdb_writebatch_t *b,
                                     const char *key,
                                     size_t klen);

/**
 * Removes a key of a family that was set once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_singledelete_cf(struct rocksdb_writebatch_t *b,
                                        struct rocksdb_column_family_handle_t *column_family,
                                        const char *key,
                                        size_t klen);

/**
 * Removes a key that comes in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_deletev(struct rocksdb_writebatch_t *b,
                                int num_keys,
                                const char *const *keys_list,
                                const size_t *keys_list_sizes);

/**
 * Removes a key of a family that comes in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_deletev_cf(struct rocksdb_writebatch_t *b,
                                   struct rocksdb_column_family_handle_t *column_family,
                                   int num_keys,
                                   const char *const *keys_list,
                                   const size_t *keys_list_sizes);

/**
 * Removes the keys from a start to before an end.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_range(struct rocksdb_writebatch_t *b,
                                     const char *start_key,
                                     size_t start_key_len,
                                     const char *end_key,
                                     size_t end_key_len);

/**
 * Removes the keys of a family from a start to before an end.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_range_cf(struct rocksdb_writebatch_t *b,
                                        struct rocksdb_column_family_handle_t *column_family,
                                        const char *start_key,
                                        size_t start_key_len,
                                        const char *end_key,
                                        size_t end_key_len);

/**
 * Removes the keys of a range whose ends come in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_rangev(struct rocksdb_writebatch_t *b,
                                      int num_keys,
                                      const char *const *start_keys_list,
                                      const size_t *start_keys_list_sizes,
                                      const char *const *end_keys_list,
                                      const size_t *end_keys_list_sizes);

/**
 * Removes the keys of a range of a family whose ends come in parts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_rangev_cf(struct rocksdb_writebatch_t *b,
                                         struct rocksdb_column_family_handle_t *column_family,
                                         int num_keys,
                                         const char *const *start_keys_list,
                                         const size_t *start_keys_list_sizes,
                                         const char *const *end_keys_list,
                                         const size_t *end_keys_list_sizes);

/**
 * Adds a note for readers of the log; the store itself ignores it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_put_log_data(struct rocksdb_writebatch_t *b,
                                     const char *blob,
                                     size_t len);

/**
 * Calls back for each put and deletion of the default family, until a record of another family or a range deletion.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_iterate(struct rocksdb_writebatch_t *b,
                                void *state,
                                void (*put)(void *state,
                                            const char *k,
                                            size_t klen,
                                            const char *v,
                                            size_t vlen),
                                void (*deleted)(void *state,
                                                const char *k,
                                                size_t klen));

/**
 * The bytes of the batch, good until its next change.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_writebatch_data(struct rocksdb_writebatch_t *b,
                                    size_t *size);

/**
 * Marks a place to come back to.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_set_save_point(struct rocksdb_writebatch_t *b);

/**
 * Removes what was added since the newest mark, and the mark.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_rollback_to_save_point(struct rocksdb_writebatch_t *b,
                                               char **errptr);

/**
 * Removes the newest mark.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_pop_save_point(struct rocksdb_writebatch_t *b,
                                       char **errptr);

/**
 * Makes a block cache of so many bytes.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_cache_t *rocksdb_cache_create_lru(size_t capacity);

/**
 * Makes a block cache that never holds more than so many bytes: what does not fit fails.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_cache_t *rocksdb_cache_create_lru_with_strict_capacity_limit(size_t capacity);

/**
 * Makes a block cache by options.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_cache_t *rocksdb_cache_create_lru_opts(const struct rocksdb_lru_cache_options_t *options);

/**
 * Makes the options of a clock cache.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_hyper_clock_cache_options_t *rocksdb_hyper_clock_cache_options_create(size_t capacity,
                                                                                     size_t estimated_entry_charge);

/**
 * Makes a clock cache of so many bytes.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_cache_t *rocksdb_cache_create_hyper_clock(size_t capacity,
                                                         size_t estimated_entry_charge);

/**
 * Makes a clock cache by options.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_cache_t *rocksdb_cache_create_hyper_clock_opts(const struct rocksdb_hyper_clock_cache_options_t *options);

/**
 * Destroys the handle; options and stores keep their share.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cache_destroy(struct rocksdb_cache_t *cache);

/**
 * Accepted: freeing a cache is quick enough.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cache_disown_data(struct rocksdb_cache_t *cache);

/**
 * Sets how many bytes it may hold; what is too much goes at once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cache_set_capacity(struct rocksdb_cache_t *cache,
                                size_t capacity);

/**
 * How many bytes it may hold.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_cache_get_capacity(const struct rocksdb_cache_t *cache);

/**
 * How many bytes it holds, what others still hold of it included.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_cache_get_usage(const struct rocksdb_cache_t *cache);

/**
 * How many of these are held by others.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_cache_get_pinned_usage(const struct rocksdb_cache_t *cache);

/**
 * How many places its tables have.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_cache_get_table_address_count(const struct rocksdb_cache_t *cache);

/**
 * How many entries it holds.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_cache_get_occupancy_count(const struct rocksdb_cache_t *cache);

/**
 * Makes Bloom filters of so many bits a key.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_bloom(double bits_per_key);

/**
 * Makes Bloom filters of so many bits a key.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_bloom_full(double bits_per_key);

/**
 * Makes Ribbon filters as good as Bloom filters of so many bits a key.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_ribbon(double bloom_equivalent_bits_per_key);

/**
 * Makes Bloom filters above a level and Ribbon filters from it on.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_ribbon_hybrid(double bloom_equivalent_bits_per_key,
                                                                         int bloom_before_level);

/**
 * Makes a bound on memtables that counts against a cache.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_write_buffer_manager_t *rocksdb_write_buffer_manager_create_with_cache(size_t buffer_size,
                                                                                      const struct rocksdb_cache_t *cache,
                                                                                      bool allow_stall);

/**
 * Makes a bound on the memtables of all stores that share it; 0 means none.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_write_buffer_manager_t *rocksdb_write_buffer_manager_create(size_t buffer_size,
                                                                           bool allow_stall);

/**
 * Destroys the handle; stores keep their share.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_write_buffer_manager_destroy(struct rocksdb_write_buffer_manager_t *wbm);

/**
 * Is there a bound?
 */
extern ROCKSDB_LIBRARY_API
bool rocksdb_write_buffer_manager_enabled(struct rocksdb_write_buffer_manager_t *wbm);

/**
 * Is a cache told of the memory?
 */
extern ROCKSDB_LIBRARY_API
bool rocksdb_write_buffer_manager_cost_to_cache(struct rocksdb_write_buffer_manager_t *wbm);

/**
 * Bytes of all memtables.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_memory_usage(struct rocksdb_write_buffer_manager_t *wbm);

/**
 * Bytes of memtables that no flush has taken yet.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_mutable_memtable_memory_usage(struct rocksdb_write_buffer_manager_t *wbm);

/**
 * Bytes that the cache was told of.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(struct rocksdb_write_buffer_manager_t *wbm);

/**
 * The bound.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_buffer_size(struct rocksdb_write_buffer_manager_t *wbm);

/**
 * Sets the bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_write_buffer_manager_set_buffer_size(struct rocksdb_write_buffer_manager_t *wbm,
                                                  size_t new_size);

/**
 * Sets whether writers wait above the bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_write_buffer_manager_set_allow_stall(struct rocksdb_write_buffer_manager_t *wbm,
                                                  bool new_allow_stall);

/**
 * Makes a bound on the bytes a second that flushes and compactions write.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_ratelimiter_t *rocksdb_ratelimiter_create(int64_t rate_bytes_per_sec,
                                                         int64_t refill_period_us,
                                                         int32_t fairness);

/**
 * The same; the rate stays where it is set.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_ratelimiter_t *rocksdb_ratelimiter_create_auto_tuned(int64_t rate_bytes_per_sec,
                                                                    int64_t refill_period_us,
                                                                    int32_t fairness);

/**
 * Destroys the handle; stores keep their share.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ratelimiter_destroy(struct rocksdb_ratelimiter_t *limiter);

/**
 * Destroys a filter policy that was never set on options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_filterpolicy_destroy(struct rocksdb_filterpolicy_t *policy);

/**
 * Makes an order of keys. The name is bound to each store that is made with it.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_comparator_t *rocksdb_comparator_create(void *state,
                                                       void (*destructor)(void *state),
                                                       int (*compare)(void *state,
                                                                      const char *a,
                                                                      size_t alen,
                                                                      const char *b,
                                                                      size_t blen),
                                                       const char *(*name)(void *state));

/**
 * Makes an order of keys that end in a timestamp. A store that is opened with it is refused: user
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_comparator_t *rocksdb_comparator_with_ts_create(void *state,
                                                               void (*destructor)(void *state),
                                                               int (*compare)(void *state,
                                                                              const char *a,
                                                                              size_t alen,
                                                                              const char *b,
                                                                              size_t blen),
                                                               int (*compare_ts)(void *state,
                                                                                 const char *a_ts,
                                                                                 size_t a_tslen,
                                                                                 const char *b_ts,
                                                                                 size_t b_tslen),
                                                               int (*compare_without_ts)(void *state,
                                                                                         const char *a,
                                                                                         size_t alen,
                                                                                         unsigned char a_has_ts,
                                                                                         const char *b,
                                                                                         size_t blen,
                                                                                         unsigned char b_has_ts),
                                                               const char *(*name)(void *state),
                                                               size_t timestamp_size);

/**
 * Destroys an order of keys, after the last store that uses it was closed.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_comparator_destroy(struct rocksdb_comparator_t *cmp);

/**
 * Makes a merge operator. `full_merge` gets a null existing value when there is none; results are
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_mergeoperator_t *rocksdb_mergeoperator_create(void *state,
                                                             void (*destructor)(void *state),
                                                             char *(*full_merge)(void *state,
                                                                                 const char *key,
                                                                                 size_t key_length,
                                                                                 const char *existing_value,
                                                                                 size_t existing_value_length,
                                                                                 const char *const *operands_list,
                                                                                 const size_t *operands_list_length,
                                                                                 int num_operands,
                                                                                 unsigned char *success,
                                                                                 size_t *new_value_length),
                                                             char *(*partial_merge)(void *state,
                                                                                    const char *key,
                                                                                    size_t key_length,
                                                                                    const char *const *operands_list,
                                                                                    const size_t *operands_list_length,
                                                                                    int num_operands,
                                                                                    unsigned char *success,
                                                                                    size_t *new_value_length),
                                                             void (*delete_value)(void *state,
                                                                                  const char *value,
                                                                                  size_t value_length),
                                                             const char *(*name)(void *state));

/**
 * Destroys a merge operator that was never set on options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_mergeoperator_destroy(struct rocksdb_mergeoperator_t *mergeoperator);

/**
 * Makes a compaction filter. The callback drops a key by returning non-zero; a new value is copied
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_compactionfilter_t *rocksdb_compactionfilter_create(void *state,
                                                                   void (*destructor)(void *state),
                                                                   unsigned char (*filter)(void *state,
                                                                                           int level,
                                                                                           const char *key,
                                                                                           size_t key_length,
                                                                                           const char *existing_value,
                                                                                           size_t value_length,
                                                                                           char **new_value,
                                                                                           size_t *new_value_length,
                                                                                           unsigned char *value_changed),
                                                                   const char *(*name)(void *state));

/**
 * Sets whether the filter may drop what a snapshot sees. Compactions with 0 fail, as in RocksDB.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactionfilter_set_ignore_snapshots(struct rocksdb_compactionfilter_t *filter,
                                                   unsigned char ignore);

/**
 * Destroys a compaction filter, after the last store that uses it was closed.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactionfilter_destroy(struct rocksdb_compactionfilter_t *filter);

/**
 * Are all files of the family inputs?
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactionfiltercontext_is_full_compaction(struct rocksdb_compactionfiltercontext_t *context);

/**
 * Did a user ask for this compaction?
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactionfiltercontext_is_manual_compaction(struct rocksdb_compactionfiltercontext_t *context);

/**
 * Makes a factory of compaction filters. A filter that it makes belongs to one compaction, which
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_compactionfilterfactory_t *rocksdb_compactionfilterfactory_create(void *state,
                                                                                 void (*destructor)(void *state),
                                                                                 struct rocksdb_compactionfilter_t *(*create_compaction_filter)(void *state,
                                                                                                                                                struct rocksdb_compactionfiltercontext_t *context),
                                                                                 const char *(*name)(void *state));

/**
 * Destroys a factory that was never set on options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactionfilterfactory_destroy(struct rocksdb_compactionfilterfactory_t *factory);

/**
 * Makes a prefix extractor. What `transform` returns is not freed; `in_range` is never called.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_slicetransform_t *rocksdb_slicetransform_create(void *state,
                                                               void (*destructor)(void *state),
                                                               char *(*transform)(void *state,
                                                                                  const char *key,
                                                                                  size_t length,
                                                                                  size_t *dst_length),
                                                               unsigned char (*in_domain)(void *state,
                                                                                          const char *key,
                                                                                          size_t length),
                                                               unsigned char (*in_range)(void *state,
                                                                                         const char *key,
                                                                                         size_t length),
                                                               const char *(*name)(void *state));

/**
 * Makes the extractor of the first `len` bytes; shorter keys have no prefix.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_slicetransform_t *rocksdb_slicetransform_create_fixed_prefix(size_t len);

/**
 * Makes the extractor whose prefix is the whole key.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_slicetransform_t *rocksdb_slicetransform_create_noop(void);

/**
 * Destroys an extractor that was never set on options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_slicetransform_destroy(struct rocksdb_slicetransform_t *transform);

/**
 * Makes the object that makes checkpoints of a store.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_checkpoint_t *rocksdb_checkpoint_object_create(struct rocksdb_t *db,
                                                              char **errptr);

/**
 * Copies the store as it is now into a folder that must not exist.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_checkpoint_create(struct rocksdb_checkpoint_t *checkpoint,
                               const char *checkpoint_dir,
                               uint64_t log_size_for_flush,
                               char **errptr);

/**
 * Destroys the object, also after the store was closed.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_checkpoint_object_destroy(struct rocksdb_checkpoint_t *checkpoint);

/**
 * Makes a family. NULL on failure.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_column_family_handle_t *rocksdb_create_column_family(struct rocksdb_t *db,
                                                                    const struct rocksdb_options_t *column_family_options,
                                                                    const char *column_family_name,
                                                                    char **errptr);

/**
 * Makes several families alike; the count tells how many there are after a failure.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_column_family_handle_t **rocksdb_create_column_families(struct rocksdb_t *db,
                                                                       const struct rocksdb_options_t *column_family_options,
                                                                       int num_column_families,
                                                                       const char *const *column_family_names,
                                                                       size_t *lencfs,
                                                                       char **errptr);

/**
 * Frees the array of `rocksdb_create_column_families`, not the handles in it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_create_column_families_destroy(struct rocksdb_column_family_handle_t **list);

/**
 * Drops a family. Its handles can still read it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_drop_column_family(struct rocksdb_t *db,
                                struct rocksdb_column_family_handle_t *handle,
                                char **errptr);

/**
 * Destroys a handle; the family stays.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_handle_destroy(struct rocksdb_column_family_handle_t *handle);

/**
 * The number of a family.
 */
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_column_family_handle_get_id(struct rocksdb_column_family_handle_t *handle);

/**
 * The name of a family, to be freed; it does not end in NUL.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_column_family_handle_get_name(struct rocksdb_column_family_handle_t *handle,
                                            size_t *name_len);

/**
 * Compacts the default family from a key to a key; NULL is no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range(struct rocksdb_t *db,
                           const char *start_key,
                           size_t start_key_len,
                           const char *limit_key,
                           size_t limit_key_len);

/**
 * Compacts a family from a key to a key; NULL is no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range_cf(struct rocksdb_t *db,
                              struct rocksdb_column_family_handle_t *column_family,
                              const char *start_key,
                              size_t start_key_len,
                              const char *limit_key,
                              size_t limit_key_len);

/**
 * Compacts the default family from a key to a key, with options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range_opt(struct rocksdb_t *db,
                               struct rocksdb_compactoptions_t *opt,
                               const char *start_key,
                               size_t start_key_len,
                               const char *limit_key,
                               size_t limit_key_len);

/**
 * Compacts a family from a key to a key, with options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range_cf_opt(struct rocksdb_t *db,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  struct rocksdb_compactoptions_t *opt,
                                  const char *start_key,
                                  size_t start_key_len,
                                  const char *limit_key,
                                  size_t limit_key_len);

/**
 * Sets the oldest user timestamp to keep. There are none, so such a compaction is refused.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_full_history_ts_low(struct rocksdb_compactoptions_t *opt,
                                                    char *ts,
                                                    size_t tslen);

/**
 * Marks the files of a range of the default family for compaction.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_suggest_compact_range(struct rocksdb_t *db,
                                   const char *start_key,
                                   size_t start_key_len,
                                   const char *limit_key,
                                   size_t limit_key_len,
                                   char **errptr);

/**
 * Marks the files of a range of a family for compaction.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_suggest_compact_range_cf(struct rocksdb_t *db,
                                      struct rocksdb_column_family_handle_t *column_family,
                                      const char *start_key,
                                      size_t start_key_len,
                                      const char *limit_key,
                                      size_t limit_key_len,
                                      char **errptr);

/**
 * Waits until no flush and no compaction is due.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact(struct rocksdb_t *db,
                              struct rocksdb_wait_for_compact_options_t *options,
                              char **errptr);

/**
 * Stops background work for good; with `wait`, returns when it has ended.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cancel_all_background_work(struct rocksdb_t *db,
                                        unsigned char wait);

/**
 * Ends manual compactions, and later ones at once, until they are enabled again.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_disable_manual_compaction(struct rocksdb_t *db);

/**
 * Takes back one `rocksdb_disable_manual_compaction`.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_enable_manual_compaction(struct rocksdb_t *db);

/**
 * Keeps obsolete files, until deletions are enabled as often.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_disable_file_deletions(struct rocksdb_t *db,
                                    char **errptr);

/**
 * Takes back one `rocksdb_disable_file_deletions`, or all with `force`.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_enable_file_deletions(struct rocksdb_t *db,
                                   unsigned char force,
                                   char **errptr);

/**
 * Deletes a table by the name that `rocksdb_livefiles_name` gives.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_file(struct rocksdb_t *db,
                         const char *name);

/**
 * Drops the tables that lie wholly within a range of the default family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_file_in_range(struct rocksdb_t *db,
                                  const char *start_key,
                                  size_t start_key_len,
                                  const char *limit_key,
                                  size_t limit_key_len,
                                  char **errptr);

/**
 * Drops the tables that lie wholly within a range of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_file_in_range_cf(struct rocksdb_t *db,
                                     struct rocksdb_column_family_handle_t *column_family,
                                     const char *start_key,
                                     size_t start_key_len,
                                     const char *limit_key,
                                     size_t limit_key_len,
                                     char **errptr);

/**
 * Makes a handle of the operating system, with the threads that all stores share.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_env_t *rocksdb_create_default_env(void);

/**
 * Makes an environment whose files live in memory; it shares the operating system's threads.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_env_t *rocksdb_create_mem_env(void);

/**
 * Destroys the handle. Files that live in memory are gone with the last store on them.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_destroy(struct rocksdb_env_t *env);

/**
 * Sets how many threads compact.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_background_threads(struct rocksdb_env_t *env,
                                        int n);

/**
 * How many threads compact.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_env_get_background_threads(struct rocksdb_env_t *env);

/**
 * Sets how many threads compact.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_low_priority_background_threads(struct rocksdb_env_t *env,
                                                     int n);

/**
 * How many threads compact.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_env_get_low_priority_background_threads(struct rocksdb_env_t *env);

/**
 * Sets how many threads flush.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_high_priority_background_threads(struct rocksdb_env_t *env,
                                                      int n);

/**
 * How many threads flush.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_env_get_high_priority_background_threads(struct rocksdb_env_t *env);

/**
 * Sets how many threads compact the last level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_bottom_priority_background_threads(struct rocksdb_env_t *env,
                                                        int n);

/**
 * How many threads compact the last level.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_env_get_bottom_priority_background_threads(struct rocksdb_env_t *env);

/**
 * Waits until no background job waits or runs.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_join_all_threads(struct rocksdb_env_t *env);

/**
 * Accepted. Threads keep the priority that the process has.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_lower_thread_pool_io_priority(struct rocksdb_env_t *env);

/**
 * Accepted. Threads keep the priority that the process has.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_lower_high_priority_thread_pool_io_priority(struct rocksdb_env_t *env);

/**
 * Accepted. Threads keep the priority that the process has.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_lower_thread_pool_cpu_priority(struct rocksdb_env_t *env);

/**
 * Accepted. Threads keep the priority that the process has.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_env_lower_high_priority_thread_pool_cpu_priority(struct rocksdb_env_t *env);

/**
 * Makes a folder, unless it is there.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_create_dir_if_missing(struct rocksdb_env_t *env,
                                   const char *path,
                                   char **errptr);

/**
 * Makes a cursor over the default family; it stands nowhere until the first seek.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_create_iterator(struct rocksdb_t *db,
                                                   const struct rocksdb_readoptions_t *options);

/**
 * Makes a cursor over a family; it stands nowhere until the first seek.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_create_iterator_cf(struct rocksdb_t *db,
                                                      const struct rocksdb_readoptions_t *options,
                                                      struct rocksdb_column_family_handle_t *column_family);

/**
 * Makes cursors over families, all as of one moment.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_create_iterators(struct rocksdb_t *db,
                              struct rocksdb_readoptions_t *opts,
                              struct rocksdb_column_family_handle_t **column_families,
                              struct rocksdb_iterator_t **iterators,
                              size_t size,
                              char **errptr);

/**
 * Destroys a cursor.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_destroy(struct rocksdb_iterator_t *iter);

/**
 * Does it stand on an entry? If not, `rocksdb_iter_get_error` tells an end from a failure.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_iter_valid(const struct rocksdb_iterator_t *iter);

/**
 * Goes to the first key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_seek_to_first(struct rocksdb_iterator_t *iter);

/**
 * Goes to the last key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_seek_to_last(struct rocksdb_iterator_t *iter);

/**
 * Goes to the first key at or behind `k`.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_seek(struct rocksdb_iterator_t *iter,
                       const char *k,
                       size_t klen);

/**
 * Goes to the last key at or before `k`.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_seek_for_prev(struct rocksdb_iterator_t *iter,
                                const char *k,
                                size_t klen);

/**
 * Goes one key forward.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_next(struct rocksdb_iterator_t *iter);

/**
 * Goes one key back.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_prev(struct rocksdb_iterator_t *iter);

/**
 * The key, good until the next move; NULL and 0 when it stands nowhere.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_iter_key(const struct rocksdb_iterator_t *iter,
                             size_t *klen);

/**
 * The value, good until the next move; NULL and 0 when it stands nowhere.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_iter_value(const struct rocksdb_iterator_t *iter,
                               size_t *vlen);

/**
 * There are no user timestamps: NULL and 0.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_iter_timestamp(const struct rocksdb_iterator_t *iter,
                                   size_t *tslen);

/**
 * Reports why it stands nowhere, unless that is because it came to an end.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_get_error(const struct rocksdb_iterator_t *iter,
                            char **errptr);

/**
 * Opens the store at `name`, which holds no family but the default one.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open(const struct rocksdb_options_t *options,
                               const char *name,
                               char **errptr);

/**
 * Opens the default family of the store at `name` for reading.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_for_read_only(const struct rocksdb_options_t *options,
                                             const char *name,
                                             unsigned char error_if_wal_file_exists,
                                             char **errptr);

/**
 * Opens the store at `name`; every family it holds must be named, in any order.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_column_families(const struct rocksdb_options_t *options,
                                               const char *name,
                                               int num_column_families,
                                               const char *const *column_family_names,
                                               const struct rocksdb_options_t *const *column_family_options,
                                               struct rocksdb_column_family_handle_t **column_family_handles,
                                               char **errptr);

/**
 * Opens the named families of the store at `name` for reading.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_for_read_only_column_families(const struct rocksdb_options_t *options,
                                                             const char *name,
                                                             int num_column_families,
                                                             const char *const *column_family_names,
                                                             const struct rocksdb_options_t *const *column_family_options,
                                                             struct rocksdb_column_family_handle_t **column_family_handles,
                                                             unsigned char error_if_wal_file_exists,
                                                             char **errptr);

/**
 * Closes the store. Iterators, snapshots and handles should be destroyed before.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_close(struct rocksdb_t *db);

/**
 * Opens the default family of a store that another process may have open for writing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_as_secondary(const struct rocksdb_options_t *options,
                                            const char *name,
                                            const char *secondary_path,
                                            char **errptr);

/**
 * Opens named families of a store that another process may have open for writing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_as_secondary_column_families(const struct rocksdb_options_t *options,
                                                            const char *name,
                                                            const char *secondary_path,
                                                            int num_column_families,
                                                            const char *const *column_family_names,
                                                            const struct rocksdb_options_t *const *column_family_options,
                                                            struct rocksdb_column_family_handle_t **column_family_handles,
                                                            char **errptr);

/**
 * Lets a secondary store see what its primary has written since.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_try_catch_up_with_primary(struct rocksdb_t *db,
                                       char **errptr);

/**
 * Removes the store at `name` with all its files. One that is not there is fine.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_destroy_db(const struct rocksdb_options_t *options,
                        const char *name,
                        char **errptr);

/**
 * Names the families of the store at `name`, by id; to be given to the matching destroy.
 */
extern ROCKSDB_LIBRARY_API
char **rocksdb_list_column_families(const struct rocksdb_options_t *options,
                                    const char *name,
                                    size_t *lencf,
                                    char **errptr);

/**
 * Frees what `rocksdb_list_column_families` made.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_list_column_families_destroy(char **list,
                                          size_t len);

/**
 * Copies options; objects that were set are shared.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_options_t *rocksdb_options_create_copy(struct rocksdb_options_t *options);

/**
 * Copies options and changes them as a text like "a=1;b={c=2}" says; on error, not at all.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_get_options_from_string(const struct rocksdb_options_t *base_options,
                                     const char *opts_str,
                                     struct rocksdb_options_t *new_options,
                                     char **errptr);

/**
 * Sets background threads for so many cores.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_increase_parallelism(struct rocksdb_options_t *opt,
                                          int total_threads);

/**
 * Prepares for gets alone, with a block cache of so many MiB.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_optimize_for_point_lookup(struct rocksdb_options_t *opt,
                                               uint64_t block_cache_size_mb);

/**
 * Sets the level style for memtables of so many bytes in all.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_optimize_level_style_compaction(struct rocksdb_options_t *opt,
                                                     uint64_t memtable_memory_budget);

/**
 * Sets the universal style for memtables of so many bytes in all.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_optimize_universal_style_compaction(struct rocksdb_options_t *opt,
                                                         uint64_t memtable_memory_budget);

/**
 * Lets level 0 grow without bound and compacts nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_prepare_for_bulk_load(struct rocksdb_options_t *opt);

/**
 * Sets compression from a level on, none above it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_min_level_to_compress(struct rocksdb_options_t *opt,
                                               int level);

/**
 * Sets compression level by level; what was set for all no longer counts.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_per_level(struct rocksdb_options_t *opt,
                                               const int *level_values,
                                               size_t num_levels);

/**
 * Sets extra growth level by level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_bytes_for_level_multiplier_additional(struct rocksdb_options_t *opt,
                                                                   int *level_values,
                                                                   size_t num_levels);

/**
 * Sets how hard to compress.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options(struct rocksdb_options_t *opt,
                                             int window_bits,
                                             int level,
                                             int strategy,
                                             int max_dict_bytes);

/**
 * Sets how hard to compress the last level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options(struct rocksdb_options_t *opt,
                                                        int window_bits,
                                                        int level,
                                                        int strategy,
                                                        int max_dict_bytes,
                                                        unsigned char enabled);

/**
 * Sets the bytes that train a dictionary of the last level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(struct rocksdb_options_t *opt,
                                                                             int bytes,
                                                                             unsigned char enabled);

/**
 * Sets whether dictionaries of the last level are trained.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(struct rocksdb_options_t *opt,
                                                                              unsigned char use_trainer,
                                                                              unsigned char enabled);

/**
 * Sets the bytes buffered for a dictionary of the last level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(struct rocksdb_options_t *opt,
                                                                              uint64_t bytes,
                                                                              unsigned char enabled);

/**
 * Sets the order of keys, which must outlive all that uses it; NULL means plain byte order.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_comparator(struct rocksdb_options_t *opt,
                                    struct rocksdb_comparator_t *cmp);

/**
 * Sets the merge operator, which the options own from now on; NULL means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_merge_operator(struct rocksdb_options_t *opt,
                                        struct rocksdb_mergeoperator_t *mergeoperator);

/**
 * Sets the merge operator that adds 8-byte little-endian numbers.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_uint64add_merge_operator(struct rocksdb_options_t *opt);

/**
 * Sets a compaction filter, which must outlive all that uses it; NULL means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_filter(struct rocksdb_options_t *opt,
                                           struct rocksdb_compactionfilter_t *filter);

/**
 * Sets a factory of compaction filters, which the options own from now on; NULL means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_filter_factory(struct rocksdb_options_t *opt,
                                                   struct rocksdb_compactionfilterfactory_t *factory);

/**
 * Sets the prefix extractor, which the options own from now on; NULL means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_prefix_extractor(struct rocksdb_options_t *opt,
                                          struct rocksdb_slicetransform_t *transform);

/**
 * Sets the environment; NULL means the operating system.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_env(struct rocksdb_options_t *opt,
                             struct rocksdb_env_t *env);

/**
 * Sets where log lines go; NULL changes nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_info_log(struct rocksdb_options_t *opt,
                                  struct rocksdb_logger_t *logger);

/**
 * Sets the folder of the info log.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_db_log_dir(struct rocksdb_options_t *opt,
                                    const char *dir);

/**
 * Sets the folder of the logs.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_dir(struct rocksdb_options_t *opt,
                                 const char *dir);

/**
 * Sets the folders of tables.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_db_paths(struct rocksdb_options_t *opt,
                                  const struct rocksdb_dbpath_t **path_values,
                                  size_t num_paths);

/**
 * Sets the folders of tables of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_cf_paths(struct rocksdb_options_t *opt,
                                  const struct rocksdb_dbpath_t **path_values,
                                  size_t num_paths);

/**
 * Makes a folder of tables with the bytes it is meant to hold.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_dbpath_t *rocksdb_dbpath_create(const char *path,
                                               uint64_t target_size);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_dbpath_destroy(struct rocksdb_dbpath_t *path);

/**
 * Copies table options into the options; NULL changes nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_block_based_table_factory(struct rocksdb_options_t *opt,
                                                   struct rocksdb_block_based_table_options_t *table_options);

/**
 * Accepted: tables are written in the block-based format all the same.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_cuckoo_table_factory(struct rocksdb_options_t *opt,
                                              struct rocksdb_cuckoo_table_options_t *table_options);

/**
 * Accepted: tables are written in the block-based format all the same.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_plain_table_factory(struct rocksdb_options_t *opt,
                                             uint32_t user_key_len,
                                             int bloom_bits_per_key,
                                             double hash_table_ratio,
                                             size_t index_sparseness,
                                             size_t huge_page_tlb_size,
                                             char encoding_type,
                                             unsigned char full_scan_mode,
                                             unsigned char store_index_in_file);

/**
 * Buffers writes in an array that is sorted when it is read.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_vector_rep(struct rocksdb_options_t *opt);

/**
 * Accepted: a skiplist without a hash serves.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_hash_skip_list_rep(struct rocksdb_options_t *opt,
                                            size_t bucket_count,
                                            int32_t skiplist_height,
                                            int32_t skiplist_branching_factor);

/**
 * Accepted: a skiplist without a hash serves.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_hash_link_list_rep(struct rocksdb_options_t *opt,
                                            size_t bucket_count);

/**
 * Copies the options of the universal style into the options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_universal_compaction_options(struct rocksdb_options_t *opt,
                                                      struct rocksdb_universal_compaction_options_t *universal);

/**
 * Copies the options of the FIFO style into the options.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_fifo_compaction_options(struct rocksdb_options_t *opt,
                                                 struct rocksdb_fifo_compaction_options_t *fifo);

/**
 * Shares a rate limiter; NULL changes nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_ratelimiter(struct rocksdb_options_t *opt,
                                     struct rocksdb_ratelimiter_t *limiter);

/**
 * Shares a bound on memtables; NULL changes nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_buffer_manager(struct rocksdb_options_t *opt,
                                              struct rocksdb_write_buffer_manager_t *wbm);

/**
 * Shares a cache of entries; NULL changes nothing. Accepted: the block cache serves.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_row_cache(struct rocksdb_options_t *opt,
                                   struct rocksdb_cache_t *cache);

/**
 * Shares a cache of blob values; NULL changes nothing. Accepted: there are no blob files.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_blob_cache(struct rocksdb_options_t *opt,
                                    struct rocksdb_cache_t *blob_cache);

/**
 * Marks files for compaction in which deletions crowd.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_add_compact_on_deletion_collector_factory(struct rocksdb_options_t *opt,
                                                               size_t window_size,
                                                               size_t num_dels_trigger);

/**
 * Marks files for compaction in which deletions crowd, or make up a share of all entries.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(struct rocksdb_options_t *opt,
                                                                         size_t window_size,
                                                                         size_t num_dels_trigger,
                                                                         double deletion_ratio);

/**
 * Sets the filter policy, which the options own from now on; NULL means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_filter_policy(struct rocksdb_block_based_table_options_t *options,
                                                   struct rocksdb_filterpolicy_t *filter_policy);

/**
 * Shares a block cache; NULL changes nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_cache(struct rocksdb_block_based_table_options_t *options,
                                                 struct rocksdb_cache_t *block_cache);

/**
 * Reads as of a snapshot; NULL means now.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_snapshot(struct rocksdb_readoptions_t *opt,
                                      const struct rocksdb_snapshot_t *snapshot);

/**
 * Copies the first key that cursors must not reach; NULL means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_iterate_upper_bound(struct rocksdb_readoptions_t *opt,
                                                 const char *key,
                                                 size_t keylen);

/**
 * Copies the first key that cursors may reach; NULL means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_iterate_lower_bound(struct rocksdb_readoptions_t *opt,
                                                 const char *key,
                                                 size_t keylen);

/**
 * Sets the user timestamp to read at. There are none, so such reads fail.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_timestamp(struct rocksdb_readoptions_t *opt,
                                       const char *ts,
                                       size_t tslen);

/**
 * Sets the oldest user timestamp to show. There are none, so such reads fail.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_iter_start_ts(struct rocksdb_readoptions_t *opt,
                                           const char *ts,
                                           size_t tslen);

/**
 * Makes the options of backups in a folder.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_backup_engine_options_t *rocksdb_backup_engine_options_create(const char *backup_dir);

/**
 * Sets the folder of backups.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_backup_dir(struct rocksdb_backup_engine_options_t *options,
                                                  const char *backup_dir);

/**
 * Sets where the files of backups live; NULL means where those of the store do.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_env(struct rocksdb_backup_engine_options_t *options,
                                           struct rocksdb_env_t *env);

/**
 * Changes options of the default family while it is open: all of them or none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_set_options(struct rocksdb_t *db,
                         int count,
                         const char *const *keys,
                         const char *const *values,
                         char **errptr);

/**
 * Changes options of a family while it is open: all of them or none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_set_options_cf(struct rocksdb_t *db,
                            struct rocksdb_column_family_handle_t *handle,
                            int count,
                            const char *const *keys,
                            const char *const *values,
                            char **errptr);

/**
 * Reads the options that the store at `db_path` had last, of all its families; to be given to the matching destroy.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_load_latest_options(const char *db_path,
                                 struct rocksdb_env_t *env,
                                 bool ignore_unknown_options,
                                 struct rocksdb_cache_t *cache,
                                 struct rocksdb_options_t **db_options,
                                 size_t *num_column_families,
                                 char ***column_family_names,
                                 struct rocksdb_options_t ***column_family_options,
                                 char **errptr);

/**
 * Destroys what `rocksdb_load_latest_options` made.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_load_latest_options_destroy(struct rocksdb_options_t *db_options,
                                         char **list_column_family_names,
                                         struct rocksdb_options_t **list_column_family_options,
                                         size_t len);

/**
 * A property of the default family as text to be freed; NULL when there is none of the name.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_property_value(struct rocksdb_t *db,
                             const char *propname);

/**
 * A property of a family as text to be freed; NULL when there is none of the name.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_property_value_cf(struct rocksdb_t *db,
                                struct rocksdb_column_family_handle_t *column_family,
                                const char *propname);

/**
 * A property of the default family as a number. Returns 0, or -1 when there is none of the name.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_property_int(struct rocksdb_t *db,
                         const char *propname,
                         uint64_t *out_val);

/**
 * A property of a family as a number. Returns 0, or -1 when there is none of the name.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_property_int_cf(struct rocksdb_t *db,
                            struct rocksdb_column_family_handle_t *column_family,
                            const char *propname,
                            uint64_t *out_val);

/**
 * Bytes that ranges of the default family take in tables.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_sizes(struct rocksdb_t *db,
                               int num_ranges,
                               const char *const *range_start_key,
                               const size_t *range_start_key_len,
                               const char *const *range_limit_key,
                               const size_t *range_limit_key_len,
                               uint64_t *sizes,
                               char **errptr);

/**
 * Bytes that ranges of a family take in tables.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_sizes_cf(struct rocksdb_t *db,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  int num_ranges,
                                  const char *const *range_start_key,
                                  const size_t *range_start_key_len,
                                  const char *const *range_limit_key,
                                  const size_t *range_limit_key_len,
                                  uint64_t *sizes,
                                  char **errptr);

/**
 * The tables of a store, to be given to the matching destroy.
 */
extern ROCKSDB_LIBRARY_API
const struct rocksdb_livefiles_t *rocksdb_livefiles(struct rocksdb_t *db);

/**
 * How many there are.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_livefiles_count(const struct rocksdb_livefiles_t *files);

/**
 * The name of a table, with a slash before it.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_name(const struct rocksdb_livefiles_t *files,
                                   int index);

/**
 * The family that a table belongs to.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_column_family_name(const struct rocksdb_livefiles_t *files,
                                                 int index);

/**
 * The level that a table is on.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_livefiles_level(const struct rocksdb_livefiles_t *files,
                            int index);

/**
 * The bytes of a table.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_livefiles_size(const struct rocksdb_livefiles_t *files,
                              int index);

/**
 * The first key of a table.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_smallestkey(const struct rocksdb_livefiles_t *files,
                                          int index,
                                          size_t *size);

/**
 * The last key of a table.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_largestkey(const struct rocksdb_livefiles_t *files,
                                         int index,
                                         size_t *size);

/**
 * The entries of a table.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_entries(const struct rocksdb_livefiles_t *files,
                                   int index);

/**
 * The deletions of a table.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_deletions(const struct rocksdb_livefiles_t *files,
                                     int index);

/**
 * Destroys the list and all that it handed out.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_livefiles_destroy(const struct rocksdb_livefiles_t *files);

/**
 * The levels of the default family, to be given to the matching destroy.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_column_family_metadata_t *rocksdb_get_column_family_metadata(struct rocksdb_t *db);

/**
 * The levels of a family, to be given to the matching destroy.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_column_family_metadata_t *rocksdb_get_column_family_metadata_cf(struct rocksdb_t *db,
                                                                               struct rocksdb_column_family_handle_t *column_family);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_metadata_destroy(struct rocksdb_column_family_metadata_t *cf_meta);

/**
 * The bytes of all levels.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_column_family_metadata_get_size(struct rocksdb_column_family_metadata_t *cf_meta);

/**
 * The files of all levels.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_column_family_metadata_get_file_count(struct rocksdb_column_family_metadata_t *cf_meta);

/**
 * The name of the family, to be freed.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_column_family_metadata_get_name(struct rocksdb_column_family_metadata_t *cf_meta);

/**
 * How many levels there are, empty ones too.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_column_family_metadata_get_level_count(struct rocksdb_column_family_metadata_t *cf_meta);

/**
 * One level, to be given to the matching destroy; NULL when there is none of the number.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_level_metadata_t *rocksdb_column_family_metadata_get_level_metadata(struct rocksdb_column_family_metadata_t *cf_meta,
                                                                                   size_t i);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_level_metadata_destroy(struct rocksdb_level_metadata_t *level_meta);

/**
 * The number of the level.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_level_metadata_get_level(struct rocksdb_level_metadata_t *level_meta);

/**
 * The bytes of the level.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_level_metadata_get_size(struct rocksdb_level_metadata_t *level_meta);

/**
 * The files of the level.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_level_metadata_get_file_count(struct rocksdb_level_metadata_t *level_meta);

/**
 * One file, to be given to the matching destroy; NULL when there is none of the number.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_sst_file_metadata_t *rocksdb_level_metadata_get_sst_file_metadata(struct rocksdb_level_metadata_t *level_meta,
                                                                                 size_t i);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sst_file_metadata_destroy(struct rocksdb_sst_file_metadata_t *file_meta);

/**
 * The name of the file, to be freed.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_relative_filename(struct rocksdb_sst_file_metadata_t *file_meta);

/**
 * The folder of the file, to be freed.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_directory(struct rocksdb_sst_file_metadata_t *file_meta);

/**
 * The bytes of the file.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_sst_file_metadata_get_size(struct rocksdb_sst_file_metadata_t *file_meta);

/**
 * The first key of the file, to be freed.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_smallestkey(struct rocksdb_sst_file_metadata_t *file_meta,
                                                size_t *len);

/**
 * The last key of the file, to be freed.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_largestkey(struct rocksdb_sst_file_metadata_t *file_meta,
                                               size_t *len);

/**
 * Reads a key. NULL and length 0 when it is not there or on error; else a copy to be freed.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_get(struct rocksdb_t *db,
                  const struct rocksdb_readoptions_t *options,
                  const char *key,
                  size_t keylen,
                  size_t *vallen,
                  char **errptr);

/**
 * Reads a key of a family, as `rocksdb_get` does.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_get_cf(struct rocksdb_t *db,
                     const struct rocksdb_readoptions_t *options,
                     struct rocksdb_column_family_handle_t *column_family,
                     const char *key,
                     size_t keylen,
                     size_t *vallen,
                     char **errptr);

/**
 * Reads a key without a copy. NULL when it is not there or on error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_get_pinned(struct rocksdb_t *db,
                                                   const struct rocksdb_readoptions_t *options,
                                                   const char *key,
                                                   size_t keylen,
                                                   char **errptr);

/**
 * Reads a key of a family without a copy. NULL when it is not there or on error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_get_pinned_cf(struct rocksdb_t *db,
                                                      const struct rocksdb_readoptions_t *options,
                                                      struct rocksdb_column_family_handle_t *column_family,
                                                      const char *key,
                                                      size_t keylen,
                                                      char **errptr);

/**
 * The bytes of a pinned value, good until it is destroyed.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_pinnableslice_value(const struct rocksdb_pinnableslice_t *t,
                                        size_t *vlen);

/**
 * Lets go of a pinned value; NULL is fine.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_pinnableslice_destroy(struct rocksdb_pinnableslice_t *v);

/**
 * Reads many keys as of one moment. Every slot of the three arrays is written.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_multi_get(struct rocksdb_t *db,
                       const struct rocksdb_readoptions_t *options,
                       size_t num_keys,
                       const char *const *keys_list,
                       const size_t *keys_list_sizes,
                       char **values_list,
                       size_t *values_list_sizes,
                       char **errs);

/**
 * Reads many keys, each of its own family, as of one moment. Every slot is written.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_multi_get_cf(struct rocksdb_t *db,
                          const struct rocksdb_readoptions_t *options,
                          const struct rocksdb_column_family_handle_t *const *column_families,
                          size_t num_keys,
                          const char *const *keys_list,
                          const size_t *keys_list_sizes,
                          char **values_list,
                          size_t *values_list_sizes,
                          char **errs);

/**
 * Reads many keys of one family without copies. Every slot of both arrays is written.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_batched_multi_get_cf(struct rocksdb_t *db,
                                  const struct rocksdb_readoptions_t *options,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  size_t num_keys,
                                  const char *const *keys_list,
                                  const size_t *keys_list_sizes,
                                  struct rocksdb_pinnableslice_t **values,
                                  char **errs,
                                  bool sorted_input);

/**
 * 0 when a key is surely not there, found without I/O. A value that is in memory is copied out.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_key_may_exist(struct rocksdb_t *db,
                                    const struct rocksdb_readoptions_t *options,
                                    const char *key,
                                    size_t key_len,
                                    char **value,
                                    size_t *val_len,
                                    const char *timestamp,
                                    size_t timestamp_len,
                                    unsigned char *value_found);

/**
 * The same for a key of a family.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_key_may_exist_cf(struct rocksdb_t *db,
                                       const struct rocksdb_readoptions_t *options,
                                       struct rocksdb_column_family_handle_t *column_family,
                                       const char *key,
                                       size_t key_len,
                                       char **value,
                                       size_t *val_len,
                                       const char *timestamp,
                                       size_t timestamp_len,
                                       unsigned char *value_found);

/**
 * Holds on to the present moment.
 */
extern ROCKSDB_LIBRARY_API
const struct rocksdb_snapshot_t *rocksdb_create_snapshot(struct rocksdb_t *db);

/**
 * Lets go of a moment.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_release_snapshot(struct rocksdb_t *db,
                              const struct rocksdb_snapshot_t *snapshot);

/**
 * The number of the newest write that reads can see.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_get_latest_sequence_number(struct rocksdb_t *db);

/**
 * Frees what a call handed out; it is C's own free.
 */
extern ROCKSDB_LIBRARY_API void rocksdb_free(void *ptr);

/**
 * Gives the options counters, which every store opened with them shares.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_enable_statistics(struct rocksdb_options_t *opt);

/**
 * Sets how much is counted; nothing while statistics are off.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_statistics_level(struct rocksdb_options_t *opt,
                                          int level);

/**
 * How much is counted; 0 while statistics are off.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_statistics_level(struct rocksdb_options_t *opt);

/**
 * All counters as text to be freed; NULL while statistics are off.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_options_statistics_get_string(struct rocksdb_options_t *opt);

/**
 * One counter, by its number in RocksDB 8.10; 0 while statistics are off.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_statistics_get_ticker_count(struct rocksdb_options_t *opt,
                                                     uint32_t ticker_type);

/**
 * One histogram, by its number in RocksDB 8.10; zeros while statistics are off.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_statistics_get_histogram_data(struct rocksdb_options_t *opt,
                                                   uint32_t histogram_type,
                                                   struct rocksdb_statistics_histogram_data_t *data);

/**
 * Accepted. Nothing is counted a thread, whatever the level.
 */
extern ROCKSDB_LIBRARY_API void rocksdb_set_perf_level(int level);

/**
 * Makes a view of the calling thread's counters, which all read 0.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_perfcontext_t *rocksdb_perfcontext_create(void);

/**
 * Does nothing: the counters are 0.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_perfcontext_reset(struct rocksdb_perfcontext_t *context);

/**
 * The counters that are not 0 as text to be freed: an empty one.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_perfcontext_report(struct rocksdb_perfcontext_t *context,
                                 unsigned char exclude_zero_counters);

/**
 * A counter: 0.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_perfcontext_metric(struct rocksdb_perfcontext_t *context,
                                    int metric);

/**
 * Destroys the view.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_perfcontext_destroy(struct rocksdb_perfcontext_t *context);

/**
 * Adds the memory of a store.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_memory_consumers_add_db(struct rocksdb_memory_consumers_t *consumers,
                                     struct rocksdb_t *db);

/**
 * Adds the memory of a cache; the same one counts once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_memory_consumers_add_cache(struct rocksdb_memory_consumers_t *consumers,
                                        struct rocksdb_cache_t *cache);

/**
 * Sums up what the consumers use now.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_memory_usage_t *rocksdb_approximate_memory_usage_create(struct rocksdb_memory_consumers_t *consumers,
                                                                       char **errptr);

/**
 * Makes a cursor that stands on the batch with a number, or the first one behind it.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_wal_iterator_t *rocksdb_get_updates_since(struct rocksdb_t *db,
                                                         uint64_t seq_number,
                                                         const struct rocksdb_wal_readoptions_t *options,
                                                         char **errptr);

/**
 * Goes to the next batch; behind the last one, to what was written since.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wal_iter_next(struct rocksdb_wal_iterator_t *iter);

/**
 * Does it stand on a batch?
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wal_iter_valid(const struct rocksdb_wal_iterator_t *arg0);

/**
 * Reports why it stands nowhere, unless that is because it came to the end.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wal_iter_status(const struct rocksdb_wal_iterator_t *iter,
                             char **errptr);

/**
 * A copy of the batch, and the number of its first record; NULL when it stands nowhere.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_writebatch_t *rocksdb_wal_iter_get_batch(const struct rocksdb_wal_iterator_t *iter,
                                                        uint64_t *seq);

/**
 * Destroys a cursor.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wal_iter_destroy(const struct rocksdb_wal_iterator_t *iter);

/**
 * Sets a key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_put(struct rocksdb_t *db,
                 const struct rocksdb_writeoptions_t *options,
                 const char *key,
                 size_t keylen,
                 const char *val,
                 size_t vallen,
                 char **errptr);

/**
 * Sets a key of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_put_cf(struct rocksdb_t *db,
                    const struct rocksdb_writeoptions_t *options,
                    struct rocksdb_column_family_handle_t *column_family,
                    const char *key,
                    size_t keylen,
                    const char *val,
                    size_t vallen,
                    char **errptr);

/**
 * Removes a key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete(struct rocksdb_t *db,
                    const struct rocksdb_writeoptions_t *options,
                    const char *key,
                    size_t keylen,
                    char **errptr);

/**
 * Removes a key of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_cf(struct rocksdb_t *db,
                       const struct rocksdb_writeoptions_t *options,
                       struct rocksdb_column_family_handle_t *column_family,
                       const char *key,
                       size_t keylen,
                       char **errptr);

/**
 * Removes a key that was set once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_singledelete(struct rocksdb_t *db,
                          const struct rocksdb_writeoptions_t *options,
                          const char *key,
                          size_t keylen,
                          char **errptr);

/**
 * Removes a key of a family that was set once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_singledelete_cf(struct rocksdb_t *db,
                             const struct rocksdb_writeoptions_t *options,
                             struct rocksdb_column_family_handle_t *column_family,
                             const char *key,
                             size_t keylen,
                             char **errptr);

/**
 * Removes the keys from a start to before an end.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_range_cf(struct rocksdb_t *db,
                             const struct rocksdb_writeoptions_t *options,
                             struct rocksdb_column_family_handle_t *column_family,
                             const char *start_key,
                             size_t start_key_len,
                             const char *end_key,
                             size_t end_key_len,
                             char **errptr);

/**
 * Adds an operand to a key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_merge(struct rocksdb_t *db,
                   const struct rocksdb_writeoptions_t *options,
                   const char *key,
                   size_t keylen,
                   const char *val,
                   size_t vallen,
                   char **errptr);

/**
 * Adds an operand to a key of a family.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_merge_cf(struct rocksdb_t *db,
                      const struct rocksdb_writeoptions_t *options,
                      struct rocksdb_column_family_handle_t *column_family,
                      const char *key,
                      size_t keylen,
                      const char *val,
                      size_t vallen,
                      char **errptr);

/**
 * Makes all writes of a batch as one. The batch keeps them, and the sequence number they got.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_write(struct rocksdb_t *db,
                   const struct rocksdb_writeoptions_t *options,
                   struct rocksdb_writebatch_t *batch,
                   char **errptr);

/**
 * Writes the memtables of the default family to tables.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_flush(struct rocksdb_t *db,
                   const struct rocksdb_flushoptions_t *options,
                   char **errptr);

/**
 * Writes the memtables of a family to tables.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_flush_cf(struct rocksdb_t *db,
                      const struct rocksdb_flushoptions_t *options,
                      struct rocksdb_column_family_handle_t *column_family,
                      char **errptr);

/**
 * Writes the memtables of families to tables.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_flush_cfs(struct rocksdb_t *db,
                       const struct rocksdb_flushoptions_t *options,
                       struct rocksdb_column_family_handle_t **column_family,
                       int num_column_families,
                       char **errptr);

/**
 * Hands what is buffered of the log to the system; with `sync`, to the medium.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_flush_wal(struct rocksdb_t *db,
                       unsigned char sync,
                       char **errptr);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_options_t *rocksdb_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_destroy(struct rocksdb_options_t *it);

/**
 * Sets: Bytes read at once by compactions.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_compaction_readahead_size(struct rocksdb_options_t *it,
                                               size_t value);

/**
 * Sets: Leave room below all data.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_ingest_behind(struct rocksdb_options_t *it,
                                             unsigned char value);

/**
 * Gets: Leave room below all data.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_ingest_behind(struct rocksdb_options_t *it);

/**
 * Gets: Bytes read at once by compactions.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_compaction_readahead_size(struct rocksdb_options_t *it);

/**
 * Sets: Make the store when the path holds none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_create_if_missing(struct rocksdb_options_t *it,
                                           unsigned char value);

/**
 * Gets: Make the store when the path holds none.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_create_if_missing(struct rocksdb_options_t *it);

/**
 * Sets: Make listed families that are not there.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_create_missing_column_families(struct rocksdb_options_t *it,
                                                        unsigned char value);

/**
 * Gets: Make listed families that are not there.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_create_missing_column_families(struct rocksdb_options_t *it);

/**
 * Sets: Refuse an existing store.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_error_if_exists(struct rocksdb_options_t *it,
                                         unsigned char value);

/**
 * Gets: Refuse an existing store.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_error_if_exists(struct rocksdb_options_t *it);

/**
 * Sets: Stop writing at the first sign of damage.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_paranoid_checks(struct rocksdb_options_t *it,
                                         unsigned char value);

/**
 * Gets: Stop writing at the first sign of damage.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_paranoid_checks(struct rocksdb_options_t *it);

/**
 * Sets: Least level of the info log.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_info_log_level(struct rocksdb_options_t *it,
                                        int value);

/**
 * Gets: Least level of the info log.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_info_log_level(struct rocksdb_options_t *it);

/**
 * Sets: Bytes one memtable may hold before it becomes immutable.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_buffer_size(struct rocksdb_options_t *it,
                                           size_t value);

/**
 * Gets: Bytes one memtable may hold before it becomes immutable.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_write_buffer_size(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of all memtables together; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_db_write_buffer_size(struct rocksdb_options_t *it,
                                              size_t value);

/**
 * Gets: Bytes of all memtables together; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_db_write_buffer_size(struct rocksdb_options_t *it);

/**
 * Sets: Open tables; -1 keeps all open.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_open_files(struct rocksdb_options_t *it,
                                        int value);

/**
 * Gets: Open tables; -1 keeps all open.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_open_files(struct rocksdb_options_t *it);

/**
 * Sets: Threads that open tables at start.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_file_opening_threads(struct rocksdb_options_t *it,
                                                  int value);

/**
 * Gets: Threads that open tables at start.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_file_opening_threads(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of live logs that force a flush; 0 means 4 times all write buffers.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_total_wal_size(struct rocksdb_options_t *it,
                                            uint64_t value);

/**
 * Gets: Bytes of live logs that force a flush; 0 means 4 times all write buffers.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_total_wal_size(struct rocksdb_options_t *it);

/**
 * Sets: Bytes sampled to train a Zstandard dictionary.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options_zstd_max_train_bytes(struct rocksdb_options_t *it,
                                                                  int value);

/**
 * Gets: Bytes sampled to train a Zstandard dictionary.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_compression_options_zstd_max_train_bytes(struct rocksdb_options_t *it);

/**
 * Sets: Train dictionaries with Zstandard's trainer.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options_use_zstd_dict_trainer(struct rocksdb_options_t *it,
                                                                   unsigned char value);

/**
 * Gets: Train dictionaries with Zstandard's trainer.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_compression_options_use_zstd_dict_trainer(struct rocksdb_options_t *it);

/**
 * Sets: Threads that compress a file. Accepted, one is used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options_parallel_threads(struct rocksdb_options_t *it,
                                                              int value);

/**
 * Gets: Threads that compress a file. Accepted, one is used.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_compression_options_parallel_threads(struct rocksdb_options_t *it);

/**
 * Sets: Bytes buffered to build a dictionary.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options_max_dict_buffer_bytes(struct rocksdb_options_t *it,
                                                                   uint64_t value);

/**
 * Gets: Bytes buffered to build a dictionary.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_compression_options_max_dict_buffer_bytes(struct rocksdb_options_t *it);

/**
 * Gets: Train dictionaries with Zstandard's trainer.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(struct rocksdb_options_t *it);

/**
 * Sets: Levels.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_num_levels(struct rocksdb_options_t *it,
                                    int value);

/**
 * Gets: Levels.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_num_levels(struct rocksdb_options_t *it);

/**
 * Sets: Level-0 files that start a compaction.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level0_file_num_compaction_trigger(struct rocksdb_options_t *it,
                                                            int value);

/**
 * Gets: Level-0 files that start a compaction.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_level0_file_num_compaction_trigger(struct rocksdb_options_t *it);

/**
 * Sets: Level-0 files that slow writers.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level0_slowdown_writes_trigger(struct rocksdb_options_t *it,
                                                        int value);

/**
 * Gets: Level-0 files that slow writers.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_level0_slowdown_writes_trigger(struct rocksdb_options_t *it);

/**
 * Sets: Level-0 files that stop writers.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level0_stop_writes_trigger(struct rocksdb_options_t *it,
                                                    int value);

/**
 * Gets: Level-0 files that stop writers.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_level0_stop_writes_trigger(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of a file on level 1.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_target_file_size_base(struct rocksdb_options_t *it,
                                               uint64_t value);

/**
 * Gets: Bytes of a file on level 1.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_target_file_size_base(struct rocksdb_options_t *it);

/**
 * Sets: Growth of files a level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_target_file_size_multiplier(struct rocksdb_options_t *it,
                                                     int value);

/**
 * Gets: Growth of files a level.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_target_file_size_multiplier(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of level 1.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_bytes_for_level_base(struct rocksdb_options_t *it,
                                                  uint64_t value);

/**
 * Gets: Bytes of level 1.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_bytes_for_level_base(struct rocksdb_options_t *it);

/**
 * Sets: Level sizes derived from the last level's.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level_compaction_dynamic_level_bytes(struct rocksdb_options_t *it,
                                                              unsigned char value);

/**
 * Gets: Level sizes derived from the last level's.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_level_compaction_dynamic_level_bytes(struct rocksdb_options_t *it);

/**
 * Sets: Growth of levels.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_bytes_for_level_multiplier(struct rocksdb_options_t *it,
                                                        double value);

/**
 * Gets: Growth of levels.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_options_get_max_bytes_for_level_multiplier(struct rocksdb_options_t *it);

/**
 * Sets: Seconds after which every file is rewritten.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_periodic_compaction_seconds(struct rocksdb_options_t *it,
                                                     uint64_t value);

/**
 * Gets: Seconds after which every file is rewritten.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_periodic_compaction_seconds(struct rocksdb_options_t *it);

/**
 * Sets: Do not read table properties at open.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_skip_stats_update_on_db_open(struct rocksdb_options_t *it,
                                                      unsigned char value);

/**
 * Gets: Do not read table properties at open.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_skip_stats_update_on_db_open(struct rocksdb_options_t *it);

/**
 * Sets: Do not compare table sizes with the manifest at open.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_skip_checking_sst_file_sizes_on_db_open(struct rocksdb_options_t *it,
                                                                 unsigned char value);

/**
 * Gets: Do not compare table sizes with the manifest at open.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_skip_checking_sst_file_sizes_on_db_open(struct rocksdb_options_t *it);

/**
 * Sets: Large values in files of their own.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enable_blob_files(struct rocksdb_options_t *it,
                                           unsigned char value);

/**
 * Gets: Large values in files of their own.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enable_blob_files(struct rocksdb_options_t *it);

/**
 * Sets: Least bytes of such a value.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_min_blob_size(struct rocksdb_options_t *it,
                                       uint64_t value);

/**
 * Gets: Least bytes of such a value.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_min_blob_size(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of such a file.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_blob_file_size(struct rocksdb_options_t *it,
                                        uint64_t value);

/**
 * Gets: Bytes of such a file.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_blob_file_size(struct rocksdb_options_t *it);

/**
 * Sets: Compression of such a file.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_blob_compression_type(struct rocksdb_options_t *it,
                                               int value);

/**
 * Gets: Compression of such a file.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_blob_compression_type(struct rocksdb_options_t *it);

/**
 * Sets: Rewrite such files.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enable_blob_gc(struct rocksdb_options_t *it,
                                        unsigned char value);

/**
 * Gets: Rewrite such files.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enable_blob_gc(struct rocksdb_options_t *it);

/**
 * Sets: Age of files rewritten.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_blob_gc_age_cutoff(struct rocksdb_options_t *it,
                                            double value);

/**
 * Gets: Age of files rewritten.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_options_get_blob_gc_age_cutoff(struct rocksdb_options_t *it);

/**
 * Sets: Share of garbage that forces it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_blob_gc_force_threshold(struct rocksdb_options_t *it,
                                                 double value);

/**
 * Gets: Share of garbage that forces it.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_options_get_blob_gc_force_threshold(struct rocksdb_options_t *it);

/**
 * Sets: Read-ahead for it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_blob_compaction_readahead_size(struct rocksdb_options_t *it,
                                                        uint64_t value);

/**
 * Gets: Read-ahead for it.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_blob_compaction_readahead_size(struct rocksdb_options_t *it);

/**
 * Sets: Level from which values go to such files.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_blob_file_starting_level(struct rocksdb_options_t *it,
                                                  int value);

/**
 * Gets: Level from which values go to such files.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_blob_file_starting_level(struct rocksdb_options_t *it);

/**
 * Sets: New blob values go to the cache. Accepted, not used: there are no blob files.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_prepopulate_blob_cache(struct rocksdb_options_t *it,
                                                int value);

/**
 * Gets: New blob values go to the cache. Accepted, not used: there are no blob files.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_prepopulate_blob_cache(struct rocksdb_options_t *it);

/**
 * Sets: Memtables, the active one included, before writers wait.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_write_buffer_number(struct rocksdb_options_t *it,
                                                 int value);

/**
 * Gets: Memtables, the active one included, before writers wait.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_write_buffer_number(struct rocksdb_options_t *it);

/**
 * Sets: Immutable memtables merged by one flush.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_min_write_buffer_number_to_merge(struct rocksdb_options_t *it,
                                                          int value);

/**
 * Gets: Immutable memtables merged by one flush.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_min_write_buffer_number_to_merge(struct rocksdb_options_t *it);

/**
 * Sets: Memtables kept after flush for conflict checks.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_write_buffer_number_to_maintain(struct rocksdb_options_t *it,
                                                             int value);

/**
 * Gets: Memtables kept after flush for conflict checks.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_write_buffer_number_to_maintain(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of memtables kept after flush.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_write_buffer_size_to_maintain(struct rocksdb_options_t *it,
                                                           int64_t value);

/**
 * Gets: Bytes of memtables kept after flush.
 */
extern ROCKSDB_LIBRARY_API
int64_t rocksdb_options_get_max_write_buffer_size_to_maintain(struct rocksdb_options_t *it);

/**
 * Sets: Pipelined writes. Accepted: writers share work in any case.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enable_pipelined_write(struct rocksdb_options_t *it,
                                                unsigned char value);

/**
 * Gets: Pipelined writes. Accepted: writers share work in any case.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enable_pipelined_write(struct rocksdb_options_t *it);

/**
 * Sets: Unordered writes. Accepted: order is always kept.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_unordered_write(struct rocksdb_options_t *it,
                                         unsigned char value);

/**
 * Gets: Unordered writes. Accepted: order is always kept.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_unordered_write(struct rocksdb_options_t *it);

/**
 * Sets: Threads of one compaction.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_subcompactions(struct rocksdb_options_t *it,
                                            uint32_t value);

/**
 * Gets: Threads of one compaction.
 */
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_options_get_max_subcompactions(struct rocksdb_options_t *it);

/**
 * Sets: Flushes and compactions at once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_background_jobs(struct rocksdb_options_t *it,
                                             int value);

/**
 * Gets: Flushes and compactions at once.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_background_jobs(struct rocksdb_options_t *it);

/**
 * Sets: Compactions at once; -1 derives it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_background_compactions(struct rocksdb_options_t *it,
                                                    int value);

/**
 * Gets: Compactions at once; -1 derives it.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_background_compactions(struct rocksdb_options_t *it);

/**
 * Sets: Flushes at once; -1 derives it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_background_flushes(struct rocksdb_options_t *it,
                                                int value);

/**
 * Gets: Flushes at once; -1 derives it.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_background_flushes(struct rocksdb_options_t *it);

/**
 * Sets: Bytes after which LOG is rolled; 0 never.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_log_file_size(struct rocksdb_options_t *it,
                                           size_t value);

/**
 * Gets: Bytes after which LOG is rolled; 0 never.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_max_log_file_size(struct rocksdb_options_t *it);

/**
 * Sets: Seconds after which LOG is rolled; 0 never.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_log_file_time_to_roll(struct rocksdb_options_t *it,
                                               size_t value);

/**
 * Gets: Seconds after which LOG is rolled; 0 never.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_log_file_time_to_roll(struct rocksdb_options_t *it);

/**
 * Sets: LOG files kept.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_keep_log_file_num(struct rocksdb_options_t *it,
                                           size_t value);

/**
 * Gets: LOG files kept.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_keep_log_file_num(struct rocksdb_options_t *it);

/**
 * Sets: Log files recycled. Accepted, not used: a fresh log is never mistaken.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_recycle_log_file_num(struct rocksdb_options_t *it,
                                              size_t value);

/**
 * Gets: Log files recycled. Accepted, not used: a fresh log is never mistaken.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_recycle_log_file_num(struct rocksdb_options_t *it);

/**
 * Sets: Bytes awaiting compaction that slow writers.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_soft_pending_compaction_bytes_limit(struct rocksdb_options_t *it,
                                                             size_t value);

/**
 * Gets: Bytes awaiting compaction that slow writers.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_soft_pending_compaction_bytes_limit(struct rocksdb_options_t *it);

/**
 * Sets: Bytes awaiting compaction that stop writers.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_hard_pending_compaction_bytes_limit(struct rocksdb_options_t *it,
                                                             size_t value);

/**
 * Gets: Bytes awaiting compaction that stop writers.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_hard_pending_compaction_bytes_limit(struct rocksdb_options_t *it);

/**
 * Sets: Bytes after which a new manifest is begun.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_manifest_file_size(struct rocksdb_options_t *it,
                                                size_t value);

/**
 * Gets: Bytes after which a new manifest is begun.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_max_manifest_file_size(struct rocksdb_options_t *it);

/**
 * Sets: Shards of the table cache as a power of two.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_table_cache_numshardbits(struct rocksdb_options_t *it,
                                                  int value);

/**
 * Gets: Shards of the table cache as a power of two.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_table_cache_numshardbits(struct rocksdb_options_t *it);

/**
 * Sets: Bytes an arena grows by; 0 derives it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_arena_block_size(struct rocksdb_options_t *it,
                                          size_t value);

/**
 * Gets: Bytes an arena grows by; 0 derives it.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_arena_block_size(struct rocksdb_options_t *it);

/**
 * Sets: fsync instead of fdatasync.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_fsync(struct rocksdb_options_t *it,
                                   int value);

/**
 * Gets: fsync instead of fdatasync.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_use_fsync(struct rocksdb_options_t *it);

/**
 * Sets: Seconds until an archived log is deleted.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_WAL_ttl_seconds(struct rocksdb_options_t *it,
                                         uint64_t value);

/**
 * Gets: Seconds until an archived log is deleted.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_WAL_ttl_seconds(struct rocksdb_options_t *it);

/**
 * Sets: Megabytes of archived logs kept.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_WAL_size_limit_MB(struct rocksdb_options_t *it,
                                           uint64_t value);

/**
 * Gets: Megabytes of archived logs kept.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_WAL_size_limit_MB(struct rocksdb_options_t *it);

/**
 * Sets: Bytes reserved for the manifest.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_manifest_preallocation_size(struct rocksdb_options_t *it,
                                                     size_t value);

/**
 * Gets: Bytes reserved for the manifest.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_manifest_preallocation_size(struct rocksdb_options_t *it);

/**
 * Sets: Map tables for reading.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_mmap_reads(struct rocksdb_options_t *it,
                                          unsigned char value);

/**
 * Gets: Map tables for reading.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_mmap_reads(struct rocksdb_options_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_mmap_writes(struct rocksdb_options_t *it,
                                           unsigned char value);

/**
 * Gets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_mmap_writes(struct rocksdb_options_t *it);

/**
 * Sets: Read tables past the page cache.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_direct_reads(struct rocksdb_options_t *it,
                                          unsigned char value);

/**
 * Gets: Read tables past the page cache.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_use_direct_reads(struct rocksdb_options_t *it);

/**
 * Sets: Write tables past the page cache.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_direct_io_for_flush_and_compaction(struct rocksdb_options_t *it,
                                                                unsigned char value);

/**
 * Gets: Write tables past the page cache.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_use_direct_io_for_flush_and_compaction(struct rocksdb_options_t *it);

/**
 * Sets: Descriptors are not inherited. Always so.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_is_fd_close_on_exec(struct rocksdb_options_t *it,
                                             unsigned char value);

/**
 * Gets: Descriptors are not inherited. Always so.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_is_fd_close_on_exec(struct rocksdb_options_t *it);

/**
 * Sets: Seconds between statistics in LOG.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_stats_dump_period_sec(struct rocksdb_options_t *it,
                                               unsigned int value);

/**
 * Gets: Seconds between statistics in LOG.
 */
extern ROCKSDB_LIBRARY_API
unsigned int rocksdb_options_get_stats_dump_period_sec(struct rocksdb_options_t *it);

/**
 * Sets: Seconds between kept statistics.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_stats_persist_period_sec(struct rocksdb_options_t *it,
                                                  unsigned int value);

/**
 * Gets: Seconds between kept statistics.
 */
extern ROCKSDB_LIBRARY_API
unsigned int rocksdb_options_get_stats_persist_period_sec(struct rocksdb_options_t *it);

/**
 * Sets: Tell the OS that table reads are random.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_advise_random_on_open(struct rocksdb_options_t *it,
                                               unsigned char value);

/**
 * Gets: Tell the OS that table reads are random.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_advise_random_on_open(struct rocksdb_options_t *it);

/**
 * Sets: How compactions read. Accepted, not used: reads of compactions are always sequential.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_access_hint_on_compaction_start(struct rocksdb_options_t *it,
                                                         int value);

/**
 * Gets: How compactions read. Accepted, not used: reads of compactions are always sequential.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_access_hint_on_compaction_start(struct rocksdb_options_t *it);

/**
 * Sets: Spin instead of sleeping on locks. Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_adaptive_mutex(struct rocksdb_options_t *it,
                                            unsigned char value);

/**
 * Gets: Spin instead of sleeping on locks. Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_use_adaptive_mutex(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of a table between write-outs; 0 means none.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bytes_per_sync(struct rocksdb_options_t *it,
                                        uint64_t value);

/**
 * Gets: Bytes of a table between write-outs; 0 means none.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_bytes_per_sync(struct rocksdb_options_t *it);

/**
 * Sets: The same for logs.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_bytes_per_sync(struct rocksdb_options_t *it,
                                            uint64_t value);

/**
 * Gets: The same for logs.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_wal_bytes_per_sync(struct rocksdb_options_t *it);

/**
 * Sets: Buffer of a table under way.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_writable_file_max_buffer_size(struct rocksdb_options_t *it,
                                                       uint64_t value);

/**
 * Gets: Buffer of a table under way.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_writable_file_max_buffer_size(struct rocksdb_options_t *it);

/**
 * Sets: Writers insert at the same time.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_concurrent_memtable_write(struct rocksdb_options_t *it,
                                                         unsigned char value);

/**
 * Gets: Writers insert at the same time.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_concurrent_memtable_write(struct rocksdb_options_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enable_write_thread_adaptive_yield(struct rocksdb_options_t *it,
                                                            unsigned char value);

/**
 * Gets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enable_write_thread_adaptive_yield(struct rocksdb_options_t *it);

/**
 * Sets: Hidden entries that an iterator steps over before it seeks.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_sequential_skip_in_iterations(struct rocksdb_options_t *it,
                                                           uint64_t value);

/**
 * Gets: Hidden entries that an iterator steps over before it seeks.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_sequential_skip_in_iterations(struct rocksdb_options_t *it);

/**
 * Sets: No compaction by itself.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_disable_auto_compactions(struct rocksdb_options_t *it,
                                                  int value);

/**
 * Gets: No compaction by itself.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_disable_auto_compactions(struct rocksdb_options_t *it);

/**
 * Sets: No filter on the last level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_optimize_filters_for_hits(struct rocksdb_options_t *it,
                                                   int value);

/**
 * Gets: No filter on the last level.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_optimize_filters_for_hits(struct rocksdb_options_t *it);

/**
 * Sets: Microseconds between searches for obsolete files.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_delete_obsolete_files_period_micros(struct rocksdb_options_t *it,
                                                             uint64_t value);

/**
 * Gets: Microseconds between searches for obsolete files.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_delete_obsolete_files_period_micros(struct rocksdb_options_t *it);

/**
 * Sets: Share of a memtable for a prefix filter.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_prefix_bloom_size_ratio(struct rocksdb_options_t *it,
                                                          double value);

/**
 * Gets: Share of a memtable for a prefix filter.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_options_get_memtable_prefix_bloom_size_ratio(struct rocksdb_options_t *it);

/**
 * Sets: Most bytes of a compaction; 0 means 25 files.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_compaction_bytes(struct rocksdb_options_t *it,
                                              uint64_t value);

/**
 * Gets: Most bytes of a compaction; 0 means 25 files.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_compaction_bytes(struct rocksdb_options_t *it);

/**
 * Sets: Bytes of huge pages.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_huge_page_size(struct rocksdb_options_t *it,
                                                 size_t value);

/**
 * Gets: Bytes of huge pages.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_memtable_huge_page_size(struct rocksdb_options_t *it);

/**
 * Sets: Merge operands folded at write time.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_successive_merges(struct rocksdb_options_t *it,
                                               size_t value);

/**
 * Gets: Merge operands folded at write time.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_max_successive_merges(struct rocksdb_options_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bloom_locality(struct rocksdb_options_t *it,
                                        uint32_t value);

/**
 * Gets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_options_get_bloom_locality(struct rocksdb_options_t *it);

/**
 * Sets: Overwrite values in memory.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_inplace_update_support(struct rocksdb_options_t *it,
                                                unsigned char value);

/**
 * Gets: Overwrite values in memory.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_inplace_update_support(struct rocksdb_options_t *it);

/**
 * Sets: Locks for that.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_inplace_update_num_locks(struct rocksdb_options_t *it,
                                                  size_t value);

/**
 * Gets: Locks for that.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_inplace_update_num_locks(struct rocksdb_options_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_report_bg_io_stats(struct rocksdb_options_t *it,
                                            int value);

/**
 * Gets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_report_bg_io_stats(struct rocksdb_options_t *it);

/**
 * Sets: Delete obsolete files off the caller's thread.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_avoid_unnecessary_blocking_io(struct rocksdb_options_t *it,
                                                       unsigned char value);

/**
 * Gets: Delete obsolete files off the caller's thread.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_avoid_unnecessary_blocking_io(struct rocksdb_options_t *it);

/**
 * Sets: Memtable purge.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_experimental_mempurge_threshold(struct rocksdb_options_t *it,
                                                         double value);

/**
 * Gets: Memtable purge.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_options_get_experimental_mempurge_threshold(struct rocksdb_options_t *it);

/**
 * Sets: What to do with damaged logs.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_recovery_mode(struct rocksdb_options_t *it,
                                           int value);

/**
 * Gets: What to do with damaged logs.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_wal_recovery_mode(struct rocksdb_options_t *it);

/**
 * Sets: Block compression.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression(struct rocksdb_options_t *it,
                                     int value);

/**
 * Gets: Block compression.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_compression(struct rocksdb_options_t *it);

/**
 * Sets: Block compression of the last level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression(struct rocksdb_options_t *it,
                                                int value);

/**
 * Gets: Block compression of the last level.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_bottommost_compression(struct rocksdb_options_t *it);

/**
 * Sets: How files are merged.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_style(struct rocksdb_options_t *it,
                                          int value);

/**
 * Gets: How files are merged.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_compaction_style(struct rocksdb_options_t *it);

/**
 * Sets: Flush all families as one.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_atomic_flush(struct rocksdb_options_t *it,
                                      unsigned char value);

/**
 * Gets: Flush all families as one.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_atomic_flush(struct rocksdb_options_t *it);

/**
 * Sets: Logs reach the OS at flush_wal only.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_manual_wal_flush(struct rocksdb_options_t *it,
                                          unsigned char value);

/**
 * Gets: Logs reach the OS at flush_wal only.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_manual_wal_flush(struct rocksdb_options_t *it);

/**
 * Sets: Log compression.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_compression(struct rocksdb_options_t *it,
                                         int value);

/**
 * Gets: Log compression.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_wal_compression(struct rocksdb_options_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_dump_malloc_stats(struct rocksdb_options_t *it,
                                           unsigned char value);

/**
 * Sets: Whole keys in it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_whole_key_filtering(struct rocksdb_options_t *it,
                                                      unsigned char value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_block_based_table_options_t *rocksdb_block_based_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_destroy(struct rocksdb_block_based_table_options_t *it);

/**
 * Sets: Checksum of blocks.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_checksum(struct rocksdb_block_based_table_options_t *it,
                                              char value);

/**
 * Sets: Bytes of a data block before compression.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_size(struct rocksdb_block_based_table_options_t *it,
                                                size_t value);

/**
 * Sets: Percent of a block that may stay empty.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_size_deviation(struct rocksdb_block_based_table_options_t *it,
                                                          int value);

/**
 * Sets: Entries between restart points of data blocks.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_restart_interval(struct rocksdb_block_based_table_options_t *it,
                                                            int value);

/**
 * Sets: Entries between restart points of index blocks.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_index_block_restart_interval(struct rocksdb_block_based_table_options_t *it,
                                                                  int value);

/**
 * Sets: Bytes of an index or filter partition.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_metadata_block_size(struct rocksdb_block_based_table_options_t *it,
                                                         uint64_t value);

/**
 * Sets: Filters in partitions.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_partition_filters(struct rocksdb_block_based_table_options_t *it,
                                                       unsigned char value);

/**
 * Sets: Round filters to what the allocator gives.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_optimize_filters_for_memory(struct rocksdb_block_based_table_options_t *it,
                                                                 unsigned char value);

/**
 * Sets: Keys share prefixes within a block.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_use_delta_encoding(struct rocksdb_block_based_table_options_t *it,
                                                        unsigned char value);

/**
 * Sets: No block cache.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_no_block_cache(struct rocksdb_block_based_table_options_t *it,
                                                    unsigned char value);

/**
 * Sets: Whole keys in filters.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_whole_key_filtering(struct rocksdb_block_based_table_options_t *it,
                                                         unsigned char value);

/**
 * Sets: Layout of the file.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_format_version(struct rocksdb_block_based_table_options_t *it,
                                                    int value);

/**
 * Sets: The classic index.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_index_type(struct rocksdb_block_based_table_options_t *it,
                                                int value);

/**
 * Sets: What data blocks carry for point reads.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_data_block_index_type(struct rocksdb_block_based_table_options_t *it,
                                                           int value);

/**
 * Sets: Fill of the data block hash.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_data_block_hash_ratio(struct rocksdb_block_based_table_options_t *it,
                                                           double value);

/**
 * Sets: Index and filter blocks live in the block cache.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_cache_index_and_filter_blocks(struct rocksdb_block_based_table_options_t *it,
                                                                   unsigned char value);

/**
 * Sets: There with high priority.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(struct rocksdb_block_based_table_options_t *it,
                                                                                      unsigned char value);

/**
 * Sets: Pin those of level 0.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(struct rocksdb_block_based_table_options_t *it,
                                                                             unsigned char value);

/**
 * Sets: Pin top levels.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_pin_top_level_index_and_filter(struct rocksdb_block_based_table_options_t *it,
                                                                    unsigned char value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_readoptions_t *rocksdb_readoptions_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_destroy(struct rocksdb_readoptions_t *it);

/**
 * Sets: Compare checksums of blocks read.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_verify_checksums(struct rocksdb_readoptions_t *it,
                                              unsigned char value);

/**
 * Gets: Compare checksums of blocks read.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_verify_checksums(struct rocksdb_readoptions_t *it);

/**
 * Sets: Put blocks read into the cache.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_fill_cache(struct rocksdb_readoptions_t *it,
                                        unsigned char value);

/**
 * Gets: Put blocks read into the cache.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_fill_cache(struct rocksdb_readoptions_t *it);

/**
 * Sets: Where a read may look.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_read_tier(struct rocksdb_readoptions_t *it,
                                       int value);

/**
 * Gets: Where a read may look.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_readoptions_get_read_tier(struct rocksdb_readoptions_t *it);

/**
 * Sets: See new data, forward only.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_tailing(struct rocksdb_readoptions_t *it,
                                     unsigned char value);

/**
 * Gets: See new data, forward only.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_tailing(struct rocksdb_readoptions_t *it);

/**
 * Sets: Iterators that follow the data: no longer served, so such an iterator fails.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_managed(struct rocksdb_readoptions_t *it,
                                     unsigned char value);

/**
 * Sets: Bytes of read-ahead; 0 grows by itself.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_readahead_size(struct rocksdb_readoptions_t *it,
                                            size_t value);

/**
 * Gets: Bytes of read-ahead; 0 grows by itself.
 */
extern ROCKSDB_LIBRARY_API
size_t rocksdb_readoptions_get_readahead_size(struct rocksdb_readoptions_t *it);

/**
 * Sets: End where the prefix of the seek key ends.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_prefix_same_as_start(struct rocksdb_readoptions_t *it,
                                                  unsigned char value);

/**
 * Gets: End where the prefix of the seek key ends.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_prefix_same_as_start(struct rocksdb_readoptions_t *it);

/**
 * Sets: Keys stay where they are while the iterator lives.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_pin_data(struct rocksdb_readoptions_t *it,
                                      unsigned char value);

/**
 * Gets: Keys stay where they are while the iterator lives.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_pin_data(struct rocksdb_readoptions_t *it);

/**
 * Sets: Never use prefixes.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_total_order_seek(struct rocksdb_readoptions_t *it,
                                              unsigned char value);

/**
 * Gets: Never use prefixes.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_total_order_seek(struct rocksdb_readoptions_t *it);

/**
 * Sets: Hidden entries before an iterator gives up; 0 never.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_max_skippable_internal_keys(struct rocksdb_readoptions_t *it,
                                                         uint64_t value);

/**
 * Gets: Hidden entries before an iterator gives up; 0 never.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_readoptions_get_max_skippable_internal_keys(struct rocksdb_readoptions_t *it);

/**
 * Sets: Delete files in the background when the iterator ends.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_background_purge_on_iterator_cleanup(struct rocksdb_readoptions_t *it,
                                                                  unsigned char value);

/**
 * Gets: Delete files in the background when the iterator ends.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_background_purge_on_iterator_cleanup(struct rocksdb_readoptions_t *it);

/**
 * Sets: See through range deletions.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_ignore_range_deletions(struct rocksdb_readoptions_t *it,
                                                    unsigned char value);

/**
 * Gets: See through range deletions.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_ignore_range_deletions(struct rocksdb_readoptions_t *it);

/**
 * Sets: Microseconds since 1970 after which the read fails; 0 never.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_deadline(struct rocksdb_readoptions_t *it,
                                      uint64_t value);

/**
 * Gets: Microseconds since 1970 after which the read fails; 0 never.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_readoptions_get_deadline(struct rocksdb_readoptions_t *it);

/**
 * Sets: Microseconds an I/O may take; 0 no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_io_timeout(struct rocksdb_readoptions_t *it,
                                        uint64_t value);

/**
 * Gets: Microseconds an I/O may take; 0 no bound.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_readoptions_get_io_timeout(struct rocksdb_readoptions_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_async_io(struct rocksdb_readoptions_t *it,
                                      unsigned char value);

/**
 * Gets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_async_io(struct rocksdb_readoptions_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_auto_readahead_size(struct rocksdb_readoptions_t *it,
                                                 unsigned char value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_writeoptions_t *rocksdb_writeoptions_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_destroy(struct rocksdb_writeoptions_t *it);

/**
 * Sets: Not logged: lost in a crash unless flushed.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_disable_WAL(struct rocksdb_writeoptions_t *it,
                                      int value);

/**
 * Sets: On the medium before the call returns.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_sync(struct rocksdb_writeoptions_t *it,
                                   unsigned char value);

/**
 * Gets: On the medium before the call returns.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_sync(struct rocksdb_writeoptions_t *it);

/**
 * Gets: Not logged: lost in a crash unless flushed.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_disable_WAL(struct rocksdb_writeoptions_t *it);

/**
 * Sets: Skip records of unknown or dropped families.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_ignore_missing_column_families(struct rocksdb_writeoptions_t *it,
                                                             unsigned char value);

/**
 * Gets: Skip records of unknown or dropped families.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_ignore_missing_column_families(struct rocksdb_writeoptions_t *it);

/**
 * Sets: Fail rather than wait.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_no_slowdown(struct rocksdb_writeoptions_t *it,
                                          unsigned char value);

/**
 * Gets: Fail rather than wait.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_no_slowdown(struct rocksdb_writeoptions_t *it);

/**
 * Sets: Give way to others when writes are slowed.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_low_pri(struct rocksdb_writeoptions_t *it,
                                      unsigned char value);

/**
 * Gets: Give way to others when writes are slowed.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_low_pri(struct rocksdb_writeoptions_t *it);

/**
 * Sets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_memtable_insert_hint_per_batch(struct rocksdb_writeoptions_t *it,
                                                             unsigned char value);

/**
 * Gets: Accepted, not used.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_memtable_insert_hint_per_batch(struct rocksdb_writeoptions_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_flushoptions_t *rocksdb_flushoptions_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_flushoptions_destroy(struct rocksdb_flushoptions_t *it);

/**
 * Sets: Return when it is done.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_flushoptions_set_wait(struct rocksdb_flushoptions_t *it,
                                   unsigned char value);

/**
 * Gets: Return when it is done.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_flushoptions_get_wait(struct rocksdb_flushoptions_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_compactoptions_t *rocksdb_compactoptions_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_destroy(struct rocksdb_compactoptions_t *it);

/**
 * Sets: Let no other compaction run meanwhile.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_exclusive_manual_compaction(struct rocksdb_compactoptions_t *it,
                                                            unsigned char value);

/**
 * Gets: Let no other compaction run meanwhile.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactoptions_get_exclusive_manual_compaction(struct rocksdb_compactoptions_t *it);

/**
 * Sets: Rewrite the last level?
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_bottommost_level_compaction(struct rocksdb_compactoptions_t *it,
                                                            unsigned char value);

/**
 * Gets: Rewrite the last level?
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactoptions_get_bottommost_level_compaction(struct rocksdb_compactoptions_t *it);

/**
 * Sets: Move the result to `target_level`.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_change_level(struct rocksdb_compactoptions_t *it,
                                             unsigned char value);

/**
 * Gets: Move the result to `target_level`.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactoptions_get_change_level(struct rocksdb_compactoptions_t *it);

/**
 * Sets: The level for that; -1 the highest that fits.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_target_level(struct rocksdb_compactoptions_t *it,
                                             int value);

/**
 * Gets: The level for that; -1 the highest that fits.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_compactoptions_get_target_level(struct rocksdb_compactoptions_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_wait_for_compact_options_t *rocksdb_wait_for_compact_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_destroy(struct rocksdb_wait_for_compact_options_t *it);

/**
 * Sets: Give up when background work is paused.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_abort_on_pause(struct rocksdb_wait_for_compact_options_t *it,
                                                         unsigned char value);

/**
 * Gets: Give up when background work is paused.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wait_for_compact_options_get_abort_on_pause(struct rocksdb_wait_for_compact_options_t *it);

/**
 * Sets: Flush first.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_flush(struct rocksdb_wait_for_compact_options_t *it,
                                                unsigned char value);

/**
 * Gets: Flush first.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wait_for_compact_options_get_flush(struct rocksdb_wait_for_compact_options_t *it);

/**
 * Sets: Close the store afterwards.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_close_db(struct rocksdb_wait_for_compact_options_t *it,
                                                   unsigned char value);

/**
 * Gets: Close the store afterwards.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wait_for_compact_options_get_close_db(struct rocksdb_wait_for_compact_options_t *it);

/**
 * Sets: Microseconds to wait at most; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_timeout(struct rocksdb_wait_for_compact_options_t *it,
                                                  uint64_t value);

/**
 * Gets: Microseconds to wait at most; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_wait_for_compact_options_get_timeout(struct rocksdb_wait_for_compact_options_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_ingestexternalfileoptions_t *rocksdb_ingestexternalfileoptions_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingestexternalfileoptions_destroy(struct rocksdb_ingestexternalfileoptions_t *it);

/**
 * Sets: Link instead of copying.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingestexternalfileoptions_set_move_files(struct rocksdb_ingestexternalfileoptions_t *it,
                                                      unsigned char value);

/**
 * Sets: Hide the data from older snapshots.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingestexternalfileoptions_set_snapshot_consistency(struct rocksdb_ingestexternalfileoptions_t *it,
                                                                unsigned char value);

/**
 * Sets: Give a sequence number if one is needed.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingestexternalfileoptions_set_allow_global_seqno(struct rocksdb_ingestexternalfileoptions_t *it,
                                                              unsigned char value);

/**
 * Sets: Flush an overlapping memtable.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingestexternalfileoptions_set_allow_blocking_flush(struct rocksdb_ingestexternalfileoptions_t *it,
                                                                unsigned char value);

/**
 * Sets: Below all data.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingestexternalfileoptions_set_ingest_behind(struct rocksdb_ingestexternalfileoptions_t *it,
                                                         unsigned char value);

/**
 * Sets: Fail unless it fits on the last level.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingestexternalfileoptions_set_fail_if_not_bottommost_level(struct rocksdb_ingestexternalfileoptions_t *it,
                                                                        unsigned char value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_universal_compaction_options_t *rocksdb_universal_compaction_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_destroy(struct rocksdb_universal_compaction_options_t *it);

/**
 * Sets: Percent by which the next run may be larger.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_size_ratio(struct rocksdb_universal_compaction_options_t *it,
                                                         int value);

/**
 * Gets: Percent by which the next run may be larger.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_size_ratio(struct rocksdb_universal_compaction_options_t *it);

/**
 * Sets: Fewest runs merged at once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_min_merge_width(struct rocksdb_universal_compaction_options_t *it,
                                                              int value);

/**
 * Gets: Fewest runs merged at once.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_min_merge_width(struct rocksdb_universal_compaction_options_t *it);

/**
 * Sets: Most runs merged at once.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_max_merge_width(struct rocksdb_universal_compaction_options_t *it,
                                                              int value);

/**
 * Gets: Most runs merged at once.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_max_merge_width(struct rocksdb_universal_compaction_options_t *it);

/**
 * Sets: Percent of dead data tolerated.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_max_size_amplification_percent(struct rocksdb_universal_compaction_options_t *it,
                                                                             int value);

/**
 * Gets: Percent of dead data tolerated.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_max_size_amplification_percent(struct rocksdb_universal_compaction_options_t *it);

/**
 * Sets: Percent of data that is compressed; -1 all.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_compression_size_percent(struct rocksdb_universal_compaction_options_t *it,
                                                                       int value);

/**
 * Gets: Percent of data that is compressed; -1 all.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_compression_size_percent(struct rocksdb_universal_compaction_options_t *it);

/**
 * Sets: How runs are chosen.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_stop_style(struct rocksdb_universal_compaction_options_t *it,
                                                         int value);

/**
 * Gets: How runs are chosen.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_stop_style(struct rocksdb_universal_compaction_options_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_fifo_compaction_options_t *rocksdb_fifo_compaction_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_destroy(struct rocksdb_fifo_compaction_options_t *it);

/**
 * Sets: Merge small files.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_set_allow_compaction(struct rocksdb_fifo_compaction_options_t *it,
                                                          unsigned char value);

/**
 * Gets: Merge small files.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_fifo_compaction_options_get_allow_compaction(struct rocksdb_fifo_compaction_options_t *it);

/**
 * Sets: Bytes kept.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_set_max_table_files_size(struct rocksdb_fifo_compaction_options_t *it,
                                                              uint64_t value);

/**
 * Gets: Bytes kept.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_fifo_compaction_options_get_max_table_files_size(struct rocksdb_fifo_compaction_options_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_cuckoo_table_options_t *rocksdb_cuckoo_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cuckoo_options_destroy(struct rocksdb_cuckoo_table_options_t *it);

/**
 * Sets: Share of a cuckoo table that is used.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cuckoo_options_set_hash_ratio(struct rocksdb_cuckoo_table_options_t *it,
                                           double value);

/**
 * Sets: Steps of the search for a free place.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cuckoo_options_set_max_search_depth(struct rocksdb_cuckoo_table_options_t *it,
                                                 uint32_t value);

/**
 * Sets: Places looked at together.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cuckoo_options_set_cuckoo_block_size(struct rocksdb_cuckoo_table_options_t *it,
                                                  uint32_t value);

/**
 * Sets: The key itself is the first hash.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cuckoo_options_set_identity_as_first_hash(struct rocksdb_cuckoo_table_options_t *it,
                                                       unsigned char value);

/**
 * Sets: Hashes are taken modulo the size.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_cuckoo_options_set_use_module_hash(struct rocksdb_cuckoo_table_options_t *it,
                                                unsigned char value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_lru_cache_options_t *rocksdb_lru_cache_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_destroy(struct rocksdb_lru_cache_options_t *it);

/**
 * Sets: Bytes it may hold.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_set_capacity(struct rocksdb_lru_cache_options_t *it,
                                            size_t value);

/**
 * Sets: Shards as a power of two; -1 derives it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_set_num_shard_bits(struct rocksdb_lru_cache_options_t *it,
                                                  int value);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_hyper_clock_cache_options_destroy(struct rocksdb_hyper_clock_cache_options_t *it);

/**
 * Sets: Bytes it may hold.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_hyper_clock_cache_options_set_capacity(struct rocksdb_hyper_clock_cache_options_t *it,
                                                    size_t value);

/**
 * Sets: Bytes of a typical entry; 0 lets the cache find out.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_hyper_clock_cache_options_set_estimated_entry_charge(struct rocksdb_hyper_clock_cache_options_t *it,
                                                                  size_t value);

/**
 * Sets: Shards as a power of two; -1 derives it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_hyper_clock_cache_options_set_num_shard_bits(struct rocksdb_hyper_clock_cache_options_t *it,
                                                          int value);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_destroy(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Backups share tables.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_share_table_files(struct rocksdb_backup_engine_options_t *it,
                                                         unsigned char value);

/**
 * Gets: Backups share tables.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_share_table_files(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Each file is synced.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_sync(struct rocksdb_backup_engine_options_t *it,
                                            unsigned char value);

/**
 * Gets: Each file is synced.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_sync(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Remove what is there.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_destroy_old_data(struct rocksdb_backup_engine_options_t *it,
                                                        unsigned char value);

/**
 * Gets: Remove what is there.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_destroy_old_data(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Logs are part of a backup.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_backup_log_files(struct rocksdb_backup_engine_options_t *it,
                                                        unsigned char value);

/**
 * Gets: Logs are part of a backup.
 */
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_backup_log_files(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Bytes a second when backing up; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_backup_rate_limit(struct rocksdb_backup_engine_options_t *it,
                                                         uint64_t value);

/**
 * Gets: Bytes a second when backing up; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_options_get_backup_rate_limit(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Bytes a second when restoring; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_restore_rate_limit(struct rocksdb_backup_engine_options_t *it,
                                                          uint64_t value);

/**
 * Gets: Bytes a second when restoring; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_options_get_restore_rate_limit(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Threads that copy.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_max_background_operations(struct rocksdb_backup_engine_options_t *it,
                                                                 int value);

/**
 * Gets: Threads that copy.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_options_get_max_background_operations(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Bytes between two calls of a progress callback.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_callback_trigger_interval_size(struct rocksdb_backup_engine_options_t *it,
                                                                      uint64_t value);

/**
 * Gets: Bytes between two calls of a progress callback.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_options_get_callback_trigger_interval_size(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: Backups looked at when the folder is opened.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_max_valid_backups_to_open(struct rocksdb_backup_engine_options_t *it,
                                                                 int value);

/**
 * Gets: Backups looked at when the folder is opened.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_options_get_max_valid_backups_to_open(struct rocksdb_backup_engine_options_t *it);

/**
 * Sets: How shared tables are named: RocksDB's bit set.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_share_files_with_checksum_naming(struct rocksdb_backup_engine_options_t *it,
                                                                        int value);

/**
 * Gets: How shared tables are named: RocksDB's bit set.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_options_get_share_files_with_checksum_naming(struct rocksdb_backup_engine_options_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_restore_options_t *rocksdb_restore_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_restore_options_destroy(struct rocksdb_restore_options_t *it);

/**
 * Sets: Logs that are there stay.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_restore_options_set_keep_log_files(struct rocksdb_restore_options_t *it,
                                                int value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_transactiondb_options_t *rocksdb_transactiondb_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_options_destroy(struct rocksdb_transactiondb_options_t *it);

/**
 * Sets: Locks held at once; -1 means no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_options_set_max_num_locks(struct rocksdb_transactiondb_options_t *it,
                                                     int64_t value);

/**
 * Sets: Parts of the lock table.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_options_set_num_stripes(struct rocksdb_transactiondb_options_t *it,
                                                   size_t value);

/**
 * Sets: Milliseconds that a transaction waits for a lock.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_options_set_transaction_lock_timeout(struct rocksdb_transactiondb_options_t *it,
                                                                int64_t value);

/**
 * Sets: Milliseconds that a plain write waits for a lock.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_options_set_default_lock_timeout(struct rocksdb_transactiondb_options_t *it,
                                                            int64_t value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_transaction_options_t *rocksdb_transaction_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_destroy(struct rocksdb_transaction_options_t *it);

/**
 * Sets: Take a snapshot when it begins.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_set_set_snapshot(struct rocksdb_transaction_options_t *it,
                                                  unsigned char value);

/**
 * Sets: Look for deadlocks before waiting.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_set_deadlock_detect(struct rocksdb_transaction_options_t *it,
                                                     unsigned char value);

/**
 * Sets: Milliseconds to wait for a lock; -1 means the store's setting.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_set_lock_timeout(struct rocksdb_transaction_options_t *it,
                                                  int64_t value);

/**
 * Sets: Milliseconds until others may take its locks; -1 never.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_set_expiration(struct rocksdb_transaction_options_t *it,
                                                int64_t value);

/**
 * Sets: Length of a chain of waiting transactions that is followed.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_set_deadlock_detect_depth(struct rocksdb_transaction_options_t *it,
                                                           int64_t value);

/**
 * Sets: Bytes of its batch; 0 means no bound.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_set_max_write_batch_size(struct rocksdb_transaction_options_t *it,
                                                          size_t value);

/**
 * Sets: It may be committed without having been prepared.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_options_set_skip_prepare(struct rocksdb_transaction_options_t *it,
                                                  unsigned char value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_optimistictransaction_options_t *rocksdb_optimistictransaction_options_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_optimistictransaction_options_destroy(struct rocksdb_optimistictransaction_options_t *it);

/**
 * Sets: Take a snapshot when it begins.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_optimistictransaction_options_set_set_snapshot(struct rocksdb_optimistictransaction_options_t *it,
                                                            unsigned char value);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_envoptions_t *rocksdb_envoptions_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_envoptions_destroy(struct rocksdb_envoptions_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_statistics_histogram_data_t *rocksdb_statistics_histogram_data_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_statistics_histogram_data_destroy(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: Half of the values are below.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_median(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: 95 of 100 values are below.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_p95(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: 99 of 100 values are below.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_p99(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: The mean.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_average(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: How far values lie from the mean.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_std_dev(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: The largest value.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_max(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: How many values.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_statistics_histogram_data_get_count(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: All values together.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_statistics_histogram_data_get_sum(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Gets: The smallest value.
 */
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_min(struct rocksdb_statistics_histogram_data_t *it);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_memory_usage_destroy(struct rocksdb_memory_usage_t *it);

/**
 * Gets: Bytes of all memtables.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_mem_table_total(struct rocksdb_memory_usage_t *it);

/**
 * Gets: Bytes of memtables that are not in tables yet.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_mem_table_unflushed(struct rocksdb_memory_usage_t *it);

/**
 * Gets: Bytes of open tables outside the cache.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_mem_table_readers_total(struct rocksdb_memory_usage_t *it);

/**
 * Gets: Bytes of the caches.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_cache_total(struct rocksdb_memory_usage_t *it);

/**
 * Makes one with its defaults.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_memory_consumers_t *rocksdb_memory_consumers_create(void);

/**
 * Destroys it.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_memory_consumers_destroy(struct rocksdb_memory_consumers_t *it);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_column_family_handle_t *rocksdb_transactiondb_create_column_family(struct rocksdb_transactiondb_t *txn_db,
                                                                                  const struct rocksdb_options_t *column_family_options,
                                                                                  const char *column_family_name,
                                                                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_transactiondb_t *rocksdb_transactiondb_open(const struct rocksdb_options_t *options,
                                                           const struct rocksdb_transactiondb_options_t *txn_db_options,
                                                           const char *name,
                                                           char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_transactiondb_t *rocksdb_transactiondb_open_column_families(const struct rocksdb_options_t *options,
                                                                           const struct rocksdb_transactiondb_options_t *txn_db_options,
                                                                           const char *name,
                                                                           int num_column_families,
                                                                           const char *const *column_family_names,
                                                                           const struct rocksdb_options_t *const *column_family_options,
                                                                           struct rocksdb_column_family_handle_t **column_family_handles,
                                                                           char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
const struct rocksdb_snapshot_t *rocksdb_transactiondb_create_snapshot(struct rocksdb_transactiondb_t *txn_db);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_release_snapshot(struct rocksdb_transactiondb_t *txn_db,
                                            const struct rocksdb_snapshot_t *snapshot);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transactiondb_property_value(struct rocksdb_transactiondb_t *db,
                                           const char *propname);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_transactiondb_property_int(struct rocksdb_transactiondb_t *db,
                                       const char *propname,
                                       uint64_t *out_val);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_transactiondb_get_base_db(struct rocksdb_transactiondb_t *txn_db);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_close_base_db(struct rocksdb_t *base_db);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_transaction_t *rocksdb_transaction_begin(struct rocksdb_transactiondb_t *txn_db,
                                                        const struct rocksdb_writeoptions_t *write_options,
                                                        const struct rocksdb_transaction_options_t *txn_options,
                                                        struct rocksdb_transaction_t *old_txn);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_transaction_t **rocksdb_transactiondb_get_prepared_transactions(struct rocksdb_transactiondb_t *txn_db,
                                                                               size_t *cnt);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_set_name(struct rocksdb_transaction_t *txn,
                                  const char *name,
                                  size_t name_len,
                                  char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transaction_get_name(struct rocksdb_transaction_t *txn,
                                   size_t *name_len);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_prepare(struct rocksdb_transaction_t *txn,
                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_commit(struct rocksdb_transaction_t *txn,
                                char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_rollback(struct rocksdb_transaction_t *txn,
                                  char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_set_savepoint(struct rocksdb_transaction_t *txn);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_rollback_to_savepoint(struct rocksdb_transaction_t *txn,
                                               char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_destroy(struct rocksdb_transaction_t *txn);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_writebatch_wi_t *rocksdb_transaction_get_writebatch_wi(struct rocksdb_transaction_t *txn);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_rebuild_from_writebatch(struct rocksdb_transaction_t *txn,
                                                 struct rocksdb_writebatch_t *writebatch,
                                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_rebuild_from_writebatch_wi(struct rocksdb_transaction_t *txn,
                                                    struct rocksdb_writebatch_wi_t *wi,
                                                    char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_set_commit_timestamp(struct rocksdb_transaction_t *txn,
                                              uint64_t commit_timestamp);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_set_read_timestamp_for_validation(struct rocksdb_transaction_t *txn,
                                                           uint64_t read_timestamp);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
const struct rocksdb_snapshot_t *rocksdb_transaction_get_snapshot(struct rocksdb_transaction_t *txn);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transaction_get(struct rocksdb_transaction_t *txn,
                              const struct rocksdb_readoptions_t *options,
                              const char *key,
                              size_t klen,
                              size_t *vlen,
                              char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_transaction_get_pinned(struct rocksdb_transaction_t *txn,
                                                               const struct rocksdb_readoptions_t *options,
                                                               const char *key,
                                                               size_t klen,
                                                               char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transaction_get_cf(struct rocksdb_transaction_t *txn,
                                 const struct rocksdb_readoptions_t *options,
                                 struct rocksdb_column_family_handle_t *column_family,
                                 const char *key,
                                 size_t klen,
                                 size_t *vlen,
                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_transaction_get_pinned_cf(struct rocksdb_transaction_t *txn,
                                                                  const struct rocksdb_readoptions_t *options,
                                                                  struct rocksdb_column_family_handle_t *column_family,
                                                                  const char *key,
                                                                  size_t klen,
                                                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transaction_get_for_update(struct rocksdb_transaction_t *txn,
                                         const struct rocksdb_readoptions_t *options,
                                         const char *key,
                                         size_t klen,
                                         size_t *vlen,
                                         unsigned char exclusive,
                                         char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_transaction_get_pinned_for_update(struct rocksdb_transaction_t *txn,
                                                                          const struct rocksdb_readoptions_t *options,
                                                                          const char *key,
                                                                          size_t klen,
                                                                          unsigned char exclusive,
                                                                          char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transaction_get_for_update_cf(struct rocksdb_transaction_t *txn,
                                            const struct rocksdb_readoptions_t *options,
                                            struct rocksdb_column_family_handle_t *column_family,
                                            const char *key,
                                            size_t klen,
                                            size_t *vlen,
                                            unsigned char exclusive,
                                            char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_transaction_get_pinned_for_update_cf(struct rocksdb_transaction_t *txn,
                                                                             const struct rocksdb_readoptions_t *options,
                                                                             struct rocksdb_column_family_handle_t *column_family,
                                                                             const char *key,
                                                                             size_t klen,
                                                                             unsigned char exclusive,
                                                                             char **errptr);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_multi_get(struct rocksdb_transaction_t *txn,
                                   const struct rocksdb_readoptions_t *options,
                                   size_t num_keys,
                                   const char *const *keys_list,
                                   const size_t *keys_list_sizes,
                                   char **values_list,
                                   size_t *values_list_sizes,
                                   char **errs);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_multi_get_for_update(struct rocksdb_transaction_t *txn,
                                              const struct rocksdb_readoptions_t *options,
                                              size_t num_keys,
                                              const char *const *keys_list,
                                              const size_t *keys_list_sizes,
                                              char **values_list,
                                              size_t *values_list_sizes,
                                              char **errs);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_multi_get_cf(struct rocksdb_transaction_t *txn,
                                      const struct rocksdb_readoptions_t *options,
                                      const struct rocksdb_column_family_handle_t *const *column_families,
                                      size_t num_keys,
                                      const char *const *keys_list,
                                      const size_t *keys_list_sizes,
                                      char **values_list,
                                      size_t *values_list_sizes,
                                      char **errs);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_multi_get_for_update_cf(struct rocksdb_transaction_t *txn,
                                                 const struct rocksdb_readoptions_t *options,
                                                 const struct rocksdb_column_family_handle_t *const *column_families,
                                                 size_t num_keys,
                                                 const char *const *keys_list,
                                                 const size_t *keys_list_sizes,
                                                 char **values_list,
                                                 size_t *values_list_sizes,
                                                 char **errs);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transactiondb_get(struct rocksdb_transactiondb_t *txn_db,
                                const struct rocksdb_readoptions_t *options,
                                const char *key,
                                size_t klen,
                                size_t *vlen,
                                char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_transactiondb_get_pinned(struct rocksdb_transactiondb_t *txn_db,
                                                                 const struct rocksdb_readoptions_t *options,
                                                                 const char *key,
                                                                 size_t klen,
                                                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_transactiondb_get_cf(struct rocksdb_transactiondb_t *txn_db,
                                   const struct rocksdb_readoptions_t *options,
                                   struct rocksdb_column_family_handle_t *column_family,
                                   const char *key,
                                   size_t keylen,
                                   size_t *vallen,
                                   char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_pinnableslice_t *rocksdb_transactiondb_get_pinned_cf(struct rocksdb_transactiondb_t *txn_db,
                                                                    const struct rocksdb_readoptions_t *options,
                                                                    struct rocksdb_column_family_handle_t *column_family,
                                                                    const char *key,
                                                                    size_t keylen,
                                                                    char **errptr);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_multi_get(struct rocksdb_transactiondb_t *txn_db,
                                     const struct rocksdb_readoptions_t *options,
                                     size_t num_keys,
                                     const char *const *keys_list,
                                     const size_t *keys_list_sizes,
                                     char **values_list,
                                     size_t *values_list_sizes,
                                     char **errs);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_multi_get_cf(struct rocksdb_transactiondb_t *txn_db,
                                        const struct rocksdb_readoptions_t *options,
                                        const struct rocksdb_column_family_handle_t *const *column_families,
                                        size_t num_keys,
                                        const char *const *keys_list,
                                        const size_t *keys_list_sizes,
                                        char **values_list,
                                        size_t *values_list_sizes,
                                        char **errs);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_put(struct rocksdb_transaction_t *txn,
                             const char *key,
                             size_t klen,
                             const char *val,
                             size_t vlen,
                             char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_put_cf(struct rocksdb_transaction_t *txn,
                                struct rocksdb_column_family_handle_t *column_family,
                                const char *key,
                                size_t klen,
                                const char *val,
                                size_t vlen,
                                char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_put(struct rocksdb_transactiondb_t *txn_db,
                               const struct rocksdb_writeoptions_t *options,
                               const char *key,
                               size_t klen,
                               const char *val,
                               size_t vlen,
                               char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_put_cf(struct rocksdb_transactiondb_t *txn_db,
                                  const struct rocksdb_writeoptions_t *options,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  const char *key,
                                  size_t keylen,
                                  const char *val,
                                  size_t vallen,
                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_write(struct rocksdb_transactiondb_t *txn_db,
                                 const struct rocksdb_writeoptions_t *options,
                                 struct rocksdb_writebatch_t *batch,
                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_merge(struct rocksdb_transaction_t *txn,
                               const char *key,
                               size_t klen,
                               const char *val,
                               size_t vlen,
                               char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_merge_cf(struct rocksdb_transaction_t *txn,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  const char *key,
                                  size_t klen,
                                  const char *val,
                                  size_t vlen,
                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_merge(struct rocksdb_transactiondb_t *txn_db,
                                 const struct rocksdb_writeoptions_t *options,
                                 const char *key,
                                 size_t klen,
                                 const char *val,
                                 size_t vlen,
                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_merge_cf(struct rocksdb_transactiondb_t *txn_db,
                                    const struct rocksdb_writeoptions_t *options,
                                    struct rocksdb_column_family_handle_t *column_family,
                                    const char *key,
                                    size_t klen,
                                    const char *val,
                                    size_t vlen,
                                    char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_delete(struct rocksdb_transaction_t *txn,
                                const char *key,
                                size_t klen,
                                char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transaction_delete_cf(struct rocksdb_transaction_t *txn,
                                   struct rocksdb_column_family_handle_t *column_family,
                                   const char *key,
                                   size_t klen,
                                   char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_delete(struct rocksdb_transactiondb_t *txn_db,
                                  const struct rocksdb_writeoptions_t *options,
                                  const char *key,
                                  size_t klen,
                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_delete_cf(struct rocksdb_transactiondb_t *txn_db,
                                     const struct rocksdb_writeoptions_t *options,
                                     struct rocksdb_column_family_handle_t *column_family,
                                     const char *key,
                                     size_t keylen,
                                     char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_transaction_create_iterator(struct rocksdb_transaction_t *txn,
                                                               const struct rocksdb_readoptions_t *options);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_transaction_create_iterator_cf(struct rocksdb_transaction_t *txn,
                                                                  const struct rocksdb_readoptions_t *options,
                                                                  struct rocksdb_column_family_handle_t *column_family);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_transactiondb_create_iterator(struct rocksdb_transactiondb_t *txn_db,
                                                                 const struct rocksdb_readoptions_t *options);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_transactiondb_create_iterator_cf(struct rocksdb_transactiondb_t *txn_db,
                                                                    const struct rocksdb_readoptions_t *options,
                                                                    struct rocksdb_column_family_handle_t *column_family);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_close(struct rocksdb_transactiondb_t *txn_db);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_flush(struct rocksdb_transactiondb_t *txn_db,
                                 const struct rocksdb_flushoptions_t *options,
                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_flush_cf(struct rocksdb_transactiondb_t *txn_db,
                                    const struct rocksdb_flushoptions_t *options,
                                    struct rocksdb_column_family_handle_t *column_family,
                                    char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_flush_cfs(struct rocksdb_transactiondb_t *txn_db,
                                     const struct rocksdb_flushoptions_t *options,
                                     struct rocksdb_column_family_handle_t **column_families,
                                     int num_column_families,
                                     char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_transactiondb_flush_wal(struct rocksdb_transactiondb_t *txn_db,
                                     unsigned char sync,
                                     char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_checkpoint_t *rocksdb_transactiondb_checkpoint_object_create(struct rocksdb_transactiondb_t *txn_db,
                                                                            char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_optimistictransactiondb_t *rocksdb_optimistictransactiondb_open(const struct rocksdb_options_t *options,
                                                                               const char *name,
                                                                               char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_optimistictransactiondb_t *rocksdb_optimistictransactiondb_open_column_families(const struct rocksdb_options_t *options,
                                                                                               const char *name,
                                                                                               int num_column_families,
                                                                                               const char *const *column_family_names,
                                                                                               const struct rocksdb_options_t *const *column_family_options,
                                                                                               struct rocksdb_column_family_handle_t **column_family_handles,
                                                                                               char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_optimistictransactiondb_get_base_db(struct rocksdb_optimistictransactiondb_t *otxn_db);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_optimistictransactiondb_close_base_db(struct rocksdb_t *base_db);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_transaction_t *rocksdb_optimistictransaction_begin(struct rocksdb_optimistictransactiondb_t *otxn_db,
                                                                  const struct rocksdb_writeoptions_t *write_options,
                                                                  const struct rocksdb_optimistictransaction_options_t *otxn_options,
                                                                  struct rocksdb_transaction_t *old_txn);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_optimistictransactiondb_write(struct rocksdb_optimistictransactiondb_t *otxn_db,
                                           const struct rocksdb_writeoptions_t *options,
                                           struct rocksdb_writebatch_t *batch,
                                           char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_optimistictransactiondb_close(struct rocksdb_optimistictransactiondb_t *otxn_db);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_checkpoint_t *rocksdb_optimistictransactiondb_checkpoint_object_create(struct rocksdb_optimistictransactiondb_t *otxn_db,
                                                                                      char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_optimistictransactiondb_property_value(struct rocksdb_optimistictransactiondb_t *db,
                                                     const char *propname);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_optimistictransactiondb_property_int(struct rocksdb_optimistictransactiondb_t *db,
                                                 const char *propname,
                                                 uint64_t *out_val);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_writebatch_wi_t *rocksdb_writebatch_wi_create(size_t reserved_bytes,
                                                             unsigned char overwrite_keys);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_destroy(struct rocksdb_writebatch_wi_t *b);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_clear(struct rocksdb_writebatch_wi_t *b);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_writebatch_wi_count(struct rocksdb_writebatch_wi_t *b);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_put(struct rocksdb_writebatch_wi_t *b,
                               const char *key,
                               size_t klen,
                               const char *val,
                               size_t vlen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_put_cf(struct rocksdb_writebatch_wi_t *b,
                                  struct rocksdb_column_family_handle_t *column_family,
                                  const char *key,
                                  size_t klen,
                                  const char *val,
                                  size_t vlen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_putv(struct rocksdb_writebatch_wi_t *b,
                                int num_keys,
                                const char *const *keys_list,
                                const size_t *keys_list_sizes,
                                int num_values,
                                const char *const *values_list,
                                const size_t *values_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_putv_cf(struct rocksdb_writebatch_wi_t *b,
                                   struct rocksdb_column_family_handle_t *column_family,
                                   int num_keys,
                                   const char *const *keys_list,
                                   const size_t *keys_list_sizes,
                                   int num_values,
                                   const char *const *values_list,
                                   const size_t *values_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_merge(struct rocksdb_writebatch_wi_t *b,
                                 const char *key,
                                 size_t klen,
                                 const char *val,
                                 size_t vlen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_merge_cf(struct rocksdb_writebatch_wi_t *b,
                                    struct rocksdb_column_family_handle_t *column_family,
                                    const char *key,
                                    size_t klen,
                                    const char *val,
                                    size_t vlen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_mergev(struct rocksdb_writebatch_wi_t *b,
                                  int num_keys,
                                  const char *const *keys_list,
                                  const size_t *keys_list_sizes,
                                  int num_values,
                                  const char *const *values_list,
                                  const size_t *values_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_mergev_cf(struct rocksdb_writebatch_wi_t *b,
                                     struct rocksdb_column_family_handle_t *column_family,
                                     int num_keys,
                                     const char *const *keys_list,
                                     const size_t *keys_list_sizes,
                                     int num_values,
                                     const char *const *values_list,
                                     const size_t *values_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_delete(struct rocksdb_writebatch_wi_t *b,
                                  const char *key,
                                  size_t klen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_singledelete(struct rocksdb_writebatch_wi_t *b,
                                        const char *key,
                                        size_t klen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_delete_cf(struct rocksdb_writebatch_wi_t *b,
                                     struct rocksdb_column_family_handle_t *column_family,
                                     const char *key,
                                     size_t klen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_singledelete_cf(struct rocksdb_writebatch_wi_t *b,
                                           struct rocksdb_column_family_handle_t *column_family,
                                           const char *key,
                                           size_t klen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_deletev(struct rocksdb_writebatch_wi_t *b,
                                   int num_keys,
                                   const char *const *keys_list,
                                   const size_t *keys_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_deletev_cf(struct rocksdb_writebatch_wi_t *b,
                                      struct rocksdb_column_family_handle_t *column_family,
                                      int num_keys,
                                      const char *const *keys_list,
                                      const size_t *keys_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_delete_range(struct rocksdb_writebatch_wi_t *b,
                                        const char *start_key,
                                        size_t start_key_len,
                                        const char *end_key,
                                        size_t end_key_len);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_delete_range_cf(struct rocksdb_writebatch_wi_t *b,
                                           struct rocksdb_column_family_handle_t *column_family,
                                           const char *start_key,
                                           size_t start_key_len,
                                           const char *end_key,
                                           size_t end_key_len);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_delete_rangev(struct rocksdb_writebatch_wi_t *b,
                                         int num_keys,
                                         const char *const *start_keys_list,
                                         const size_t *start_keys_list_sizes,
                                         const char *const *end_keys_list,
                                         const size_t *end_keys_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_delete_rangev_cf(struct rocksdb_writebatch_wi_t *b,
                                            struct rocksdb_column_family_handle_t *column_family,
                                            int num_keys,
                                            const char *const *start_keys_list,
                                            const size_t *start_keys_list_sizes,
                                            const char *const *end_keys_list,
                                            const size_t *end_keys_list_sizes);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_put_log_data(struct rocksdb_writebatch_wi_t *b,
                                        const char *blob,
                                        size_t len);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_iterate(struct rocksdb_writebatch_wi_t *b,
                                   void *state,
                                   void (*put)(void *state,
                                               const char *k,
                                               size_t klen,
                                               const char *v,
                                               size_t vlen),
                                   void (*deleted)(void *state,
                                                   const char *k,
                                                   size_t klen));

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
const char *rocksdb_writebatch_wi_data(struct rocksdb_writebatch_wi_t *b,
                                       size_t *size);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_set_save_point(struct rocksdb_writebatch_wi_t *b);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_wi_rollback_to_save_point(struct rocksdb_writebatch_wi_t *b,
                                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_writebatch_wi_get_from_batch(struct rocksdb_writebatch_wi_t *wbwi,
                                           const struct rocksdb_options_t *options,
                                           const char *key,
                                           size_t keylen,
                                           size_t *vallen,
                                           char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_writebatch_wi_get_from_batch_cf(struct rocksdb_writebatch_wi_t *wbwi,
                                              const struct rocksdb_options_t *options,
                                              struct rocksdb_column_family_handle_t *column_family,
                                              const char *key,
                                              size_t keylen,
                                              size_t *vallen,
                                              char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_writebatch_wi_get_from_batch_and_db(struct rocksdb_writebatch_wi_t *wbwi,
                                                  struct rocksdb_t *db,
                                                  const struct rocksdb_readoptions_t *options,
                                                  const char *key,
                                                  size_t keylen,
                                                  size_t *vallen,
                                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_writebatch_wi_get_from_batch_and_db_cf(struct rocksdb_writebatch_wi_t *wbwi,
                                                     struct rocksdb_t *db,
                                                     const struct rocksdb_readoptions_t *options,
                                                     struct rocksdb_column_family_handle_t *column_family,
                                                     const char *key,
                                                     size_t keylen,
                                                     size_t *vallen,
                                                     char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_write_writebatch_wi(struct rocksdb_t *db,
                                 const struct rocksdb_writeoptions_t *options,
                                 struct rocksdb_writebatch_wi_t *wbwi,
                                 char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_writebatch_wi_create_iterator_with_base(struct rocksdb_writebatch_wi_t *wbwi,
                                                                           struct rocksdb_iterator_t *base_iterator);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_iterator_t *rocksdb_writebatch_wi_create_iterator_with_base_cf(struct rocksdb_writebatch_wi_t *wbwi,
                                                                              struct rocksdb_iterator_t *base_iterator,
                                                                              struct rocksdb_column_family_handle_t *cf);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_backup_engine_t *rocksdb_backup_engine_open(const struct rocksdb_options_t *options,
                                                           const char *path,
                                                           char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_backup_engine_t *rocksdb_backup_engine_open_opts(const struct rocksdb_backup_engine_options_t *options,
                                                                struct rocksdb_env_t *env,
                                                                char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_create_new_backup(struct rocksdb_backup_engine_t *be,
                                             struct rocksdb_t *db,
                                             char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_create_new_backup_flush(struct rocksdb_backup_engine_t *be,
                                                   struct rocksdb_t *db,
                                                   unsigned char flush_before_backup,
                                                   char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_purge_old_backups(struct rocksdb_backup_engine_t *be,
                                             uint32_t num_backups_to_keep,
                                             char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_verify_backup(struct rocksdb_backup_engine_t *be,
                                         uint32_t backup_id,
                                         char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_restore_db_from_latest_backup(struct rocksdb_backup_engine_t *be,
                                                         const char *db_dir,
                                                         const char *wal_dir,
                                                         const struct rocksdb_restore_options_t *restore_options,
                                                         char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_restore_db_from_backup(struct rocksdb_backup_engine_t *be,
                                                  const char *db_dir,
                                                  const char *wal_dir,
                                                  const struct rocksdb_restore_options_t *restore_options,
                                                  uint32_t backup_id,
                                                  char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
const struct rocksdb_backup_engine_info_t *rocksdb_backup_engine_get_backup_info(struct rocksdb_backup_engine_t *be);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_info_count(const struct rocksdb_backup_engine_info_t *info);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
int64_t rocksdb_backup_engine_info_timestamp(const struct rocksdb_backup_engine_info_t *info,
                                             int index);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_backup_engine_info_backup_id(const struct rocksdb_backup_engine_info_t *info,
                                              int index);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_info_size(const struct rocksdb_backup_engine_info_t *info,
                                         int index);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_backup_engine_info_number_files(const struct rocksdb_backup_engine_info_t *info,
                                                 int index);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_info_destroy(const struct rocksdb_backup_engine_info_t *info);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_close(struct rocksdb_backup_engine_t *be);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_sstfilewriter_t *rocksdb_sstfilewriter_create(const struct rocksdb_envoptions_t *env,
                                                             const struct rocksdb_options_t *io_options);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_sstfilewriter_t *rocksdb_sstfilewriter_create_with_comparator(const struct rocksdb_envoptions_t *env,
                                                                             const struct rocksdb_options_t *io_options,
                                                                             const struct rocksdb_comparator_t *comparator);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_open(struct rocksdb_sstfilewriter_t *writer,
                                const char *name,
                                char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_add(struct rocksdb_sstfilewriter_t *writer,
                               const char *key,
                               size_t keylen,
                               const char *val,
                               size_t vallen,
                               char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_put(struct rocksdb_sstfilewriter_t *writer,
                               const char *key,
                               size_t keylen,
                               const char *val,
                               size_t vallen,
                               char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_put_with_ts(struct rocksdb_sstfilewriter_t *writer,
                                       const char *key,
                                       size_t keylen,
                                       const char *ts,
                                       size_t tslen,
                                       const char *val,
                                       size_t vallen,
                                       char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_merge(struct rocksdb_sstfilewriter_t *writer,
                                 const char *key,
                                 size_t keylen,
                                 const char *val,
                                 size_t vallen,
                                 char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_delete(struct rocksdb_sstfilewriter_t *writer,
                                  const char *key,
                                  size_t keylen,
                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_delete_with_ts(struct rocksdb_sstfilewriter_t *writer,
                                          const char *key,
                                          size_t keylen,
                                          const char *ts,
                                          size_t tslen,
                                          char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_delete_range(struct rocksdb_sstfilewriter_t *writer,
                                        const char *begin_key,
                                        size_t begin_keylen,
                                        const char *end_key,
                                        size_t end_keylen,
                                        char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_finish(struct rocksdb_sstfilewriter_t *writer,
                                  char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_file_size(struct rocksdb_sstfilewriter_t *writer,
                                     uint64_t *file_size);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_sstfilewriter_destroy(struct rocksdb_sstfilewriter_t *writer);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingest_external_file(struct rocksdb_t *db,
                                  const char *const *file_list,
                                  size_t list_len,
                                  const struct rocksdb_ingestexternalfileoptions_t *opt,
                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_ingest_external_file_cf(struct rocksdb_t *db,
                                     struct rocksdb_column_family_handle_t *handle,
                                     const char *const *file_list,
                                     size_t list_len,
                                     const struct rocksdb_ingestexternalfileoptions_t *opt,
                                     char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_put_with_ts(struct rocksdb_t *db,
                         const struct rocksdb_writeoptions_t *options,
                         const char *key,
                         size_t keylen,
                         const char *ts,
                         size_t tslen,
                         const char *val,
                         size_t vallen,
                         char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_put_cf_with_ts(struct rocksdb_t *db,
                            const struct rocksdb_writeoptions_t *options,
                            struct rocksdb_column_family_handle_t *column_family,
                            const char *key,
                            size_t keylen,
                            const char *ts,
                            size_t tslen,
                            const char *val,
                            size_t vallen,
                            char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_with_ts(struct rocksdb_t *db,
                            const struct rocksdb_writeoptions_t *options,
                            const char *key,
                            size_t keylen,
                            const char *ts,
                            size_t tslen,
                            char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_cf_with_ts(struct rocksdb_t *db,
                               const struct rocksdb_writeoptions_t *options,
                               struct rocksdb_column_family_handle_t *column_family,
                               const char *key,
                               size_t keylen,
                               const char *ts,
                               size_t tslen,
                               char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_singledelete_with_ts(struct rocksdb_t *db,
                                  const struct rocksdb_writeoptions_t *options,
                                  const char *key,
                                  size_t keylen,
                                  const char *ts,
                                  size_t tslen,
                                  char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_singledelete_cf_with_ts(struct rocksdb_t *db,
                                     const struct rocksdb_writeoptions_t *options,
                                     struct rocksdb_column_family_handle_t *column_family,
                                     const char *key,
                                     size_t keylen,
                                     const char *ts,
                                     size_t tslen,
                                     char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_increase_full_history_ts_low(struct rocksdb_t *db,
                                          struct rocksdb_column_family_handle_t *column_family,
                                          const char *ts_low,
                                          size_t ts_lowlen,
                                          char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_get_full_history_ts_low(struct rocksdb_t *db,
                                      struct rocksdb_column_family_handle_t *column_family,
                                      size_t *ts_lowlen,
                                      char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_and_trim_history(const struct rocksdb_options_t *options,
                                                const char *name,
                                                int num_column_families,
                                                const char *const *column_family_names,
                                                const struct rocksdb_options_t *const *column_family_options,
                                                struct rocksdb_column_family_handle_t **column_family_handles,
                                                char *trim_ts,
                                                size_t trim_tslen,
                                                char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_get_with_ts(struct rocksdb_t *db,
                          const struct rocksdb_readoptions_t *options,
                          const char *key,
                          size_t keylen,
                          size_t *vallen,
                          char **ts,
                          size_t *tslen,
                          char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
char *rocksdb_get_cf_with_ts(struct rocksdb_t *db,
                             const struct rocksdb_readoptions_t *options,
                             struct rocksdb_column_family_handle_t *column_family,
                             const char *key,
                             size_t keylen,
                             size_t *vallen,
                             char **ts,
                             size_t *tslen,
                             char **errptr);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_multi_get_with_ts(struct rocksdb_t *db,
                               const struct rocksdb_readoptions_t *options,
                               size_t num_keys,
                               const char *const *keys_list,
                               const size_t *keys_list_sizes,
                               char **values_list,
                               size_t *values_list_sizes,
                               char **timestamp_list,
                               size_t *timestamp_list_sizes,
                               char **errs);

/**
 * Not served yet: an error for each key.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_multi_get_cf_with_ts(struct rocksdb_t *db,
                                  const struct rocksdb_readoptions_t *options,
                                  const struct rocksdb_column_family_handle_t *const *column_families,
                                  size_t num_keys,
                                  const char *const *keys_list,
                                  const size_t *keys_list_sizes,
                                  char **values_list,
                                  size_t *values_list_sizes,
                                  char **timestamps_list,
                                  size_t *timestamps_list_sizes,
                                  char **errs);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_put_cf_with_ts(struct rocksdb_writebatch_t *b,
                                       struct rocksdb_column_family_handle_t *column_family,
                                       const char *key,
                                       size_t klen,
                                       const char *ts,
                                       size_t tslen,
                                       const char *val,
                                       size_t vlen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_cf_with_ts(struct rocksdb_writebatch_t *b,
                                          struct rocksdb_column_family_handle_t *column_family,
                                          const char *key,
                                          size_t klen,
                                          const char *ts,
                                          size_t tslen);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_singledelete_cf_with_ts(struct rocksdb_writebatch_t *b,
                                                struct rocksdb_column_family_handle_t *column_family,
                                                const char *key,
                                                size_t klen,
                                                const char *ts,
                                                size_t tslen);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_with_ttl(const struct rocksdb_options_t *options,
                                        const char *name,
                                        int ttl,
                                        char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_t *rocksdb_open_column_families_with_ttl(const struct rocksdb_options_t *options,
                                                        const char *name,
                                                        int num_column_families,
                                                        const char *const *column_family_names,
                                                        const struct rocksdb_options_t *const *column_family_options,
                                                        struct rocksdb_column_family_handle_t **column_family_handles,
                                                        const int *ttls,
                                                        char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_column_family_handle_t *rocksdb_create_column_family_with_ttl(struct rocksdb_t *db,
                                                                             const struct rocksdb_options_t *column_family_options,
                                                                             const char *column_family_name,
                                                                             int ttl,
                                                                             char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_repair_db(const struct rocksdb_options_t *options,
                       const char *name,
                       char **errptr);

/**
 * Not served yet: always an error.
 */
extern ROCKSDB_LIBRARY_API
struct rocksdb_memory_allocator_t *rocksdb_jemalloc_nodump_allocator_create(char **errptr);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_memory_allocator_destroy(struct rocksdb_memory_allocator_t *arg0);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_set_memory_allocator(struct rocksdb_lru_cache_options_t *arg0,
                                                    struct rocksdb_memory_allocator_t *arg1);

/**
 * Not served yet: does nothing.
 */
extern ROCKSDB_LIBRARY_API
void rocksdb_hyper_clock_cache_options_set_memory_allocator(struct rocksdb_hyper_clock_cache_options_t *arg0,
                                                            struct rocksdb_memory_allocator_t *arg1);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MOUNTDB_ROCKSDB_C_H */
