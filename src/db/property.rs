//! What the store tells about itself: the `rocksdb.*` names and our own.
//!
//! Ours: `mountdb.recovery-report` (what opening dropped), `mountdb.stall-cause` (why writers are held back,
//! empty when they are not), `mountdb.background-error` (what background work failed with last, empty when it
//! goes on).
#![forbid(unsafe_code)]

use super::{Db, Family, FamilyState, Inner, State, obsolete};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Levels that the compaction table has room for.
const LEVELS: usize = 64;

/// Work done since the store was opened.
pub(super) struct Counters {
    writes: AtomicU64,
    keys: AtomicU64,
    bytes: AtomicU64,
    stall_micros: AtomicU64,
    /// Has anything been written past the log?
    unlogged: AtomicBool,
    pub(super) background_errors: AtomicU64,
    /// Bytes of the current log at which a leader looks at the total of all logs.
    pub(super) wal_attention: AtomicU64,
    flushes: AtomicU64,
    flush_bytes: AtomicU64,
    flush_micros: AtomicU64,
    levels: Vec<LevelWork>,
}

#[derive(Default)]
struct LevelWork {
    count: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
    micros: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            writes: zero(),
            keys: zero(),
            bytes: zero(),
            stall_micros: zero(),
            unlogged: AtomicBool::new(false),
            background_errors: zero(),
            wal_attention: AtomicU64::new(u64::MAX),
            flushes: zero(),
            flush_bytes: zero(),
            flush_micros: zero(),
            levels: (0..LEVELS).map(|_| LevelWork::default()).collect(),
        }
    }
}

