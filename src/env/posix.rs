//! Files of the operating system.
//!
//! Reads are `pread`, writes are `pwrite` at a place that this side keeps, so that a failed append
//! leaves no doubt where the next one goes. `EINTR` is retried, short writes are continued, every
//! descriptor is closed on exec. Error texts are RocksDB's, word by word: bindings compare them.
//!
//! A lock is a POSIX record lock (what RocksDB takes, so both exclude each other) and an entry in a
//! table of this process, since a process never conflicts with its own record lock. The table is
//! keyed by device and inode, so another spelling of a path finds the same lock. A locked file is never opened
//! a second time: closing any descriptor of a file drops the process's record locks on it.
#![allow(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "this is the floor that the rest of the crate is sent to"
)]

use super::aligned::AlignedBuf;
use super::mapped::MappedFile;
use super::{
    FileLock, FileSystem, Random, RandomAccessFile, ReadMode, SequentialFile, WritableFile,
    WriteMode,
};
use crate::base::sync::Mutex;
use crate::base::{Error, Result};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

/// What an operation on a file is called in error texts.
pub(super) mod doing {
    pub(crate) const OPEN_SEQUENTIAL: &str = "While opening a file for sequentially reading";
    pub(crate) const OPEN_RANDOM: &str = "While open a file for random read";
    pub(crate) const OPEN_WRITE: &str = "While open a file for appending";
    pub(crate) const REOPEN: &str = "while reopen file for write";
    pub(crate) const READ: &str = "While reading file sequentially";
    pub(crate) const APPEND: &str = "While appending to file";
    pub(crate) const FDATASYNC: &str = "While fdatasync";
    pub(crate) const FSYNC: &str = "While fsync";
    pub(crate) const CLOSE: &str = "While closing file after writing";
    pub(crate) const STAT: &str = "while stat a file for size";
    pub(crate) const STAT_TIME: &str = "while stat a file for modification time";
    pub(crate) const UNLINK: &str = "while unlink() file";
    pub(crate) const LIST: &str = "While opendir";
    pub(crate) const MKDIR: &str = "While mkdir if missing";
    pub(crate) const RMDIR: &str = "file rmdir";
    pub(crate) const OPEN_DIR: &str = "While open directory";
    pub(crate) const OPEN_LOCK: &str = "while open a file for lock";
    pub(crate) const LOCK: &str = "While lock file";
    pub(crate) const EXISTS: &str = "Unexpected error while accessing file";

    pub(crate) fn rename(to: &std::path::Path) -> String {
        format!("While renaming a file to {}", to.display())
    }
    pub(crate) fn link(to: &std::path::Path) -> String {
        format!("while link file to {}", to.display())
    }
    pub(crate) fn pread(offset: u64, len: usize) -> String {
        format!("While pread offset {offset} len {len}")
    }
    pub(crate) fn truncate(len: u64) -> String {
        format!("While ftruncate file to size {len}")
    }
}

/// The error of errno `code` while doing `doing` to `path`.
pub(super) fn os_error(doing: &str, path: &Path, code: i32) -> Error {
    Error::from_os(doing, &path.display().to_string(), &io::Error::from_raw_os_error(code))
}

fn io_error(doing: &str, path: &Path, error: &io::Error) -> Error {
    Error::from_os(doing, &path.display().to_string(), error)
}

/// Does `call` again as long as a signal came between.
fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Like [`retry`], for calls that say -1 and set errno.
fn retry_c(mut call: impl FnMut() -> libc::c_int) -> io::Result<()> {
    retry(|| if call() == -1 { Err(io::Error::last_os_error()) } else { Ok(()) })
}

/// The kernel's number of the calling thread, as `top -H` shows it.
#[must_use]
pub fn thread_id() -> u64 {
    // SAFETY: gettid takes nothing and cannot fail.
    let id = unsafe { libc::gettid() };
    id as u64
}

/// Blocks all signals on the calling thread while `f` runs. Threads started by `f` inherit that, so
/// a program's signal handlers never run on a thread that it does not know of.
pub(super) fn with_signals_blocked<T>(f: impl FnOnce() -> T) -> T {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    let mut old = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `all` is writable memory for one set, which sigfillset initializes.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: `all` was initialized above; `old` is writable memory for one set.
    let rc = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr()) };
    let result = f();
    if rc == 0 {
        // SAFETY: pthread_sigmask succeeded and has filled `old`.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, old.as_ptr(), std::ptr::null_mut()) };
    }
    result
}

