//! A file system that counts what is asked of it: calls, bytes and time by kind of call.
//!
//! The counters may be read while others count; each one alone is exact.
#![forbid(unsafe_code)]

use super::op::Op;
use super::{
    Clock, FileLock, FileSystem, RandomAccessFile, ReadMode, SequentialFile, WritableFile,
    WriteMode,
};
use crate::base::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    bytes: AtomicU64,
    nanos: AtomicU64,
}

/// The counters of one or more file systems.
pub struct Meter {
    by_op: Vec<Counters>,
    clock: Arc<dyn Clock>,
}

impl Meter {
    /// All zero; `clock` measures how long calls take.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        let by_op = Op::ALL.iter().map(|_| Counters::default()).collect();
        Arc::new(Self { by_op, clock })
    }

    fn of(&self, op: Op) -> &Counters {
        &self.by_op[op as usize]
    }

    /// Calls of a kind, failed ones too.
    #[must_use]
    pub fn calls(&self, op: Op) -> u64 {
        // Relaxed, here and below: counters order nothing else.
        self.of(op).calls.load(Ordering::Relaxed)
    }

    /// Bytes that calls of a kind moved.
    #[must_use]
    pub fn bytes(&self, op: Op) -> u64 {
        self.of(op).bytes.load(Ordering::Relaxed)
    }

    /// Nanoseconds spent in calls of a kind.
    #[must_use]
    pub fn nanos(&self, op: Op) -> u64 {
        self.of(op).nanos.load(Ordering::Relaxed)
    }

    /// Sets all to zero.
    pub fn reset(&self) {
        for counters in &self.by_op {
            counters.calls.store(0, Ordering::Relaxed);
            counters.bytes.store(0, Ordering::Relaxed);
            counters.nanos.store(0, Ordering::Relaxed);
        }
    }

    fn count<T>(&self, op: Op, call: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = self.clock.nanos();
        let result = call();
        let counters = self.of(op);
        counters.calls.fetch_add(1, Ordering::Relaxed);
        counters.nanos.fetch_add(self.clock.nanos().saturating_sub(start), Ordering::Relaxed);
        result
    }

    fn moved(&self, op: Op, bytes: usize) {
        self.of(op).bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Meter {
    /// One line for each kind that was called.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for &op in Op::ALL {
            let (calls, bytes, nanos) = (self.calls(op), self.bytes(op), self.nanos(op));
            if calls > 0 {
                writeln!(f, "{:10} {calls:>9} calls {bytes:>12} B {nanos:>12} ns", op.name())?;
            }
        }
        Ok(())
    }
}

/// Any file system, counted.
#[derive(Clone)]
pub struct MeteredFs {
    inner: Arc<dyn FileSystem>,
    meter: Arc<Meter>,
}

impl MeteredFs {
    /// Over `inner`, counting into `meter`.
    #[must_use]
    pub fn new(inner: Arc<dyn FileSystem>, meter: Arc<Meter>) -> Self {
        Self { inner, meter }
    }
}

struct Sequential {
    inner: Box<dyn SequentialFile>,
    meter: Arc<Meter>,
}

impl SequentialFile for Sequential {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.meter.count(Op::Read, || self.inner.read(buf))?;
        self.meter.moved(Op::Read, n);
        Ok(n)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        self.inner.skip(n)
    }
}

struct RandomAccess {
    inner: Arc<dyn RandomAccessFile>,
    meter: Arc<Meter>,
}

impl RandomAccessFile for RandomAccess {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let n = self.meter.count(Op::Read, || self.inner.read_at(offset, buf))?;
        self.meter.moved(Op::Read, n);
        Ok(n)
    }

    fn prefetch(&self, offset: u64, len: usize) {
        self.inner.prefetch(offset, len);
    }

    fn size(&self) -> Result<u64> {
        self.meter.count(Op::Stat, || self.inner.size())
    }
}

struct Writable {
    inner: Box<dyn WritableFile>,
    meter: Arc<Meter>,
}

