//! Options as text: option strings, `set_options`, and the pairs of an OPTIONS file.
//!
//!     text  := pair (';' pair)* ';'?
//!     pair  := name '=' value
//!     value := any text without ';', or '{' text '}' with braces that match
//!
//! A name that RocksDB 8.10 knows and that has no meaning here is accepted: ignoring a retired
//! option is what RocksDB does too, and refusing one would lock people out of their own files.
#![forbid(unsafe_code)]

use super::{
    CfOptions, CompactOnDeletion, CompressionOptions, DbOptions, MemtableKind, OptionText,
    OptionValue, TableOptions,
};
use crate::base::comparator::{self, ReverseBytewise};
use crate::base::prefix::{self, CappedPrefix, FixedPrefix, SliceTransform};
use crate::base::{Error, Result};
use crate::cache::Cache;
use crate::env::LogLevel;
use crate::filter::FilterPolicy;
use crate::hooks::merge::UInt64Add;
use crate::stats::Statistics;
use std::sync::Arc;

/// Everything that one options object of the C API holds.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The half that concerns the store.
    pub db: DbOptions,
    /// The half that concerns a column family.
    pub cf: CfOptions,
}

/// Names that mean nothing here and are accepted, for the store.
const IGNORED_DB: &[&str] = &[
    "allow_os_buffer",
    "base_background_compactions",
    "concurrent_prepare",
    "disableDataSync",
    "disable_data_sync",
    "env",
    "experimental_allow_mempurge",
    "experimental_mempurge_policy",
    "file_checksum_gen_factory",
    "listeners",
    "lowest_used_cache_tier",
    "max_background_purges",
    "new_table_reader_for_compaction_inputs",
    "preserve_deletes",
    "rate_limiter",
    "seq_per_batch",
    "skip_log_error_on_recovery",
    "use_direct_writes",
    "wal_filter",
];

/// The same for a column family.
const IGNORED_CF: &[&str] = &[
    "blob_cache",
    "bottommost_temperature",
    "compaction_filter",
    "compaction_filter_factory",
    "compaction_measure_io_stats",
    "cuckoo_table_factory",
    "default_temperature",
    "expanded_compaction_factor",
    "filter_deletes",
    "hard_rate_limit",
    "last_level_temperature",
    "level_compaction_dynamic_file_size",
    "max_grandparent_overlap_factor",
    "max_mem_compaction_level",
    "memtable_insert_with_hint_prefix_extractor",
    "memtable_prefix_bloom_bits",
    "memtable_prefix_bloom_huge_page_tlb_size",
    "memtable_prefix_bloom_probes",
    "min_partial_merge_operands",
    "plain_table_factory",
    "purge_redundant_kvs_while_flush",
    "rate_limit_delay_max_milliseconds",
    "snap_refresh_nanos",
    "soft_rate_limit",
    "source_compaction_factor",
    "sst_partitioner_factory",
    "table_properties_collectors",
    "verify_checksums_in_compaction",
];

/// The same for tables.
const IGNORED_TABLE: &[&str] = &[
    "block_cache_compressed",
    "flush_block_policy_factory",
    "index_per_partition",
    "metadata_cache_options",
    "persistent_cache",
    "reserve_table_builder_memory",
    "reserve_table_reader_memory",
    "skip_table_builder_flush",
];

/// Splits `a=1;b={c=2;d=3}` into names and values; outer braces of a value are taken off.
pub fn split(text: &str) -> Result<Vec<(&str, &str)>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest
            .split_once('=')
            .ok_or_else(|| Error::invalid_argument("Mismatched key value pair, '=' expected"))?;
        let name = name.trim();
        if name.is_empty() {
            return Err(Error::invalid_argument("Empty key found"));
        }
        let after = after.trim_start();
        let value;
        if let Some(inner) = after.strip_prefix('{') {
            let end = closing_brace(inner)?;
            value = inner[..end].trim();
            rest = inner[end + 1..].trim_start();
            if !rest.is_empty() {
                rest = rest.strip_prefix(';').ok_or_else(|| {
                    Error::invalid_argument("Unexpected chars after nested options")
                })?;
            }
        } else {
            (value, rest) = after.split_once(';').unwrap_or((after, ""));
        }
        pairs.push((name, value.trim()));
        rest = rest.trim_start();
    }
    Ok(pairs)
}

