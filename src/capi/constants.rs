//! Numbers that a C program names. Each enum loses its name in the header, as in RocksDB's.
//!
//! The values belong to API level 8.
#![forbid(unsafe_code)]
#![allow(clippy::enum_variant_names, reason = "the names are RocksDB's")]
#![allow(dead_code, reason = "they are for C")]

/// For `rocksdb_block_based_options_set_index_type`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_block_based_table_index_type_tag {
    rocksdb_block_based_table_index_type_binary_search = 0,
    rocksdb_block_based_table_index_type_hash_search = 1,
    rocksdb_block_based_table_index_type_two_level_index_search = 2,
}

/// For `rocksdb_block_based_options_set_data_block_index_type`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_data_block_index_type_tag {
    rocksdb_block_based_table_data_block_index_type_binary_search = 0,
    rocksdb_block_based_table_data_block_index_type_binary_search_and_hash = 1,
}

/// For `rocksdb_options_set_compression` and its kin.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_compression_type_tag {
    rocksdb_no_compression = 0,
    rocksdb_snappy_compression = 1,
    rocksdb_zlib_compression = 2,
    rocksdb_bz2_compression = 3,
    rocksdb_lz4_compression = 4,
    rocksdb_lz4hc_compression = 5,
    rocksdb_xpress_compression = 6,
    rocksdb_zstd_compression = 7,
}

/// For `rocksdb_options_set_compaction_style`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_compaction_style_tag {
    rocksdb_level_compaction = 0,
    rocksdb_universal_compaction = 1,
    rocksdb_fifo_compaction = 2,
}

/// For `rocksdb_universal_compaction_options_set_stop_style`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_universal_stop_style_tag {
    rocksdb_similar_size_compaction_stop_style = 0,
    rocksdb_total_size_compaction_stop_style = 1,
}

/// For `rocksdb_options_set_wal_recovery_mode`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_wal_recovery_mode_tag {
    rocksdb_tolerate_corrupted_tail_records_recovery = 0,
    rocksdb_absolute_consistency_recovery = 1,
    rocksdb_point_in_time_recovery = 2,
    rocksdb_skip_any_corrupted_records_recovery = 3,
}

/// For `rocksdb_options_set_prepopulate_blob_cache`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_prepopulate_blob_tag {
    rocksdb_prepopulate_blob_disable = 0,
    rocksdb_prepopulate_blob_flush_only = 1,
}

/// For `rocksdb_set_perf_level`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_perf_level_tag {
    rocksdb_uninitialized = 0,
    rocksdb_disable = 1,
    rocksdb_enable_count = 2,
    rocksdb_enable_time_except_for_mutex = 3,
    rocksdb_enable_time = 4,
    rocksdb_out_of_bounds = 5,
}

/// For `rocksdb_perfcontext_metric`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_perf_metric_tag {
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
}

/// For `rocksdb_options_set_statistics_level`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_statistics_level_tag {
    rocksdb_statistics_level_disable_all = 0,
    rocksdb_statistics_level_except_histogram_or_timers = 1,
    rocksdb_statistics_level_except_timers = 2,
    rocksdb_statistics_level_except_detailed_timers = 3,
    rocksdb_statistics_level_except_time_for_mutex = 4,
    rocksdb_statistics_level_all = 5,
}

/// A second name of `rocksdb_statistics_level_disable_all`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum rocksdb_statistics_level_alias_tag {
    rocksdb_statistics_level_except_tickers = 0,
}