impl WritableFile for Writable {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.meter.count(Op::Append, || self.inner.append(bytes))?;
        self.meter.moved(Op::Append, bytes.len());
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.meter.count(Op::Sync, || self.inner.sync())
    }

    fn fsync(&mut self) -> Result<()> {
        self.meter.count(Op::Sync, || self.inner.fsync())
    }

    fn range_sync(&mut self, upto: u64) -> Result<()> {
        self.meter.count(Op::RangeSync, || self.inner.range_sync(upto))
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        self.meter.count(Op::Truncate, || self.inner.truncate(len))
    }

    fn allocate(&mut self, len: u64) -> Result<()> {
        self.meter.count(Op::Allocate, || self.inner.allocate(len))
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn close(&mut self) -> Result<()> {
        self.meter.count(Op::Close, || self.inner.close())
    }
}

impl FileSystem for MeteredFs {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let inner = self.meter.count(Op::Open, || self.inner.open_sequential(path))?;
        Ok(Box::new(Sequential { inner, meter: Arc::clone(&self.meter) }))
    }

    fn open_random(&self, path: &Path, mode: ReadMode) -> Result<Arc<dyn RandomAccessFile>> {
        let inner = self.meter.count(Op::Open, || self.inner.open_random(path, mode))?;
        Ok(Arc::new(RandomAccess { inner, meter: Arc::clone(&self.meter) }))
    }

    fn create(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        let inner = self.meter.count(Op::Create, || self.inner.create(path, mode))?;
        Ok(Box::new(Writable { inner, meter: Arc::clone(&self.meter) }))
    }

    fn reopen(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        let inner = self.meter.count(Op::Reopen, || self.inner.reopen(path, mode))?;
        Ok(Box::new(Writable { inner, meter: Arc::clone(&self.meter) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.meter.count(Op::Rename, || self.inner.rename(from, to))
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        self.meter.count(Op::Link, || self.inner.link(from, to))
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.meter.count(Op::Remove, || self.inner.remove(path))
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.meter.count(Op::Stat, || self.inner.exists(path))
    }

    fn size(&self, path: &Path) -> Result<u64> {
        self.meter.count(Op::Stat, || self.inner.size(path))
    }

    fn modified_micros(&self, path: &Path) -> Result<u64> {
        self.meter.count(Op::Stat, || self.inner.modified_micros(path))
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        self.meter.count(Op::List, || self.inner.list(dir))
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        self.meter.count(Op::CreateDir, || self.inner.create_dir(dir))
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        self.meter.count(Op::CreateDir, || self.inner.create_dir_all(dir))
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        self.meter.count(Op::RemoveDir, || self.inner.remove_dir(dir))
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.meter.count(Op::SyncDir, || self.inner.sync_dir(dir))
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        self.meter.count(Op::Lock, || self.inner.lock(path))
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        self.inner.canonical(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::clock::ManualClock;
    use crate::env::memory::MemoryFs;

    #[test]
    fn calls_and_bytes_are_counted_by_kind() {
        let clock = Arc::new(ManualClock::default());
        let meter = Meter::new(clock.clone());
        let fs = MeteredFs::new(Arc::new(MemoryFs::new(clock)), Arc::clone(&meter));
        let mut file = fs.create(Path::new("/a"), WriteMode::default()).unwrap();
        file.append(b"12345").unwrap();
        file.append(b"678").unwrap();
        file.sync().unwrap();
        assert_eq!(fs.size(Path::new("/a")).unwrap(), 8);
        assert!(fs.size(Path::new("/b")).is_err());
        let file = fs.open_random(Path::new("/a"), ReadMode::default()).unwrap();
        file.read_at(6, &mut [0; 10]).unwrap();
        assert_eq!((meter.calls(Op::Append), meter.bytes(Op::Append)), (2, 8));
        assert_eq!((meter.calls(Op::Read), meter.bytes(Op::Read)), (1, 2));
        assert_eq!((meter.calls(Op::Sync), meter.calls(Op::Stat)), (1, 2));
        meter.reset();
        assert_eq!(meter.calls(Op::Append), 0);
    }
}