/// `{text}` without its braces, anything else as it is.
fn unbraced(value: &str) -> &str {
    let value = value.trim();
    match value.strip_prefix('{').and_then(|inner| Some((inner, closing_brace(inner).ok()?))) {
        Some((inner, end)) if end + 1 == inner.len() => inner[..end].trim(),
        _ => value,
    }
}

/// Where the brace is that closes one opened before `text`.
fn closing_brace(text: &str) -> Result<usize> {
    let mut depth = 1usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(at);
        }
    }
    Err(Error::invalid_argument("Mismatched curly braces for nested options"))
}

/// `name=value;` for each pair.
fn join(pairs: &[(&'static str, String)]) -> String {
    let mut text = String::from("{");
    for (name, value) in pairs {
        text += &format!("{name}={value};");
    }
    text + "}"
}

fn could_not_find(name: &str) -> Error {
    Error::invalid_argument(format!("Could not find option: : {name}"))
}

fn parsing(name: &str, error: &Error) -> Error {
    Error::invalid_argument(format!("Error parsing {name}:{}", error.message()))
}

fn is_null(value: &str) -> bool {
    matches!(value, "" | "nullptr" | "null" | "NULL")
}

impl Options {
    /// `base` changed by the option string `text`.
    pub fn from_text(base: &Self, text: &str) -> Result<Self> {
        let mut new = base.clone();
        for (name, value) in split(text)? {
            if !new.db.set(name, value)? && !new.cf.set(name, value)? {
                return Err(could_not_find(name));
            }
        }
        Ok(new)
    }
}

impl DbOptions {
    /// Sets the option `name` from text; `Ok(false)` if there is none of the name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool> {
        match name {
            "info_log_level" => {
                self.info_log_level = log_level(value).map_err(|e| parsing(name, &e))?;
            }
            "statistics" => {
                self.statistics =
                    if is_null(value) { None } else { Some(Arc::new(Statistics::default())) };
            }
            "rate_limiter_bytes_per_sec" => {
                i64::parse(value).map_err(|e| parsing(name, &e))?;
            }
            _ if IGNORED_DB.contains(&name) => {}
            _ => return self.set_text(name, value),
        }
        Ok(true)
    }

    /// All options that have a text form, in the order of an OPTIONS file.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = text_pairs(self);
        pairs.push(("info_log_level", log_level_name(self.info_log_level).to_owned()));
        pairs
    }

    /// These options with `changes` to a running store applied: all of them or none.
    pub fn changed(&self, changes: &[(&str, &str)]) -> Result<Self> {
        if changes.is_empty() {
            return Err(Error::invalid_argument("empty input"));
        }
        let mut new = self.clone();
        for &(name, value) in changes {
            if !new.set(name, value)? {
                return Err(could_not_find(name));
            }
            if !Self::is_mutable(name) && !IGNORED_DB.contains(&name) {
                return Err(not_changeable(name));
            }
        }
        Ok(new)
    }
}

fn not_changeable(name: &str) -> Error {
    Error::invalid_argument(format!("Option not changeable: {name}"))
}

