//! Settings of backups. There is no backup engine yet: they are kept and read back.
#![forbid(unsafe_code)]

use crate::env::Env;
use std::path::PathBuf;
use std::sync::Arc;

/// Where backups go and how they are made.
#[derive(Clone, Debug)]
pub struct BackupOptions {
    /// The folder of the backups.
    pub backup_dir: PathBuf,
    /// Files of the backups; `None` means those of the store.
    pub backup_env: Option<Arc<Env>>,
    /// Backups share tables.
    pub share_table_files: bool,
    /// Each file is synced.
    pub sync: bool,
    /// Remove what is there.
    pub destroy_old_data: bool,
    /// Logs are part of a backup.
    pub backup_log_files: bool,
    /// Bytes a second when backing up; 0 means no bound.
    pub backup_rate_limit: u64,
    /// Bytes a second when restoring; 0 means no bound.
    pub restore_rate_limit: u64,
    /// Threads that copy.
    pub max_background_operations: i32,
    /// Bytes between two calls of a progress callback.
    pub callback_trigger_interval_size: u64,
    /// Backups looked at when the folder is opened.
    pub max_valid_backups_to_open: i32,
    /// How shared tables are named: RocksDB's bit set.
    pub share_files_with_checksum_naming: i32,
}

impl Default for BackupOptions {
    fn default() -> Self {
        Self {
            backup_dir: PathBuf::new(),
            backup_env: None,
            share_table_files: true,
            sync: true,
            destroy_old_data: false,
            backup_log_files: true,
            backup_rate_limit: 0,
            restore_rate_limit: 0,
            max_background_operations: 1,
            callback_trigger_interval_size: 4 << 20,
            max_valid_backups_to_open: i32::MAX,
            // By session id, with the size of the file: 2 | 1 << 31.
            share_files_with_checksum_naming: i32::MIN | 2,
        }
    }
}

/// How a backup is brought back.
#[derive(Clone, Copy, Debug, Default)]
pub struct RestoreOptions {
    /// Logs that are there stay.
    pub keep_log_files: bool,
}
