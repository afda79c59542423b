//! Settings of flushes, manual compactions and ingestion.
#![forbid(unsafe_code)]

use super::enums::BottommostCompaction;

/// How a flush is asked for.
#[derive(Clone, Copy, Debug)]
pub struct FlushOptions {
    /// Return when it is done.
    pub wait: bool,
    /// Go ahead even if writers will have to wait.
    pub allow_write_stall: bool,
}

impl Default for FlushOptions {
    fn default() -> Self {
        Self { wait: true, allow_write_stall: false }
    }
}

/// How a range is compacted.
#[derive(Clone, Debug)]
pub struct CompactRangeOptions {
    /// Let no other compaction run meanwhile.
    pub exclusive_manual_compaction: bool,
    /// Move the result to `target_level`.
    pub change_level: bool,
    /// The level for that; -1 the highest that fits.
    pub target_level: i32,
    /// Which of the table folders.
    pub target_path_id: u32,
    /// Rewrite the last level?
    pub bottommost_level_compaction: BottommostCompaction,
    /// Go ahead even if writers will have to wait.
    pub allow_write_stall: bool,
    /// Threads; 0 means the store's setting.
    pub max_subcompactions: u32,
    /// User timestamps below are forgotten. There are no user timestamps, so it must be `None`.
    pub full_history_ts_low: Option<Vec<u8>>,
}

impl Default for CompactRangeOptions {
    fn default() -> Self {
        Self {
            exclusive_manual_compaction: false,
            change_level: false,
            target_level: -1,
            target_path_id: 0,
            bottommost_level_compaction: BottommostCompaction::IfHaveCompactionFilter,
            allow_write_stall: false,
            max_subcompactions: 0,
            full_history_ts_low: None,
        }
    }
}

/// What to wait for.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitForCompactOptions {
    /// Give up when background work is paused.
    pub abort_on_pause: bool,
    /// Flush first.
    pub flush: bool,
    /// Close the store afterwards.
    pub close_db: bool,
    /// Microseconds to wait at most; 0 means no bound.
    pub timeout_micros: u64,
}

/// How files made outside come in.
#[derive(Clone, Copy, Debug)]
pub struct IngestOptions {
    /// Link instead of copying.
    pub move_files: bool,
    /// Hide the data from older snapshots.
    pub snapshot_consistency: bool,
    /// Give a sequence number if one is needed.
    pub allow_global_seqno: bool,
    /// Flush an overlapping memtable.
    pub allow_blocking_flush: bool,
    /// Below all data.
    pub ingest_behind: bool,
    /// Fail unless it fits on the last level.
    pub fail_if_not_bottommost_level: bool,
}

impl Default for IngestOptions {
    fn default() -> Self {
        Self {
            move_files: false,
            snapshot_consistency: true,
            allow_global_seqno: true,
            allow_blocking_flush: true,
            ingest_behind: false,
            fail_if_not_bottommost_level: false,
        }
    }
}
