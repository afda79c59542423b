//! Statistics as RocksDB 8.10 numbers and prints them.
//!
//! Numbers of tickers and histograms move between releases of RocksDB, so they are looked up by name:
//! a name that the engine does not count reads 0.
#![forbid(unsafe_code)]

use super::{HistogramData, HistogramKind, Statistics, Ticker};
use std::fmt::Write as _;

/// Names of tickers by number.
pub const TICKERS: [&str; 216] = [
    "rocksdb.block.cache.miss",
    "rocksdb.block.cache.hit",
    "rocksdb.block.cache.add",
    "rocksdb.block.cache.add.failures",
    "rocksdb.block.cache.index.miss",
    "rocksdb.block.cache.index.hit",
    "rocksdb.block.cache.index.add",
    "rocksdb.block.cache.index.bytes.insert",
    "rocksdb.block.cache.filter.miss",
    "rocksdb.block.cache.filter.hit",
    "rocksdb.block.cache.filter.add",
    "rocksdb.block.cache.filter.bytes.insert",
    "rocksdb.block.cache.data.miss",
    "rocksdb.block.cache.data.hit",
    "rocksdb.block.cache.data.add",
    "rocksdb.block.cache.data.bytes.insert",
    "rocksdb.block.cache.bytes.read",
    "rocksdb.block.cache.bytes.write",
    "rocksdb.bloom.filter.useful",
    "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.full.true.positive",
    "rocksdb.persistent.cache.hit",
    "rocksdb.persistent.cache.miss",
    "rocksdb.sim.block.cache.hit",
    "rocksdb.sim.block.cache.miss",
    "rocksdb.memtable.hit",
    "rocksdb.memtable.miss",
    "rocksdb.l0.hit",
    "rocksdb.l1.hit",
    "rocksdb.l2andup.hit",
    "rocksdb.compaction.key.drop.new",
    "rocksdb.compaction.key.drop.obsolete",
    "rocksdb.compaction.key.drop.range_del",
    "rocksdb.compaction.key.drop.user",
    "rocksdb.compaction.range_del.drop.obsolete",
    "rocksdb.compaction.optimized.del.drop.obsolete",
    "rocksdb.compaction.cancelled",
    "rocksdb.number.keys.written",
    "rocksdb.number.keys.read",
    "rocksdb.number.keys.updated",
    "rocksdb.bytes.written",
    "rocksdb.bytes.read",
    "rocksdb.number.db.seek",
    "rocksdb.number.db.next",
    "rocksdb.number.db.prev",
    "rocksdb.number.db.seek.found",
    "rocksdb.number.db.next.found",
    "rocksdb.number.db.prev.found",
    "rocksdb.db.iter.bytes.read",
    "rocksdb.no.file.opens",
    "rocksdb.no.file.errors",
    "rocksdb.stall.micros",
    "rocksdb.db.mutex.wait.micros",
    "rocksdb.number.multiget.get",
    "rocksdb.number.multiget.keys.read",
    "rocksdb.number.multiget.bytes.read",
    "rocksdb.number.merge.failures",
    "rocksdb.bloom.filter.prefix.checked",
    "rocksdb.bloom.filter.prefix.useful",
    "rocksdb.bloom.filter.prefix.true.positive",
    "rocksdb.number.reseeks.iteration",
    "rocksdb.getupdatessince.calls",
    "rocksdb.wal.synced",
    "rocksdb.wal.bytes",
    "rocksdb.write.self",
    "rocksdb.write.other",
    "rocksdb.write.wal",
    "rocksdb.compact.read.bytes",
    "rocksdb.compact.write.bytes",
    "rocksdb.flush.write.bytes",
    "rocksdb.compact.read.marked.bytes",
    "rocksdb.compact.read.periodic.bytes",
    "rocksdb.compact.read.ttl.bytes",
    "rocksdb.compact.write.marked.bytes",
    "rocksdb.compact.write.periodic.bytes",
    "rocksdb.compact.write.ttl.bytes",
    "rocksdb.number.direct.load.table.properties",
    "rocksdb.number.superversion_acquires",
    "rocksdb.number.superversion_releases",
    "rocksdb.number.superversion_cleanups",
    "rocksdb.number.block.compressed",
    "rocksdb.number.block.decompressed",
    "rocksdb.number.block.not_compressed",
    "rocksdb.merge.operation.time.nanos",
    "rocksdb.filter.operation.time.nanos",
    "rocksdb.compaction.total.time.cpu_micros",
    "rocksdb.row.cache.hit",
    "rocksdb.row.cache.miss",
    "rocksdb.read.amp.estimate.useful.bytes",
    "rocksdb.read.amp.total.read.bytes",
    "rocksdb.number.rate_limiter.drains",
    "rocksdb.number.iter.skip",
    "rocksdb.blobdb.num.put",
    "rocksdb.blobdb.num.write",
    "rocksdb.blobdb.num.get",
    "rocksdb.blobdb.num.multiget",
    "rocksdb.blobdb.num.seek",
    "rocksdb.blobdb.num.next",
    "rocksdb.blobdb.num.prev",
    "rocksdb.blobdb.num.keys.written",
    "rocksdb.blobdb.num.keys.read",
    "rocksdb.blobdb.bytes.written",
    "rocksdb.blobdb.bytes.read",
    "rocksdb.blobdb.write.inlined",
    "rocksdb.blobdb.write.inlined.ttl",
    "rocksdb.blobdb.write.blob",
    "rocksdb.blobdb.write.blob.ttl",
    "rocksdb.blobdb.blob.file.bytes.written",
    "rocksdb.blobdb.blob.file.bytes.read",
    "rocksdb.blobdb.blob.file.synced",
    "rocksdb.blobdb.blob.index.expired.count",
    "rocksdb.blobdb.blob.index.expired.size",
    "rocksdb.blobdb.blob.index.evicted.count",
    "rocksdb.blobdb.blob.index.evicted.size",
    "rocksdb.blobdb.gc.num.files",
    "rocksdb.blobdb.gc.num.new.files",
    "rocksdb.blobdb.gc.failures",
    "rocksdb.blobdb.gc.num.keys.relocated",
    "rocksdb.blobdb.gc.bytes.relocated",
    "rocksdb.blobdb.fifo.num.files.evicted",
    "rocksdb.blobdb.fifo.num.keys.evicted",
    "rocksdb.blobdb.fifo.bytes.evicted",
    "rocksdb.txn.overhead.mutex.prepare",
    "rocksdb.txn.overhead.mutex.old.commit.map",
    "rocksdb.txn.overhead.duplicate.key",
    "rocksdb.txn.overhead.mutex.snapshot",
    "rocksdb.txn.get.tryagain",
    "rocksdb.number.multiget.keys.found",
    "rocksdb.num.iterator.created",
    "rocksdb.num.iterator.deleted",
    "rocksdb.block.cache.compression.dict.miss",
    "rocksdb.block.cache.compression.dict.hit",
    "rocksdb.block.cache.compression.dict.add",
    "rocksdb.block.cache.compression.dict.bytes.insert",
    "rocksdb.block.cache.add.redundant",
    "rocksdb.block.cache.index.add.redundant",
    "rocksdb.block.cache.filter.add.redundant",
    "rocksdb.block.cache.data.add.redundant",
    "rocksdb.block.cache.compression.dict.add.redundant",
    "rocksdb.files.marked.trash",
    "rocksdb.files.marked.trash.deleted",
    "rocksdb.files.deleted.immediately",
    "rocksdb.error.handler.bg.error.count",
    "rocksdb.error.handler.bg.errro.count",
    "rocksdb.error.handler.bg.io.error.count",
    "rocksdb.error.handler.bg.io.errro.count",
    "rocksdb.error.handler.bg.retryable.io.error.count",
    "rocksdb.error.handler.bg.retryable.io.errro.count",
    "rocksdb.error.handler.autoresume.count",
    "rocksdb.error.handler.autoresume.retry.total.count",
    "rocksdb.error.handler.autoresume.success.count",
    "rocksdb.memtable.payload.bytes.at.flush",
    "rocksdb.memtable.garbage.bytes.at.flush",
    "rocksdb.secondary.cache.hits",
    "rocksdb.verify_checksum.read.bytes",
    "rocksdb.backup.read.bytes",
    "rocksdb.backup.write.bytes",
    "rocksdb.remote.compact.read.bytes",
    "rocksdb.remote.compact.write.bytes",
    "rocksdb.hot.file.read.bytes",
    "rocksdb.warm.file.read.bytes",
    "rocksdb.cold.file.read.bytes",
    "rocksdb.hot.file.read.count",
    "rocksdb.warm.file.read.count",
    "rocksdb.cold.file.read.count",
    "rocksdb.last.level.read.bytes",
    "rocksdb.last.level.read.count",
    "rocksdb.non.last.level.read.bytes",
    "rocksdb.non.last.level.read.count",
    "rocksdb.last.level.seek.filtered",
    "rocksdb.last.level.seek.filter.match",
    "rocksdb.last.level.seek.data",
    "rocksdb.last.level.seek.data.useful.no.filter",
    "rocksdb.last.level.seek.data.useful.filter.match",
    "rocksdb.non.last.level.seek.filtered",
    "rocksdb.non.last.level.seek.filter.match",
    "rocksdb.non.last.level.seek.data",
    "rocksdb.non.last.level.seek.data.useful.no.filter",
    "rocksdb.non.last.level.seek.data.useful.filter.match",
    "rocksdb.block.checksum.compute.count",
    "rocksdb.block.checksum.mismatch.count",
    "rocksdb.multiget.coroutine.count",
    "rocksdb.blobdb.cache.miss",
    "rocksdb.blobdb.cache.hit",
    "rocksdb.blobdb.cache.add",
    "rocksdb.blobdb.cache.add.failures",
    "rocksdb.blobdb.cache.bytes.read",
    "rocksdb.blobdb.cache.bytes.write",
    "rocksdb.read.async.micros",
    "rocksdb.async.read.error.count",
    "rocksdb.secondary.cache.filter.hits",
    "rocksdb.secondary.cache.index.hits",
    "rocksdb.secondary.cache.data.hits",
    "rocksdb.table.open.prefetch.tail.miss",
    "rocksdb.table.open.prefetch.tail.hit",
    "rocksdb.timestamp.filter.table.checked",
    "rocksdb.timestamp.filter.table.filtered",
    "rocksdb.bytes.compressed.from",
    "rocksdb.bytes.compressed.to",
    "rocksdb.bytes.compression_bypassed",
    "rocksdb.bytes.compression.rejected",
    "rocksdb.number.block_compression_bypassed",
    "rocksdb.number.block_compression_rejected",
    "rocksdb.bytes.decompressed.from",
    "rocksdb.bytes.decompressed.to",
    "rocksdb.readahead.trimmed",
    "rocksdb.fifo.max.size.compactions",
    "rocksdb.fifo.ttl.compactions",
    "rocksdb.prefetch.bytes",
    "rocksdb.prefetch.bytes.useful",
    "rocksdb.prefetch.hits",
    "rocksdb.compressed.secondary.cache.dummy.hits",
    "rocksdb.compressed.secondary.cache.hits",
    "rocksdb.compressed.secondary.cache.promotions",
    "rocksdb.compressed.secondary.cache.promotion.skips",
    "",
];