/// The operating system's generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct PosixRandom;

impl Random for PosixRandom {
    fn next(&self) -> u64 {
        let mut bytes = [0u8; 8];
        let mut filled = 0;
        while filled < bytes.len() {
            let rest = &mut bytes[filled..];
            // SAFETY: pointer and length are those of one live, writable slice.
            let n = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
            match usize::try_from(n) {
                Ok(n) => filled += n,
                Err(_) => assert_eq!(
                    io::Error::last_os_error().kind(),
                    io::ErrorKind::Interrupted,
                    "getrandom works on every supported kernel"
                ),
            }
        }
        u64::from_le_bytes(bytes)
    }
}

/// The operating system's file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct PosixFs;

struct Sequential {
    file: File,
    path: PathBuf,
}

impl SequentialFile for Sequential {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buf.len() {
            let n = retry(|| self.file.read(&mut buf[filled..]))
                .map_err(|e| io_error(doing::READ, &self.path, &e))?;
            if n == 0 {
                break;
            }
            filled += n;
        }
        Ok(filled)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        let step = i64::try_from(n).map_err(|_| Error::invalid_argument("skip is too far"))?;
        self.file
            .seek(SeekFrom::Current(step))
            .map(drop)
            .map_err(|e| io_error(&format!("While fseek to skip {n} bytes"), &self.path, &e))
    }
}

struct RandomAccess {
    file: File,
    path: PathBuf,
    direct: bool,
}

impl RandomAccess {
    fn read_plain(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buf.len() {
            let n = retry(|| self.file.read_at(&mut buf[filled..], offset + filled as u64))
                .map_err(|e| io_error(&doing::pread(offset, buf.len()), &self.path, &e))?;
            if n == 0 {
                break;
            }
            filled += n;
        }
        Ok(filled)
    }

    /// Reads the aligned span around the range and copies the middle out.
    fn read_direct(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let align = AlignedBuf::ALIGNMENT as u64;
        let start = offset / align * align;
        let lead = (offset - start) as usize;
        let mut span = AlignedBuf::with_capacity(lead + buf.len());
        let whole = span.spare_mut();
        let mut filled = 0;
        while filled < lead + buf.len() {
            let n = retry(|| self.file.read_at(&mut whole[filled..], start + filled as u64))
                .map_err(|e| io_error(&doing::pread(offset, buf.len()), &self.path, &e))?;
            filled += n;
            // An unaligned count is the end of the file; going on from there would be refused.
            if n == 0 || !filled.is_multiple_of(AlignedBuf::ALIGNMENT) {
                break;
            }
        }
        let got = filled.saturating_sub(lead).min(buf.len());
        buf[..got].copy_from_slice(&whole[lead..lead + got]);
        Ok(got)
    }
}

impl RandomAccessFile for RandomAccess {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        if self.direct { self.read_direct(offset, buf) } else { self.read_plain(offset, buf) }
    }

    fn prefetch(&self, offset: u64, len: usize) {
        if !self.direct {
            advise(&self.file, offset, len as u64, libc::POSIX_FADV_WILLNEED);
        }
    }

    fn size(&self) -> Result<u64> {
        let meta = self.file.metadata().map_err(|e| io_error(doing::STAT, &self.path, &e))?;
        Ok(meta.len())
    }
}

/// A hint; what the kernel makes of it does not matter.
fn advise(file: &File, offset: u64, len: u64, advice: libc::c_int) {
    let (offset, len) = (offset as libc::off_t, len as libc::off_t);
    // SAFETY: the descriptor belongs to `file`, which is open; the call touches no memory.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), offset, len, advice) };
}

/// Bytes that a direct writer gathers before it writes.
const DIRECT_BUFFER_BYTES: usize = 1 << 20;

struct Writable {
    file: Option<File>,
    path: PathBuf,
    /// Bytes appended, and where the next ones go.
    len: u64,
    /// Bytes reserved on disk behind the end.
    allocated: u64,
    /// Direct I/O: what is not yet written, starting at `len - tail.len()`, a multiple of the alignment.
    tail: Option<AlignedBuf>,
}

