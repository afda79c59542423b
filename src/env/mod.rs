//! Floor 2: the one seam to the operating system. Files, time, randomness and threads are traits,
//! so that a whole store runs in memory, single-stepped, from one seed, with faults by a plan.
//! Nothing outside this folder touches the OS.
#![deny(unsafe_code)]

pub mod aligned;
pub mod clock;
pub mod fault;
pub mod info_log;
pub mod mapped;
pub mod memory;
pub mod metered;
pub mod op;
pub mod pool;
pub mod posix;
pub mod rate_limiter;

use crate::base::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How to open a file for reading at any place.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadMode {
    /// Bypass the page cache.
    pub direct: bool,
    /// Map the file.
    pub mapped: bool,
    /// Tell the OS that reads will be scattered.
    pub random: bool,
}

/// How to open a file for writing.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteMode {
    /// Bypass the page cache.
    pub direct: bool,
}

/// A file read from front to back.
pub trait SequentialFile: Send {
    /// Reads up to `buf.len()` bytes; 0 means the end.
    fn read(&mut self, buf: &mut [u8]) -> Result<usize>;
    /// Skips `n` bytes.
    fn skip(&mut self, n: u64) -> Result<()>;
}

/// A file read at any place, by many threads.
pub trait RandomAccessFile: Send + Sync {
    /// Reads up to `buf.len()` bytes at `offset`; less only at the end of the file. One call is one
    /// I/O: callers count them.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize>;
    /// Asks the OS to fetch a range soon; an error is no matter.
    fn prefetch(&self, _offset: u64, _len: usize) {}
    /// Bytes in the file.
    fn size(&self) -> Result<u64>;
}

/// A file written from front to back by one thread. `append` has reached the OS when it returns (it
/// survives a killed process), `sync` has reached the medium.
pub trait WritableFile: Send {
    /// Writes all of `bytes` at the end, or fails; after a failure the tail is of unknown length
    /// until `truncate`.
    fn append(&mut self, bytes: &[u8]) -> Result<()>;
    /// Makes data durable (fdatasync). After a failure what was written since the last success
    /// may be lost: never retry it into a success.
    fn sync(&mut self) -> Result<()>;
    /// Makes data and metadata durable (fsync).
    fn fsync(&mut self) -> Result<()> {
        self.sync()
    }
    /// Starts writing out without waiting.
    fn range_sync(&mut self, _upto: u64) -> Result<()> {
        Ok(())
    }
    /// Cuts the file to `len` bytes and goes on from there.
    fn truncate(&mut self, len: u64) -> Result<()>;
    /// Reserves space up to `len` bytes without changing the size; best effort.
    fn allocate(&mut self, _len: u64) -> Result<()> {
        Ok(())
    }
    /// Bytes appended so far.
    fn size(&self) -> u64;
    /// Closes; dropping without it closes too and loses the error.
    fn close(&mut self) -> Result<()>;
}

/// A held lock; dropping it lets go.
pub trait FileLock: Send + Sync {}

/// Files and folders.
pub trait FileSystem: Send + Sync {
    /// Opens for reading from front to back.
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>>;
    /// Opens for reading at any place.
    fn open_random(&self, path: &Path, mode: ReadMode) -> Result<Arc<dyn RandomAccessFile>>;
    /// Makes a new, empty file; an old one of the name is cut to nothing.
    fn create(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>>;
    /// Opens an existing file to append to it.
    fn reopen(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>>;
    /// Renames, replacing the target.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;
    /// Hard link.
    fn link(&self, from: &Path, to: &Path) -> Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> Result<()>;
    /// Is there a file or folder?
    fn exists(&self, path: &Path) -> Result<bool>;
    /// Bytes in a file.
    fn size(&self, path: &Path) -> Result<u64>;
    /// When it was last changed, microseconds since 1970.
    fn modified_micros(&self, path: &Path) -> Result<u64>;
    /// Names in a folder, without `.` and `..`, in no order.
    fn list(&self, dir: &Path) -> Result<Vec<String>>;
    /// Makes a folder; an existing one is fine, a missing parent is not.
    fn create_dir(&self, dir: &Path) -> Result<()>;
    /// Makes a folder and its parents.
    fn create_dir_all(&self, dir: &Path) -> Result<()>;
    /// Removes an empty folder.
    fn remove_dir(&self, dir: &Path) -> Result<()>;
    /// Makes names in a folder durable.
    fn sync_dir(&self, dir: &Path) -> Result<()>;
    /// Takes the whole-file lock at `path`, making the file if need be. A second taker in this or
    /// another process is refused, whatever spelling of the path it uses, with RocksDB's text:
    /// `IO error: lock hold by current process, acquire time T acquiring thread N: PATH: No locks
    /// available`, `IO error: While lock file: PATH: Resource temporarily unavailable`.
    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>>;
    /// The path without links and dots; the path itself if it does not exist.
    fn canonical(&self, path: &Path) -> PathBuf;
}

/// Time.
pub trait Clock: Send + Sync {
    /// Microseconds since 1970.
    fn now_micros(&self) -> u64;
    /// Nanoseconds since some start; never goes back.
    fn nanos(&self) -> u64;
    /// Waits.
    fn sleep_micros(&self, micros: u64);
}

/// Randomness for identities and seeds.
pub trait Random: Send + Sync {
    /// 64 fresh bits.
    fn next(&self) -> u64;
}

/// Which threads run a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Compactions of the last level.
    Bottom,
    /// Compactions.
    Low,
    /// Flushes.
    High,
}

/// A background job.
pub type Job = Box<dyn FnOnce() + Send>;

/// Background threads by priority. Jobs of one store are counted by the store; a pool may serve many.
pub trait Pool: Send + Sync {
    /// Runs `job` some time on a thread of `priority`.
    fn schedule(&self, priority: Priority, job: Job);
    /// The same, not before `micros` from now.
    fn schedule_after(&self, micros: u64, priority: Priority, job: Job);
    /// In a single-stepped pool: runs one waiting job on this thread and says whether there was
    /// one (a delayed one moves the clock). Pools with threads return false at once. Whoever waits
    /// for background work calls this before each wait.
    fn run_one(&self) -> bool {
        false
    }
    /// Sets the number of threads of a priority (it may shrink).
    fn set_threads(&self, priority: Priority, count: usize);
    /// Makes the number of threads at least `count`.
    fn grow_threads(&self, priority: Priority, count: usize) {
        if self.threads(priority) < count {
            self.set_threads(priority, count);
        }
    }
    /// Threads of a priority.
    fn threads(&self, priority: Priority) -> usize;
    /// Jobs that wait.
    fn queued(&self, priority: Priority) -> usize;
    /// Waits until no job waits or runs.
    fn join(&self);
    /// One more user; see [`PoolUser`].
    fn enter(&self) {}
    /// One user less. Threads end when the last one goes, and start anew with the next job.
    fn leave(&self) {}
}

/// Whoever schedules jobs holds one of these, so that a process without open stores has no threads of
/// ours. Dropping the last one waits for jobs that run.
pub struct PoolUser(Arc<dyn Pool>);

impl PoolUser {
    /// A user of `pool`.
    #[must_use]
    pub fn new(pool: Arc<dyn Pool>) -> Self {
        pool.enter();
        Self(pool)
    }
}

impl Drop for PoolUser {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl std::fmt::Debug for PoolUser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PoolUser")
    }
}

