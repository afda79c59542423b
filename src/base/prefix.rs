//! Prefix extractors, RocksDB's slice transforms.
#![forbid(unsafe_code)]

/// Maps a key to its prefix, for those keys that have one.
pub trait SliceTransform: Send + Sync {
    /// The name kept in table properties.
    fn name(&self) -> &str;
    /// Does `key` have a prefix?
    fn in_domain(&self, key: &[u8]) -> bool;
    /// The prefix of `key`, which must be in the domain. Handed out through `f`, since user code
    /// may compute it into a buffer of its own.
    fn with_prefix(&self, key: &[u8], f: &mut dyn FnMut(&[u8]));
}

/// The prefix of `key` as owned bytes, or `None` outside the domain.
#[must_use]
pub fn prefix_of(transform: &dyn SliceTransform, key: &[u8]) -> Option<Vec<u8>> {
    if !transform.in_domain(key) {
        return None;
    }
    let mut out = Vec::new();
    transform.with_prefix(key, &mut |p| out.extend_from_slice(p));
    Some(out)
}

/// The first `len` bytes; shorter keys are outside the domain.
#[derive(Clone, Debug)]
pub struct FixedPrefix {
    len: usize,
    name: String,
}

impl FixedPrefix {
    /// Of `len` bytes.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Self { len, name: format!("rocksdb.FixedPrefix.{len}") }
    }
}

impl SliceTransform for FixedPrefix {
    fn name(&self) -> &str {
        &self.name
    }
    fn in_domain(&self, key: &[u8]) -> bool {
        key.len() >= self.len
    }
    fn with_prefix(&self, key: &[u8], f: &mut dyn FnMut(&[u8])) {
        f(&key[..self.len]);
    }
}

/// The first `len` bytes, or all of a shorter key.
#[derive(Clone, Debug)]
pub struct CappedPrefix {
    len: usize,
    name: String,
}

impl CappedPrefix {
    /// Of at most `len` bytes.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Self { len, name: format!("rocksdb.CappedPrefix.{len}") }
    }
}

impl SliceTransform for CappedPrefix {
    fn name(&self) -> &str {
        &self.name
    }
    fn in_domain(&self, _key: &[u8]) -> bool {
        true
    }
    fn with_prefix(&self, key: &[u8], f: &mut dyn FnMut(&[u8])) {
        f(&key[..key.len().min(self.len)]);
    }
}

/// The whole key: `rocksdb.Noop`.
#[derive(Clone, Copy, Debug)]
pub struct Noop;

impl SliceTransform for Noop {
    fn name(&self) -> &str {
        "rocksdb.Noop"
    }
    fn in_domain(&self, _key: &[u8]) -> bool {
        true
    }
    fn with_prefix(&self, key: &[u8], f: &mut dyn FnMut(&[u8])) {
        f(key);
    }
}

/// The transform that a table's property names, when it is a built-in one.
#[must_use]
pub fn from_name(name: &str) -> Option<Box<dyn SliceTransform>> {
    if name == "rocksdb.Noop" {
        return Some(Box::new(Noop));
    }
    if let Some(n) = name.strip_prefix("rocksdb.FixedPrefix.") {
        return Some(Box::new(FixedPrefix::new(n.parse().ok()?)));
    }
    let n = name.strip_prefix("rocksdb.CappedPrefix.")?;
    Some(Box::new(CappedPrefix::new(n.parse().ok()?)))
}