impl CfOptions {
    /// Sets the option `name` from text; `Ok(false)` if there is none of the name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool> {
        let value = unbraced(value);
        self.set_special(name, value)
            .map_err(|e| parsing(name, &e))
            .and_then(|known| if known { Ok(true) } else { self.set_text(name, value) })
    }

    /// The options whose text is not that of one plain value.
    fn set_special(&mut self, name: &str, value: &str) -> Result<bool> {
        match name {
            "compression_opts" => set_compression(&mut self.compression_opts, value)?,
            "bottommost_compression_opts" => {
                set_compression(&mut self.bottommost_compression_opts, value)?;
            }
            "compaction_options_universal" => {
                let mut new = self.universal;
                for (field, value) in split(value)? {
                    if !new.set_text(field, value)? {
                        return Err(could_not_find(field));
                    }
                }
                self.universal = new;
            }
            "compaction_options_fifo" => self.set_fifo(value)?,
            "compression_per_level" => self.compression_per_level = list(value)?,
            "max_bytes_for_level_multiplier_additional" => {
                self.max_bytes_for_level_multiplier_additional = list(value)?;
            }
            "memtable" | "memtable_factory" => self.memtable = memtable(value)?,
            "prefix_extractor" => self.prefix_extractor = prefix_extractor(value)?,
            "comparator" => {
                self.comparator = match value {
                    "leveldb.BytewiseComparator" => comparator::bytewise(),
                    "rocksdb.ReverseBytewiseComparator" => Arc::new(ReverseBytewise),
                    other => return Err(Error::invalid_argument(other)),
                }
            }
            "merge_operator" => {
                self.merge_operator = match value {
                    "uint64add" | "UInt64AddOperator" => Some(Arc::new(UInt64Add)),
                    v if is_null(v) => None,
                    other => return Err(Error::invalid_argument(other)),
                }
            }
            "table_factory" => {
                if !matches!(value, "BlockBasedTable" | "PlainTable" | "CuckooTable") {
                    return Err(Error::invalid_argument(value));
                }
            }
            "block_based_table_factory" => {
                self.table = Arc::new(self.table.with_text(value)?);
            }
            _ => return Ok(IGNORED_CF.contains(&name)),
        }
        Ok(true)
    }

    fn set_fifo(&mut self, value: &str) -> Result<()> {
        let mut new = self.fifo;
        if value.contains('=') {
            for (field, value) in split(value)? {
                match field {
                    // Tiers and the old place of ttl.
                    "file_temperature_age_thresholds" | "ttl" => {}
                    _ if new.set_text(field, value)? => {}
                    _ => return Err(could_not_find(field)),
                }
            }
        } else {
            // The old form: the size alone.
            new.max_table_files_size = OptionValue::parse(value)?;
        }
        self.fifo = new;
        Ok(())
    }

    /// All options that have a text form, in the order of an OPTIONS file. User code appears by
    /// name, or as `nullptr`.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = text_pairs(self);
        let name_of = |name: Option<&str>| name.unwrap_or("nullptr").to_owned();
        pairs.push(("compression_per_level", list_text(&self.compression_per_level)));
        pairs.push(("compression_opts", join(&self.compression_opts.pairs())));
        pairs
            .push(("bottommost_compression_opts", join(&self.bottommost_compression_opts.pairs())));
        pairs.push(("compaction_options_universal", join(&self.universal.pairs())));
        pairs.push(("compaction_options_fifo", join(&self.fifo.pairs())));
        pairs.push((
            "max_bytes_for_level_multiplier_additional",
            list_text(&self.max_bytes_for_level_multiplier_additional),
        ));
        pairs.push(("comparator", self.comparator.name().to_owned()));
        pairs.push((
            "merge_operator",
            name_of(self.merge_operator.as_ref().map(|hook| hook.name())),
        ));
        pairs.push((
            "compaction_filter",
            name_of(self.compaction_filter.as_ref().map(|hook| hook.name())),
        ));
        pairs.push((
            "compaction_filter_factory",
            name_of(self.compaction_filter_factory.as_ref().map(|hook| hook.name())),
        ));
        pairs.push((
            "prefix_extractor",
            name_of(self.prefix_extractor.as_ref().map(|hook| hook.name())),
        ));
        pairs.push((
            "memtable_factory",
            match self.memtable {
                MemtableKind::Vector => "VectorRepFactory",
                MemtableKind::SkipList => "SkipListFactory",
            }
            .to_owned(),
        ));
        pairs.push(("table_factory", "BlockBasedTable".to_owned()));
        pairs
    }

    /// These options with `changes` to an open family applied: all of them or none. The wording of
    /// the errors is that of RocksDB's `set_options`.
    pub fn changed(&self, changes: &[(&str, &str)]) -> Result<Self> {
        if changes.is_empty() {
            return Err(Error::invalid_argument("empty input"));
        }
        let mut new = self.clone();
        for &(name, value) in changes {
            let mutable = matches!(
                name,
                "compression_opts"
                    | "bottommost_compression_opts"
                    | "compaction_options_universal"
                    | "compaction_options_fifo"
                    | "compression_per_level"
                    | "max_bytes_for_level_multiplier_additional"
                    | "table_factory"
                    | "block_based_table_factory"
            ) || Self::is_mutable(name)
                || IGNORED_CF.contains(&name);
            if name == "block_based_table_factory" {
                for (field, _) in split(unbraced(value))? {
                    if !TableOptions::is_mutable(field) && !IGNORED_TABLE.contains(&field) {
                        return Err(not_changeable(field));
                    }
                }
            }
            if !mutable {
                // Which of the two errors it is depends on whether the name exists at all.
                let known = CfOptions::default().get_text(name).is_some()
                    || matches!(
                        name,
                        "comparator"
                            | "merge_operator"
                            | "prefix_extractor"
                            | "memtable"
                            | "memtable_factory"
                    );
                return Err(if known { not_changeable(name) } else { could_not_find(name) });
            }
            if !new.set(name, value)? {
                return Err(could_not_find(name));
            }
        }
        Ok(new)
    }
}