/// How loud a line of the info log is. The numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// 0
    Debug,
    /// 1
    Info,
    /// 2
    Warn,
    /// 3
    Error,
    /// 4
    Fatal,
    /// 5: always printed
    Header,
}

/// Where the lines of the info log go.
pub trait Logger: Send + Sync {
    /// Writes one line. Never fails: a log that cannot be written is no reason to stop.
    fn log(&self, level: LogLevel, text: &str);
    /// Lines below this level are not wanted.
    fn level(&self) -> LogLevel;
    /// Forces out what is buffered.
    fn flush(&self) {}
}

/// Everything that a store takes from outside.
#[derive(Clone)]
pub struct Env {
    /// Files.
    pub fs: Arc<dyn FileSystem>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Threads.
    pub pool: Arc<dyn Pool>,
}

impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Env")
    }
}

impl Env {
    /// The operating system, with one pool of threads for the whole process, as RocksDB's default
    /// environment has.
    #[must_use]
    pub fn posix() -> Self {
        static SHARED: OnceLock<Env> = OnceLock::new();
        SHARED
            .get_or_init(|| Self {
                fs: Arc::new(posix::PosixFs),
                clock: Arc::new(clock::PosixClock),
                random: Arc::new(posix::PosixRandom),
                pool: Arc::new(pool::ThreadPool::new(1, 1)),
            })
            .clone()
    }

    /// Files in memory, anew each time; everything else is the operating system's.
    #[must_use]
    pub fn in_memory() -> Self {
        let posix = Self::posix();
        let fs = memory::MemoryFs::plain(Arc::clone(&posix.clock));
        Self { fs: Arc::new(fs), ..posix }
    }

    /// Memory, a clock that stands still and background jobs that run when stepped; everything
    /// follows from `seed`. [`memory::MemoryEnv`] is the same with its parts at hand.
    #[must_use]
    pub fn memory(seed: u64) -> Self {
        memory::MemoryEnv::new(seed).env
    }

    /// Files in memory, with the operating system's time and the process's shared threads:
    /// RocksDB's memory environment.
    #[must_use]
    pub fn memory_threads() -> Self {
        let posix = Self::posix();
        Self { fs: Arc::new(memory::MemoryFs::plain(posix.clock.clone())), ..posix }
    }
}

/// Reads a whole small file. A file larger than `limit` is Corruption.
pub fn read_file(fs: &dyn FileSystem, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let size = fs.size(path)?;
    if size > limit {
        return Err(Error::corruption(format!("{}: {size} bytes is too large", path.display())));
    }
    let mut file = fs.open_sequential(path)?;
    let mut out = Vec::new();
    let mut buf = [0u8; 8192];
    loop {
        let n = file.read(&mut buf)?;
        if n == 0 {
            return Ok(out);
        }
        out.extend_from_slice(&buf[..n]);
        if out.len() as u64 > limit {
            return Err(Error::corruption(format!("{}: too large", path.display())));
        }
    }
}

/// Writes a file so that either the old or the new content is there after a crash: a temporary
/// file beside it, synced, renamed over it, folder synced.
pub fn write_file_atomically(
    fs: &dyn FileSystem,
    temporary: &Path,
    path: &Path,
    bytes: &[u8],
) -> Result<()> {
    let write = || -> Result<()> {
        let mut file = fs.create(temporary, WriteMode::default())?;
        file.append(bytes)?;
        file.fsync()?;
        file.close()?;
        fs.rename(temporary, path)
    };
    if let Err(error) = write() {
        // The first error is the one to report; a leftover is removed at the next open.
        let _ = fs.remove(temporary);
        return Err(error);
    }
    fs.sync_dir(path.parent().unwrap_or(Path::new(".")))
}