/// Names of histograms by number.
pub const HISTOGRAMS: [&str; 61] = [
    "rocksdb.db.get.micros",
    "rocksdb.db.write.micros",
    "rocksdb.compaction.times.micros",
    "rocksdb.compaction.times.cpu_micros",
    "rocksdb.subcompaction.setup.times.micros",
    "rocksdb.table.sync.micros",
    "rocksdb.compaction.outfile.sync.micros",
    "rocksdb.wal.file.sync.micros",
    "rocksdb.manifest.file.sync.micros",
    "rocksdb.table.open.io.micros",
    "rocksdb.db.multiget.micros",
    "rocksdb.read.block.compaction.micros",
    "rocksdb.read.block.get.micros",
    "rocksdb.write.raw.block.micros",
    "rocksdb.numfiles.in.singlecompaction",
    "rocksdb.db.seek.micros",
    "rocksdb.db.write.stall",
    "rocksdb.sst.read.micros",
    "rocksdb.file.read.flush.micros",
    "rocksdb.file.read.compaction.micros",
    "rocksdb.file.read.db.open.micros",
    "rocksdb.file.read.get.micros",
    "rocksdb.file.read.multiget.micros",
    "rocksdb.file.read.db.iterator.micros",
    "rocksdb.file.read.verify.db.checksum.micros",
    "rocksdb.file.read.verify.file.checksums.micros",
    "rocksdb.num.subcompactions.scheduled",
    "rocksdb.bytes.per.read",
    "rocksdb.bytes.per.write",
    "rocksdb.bytes.per.multiget",
    "rocksdb.bytes.compressed",
    "rocksdb.bytes.decompressed",
    "rocksdb.compression.times.nanos",
    "rocksdb.decompression.times.nanos",
    "rocksdb.read.num.merge_operands",
    "rocksdb.blobdb.key.size",
    "rocksdb.blobdb.value.size",
    "rocksdb.blobdb.write.micros",
    "rocksdb.blobdb.get.micros",
    "rocksdb.blobdb.multiget.micros",
    "rocksdb.blobdb.seek.micros",
    "rocksdb.blobdb.next.micros",
    "rocksdb.blobdb.prev.micros",
    "rocksdb.blobdb.blob.file.write.micros",
    "rocksdb.blobdb.blob.file.read.micros",
    "rocksdb.blobdb.blob.file.sync.micros",
    "rocksdb.blobdb.compression.micros",
    "rocksdb.blobdb.decompression.micros",
    "rocksdb.db.flush.micros",
    "rocksdb.sst.batch.size",
    "rocksdb.num.index.and.filter.blocks.read.per.level",
    "rocksdb.num.sst.read.per.level",
    "rocksdb.error.handler.autoresume.retry.count",
    "rocksdb.async.read.bytes",
    "rocksdb.poll.wait.micros",
    "rocksdb.prefetched.bytes.discarded",
    "rocksdb.multiget.io.batch.size",
    "rocksdb.num.level.read.per.multiget",
    "rocksdb.async.prefetch.abort.micros",
    "rocksdb.table.open.prefetch.tail.read.bytes",
    "",
];

