//! Settings of one write.
#![forbid(unsafe_code)]

/// How a batch is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// On the medium before the call returns.
    pub sync: bool,
    /// Not logged: lost in a crash unless flushed.
    pub disable_wal: bool,
    /// Skip records of unknown or dropped families.
    pub ignore_missing_column_families: bool,
    /// Fail rather than wait.
    pub no_slowdown: bool,
    /// Give way to others when writes are slowed.
    pub low_pri: bool,
    /// Accepted, not used.
    pub memtable_insert_hint_per_batch: bool,
}