impl Writable {
    fn new(file: File, path: &Path, len: u64, direct: bool) -> Result<Self> {
        let mut this = Self { file: Some(file), path: path.into(), len, allocated: 0, tail: None };
        if direct {
            this.tail = Some(this.load_tail()?);
        }
        Ok(this)
    }

    fn file(&self) -> Result<&File> {
        self.file.as_ref().ok_or_else(|| os_error(doing::APPEND, &self.path, libc::EBADF))
    }

    fn fail(&self, doing: &str, error: &io::Error) -> Error {
        io_error(doing, &self.path, error)
    }

    fn write_at(&self, mut bytes: &[u8], mut at: u64) -> Result<()> {
        let file = self.file()?;
        while !bytes.is_empty() {
            let n = retry(|| file.write_at(bytes, at)).map_err(|e| self.fail(doing::APPEND, &e))?;
            if n == 0 {
                return Err(os_error(doing::APPEND, &self.path, libc::EIO));
            }
            bytes = &bytes[n..];
            at += n as u64;
        }
        Ok(())
    }

    /// The bytes behind the last aligned place, read back from the file.
    fn load_tail(&self) -> Result<AlignedBuf> {
        let mut tail = AlignedBuf::with_capacity(DIRECT_BUFFER_BYTES);
        let start = self.len / AlignedBuf::ALIGNMENT as u64 * AlignedBuf::ALIGNMENT as u64;
        let want = (self.len - start) as usize;
        if want > 0 {
            let reader = File::open(&self.path).map_err(|e| self.fail(doing::REOPEN, &e))?;
            let mut bytes = vec![0; want];
            reader.read_exact_at(&mut bytes, start).map_err(|e| self.fail(doing::REOPEN, &e))?;
            tail.extend(&bytes);
        }
        Ok(tail)
    }

    /// Direct I/O: writes what is gathered, the last page padded, and cuts the padding off again.
    fn write_tail(&mut self) -> Result<()> {
        let Some(mut tail) = self.tail.take() else { return Ok(()) };
        let start = self.len - tail.len() as u64;
        let written = self.write_at(tail.padded(), start);
        if written.is_ok() {
            tail.keep_last_part();
        }
        self.tail = Some(tail);
        written?;
        let len = self.len;
        retry(|| self.file().map_err(io::Error::other)?.set_len(len))
            .map_err(|e| self.fail(&doing::truncate(len), &e))
    }
}

