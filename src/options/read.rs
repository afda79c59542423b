//! Settings of one read.
#![forbid(unsafe_code)]

use super::enums::ReadTier;
use crate::base::Sequence;

/// How a get or an iterator reads.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// As of this sequence number; `None` means now.
    pub snapshot: Option<Sequence>,
    /// Compare checksums of blocks read.
    pub verify_checksums: bool,
    /// Put blocks read into the cache.
    pub fill_cache: bool,
    /// First key of an iterator.
    pub iterate_lower_bound: Option<Vec<u8>>,
    /// End (exclusive) of an iterator.
    pub iterate_upper_bound: Option<Vec<u8>>,
    /// Where a read may look.
    pub read_tier: ReadTier,
    /// See new data, forward only.
    pub tailing: bool,
    /// Never use prefixes.
    pub total_order_seek: bool,
    /// Use prefixes where they cannot matter.
    pub auto_prefix_mode: bool,
    /// End where the prefix of the seek key ends.
    pub prefix_same_as_start: bool,
    /// Keys stay where they are while the iterator lives.
    pub pin_data: bool,
    /// Bytes of read-ahead; 0 grows by itself.
    pub readahead_size: usize,
    /// Hidden entries before an iterator gives up; 0 never.
    pub max_skippable_internal_keys: u64,
    /// See through range deletions.
    pub ignore_range_deletions: bool,
    /// Delete files in the background when the iterator ends.
    pub background_purge_on_iterator_cleanup: bool,
    /// Microseconds since 1970 after which the read fails; 0 never.
    pub deadline_micros: u64,
    /// Microseconds an I/O may take; 0 no bound.
    pub io_timeout_micros: u64,
    /// Accepted, not used.
    pub async_io: bool,
    /// Accepted, not used.
    pub adaptive_readahead: bool,
    /// Accepted, not used.
    pub auto_readahead_size: bool,
    /// Iterators that follow the data: no longer served, so such an iterator fails.
    pub managed: bool,
    /// The user timestamp to read at. There are no user timestamps, so such a read fails.
    pub timestamp: Option<Vec<u8>>,
    /// The oldest user timestamp to show. There are no user timestamps, so such a read fails.
    pub iter_start_ts: Option<Vec<u8>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            snapshot: None,
            verify_checksums: true,
            fill_cache: true,
            iterate_lower_bound: None,
            iterate_upper_bound: None,
            read_tier: ReadTier::All,
            tailing: false,
            total_order_seek: false,
            auto_prefix_mode: false,
            prefix_same_as_start: false,
            pin_data: false,
            readahead_size: 0,
            max_skippable_internal_keys: 0,
            ignore_range_deletions: false,
            background_purge_on_iterator_cleanup: false,
            deadline_micros: 0,
            io_timeout_micros: 0,
            async_io: false,
            adaptive_readahead: false,
            auto_readahead_size: true,
            managed: false,
            timestamp: None,
            iter_start_ts: None,
        }
    }
}