impl Statistics {
    /// The ticker of this number.
    #[must_use]
    pub fn ticker_by_number(&self, number: u32) -> u64 {
        let name = TICKERS.get(number as usize);
        name.map_or(0, |name| self.ticker_by_name(name))
    }

    fn ticker_by_name(&self, name: &str) -> u64 {
        Ticker::ALL.iter().find(|t| t.name() == name).map_or(0, |&t| self.get(t))
    }

    /// The histogram of this number.
    #[must_use]
    pub fn histogram_by_number(&self, number: u32) -> HistogramData {
        let name = HISTOGRAMS.get(number as usize);
        name.map_or_else(HistogramData::default, |name| self.histogram_by_name(name))
    }

    fn histogram_by_name(&self, name: &str) -> HistogramData {
        HistogramKind::ALL
            .iter()
            .find(|h| h.name() == name)
            .map_or_else(HistogramData::default, |&h| self.histogram(h).data())
    }

    /// All of it, one line each, in the order of the numbers; ours come behind.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for name in TICKERS {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name} COUNT : {}", self.ticker_by_name(name));
        }
        for name in HISTOGRAMS {
            let d = self.histogram_by_name(name);
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "{name} P50 : {:.6} P95 : {:.6} P99 : {:.6} P100 : {:.6} COUNT : {} SUM : {}",
                d.median, d.percentile95, d.percentile99, d.max, d.count, d.sum
            );
        }
        for ticker in Ticker::ALL.iter().filter(|t| t.name().starts_with("mountdb.")) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} COUNT : {}", ticker.name(), self.get(*ticker));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_ours_is_one_of_rocksdbs() {
        for ticker in Ticker::ALL {
            let name = ticker.name();
            assert!(name.starts_with("mountdb.") || TICKERS.contains(&name), "{name}");
        }
        for histogram in HistogramKind::ALL {
            assert!(HISTOGRAMS.contains(&histogram.name()), "{}", histogram.name());
        }
    }

    #[test]
    fn text_has_a_line_a_number() {
        let s = Statistics::default();
        s.add(Ticker::BytesWritten, 7);
        assert_eq!(s.ticker_by_number(40), 7);
        let text = s.text();
        assert!(text.contains("rocksdb.bytes.written COUNT : 7\n"));
        assert!(text.contains(
            "rocksdb.db.get.micros P50 : 0.000000 P95 : 0.000000 P99 : 0.000000 \
             P100 : 0.000000 COUNT : 0 SUM : 0\n"
        ));
    }
}