impl TableOptions {
    /// These options changed by the option string `text`.
    pub fn with_text(&self, text: &str) -> Result<Self> {
        let mut new = self.clone();
        for (name, value) in split(text)? {
            if !new.set(name, value)? {
                return Err(could_not_find(name));
            }
        }
        Ok(new)
    }

    /// Sets the option `name` from text; `Ok(false)` if there is none of the name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool> {
        let value = unbraced(value);
        match name {
            "filter_policy" if is_null(value) => self.filter_policy = None,
            "filter_policy" => {
                let policy = FilterPolicy::from_option_text(value)
                    .ok_or_else(|| parsing(name, &Error::invalid_argument(value)))?;
                self.filter_policy = Some(Arc::new(policy));
            }
            "block_cache" if is_null(value) => self.block_cache = None,
            "block_cache" => {
                self.block_cache = Some(block_cache(value).map_err(|e| parsing(name, &e))?);
            }
            _ if IGNORED_TABLE.contains(&name) => {}
            _ => return self.set_text(name, value),
        }
        Ok(true)
    }

    /// All options that have a text form, in the order of an OPTIONS file.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = text_pairs(self);
        let policy = self.filter_policy.as_ref();
        pairs.push(("filter_policy", policy.map_or("nullptr".to_owned(), |p| p.option_text())));
        pairs
    }
}

/// `8M`, or `{capacity=8M;num_shard_bits=4;strict_capacity_limit=true}`.
fn block_cache(value: &str) -> Result<Arc<Cache>> {
    let (mut capacity, mut shard_bits, mut strict) = (32 << 20, -1, false);
    if value.contains('=') {
        for (name, value) in split(value)? {
            match name {
                "capacity" => capacity = OptionValue::parse(value)?,
                "num_shard_bits" => shard_bits = OptionValue::parse(value)?,
                "strict_capacity_limit" => strict = OptionValue::parse(value)?,
                // Pools for priorities: entries are dear or not, without shares.
                "high_pri_pool_ratio" | "low_pri_pool_ratio" => {}
                _ => return Err(could_not_find(name)),
            }
        }
    } else {
        capacity = OptionValue::parse(value)?;
    }
    Ok(Cache::lru(capacity, shard_bits, strict))
}

/// Names that RocksDB 7.8 does not know, and ours: its tools refuse a file with one of them.
const NOT_IN_7_8: &[&str] = &[
    "block_protection_bytes_per_key",
    "bottommost_file_compaction_delay",
    "compaction_verify_record_count",
    "daily_offpeak_time_utc",
    "memtable_max_range_deletions",
    "persist_user_defined_timestamps",
    "pgm_fence_mode",
    "pgm_fence_write_standard_index",
    "use_delta_encoding",
];