// Relaxed throughout: counters order nothing.
fn bump(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Counters {
    pub(super) fn wrote(&self, writes: u64, keys: u64, bytes: u64, unlogged: bool) {
        bump(&self.writes, writes);
        bump(&self.keys, keys);
        bump(&self.bytes, bytes);
        if unlogged && keys > 0 {
            self.unlogged.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn has_unlogged(&self) -> bool {
        self.unlogged.load(Ordering::Relaxed)
    }

    pub(super) fn stalled(&self, micros: u64) {
        bump(&self.stall_micros, micros);
    }

    pub(super) fn flushed(&self, bytes: u64, micros: u64) {
        bump(&self.flushes, 1);
        bump(&self.flush_bytes, bytes);
        bump(&self.flush_micros, micros);
    }

    pub(super) fn compacted(&self, _from: usize, to: usize, read: u64, written: u64, micros: u64) {
        let level = &self.levels[to.min(LEVELS - 1)];
        bump(&level.count, 1);
        bump(&level.read, read);
        bump(&level.written, written);
        bump(&level.micros, micros);
    }
}

/// `name` with the number that it ends in.
fn numbered<'a>(name: &'a str, stem: &str) -> Option<&'a str> {
    name.strip_prefix(stem).filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

impl Inner {
    fn int_property(&self, state: &State, family: &FamilyState, name: &str) -> Option<u64> {
        let mems = || family.imm.iter().chain(std::iter::once(&family.mem));
        let version = &family.version;
        let cache = || family.core.tables.settings().cache.clone();
        Some(match name {
            "num-immutable-mem-table" => family.imm.len() as u64,
            "num-immutable-mem-table-flushed" => 0,
            "mem-table-flush-pending" => {
                u64::from(family.flush_requested && !family.imm.is_empty())
            }
            "compaction-pending" => u64::from(family.scores.needs_compaction()),
            "background-errors" => read(&self.counters.background_errors),
            "cur-size-active-mem-table" => family.mem.memory() as u64,
            "cur-size-all-mem-tables" | "size-all-mem-tables" => {
                mems().map(|m| m.memory() as u64).sum()
            }
            "num-entries-active-mem-table" => family.mem.entries(),
            "num-entries-imm-mem-tables" => family.imm.iter().map(|m| m.entries()).sum(),
            "num-deletes-active-mem-table" => family.mem.deletions(),
            "num-deletes-imm-mem-tables" => family.imm.iter().map(|m| m.deletions()).sum(),
            "estimate-num-keys" => {
                let (mut entries, mut deletions) = (0u64, 0u64);
                for mem in mems() {
                    entries += mem.entries();
                    deletions += mem.deletions();
                }
                for (_, file) in version.all_files() {
                    let counts = file.counts().unwrap_or_default();
                    entries += counts.entries;
                    deletions += counts.deletions;
                }
                // A deletion is an entry itself and hides one.
                entries.saturating_sub(2 * deletions)
            }
            "estimate-table-readers-mem" => self.tables.memory() as u64,
            "is-file-deletions-enabled" => u64::from(state.deletions_disabled == 0),
            "num-snapshots" => self.snapshots.count(),
            "oldest-snapshot-time" => self.snapshots.oldest().map_or(0, |(_, seconds)| seconds),
            "oldest-snapshot-sequence" => {
                self.snapshots.oldest().map_or(0, |(sequence, _)| sequence)
            }
            "num-live-versions" => self.live_versions(state, family),
            "current-super-version-number" => family.core.view.load().number,
            "estimate-live-data-size" => estimate_live_bytes(family),
            "min-log-number-to-keep" => state.logs.first().map_or(0, |log| log.number),
            "min-obsolete-sst-number-to-keep" => {
                state.pending_outputs.first().copied().unwrap_or(u64::MAX)
            }
            "base-level" => family.scores.base_level as u64,
            "total-sst-files-size" => {
                let mut seen = BTreeSet::new();
                let held: Vec<_> = state.live_versions.iter().filter_map(Weak::upgrade).collect();
                held.iter()
                    .flat_map(|v| obsolete::files_of(v))
                    .filter(|f| seen.insert(f.number()))
                    .map(|f| f.size())
                    .sum()
            }
            "live-sst-files-size" => version.total_bytes(),
            "estimate-pending-compaction-bytes" => family.scores.estimated_pending_bytes,
            "num-running-flushes" => state.running_flushes as u64,
            "num-running-compactions" => state.running_compactions as u64,
            "actual-delayed-write-rate" => {
                if self.stall.is_delayed() {
                    self.delayed_rate()
                } else {
                    0
                }
            }
            "is-write-stopped" => u64::from(self.stall.is_stopped()),
            "estimate-oldest-key-time" => version
                .all_files()
                .map(|(_, f)| f.entry.oldest_ancestor_time)
                .filter(|t| *t > 0)
                .min()?,
            "block-cache-capacity" => cache()?.capacity() as u64,
            "block-cache-usage" => cache()?.usage() as u64,
            "block-cache-pinned-usage" => cache()?.pinned_usage() as u64,
            "num-blob-files"
            | "total-blob-file-size"
            | "live-blob-file-size"
            | "live-blob-file-garbage-size" => 0,
            "obsolete-sst-files-size" => state.obsolete.iter().map(|(_, f)| f.size()).sum(),
            _ => return None,
        })
    }

    fn live_versions(&self, state: &State, family: &FamilyState) -> u64 {
        let order = &**family.core.order.user();
        let count = state
            .live_versions
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|v| std::ptr::addr_eq(&raw const **v.order().user(), std::ptr::from_ref(order)))
            .count();
        count as u64
    }

    fn text_property(&self, state: &State, family: &FamilyState, name: &str) -> Option<String> {
        if let Some(level) = numbered(name, "num-files-at-level") {
            let level: usize = level.parse().ok()?;
            let known = level < family.version.num_levels();
            return known.then(|| family.version.files(level).len().to_string());
        }
        if let Some(level) = numbered(name, "compression-ratio-at-level") {
            return compression_ratio(family, level.parse().ok()?);
        }
        if let Some(level) = numbered(name, "aggregated-table-properties-at-level") {
            let level: usize = level.parse().ok()?;
            return (level < family.version.num_levels())
                .then(|| aggregated(family, |l| l == level));
        }
        Some(match name {
            "levelstats" => level_stats(family),
            "stats" => format!("{}{}", self.family_stats(family), self.store_stats()),
            "cfstats" | "cfstats-no-file-histogram" => self.family_stats(family),
            "cf-file-histogram" => {
                format!("\n** File Read Latency Histogram By Level [{}] **\n", family.core.name)
            }
            "dbstats" => self.store_stats(),
            "sstables" => sstables(family),
            "aggregated-table-properties" => aggregated(family, |_| true),
            "options-statistics" => match self.statistics.as_deref() {
                Some(s) => crate::stats::Ticker::ALL.iter().fold(String::new(), |mut text, t| {
                    let _ = writeln!(text, "{} COUNT : {}", t.name(), s.get(*t));
                    text
                }),
                None => String::new(),
            },
            "cf-write-stall-stats" | "db-write-stall-stats" => format!(
                "Write stall micros: {}\nCause now: {}\n",
                read(&self.counters.stall_micros),
                self.stall.cause()
            ),
            _ => return self.int_property(state, family, name).map(|n| n.to_string()),
        })
    }

    fn family_stats(&self, family: &FamilyState) -> String {
        let mut text = format!("\n** Compaction Stats [{}] **\n", family.core.name);
        text.push_str(
            "Level    Files   Size(MB)  Score  Read(GB)  Write(GB)  Comp(sec)  Comp(cnt)\n\
             ---------------------------------------------------------------------------\n",
        );
        for level in 0..family.version.num_levels() {
            let files = family.version.files(level);
            let work = &self.counters.levels[level.min(LEVELS - 1)];
            let mut counted = [&work.count, &work.read, &work.written, &work.micros].map(read);
            if level == 0 {
                counted[0] += read(&self.counters.flushes);
                counted[2] += read(&self.counters.flush_bytes);
                counted[3] += read(&self.counters.flush_micros);
            }
            if files.is_empty() && counted[0] == 0 {
                continue;
            }
            let score = family.scores.levels.iter().find(|(l, _)| *l == level).map_or(0.0, |s| s.1);
            let _ = writeln!(
                text,
                "  L{level:<4} {:>7} {:>10.2} {score:>6.1} {:>9.3} {:>10.3} {:>10.2} {:>10}",
                files.len(),
                family.version.level_bytes(level) as f64 / 1_048_576.0,
                counted[1] as f64 / 1_073_741_824.0,
                counted[2] as f64 / 1_073_741_824.0,
                counted[3] as f64 / 1e6,
                counted[0],
            );
        }
        text
    }

    fn store_stats(&self) -> String {
        let c = &self.counters;
        let seconds = (self.env.clock.now_micros().saturating_sub(self.opened_micros)) as f64 / 1e6;
        format!(
            "\n** DB Stats **\nUptime(secs): {seconds:.1} total\n\
             Cumulative writes: {} writes, {} keys, {:.2} GB ingest\n\
             Cumulative stall: {:.3} seconds\n",
            read(&c.writes),
            read(&c.keys),
            read(&c.bytes) as f64 / 1_073_741_824.0,
            read(&c.stall_micros) as f64 / 1e6,
        )
    }
}

fn compression_ratio(family: &FamilyState, level: usize) -> Option<String> {
    if level >= family.version.num_levels() {
        return None;
    }
    let files = family.version.files(level);
    let stored: u64 = files.iter().map(|f| f.size()).sum();
    let raw: u64 =
        files.iter().filter_map(|f| f.counts()).map(|c| c.raw_key_bytes + c.raw_value_bytes).sum();
    let ratio = if stored == 0 || raw == 0 { -1.0 } else { raw as f64 / stored as f64 };
    Some(format!("{ratio:.6}"))
}

fn estimate_live_bytes(family: &FamilyState) -> u64 {
    // The last level holds no key twice; what lies above it is new or hides something.
    let version = &family.version;
    let last = version.last_nonempty_level().unwrap_or(0);
    if last == 0 {
        version.files(0).iter().map(|f| f.size()).max().unwrap_or(0)
    } else {
        version.level_bytes(last)
    }
}

fn level_stats(family: &FamilyState) -> String {
    let mut text = String::from("Level Files Size(MB)\n--------------------\n");
    for level in 0..family.version.num_levels() {
        let megabytes = family.version.level_bytes(level) as f64 / 1_048_576.0;
        let _ = writeln!(text, "{level:3} {:8} {megabytes:8.0}", family.version.files(level).len());
    }
    text
}

fn sstables(family: &FamilyState) -> String {
    let mut text = String::new();
    for level in 0..family.version.num_levels() {
        let _ = writeln!(text, "--- level {level} --- version# 1 ---");
        for file in family.version.files(level) {
            let _ = writeln!(
                text,
                " {}:{}['{}' .. '{}']",
                file.number(),
                file.size(),
                file.smallest_user().escape_ascii(),
                file.largest_user().escape_ascii()
            );
        }
    }
    text
}

fn aggregated(family: &FamilyState, wanted: impl Fn(usize) -> bool) -> String {
    let (mut files, mut bytes, mut total) = (0u64, 0u64, crate::version::FileCounts::default());
    for (_, file) in family.version.all_files().filter(|(level, _)| wanted(*level)) {
        let counts = file.counts().unwrap_or_default();
        files += 1;
        bytes += file.size();
        total.entries += counts.entries;
        total.deletions += counts.deletions;
        total.raw_key_bytes += counts.raw_key_bytes;
        total.raw_value_bytes += counts.raw_value_bytes;
    }
    format!(
        "# files={files}; # entries={}; # deletions={}; raw key size={}; raw value size={}; total file size={bytes}; ",
        total.entries, total.deletions, total.raw_key_bytes, total.raw_value_bytes
    )
}

impl Db {
    /// The text of a property, `None` if there is none of the name.
    #[must_use]
    pub fn property(&self, family: &Family, name: &str) -> Option<String> {
        let inner = &self.inner;
        match name {
            "mountdb.recovery-report" => return Some(inner.report.text()),
            "mountdb.stall-cause" => return Some(inner.stall.cause()),
            "mountdb.background-error" => {
                let error = inner.state.lock().failures.any().cloned();
                return Some(error.map_or_else(String::new, |e| e.to_string()));
            }
            _ => {}
        }
        let name = name.strip_prefix("rocksdb.")?;
        let state = inner.state.lock();
        let family = state.families.get(&family.id())?;
        inner.text_property(&state, family, name)
    }

    /// The number of an integer property.
    #[must_use]
    pub fn property_int(&self, family: &Family, name: &str) -> Option<u64> {
        let name = name.strip_prefix("rocksdb.")?;
        let state = self.inner.state.lock();
        let family = state.families.get(&family.id())?;
        self.inner.int_property(&state, family, name)
    }

    /// The sum of an integer property over all families.
    #[must_use]
    pub fn total_property_int(&self, name: &str) -> Option<u64> {
        let name = name.strip_prefix("rocksdb.")?;
        let state = self.inner.state.lock();
        state.families.values().map(|family| self.inner.int_property(&state, family, name)).sum()
    }
}