impl WritableFile for Writable {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if self.tail.is_none() {
            self.write_at(bytes, self.len)?;
            self.len += bytes.len() as u64;
            return Ok(());
        }
        let mut rest = bytes;
        while let Some(tail) = &mut self.tail
            && !rest.is_empty()
        {
            let room = DIRECT_BUFFER_BYTES - tail.len();
            let (now, later) = rest.split_at(room.min(rest.len()));
            tail.extend(now);
            self.len += now.len() as u64;
            rest = later;
            if tail.len() == DIRECT_BUFFER_BYTES {
                self.write_tail()?;
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.write_tail()?;
        self.file()?.sync_data().map_err(|e| self.fail(doing::FDATASYNC, &e))
    }

    fn fsync(&mut self) -> Result<()> {
        self.write_tail()?;
        self.file()?.sync_all().map_err(|e| self.fail(doing::FSYNC, &e))
    }

    fn range_sync(&mut self, upto: u64) -> Result<()> {
        let fd = self.file()?.as_raw_fd();
        // SAFETY: the descriptor is open; the call touches no memory.
        let rc = unsafe {
            libc::sync_file_range(fd, 0, upto as libc::off64_t, libc::SYNC_FILE_RANGE_WRITE)
        };
        // Only a hint: file systems that cannot do it refuse, and `sync` does the work later.
        let _ = rc;
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        self.write_tail()?;
        retry(|| self.file().map_err(io::Error::other)?.set_len(len))
            .map_err(|e| self.fail(&doing::truncate(len), &e))?;
        self.len = len;
        if self.tail.is_some() {
            self.tail = Some(self.load_tail()?);
        }
        Ok(())
    }

    fn allocate(&mut self, len: u64) -> Result<()> {
        if len <= self.allocated.max(self.len) {
            return Ok(());
        }
        let fd = self.file()?.as_raw_fd();
        let (offset, count) = (self.len as libc::off_t, (len - self.len) as libc::off_t);
        // SAFETY: the descriptor is open; the call touches no memory.
        let call = || unsafe { libc::fallocate(fd, libc::FALLOC_FL_KEEP_SIZE, offset, count) };
        // Best effort: a file system that cannot reserve refuses, and the next append will tell.
        if retry_c(call).is_ok() {
            self.allocated = len;
        }
        Ok(())
    }

    fn size(&self) -> u64 {
        self.len
    }

    fn close(&mut self) -> Result<()> {
        if self.file.is_none() {
            return Ok(());
        }
        let written = self.write_tail();
        let Some(file) = self.file.take() else { return written };
        if self.allocated > self.len {
            // Gives back what was reserved and not used; failing that, the space stays taken.
            let _ = file.set_len(self.len);
        }
        let fd = std::os::fd::IntoRawFd::into_raw_fd(file);
        // SAFETY: the descriptor was just taken out of its owner, so nobody else closes it.
        let rc = unsafe { libc::close(fd) };
        written?;
        // On Linux the descriptor is gone even when a signal came between.
        let error = io::Error::last_os_error();
        if rc == -1 && error.kind() != io::ErrorKind::Interrupted {
            return Err(self.fail(doing::CLOSE, &error));
        }
        Ok(())
    }
}

impl Drop for Writable {
    fn drop(&mut self) {
        // Nobody is left to hear the error; who wants it calls `close`.
        let _ = self.close();
    }
}

fn open_writable(path: &Path, mode: WriteMode, fresh: bool) -> Result<Box<dyn WritableFile>> {
    let what = if fresh { doing::OPEN_WRITE } else { doing::REOPEN };
    let mut options = OpenOptions::new();
    options.write(true).mode(0o644);
    if fresh {
        options.create(true).truncate(true);
    }
    if mode.direct {
        options.custom_flags(libc::O_DIRECT);
    }
    let fail = |e: io::Error| io_error(what, path, &e);
    let file = retry(|| options.open(path)).map_err(fail)?;
    let len = if fresh { 0 } else { file.metadata().map_err(fail)?.len() };
    Ok(Box::new(Writable::new(file, path, len, mode.direct)?))
}

/// Who holds a lock in this process, for the text of a refusal.
#[derive(Clone, Copy)]
struct Holder {
    since_secs: u64,
    thread: u64,
}

type LockTable = Mutex<BTreeMap<(u64, u64), Holder>>;

fn lock_table() -> &'static LockTable {
    static TABLE: OnceLock<LockTable> = OnceLock::new();
    TABLE.get_or_init(LockTable::default)
}

struct PosixLock {
    file: Option<File>,
    key: (u64, u64),
}

impl FileLock for PosixLock {}

impl Drop for PosixLock {
    fn drop(&mut self) {
        // Under the table's lock: else another thread could find the table free and open the file,
        // whose record lock this close would then drop.
        let mut table = lock_table().lock();
        drop(self.file.take());
        table.remove(&self.key);
    }
}

fn set_record_lock(file: &File) -> io::Result<()> {
    let lock = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    let fd = file.as_raw_fd();
    // SAFETY: the descriptor is open and `lock` is a whole flock that lives through the call.
    retry_c(|| unsafe { libc::fcntl(fd, libc::F_SETLK, &raw const lock) })
}

