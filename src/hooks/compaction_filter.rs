//! Compaction filters: user code that drops or changes values as they are rewritten.
#![forbid(unsafe_code)]

/// What shall become of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It stays.
    Keep,
    /// The key is deleted.
    Remove,
    /// It is replaced.
    Change(Vec<u8>),
}

/// Decides on the newest plain value of each key.
pub trait CompactionFilter: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;
    /// What becomes of `value` of `key`, found on `level`.
    fn filter(&self, level: i32, key: &[u8], value: &[u8]) -> Decision;
    /// RocksDB no longer serves `false`; a compaction with such a filter fails.
    fn ignore_snapshots(&self) -> bool {
        true
    }
}

/// Why a filter is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactionFilterContext {
    /// Are all files of the family inputs?
    pub is_full_compaction: bool,
    /// Did a user ask for it?
    pub is_manual_compaction: bool,
    /// The family.
    pub column_family_id: u32,
}

/// Makes one filter for each compaction.
pub trait CompactionFilterFactory: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;
    /// A filter for one compaction, or none.
    fn create(&self, context: CompactionFilterContext) -> Option<Box<dyn CompactionFilter>>;
}