/// What an OPTIONS file says: what differs from the defaults, and `always`.
fn file_lines(
    pairs: Vec<(&'static str, String)>,
    defaults: &[(&'static str, String)],
    always: &[&str],
) -> Vec<(String, String)> {
    pairs
        .into_iter()
        .filter(|pair| {
            always.contains(&pair.0) || (!NOT_IN_7_8.contains(&pair.0) && !defaults.contains(pair))
        })
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

impl DbOptions {
    /// The lines of an OPTIONS file.
    #[must_use]
    pub fn file_lines(&self) -> Vec<(String, String)> {
        let always = ["max_open_files", "max_total_wal_size", "wal_recovery_mode"];
        file_lines(self.pairs(), &Self::default().pairs(), &always)
    }
}

impl CfOptions {
    /// The lines of an OPTIONS file. User code appears by name, in RocksDB's form.
    #[must_use]
    pub fn file_lines(&self) -> Vec<(String, String)> {
        let always = [
            "write_buffer_size",
            "max_write_buffer_number",
            "num_levels",
            "level0_file_num_compaction_trigger",
            "target_file_size_base",
            "max_bytes_for_level_base",
            "compaction_style",
            "compression",
            "comparator",
        ];
        let mut lines = file_lines(self.pairs(), &Self::default().pairs(), &always);
        // No reader could make a filter of its name.
        lines.retain(|(name, _)| !name.starts_with("compaction_filter"));
        for (name, value) in &mut lines {
            match name.as_str() {
                // Only the fields that RocksDB 7.8 knows.
                "compression_opts" | "bottommost_compression_opts" => {
                    let fields: String = value
                        .trim_matches(['{', '}'])
                        .split_inclusive(';')
                        .filter(|f| !f.starts_with("checksum=") && !f.starts_with("max_compressed"))
                        .collect();
                    *value = format!("{{{fields}}}");
                }
                "merge_operator" if value != "nullptr" => *value = format!("{{id={value};}}"),
                _ => {}
            }
        }
        lines
    }
}

impl TableOptions {
    /// The lines of an OPTIONS file.
    #[must_use]
    pub fn file_lines(&self) -> Vec<(String, String)> {
        file_lines(self.pairs(), &Self::default().pairs(), &[])
    }
}

fn text_pairs<T: OptionText>(set: &T) -> Vec<(&'static str, String)> {
    T::NAMES.iter().filter_map(|&name| Some((name, set.get_text(name)?))).collect()
}

/// `{level=3;..}`, or RocksDB's older `window:level:strategy:dict:train:threads:enabled`.
fn set_compression(options: &mut CompressionOptions, value: &str) -> Result<()> {
    let mut new = *options;
    if value.contains('=') {
        for (field, value) in split(value)? {
            if !new.set_text(field, value)? {
                return Err(could_not_find(field));
            }
        }
    } else {
        const ORDER: [&str; 9] = [
            "window_bits",
            "level",
            "strategy",
            "max_dict_bytes",
            "zstd_max_train_bytes",
            "parallel_threads",
            "enabled",
            "max_dict_buffer_bytes",
            "use_zstd_dict_trainer",
        ];
        let values: Vec<&str> = value.split(':').collect();
        if values.len() < 3 || values.len() > ORDER.len() {
            return Err(Error::invalid_argument("unable to parse the specified CF option"));
        }
        for (field, value) in ORDER.iter().zip(values) {
            new.set_text(field, value)?;
        }
    }
    *options = new;
    Ok(())
}

fn list<T: OptionValue>(value: &str) -> Result<Vec<T>> {
    value.split(':').filter(|part| !part.trim().is_empty()).map(T::parse).collect()
}

fn list_text<T: OptionValue>(values: &[T]) -> String {
    values.iter().map(OptionValue::text).collect::<Vec<_>>().join(":")
}

/// The representations that RocksDB offers; those with a hash are served by the skiplist, which
/// answers every call they do and keeps total order besides.
fn memtable(value: &str) -> Result<MemtableKind> {
    let value = value.strip_prefix("id=").unwrap_or(value);
    match value.split([':', ';']).next().unwrap_or(value) {
        "skip_list"
        | "SkipListFactory"
        | "prefix_hash"
        | "HashSkipListRepFactory"
        | "hash_linkedlist"
        | "HashLinkListRepFactory" => Ok(MemtableKind::SkipList),
        "vector" | "VectorRepFactory" => Ok(MemtableKind::Vector),
        other => Err(Error::invalid_argument(other)),
    }
}

fn prefix_extractor(value: &str) -> Result<Option<Arc<dyn SliceTransform>>> {
    let value = value.strip_prefix("id=").unwrap_or(value);
    if is_null(value) {
        return Ok(None);
    }
    let number = |text: &str| usize::parse(text);
    if let Some(n) = value.strip_prefix("fixed:") {
        return Ok(Some(Arc::new(FixedPrefix::new(number(n)?))));
    }
    if let Some(n) = value.strip_prefix("capped:") {
        return Ok(Some(Arc::new(CappedPrefix::new(number(n)?))));
    }
    match prefix::from_name(value) {
        Some(transform) => Ok(Some(Arc::from(transform))),
        None => Err(Error::invalid_argument(value)),
    }
}

const LOG_LEVELS: [(&str, LogLevel); 6] = [
    ("DEBUG_LEVEL", LogLevel::Debug),
    ("INFO_LEVEL", LogLevel::Info),
    ("WARN_LEVEL", LogLevel::Warn),
    ("ERROR_LEVEL", LogLevel::Error),
    ("FATAL_LEVEL", LogLevel::Fatal),
    ("HEADER_LEVEL", LogLevel::Header),
];

fn log_level(value: &str) -> Result<LogLevel> {
    LOG_LEVELS
        .iter()
        .find(|(name, _)| *name == value)
        .map(|(_, level)| *level)
        .ok_or_else(|| Error::invalid_argument(value))
}

fn log_level_name(level: LogLevel) -> &'static str {
    LOG_LEVELS.iter().find(|(_, l)| *l == level).map_or("INFO_LEVEL", |(name, _)| name)
}

impl CompactOnDeletion {
    /// Does a file whose window has `deletions` of them, or which has `total` deletions among
    /// `entries`, want compaction?
    #[must_use]
    pub fn triggers(&self, deletions: usize, total: u64, entries: u64) -> bool {
        (self.trigger > 0 && deletions >= self.trigger)
            || (self.ratio > 0.0
                && self.ratio <= 1.0
                && entries > 0
                && total as f64 / entries as f64 >= self.ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_braces_are_one_value() {
        assert_eq!(
            split("a=1; b={c=2;d={e=3}}; f = g h ;").unwrap(),
            [("a", "1"), ("b", "c=2;d={e=3}"), ("f", "g h")]
        );
        for bad in ["a", "a={", "a={b}c", "=1"] {
            assert!(split(bad).is_err(), "{bad}");
        }
        assert_eq!(
            split("no equals").unwrap_err().to_string(),
            "Invalid argument: Mismatched key value pair, '=' expected"
        );
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut o = Options::default();
        o.cf.compression_per_level =
            vec![super::super::Compression::None, super::super::Compression::Lz4];
        o.cf.compression_opts.level = 9;
        o.cf.prefix_extractor = Some(Arc::new(FixedPrefix::new(4)));
        o.cf.write_buffer_size = 123;
        o.db.max_open_files = 77;
        let mut back = Options::default();
        for (name, value) in o.db.pairs() {
            assert!(back.db.set(name, &value).unwrap(), "{name}");
        }
        for (name, value) in o.cf.pairs() {
            assert!(back.cf.set(name, &value).unwrap(), "{name}");
        }
        assert_eq!(o.db.pairs(), back.db.pairs());
        assert_eq!(o.cf.pairs(), back.cf.pairs());
        let mut from_file = Options::default();
        for (name, value) in o.cf.file_lines() {
            assert!(from_file.cf.set(&name, &value).unwrap(), "{name}");
        }
        assert_eq!(from_file.cf.pairs(), o.cf.pairs());
        assert_eq!(CfOptions::default().file_lines().len(), 9);
    }

    #[test]
    fn errors_are_worded_as_rocksdb_words_them() {
        let o = CfOptions::default();
        let error = |name, value| o.changed(&[(name, value)]).unwrap_err().to_string();
        assert_eq!(error("nope", "1"), "Invalid argument: Could not find option: : nope");
        assert_eq!(error("num_levels", "1"), "Invalid argument: Option not changeable: num_levels");
        assert_eq!(
            error("write_buffer_size", "x"),
            "Invalid argument: Error parsing write_buffer_size:stoull"
        );
        assert_eq!(o.changed(&[]).unwrap_err().to_string(), "Invalid argument: empty input");
        let new = o.changed(&[("ttl", "5"), ("block_based_table_factory", "block_size=1k")]);
        let new = new.unwrap();
        assert_eq!((new.ttl, new.table.block_size), (5, 1024));
    }

    #[test]
    fn an_option_string_changes_both_halves() {
        let base = Options::default();
        let text = "max_open_files=9;block_based_table_factory={block_size=8192};\
                    compression=kLZ4Compression;prefix_extractor=capped:4;merge_operator=uint64add;\
                    compression_opts=4:5:6:7;memtable=vector;soft_rate_limit=1.1";
        let o = Options::from_text(&base, text).unwrap();
        assert_eq!((o.db.max_open_files, o.cf.table.block_size), (9, 8192));
        assert_eq!(o.cf.compression_opts.max_dict_bytes, 7);
        assert_eq!(o.cf.prefix_extractor.unwrap().name(), "rocksdb.CappedPrefix.4");
        assert!(Options::from_text(&base, "bad=1").is_err());
        let text = "block_based_table_factory={filter_policy=bloomfilter:10:false;\
                    block_cache={capacity=1M;num_shard_bits=2}}";
        let table = Options::from_text(&base, text).unwrap().cf.table;
        assert_eq!(table.block_cache.as_ref().unwrap().capacity(), 1 << 20);
        assert_eq!(table.pairs().last().unwrap().1, "bloomfilter:10:false");
    }
}
