//! What the store tells and is told, beside options.
#![forbid(unsafe_code)]

/// One live table file.
#[derive(Clone, Debug, Default)]
pub struct LiveFile {
    /// The family's name.
    pub family: String,
    /// `/000012.sst`
    pub name: String,
    /// The folder that holds it.
    pub directory: String,
    /// Its number.
    pub number: u64,
    /// Its level.
    pub level: i32,
    /// Bytes.
    pub size: u64,
    /// First user key.
    pub smallest_key: Vec<u8>,
    /// Last user key.
    pub largest_key: Vec<u8>,
    /// Entries.
    pub entries: u64,
    /// Deletions among them.
    pub deletions: u64,
}

/// The levels of a family.
#[derive(Clone, Debug, Default)]
pub struct FamilyMetadata {
    /// The family's name.
    pub name: String,
    /// Bytes of all levels.
    pub size: u64,
    /// Files of all levels.
    pub file_count: usize,
    /// All levels of the family, empty ones too.
    pub levels: Vec<LevelMetadata>,
}

/// One level.
#[derive(Clone, Debug, Default)]
pub struct LevelMetadata {
    /// Its number.
    pub level: i32,
    /// Bytes.
    pub size: u64,
    /// Files.
    pub files: Vec<LiveFile>,
}

/// How to wait for background work.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitForCompactOptions {
    /// Give up with `Aborted` when background work is paused.
    pub abort_on_pause: bool,
    /// Flush first.
    pub flush: bool,
    /// Close afterwards.
    pub close_db: bool,
    /// Microseconds; 0 waits for ever.
    pub timeout_micros: u64,
}