impl FileSystem for PosixFs {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let file =
            retry(|| File::open(path)).map_err(|e| io_error(doing::OPEN_SEQUENTIAL, path, &e))?;
        Ok(Box::new(Sequential { file, path: path.into() }))
    }

    fn open_random(&self, path: &Path, mode: ReadMode) -> Result<Arc<dyn RandomAccessFile>> {
        let mut options = OpenOptions::new();
        options.read(true);
        if mode.direct {
            options.custom_flags(libc::O_DIRECT);
        }
        let file =
            retry(|| options.open(path)).map_err(|e| io_error(doing::OPEN_RANDOM, path, &e))?;
        if mode.mapped && !mode.direct {
            return Ok(Arc::new(MappedFile::map(&file, path)?));
        }
        if mode.random {
            advise(&file, 0, 0, libc::POSIX_FADV_RANDOM);
        }
        Ok(Arc::new(RandomAccess { file, path: path.into(), direct: mode.direct }))
    }

    fn create(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        open_writable(path, mode, true)
    }

    fn reopen(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        open_writable(path, mode, false)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        fs::rename(from, to).map_err(|e| io_error(&doing::rename(to), from, &e))
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        fs::hard_link(from, to).map_err(|e| match e.raw_os_error() {
            Some(libc::EXDEV) => Error::not_supported("No cross FS links allowed"),
            _ => io_error(&doing::link(to), from, &e),
        })
    }

    fn remove(&self, path: &Path) -> Result<()> {
        fs::remove_file(path).map_err(|e| io_error(doing::UNLINK, path, &e))
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        match fs::metadata(path) {
            Ok(_) => Ok(true),
            Err(e) => match e.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP | libc::ENAMETOOLONG) => Ok(false),
                _ => Err(io_error(doing::EXISTS, path, &e)),
            },
        }
    }

    fn size(&self, path: &Path) -> Result<u64> {
        Ok(fs::metadata(path).map_err(|e| io_error(doing::STAT, path, &e))?.len())
    }

    fn modified_micros(&self, path: &Path) -> Result<u64> {
        let meta = fs::metadata(path).map_err(|e| io_error(doing::STAT_TIME, path, &e))?;
        let seconds = u64::try_from(meta.mtime()).unwrap_or(0);
        Ok(seconds * 1_000_000 + u64::try_from(meta.mtime_nsec()).unwrap_or(0) / 1000)
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        let fail = |e: io::Error| io_error(doing::LIST, dir, &e);
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).map_err(fail)? {
            // A name that is no text is none of ours.
            if let Ok(name) = entry.map_err(fail)?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        match fs::create_dir(dir) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                if dir.is_dir() {
                    Ok(())
                } else {
                    Err(Error::io_error(format!(
                        "`{}' exists but is not a directory",
                        dir.display()
                    )))
                }
            }
            Err(e) => Err(io_error(doing::MKDIR, dir, &e)),
        }
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir).map_err(|e| io_error(doing::MKDIR, dir, &e))
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        fs::remove_dir(dir).map_err(|e| io_error(doing::RMDIR, dir, &e))
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
        let file =
            retry(|| OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(dir))
                .map_err(|e| io_error(doing::OPEN_DIR, dir, &e))?;
        match file.sync_all() {
            Ok(()) => Ok(()),
            // Some file systems have nothing to sync in a folder and say so by EINVAL.
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            Err(e) => Err(io_error(doing::FSYNC, dir, &e)),
        }
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let mut table = lock_table().lock();
        // Looked up before the file is opened: see the header.
        if let Ok(meta) = fs::metadata(path)
            && let Some(holder) = table.get(&(meta.dev(), meta.ino()))
        {
            let doing = format!(
                "lock hold by current process, acquire time {} acquiring thread {}",
                holder.since_secs, holder.thread
            );
            return Err(os_error(&doing, path, libc::ENOLCK));
        }
        let file = retry(|| {
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o644)
                .open(path)
        })
        .map_err(|e| io_error(doing::OPEN_LOCK, path, &e))?;
        set_record_lock(&file).map_err(|e| match e.raw_os_error() {
            // POSIX lets a refusal be either; RocksDB's users know this one.
            Some(libc::EACCES) => os_error(doing::LOCK, path, libc::EAGAIN),
            _ => io_error(doing::LOCK, path, &e),
        })?;
        let meta = file.metadata().map_err(|e| io_error(doing::LOCK, path, &e))?;
        let key = (meta.dev(), meta.ino());
        let since_secs =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        table.insert(key, Holder { since_secs, thread: thread_id() });
        Ok(Box::new(PosixLock { file: Some(file), key }))
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        fs::canonicalize(path)
            .or_else(|_| std::path::absolute(path))
            .unwrap_or_else(|_| path.to_path_buf())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn dir() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn a_second_lock_is_refused_under_any_spelling_and_free_after_the_first() {
        let dir = dir();
        let path = dir.path().join("LOCK");
        std::os::unix::fs::symlink(dir.path(), dir.path().join("link")).unwrap();
        let held = PosixFs.lock(&path).unwrap();
        for spelling in ["LOCK", "./LOCK", "link/LOCK", "link/link/./LOCK"] {
            let path = dir.path().join(spelling);
            let text = PosixFs.lock(&path).err().expect("held").to_string();
            assert!(text.starts_with("IO error: lock hold by current process, acquire time "));
            assert!(text.ends_with(&format!("{}: No locks available", path.display())), "{text}");
        }
        drop(held);
        PosixFs.lock(&path).unwrap();
    }

    #[test]
    fn another_process_sees_the_lock_even_after_refused_attempts() {
        let dir = dir();
        let path = dir.path().join("LOCK");
        let _held = PosixFs.lock(&path).unwrap();
        assert!(PosixFs.lock(&path).is_err());
        // Two integers of struct flock's start, then the kernel's answer, through Perl's fcntl.
        let script = r#"open F, "+<", $ARGV[0] or die; $l = pack("s s l! l! i x4", 1, 0, 0, 0, 0);
            exit(fcntl(F, 6, $l) ? 0 : 9)"#;
        let Ok(status) = Command::new("perl").args(["-e", script]).arg(&path).status() else {
            eprintln!("skipped: no perl here");
            return;
        };
        assert_eq!(status.code(), Some(9), "F_SETLK is refused");
    }

    #[test]
    fn direct_and_plain_writes_leave_the_same_file() {
        let dir = dir();
        let mut rng = crate::base::rng::Rng::new(7);
        let (plain, direct) = (dir.path().join("plain"), dir.path().join("direct"));
        let mode = WriteMode { direct: true };
        let (mut a, mut b) = match PosixFs.create(&direct, mode) {
            Ok(b) => (PosixFs.create(&plain, WriteMode::default()).unwrap(), b),
            Err(e) => {
                eprintln!("skipped: no direct I/O here: {e}");
                return;
            }
        };
        for round in 0..60 {
            let len = rng.below(if round % 10 == 0 { 3_000_000 } else { 10_000 }) as usize;
            let bytes = rng.bytes(len);
            for file in [&mut a, &mut b] {
                file.append(&bytes).unwrap();
                match round % 20 {
                    3 => file.sync().unwrap(),
                    7 => file.truncate(file.size() / 2 + 1).unwrap(),
                    _ => {}
                }
            }
            if round == 30 {
                b.close().unwrap();
                b = PosixFs.reopen(&direct, mode).unwrap();
            }
            assert_eq!(a.size(), b.size());
        }
        a.close().unwrap();
        b.close().unwrap();
        let (a, b) = (std::fs::read(&plain).unwrap(), std::fs::read(&direct).unwrap());
        assert!(a == b);
        for mode in [
            ReadMode::default(),
            ReadMode { direct: true, ..ReadMode::default() },
            ReadMode { mapped: true, ..ReadMode::default() },
            ReadMode { random: true, ..ReadMode::default() },
        ] {
            let file = PosixFs.open_random(&direct, mode).unwrap();
            assert_eq!(file.size().unwrap(), a.len() as u64);
            for _ in 0..50 {
                let offset = rng.below(a.len() as u64 + 100) as usize;
                let mut buf = vec![0; rng.below(20_000) as usize];
                let n = file.read_at(offset as u64, &mut buf).unwrap();
                let rest = a.get(offset..).unwrap_or(&[]);
                assert_eq!(n, rest.len().min(buf.len()));
                assert!(buf[..n] == rest[..n]);
            }
        }
    }

    #[test]
    fn reserved_space_does_not_show_and_is_given_back() {
        let dir = dir();
        let path = dir.path().join("a");
        let mut file = PosixFs.create(&path, WriteMode::default()).unwrap();
        file.append(b"12345").unwrap();
        file.allocate(4 << 20).unwrap();
        assert_eq!(PosixFs.size(&path).unwrap(), 5);
        file.close().unwrap();
        assert!(std::fs::metadata(&path).unwrap().blocks() * 512 < 1 << 20);
        assert!(file.append(b"x").is_err(), "closed is closed");
        file.close().unwrap();
    }

    #[test]
    fn an_empty_file_can_be_mapped() {
        let dir = dir();
        let path = dir.path().join("a");
        PosixFs.create(&path, WriteMode::default()).unwrap();
        let mode = ReadMode { mapped: true, ..ReadMode::default() };
        let file = PosixFs.open_random(&path, mode).unwrap();
        assert_eq!(file.read_at(0, &mut [0; 4]).unwrap(), 0);
    }
}
