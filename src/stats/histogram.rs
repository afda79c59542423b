//! Histograms with RocksDB's buckets, so that percentiles come out as its users know them.
//!
//! Bucket limits grow by half from 1, 2 on, cut to two leading digits; a value lies in the first
//! bucket whose limit is not below it. Percentiles are interpolated within a bucket and kept
//! between the smallest and the largest value seen.
#![forbid(unsafe_code)]

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! histograms {
    ($($name:ident = $text:literal,)*) => {
        /// What is measured.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each name says what it measures; the text is RocksDB's")]
        pub enum HistogramKind { $($name,)* }
        impl HistogramKind {
            /// All of them.
            pub const ALL: &'static [HistogramKind] = &[$(HistogramKind::$name,)*];
            /// RocksDB's name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(HistogramKind::$name => $text,)* }
            }
        }
    };
}

histograms! {
    DbGet = "rocksdb.db.get.micros",
    DbWrite = "rocksdb.db.write.micros",
    DbMultiget = "rocksdb.db.multiget.micros",
    DbSeek = "rocksdb.db.seek.micros",
    DbFlush = "rocksdb.db.flush.micros",
    WriteStall = "rocksdb.db.write.stall",
    CompactionTime = "rocksdb.compaction.times.micros",
    WalFileSync = "rocksdb.wal.file.sync.micros",
    ManifestFileSync = "rocksdb.manifest.file.sync.micros",
    SstReadMicros = "rocksdb.sst.read.micros",
    NumFilesInSingleCompaction = "rocksdb.numfiles.in.singlecompaction",
    BytesPerRead = "rocksdb.bytes.per.read",
    BytesPerWrite = "rocksdb.bytes.per.write",
    BytesPerMultiget = "rocksdb.bytes.per.multiget",
}

/// The upper limits of the buckets.
static LIMITS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut limits = vec![1u64, 2];
    let mut exact = 2.0f64;
    loop {
        exact *= 1.5;
        if exact > u64::MAX as f64 {
            return limits;
        }
        let (mut value, mut tens) = (exact as u64, 1u64);
        while value / 10 > 10 {
            value /= 10;
            tens *= 10;
        }
        limits.push(value * tens);
    }
});

/// The numbers that describe what was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HistogramData {
    /// Half of the values are below.
    pub median: f64,
    /// 95 of 100 are below.
    pub percentile95: f64,
    /// 99 of 100 are below.
    pub percentile99: f64,
    /// The mean.
    pub average: f64,
    /// How far values lie from it.
    pub standard_deviation: f64,
    /// The largest value.
    pub max: f64,
    /// How many.
    pub count: u64,
    /// All together.
    pub sum: u64,
    /// The smallest value.
    pub min: f64,
}

/// One histogram. Any thread may record at any time; a reader sees numbers of about one moment.
#[derive(Debug)]
pub struct Histogram {
    // Relaxed throughout: counters order nothing.
    buckets: Vec<AtomicU64>,
    min: AtomicU64,
    max: AtomicU64,
    sum: AtomicU64,
    sum_squares: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            buckets: LIMITS.iter().map(|_| AtomicU64::new(0)).collect(),
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
            sum: AtomicU64::new(0),
            sum_squares: AtomicU64::new(0),
        }
    }
}

impl Histogram {
    /// Records a value.
    pub fn record(&self, value: u64) {
        let at = LIMITS.partition_point(|&limit| limit < value).min(self.buckets.len() - 1);
        self.buckets[at].fetch_add(1, Ordering::Relaxed);
        self.min.fetch_min(value, Ordering::Relaxed);
        self.max.fetch_max(value, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
        self.sum_squares.fetch_add(value.wrapping_mul(value), Ordering::Relaxed);
    }

    /// Forgets everything.
    pub fn reset(&self) {
        for bucket in &self.buckets {
            bucket.store(0, Ordering::Relaxed);
        }
        self.min.store(u64::MAX, Ordering::Relaxed);
        self.max.store(0, Ordering::Relaxed);
        self.sum.store(0, Ordering::Relaxed);
        self.sum_squares.store(0, Ordering::Relaxed);
    }

    /// The numbers so far; all 0 when nothing was recorded.
    #[must_use]
    pub fn data(&self) -> HistogramData {
        let buckets: Vec<u64> = self.buckets.iter().map(|b| b.load(Ordering::Relaxed)).collect();
        let count: u64 = buckets.iter().sum();
        if count == 0 {
            return HistogramData::default();
        }
        let (min, max) = (self.min.load(Ordering::Relaxed), self.max.load(Ordering::Relaxed));
        let sum = self.sum.load(Ordering::Relaxed);
        let n = count as f64;
        let squares = self.sum_squares.load(Ordering::Relaxed) as f64;
        let variance = (squares * n - sum as f64 * sum as f64) / (n * n);
        let percentile = |percent: f64| {
            let wanted = n * (percent / 100.0);
            let mut below = 0u64;
            for (i, &bucket) in buckets.iter().enumerate() {
                below += bucket;
                if below as f64 >= wanted && bucket > 0 {
                    let left = if i == 0 { 0.0 } else { LIMITS[i - 1] as f64 };
                    let right = LIMITS[i] as f64;
                    let before = (below - bucket) as f64;
                    let value = left + (right - left) * ((wanted - before) / bucket as f64);
                    return value.clamp(min as f64, max as f64);
                }
            }
            max as f64
        };
        HistogramData {
            median: percentile(50.0),
            percentile95: percentile(95.0),
            percentile99: percentile(99.0),
            average: sum as f64 / n,
            standard_deviation: variance.max(0.0).sqrt(),
            max: max as f64,
            count,
            sum,
            min: min as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_rocksdbs() {
        assert_eq!(LIMITS.len(), 109);
        assert_eq!(&LIMITS[..12], &[1, 2, 3, 4, 6, 10, 15, 22, 34, 51, 76, 110]);
    }

    #[test]
    fn numbers_describe_what_was_recorded() {
        let h = Histogram::default();
        assert_eq!(h.data(), HistogramData::default());
        for value in 1..=100 {
            h.record(value);
        }
        let d = h.data();
        assert_eq!((d.count, d.sum, d.min, d.max, d.average), (100, 5050, 1.0, 100.0, 50.5));
        assert!((d.median - 50.0).abs() < 2.0 && (d.percentile99 - 99.0).abs() < 3.0);
        assert!((d.standard_deviation - 28.87).abs() < 0.1);
        h.record(u64::MAX);
        assert_eq!(h.data().max, u64::MAX as f64);
        h.reset();
        assert_eq!(h.data().count, 0);
    }
}
