//! A file system that fails by a plan.
//!
//! A plan is a list of rules; a rule is one line:
//!
//!     append *.log 3: short ENOSPC          the third append to a log writes half of it and fails
//!     sync * from 2: lost                   every sync but the first does nothing and says it did
//!     read *.sst 1..5: flip 42              calls 1 to 4 return one bit wrong, which one by seed 42
//!     append * : full 4096                  no space behind 4096 bytes, until the rule is lifted
//!     open|create MANIFEST-*: EIO           errors by errno's name or number
//!     append *.sst 2: torn 7                takes all, says yes, but the end of it is zeros
//!
//! The pattern is held against the file's name and its whole path; `*` stands for anything. Each rule counts the
//! calls that it matches, from 1; of several rules that are due the first one acts.
#![forbid(unsafe_code)]

use super::op::Op;
use super::posix::os_error;
use super::{
    FileLock, FileSystem, RandomAccessFile, ReadMode, SequentialFile, WritableFile, WriteMode,
};
use crate::base::rng::Rng;
use crate::base::sync::Mutex;
use crate::base::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What happens instead of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It fails with this errno.
    Error(i32),
    /// An append writes half and fails with this errno; other calls just fail.
    Short(i32),
    /// An append succeeds, but what it wrote ends in zeros, from where on by this seed.
    Torn(u64),
    /// Appends and allocations fail with ENOSPC once this many bytes were appended.
    Full(u64),
    /// A sync of a file or folder does nothing and succeeds.
    Lost,
    /// A read comes back with one bit wrong, which one by this seed.
    Flip(u64),
}

/// When and where an effect takes place.
#[derive(Clone, Debug)]
pub struct Rule {
    ops: Vec<Op>,
    pattern: String,
    from: u64,
    end: u64,
    effect: Effect,
}

impl Rule {
    /// At every call of `op` on files that match `pattern`.
    #[must_use]
    pub fn always(op: Op, pattern: &str, effect: Effect) -> Self {
        Self { ops: vec![op], pattern: pattern.to_owned(), from: 1, end: u64::MAX, effect }
    }

    /// Only at the call number `n`, from 1.
    #[must_use]
    pub fn nth(mut self, n: u64) -> Self {
        (self.from, self.end) = (n, n + 1);
        self
    }

    /// From the call number `n` on.
    #[must_use]
    pub fn from(mut self, n: u64) -> Self {
        (self.from, self.end) = (n, u64::MAX);
        self
    }

    /// Reads a rule from its line.
    pub fn parse(line: &str) -> Result<Self> {
        let bad = || Error::invalid_argument(format!("not a rule: {line}"));
        let (head, effect) = line.split_once(':').ok_or_else(bad)?;
        let mut words = head.split_whitespace();
        let ops = words.next().ok_or_else(bad)?;
        let ops = ops.split('|').map(Op::from_name).collect::<Option<Vec<_>>>().ok_or_else(bad)?;
        let pattern = words.next().ok_or_else(bad)?.to_owned();
        let number = |text: &str| text.parse::<u64>().map_err(|_| bad());
        let (from, end) = match (words.next(), words.next()) {
            (None, _) => (1, u64::MAX),
            (Some("from"), Some(n)) => (number(n)?, u64::MAX),
            (Some(range), None) => match range.split_once("..") {
                Some((from, end)) => (number(from)?, number(end)?),
                None => (number(range)?, number(range)? + 1),
            },
            _ => return Err(bad()),
        };
        let mut words = effect.split_whitespace();
        let effect = match (words.next().ok_or_else(bad)?, words.next()) {
            ("short", code) => Effect::Short(errno(code.unwrap_or("EIO")).ok_or_else(bad)?),
            ("torn", seed) => Effect::Torn(number(seed.unwrap_or("1"))?),
            ("full", bytes) => Effect::Full(number(bytes.unwrap_or("0"))?),
            ("lost", None) => Effect::Lost,
            ("flip", seed) => Effect::Flip(number(seed.unwrap_or("1"))?),
            (code, None) => Effect::Error(errno(code).ok_or_else(bad)?),
            _ => return Err(bad()),
        };
        Ok(Self { ops, pattern, from, end, effect })
    }

    fn matches(&self, op: Op, path: &Path) -> bool {
        self.ops.contains(&op)
            && (path.file_name().is_some_and(|name| glob(&self.pattern, &name.to_string_lossy()))
                || glob(&self.pattern, &path.to_string_lossy()))
    }
}

fn errno(name: &str) -> Option<i32> {
    Some(match name {
        "EIO" => libc::EIO,
        "ENOSPC" => libc::ENOSPC,
        "EDQUOT" => libc::EDQUOT,
        "EACCES" => libc::EACCES,
        "EROFS" => libc::EROFS,
        "EMFILE" => libc::EMFILE,
        "ENOENT" => libc::ENOENT,
        "ESTALE" => libc::ESTALE,
        _ => return name.parse().ok(),
    })
}

/// Does `text` look like `pattern`, where `*` stands for anything?
fn glob(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

struct Armed {
    id: usize,
    rule: Rule,
    calls: u64,
    hits: u64,
    appended: u64,
}

#[derive(Default)]
struct Plan {
    rules: Vec<Armed>,
    added: usize,
}

impl Plan {
    /// What befalls this call, which wants to append `bytes`.
    fn befalls(&mut self, op: Op, path: &Path, bytes: u64) -> Option<Effect> {
        let mut first = None;
        for armed in self.rules.iter_mut().filter(|armed| armed.rule.matches(op, path)) {
            armed.calls += 1;
            let mut due = (armed.rule.from..armed.rule.end).contains(&armed.calls);
            if let Effect::Full(budget) = armed.rule.effect {
                due &= armed.appended + bytes > budget
                    || (op != Op::Append && armed.appended == budget);
                if !due {
                    armed.appended += bytes;
                }
            }
            if due && first.is_none() {
                armed.hits += 1;
                first = Some(armed.rule.effect);
            }
        }
        first
    }
}

type SharedPlan = Arc<Mutex<Plan>>;

/// Fails a call that has no milder way to go wrong.
fn check(plan: &SharedPlan, op: Op, path: &Path) -> Result<()> {
    match plan.lock().befalls(op, path, 0) {
        Some(Effect::Error(code) | Effect::Short(code)) => Err(injected(op, path, code)),
        Some(Effect::Full(_)) => Err(injected(op, path, libc::ENOSPC)),
        Some(Effect::Lost | Effect::Torn(_) | Effect::Flip(_)) | None => Ok(()),
    }
}

fn injected(op: Op, path: &Path, code: i32) -> Error {
    os_error(&format!("Injected at {}", op.name()), path, code)
}

/// Any file system, with faults.
#[derive(Clone)]
pub struct FaultFs {
    inner: Arc<dyn FileSystem>,
    plan: SharedPlan,
}

impl FaultFs {
    /// Over `inner`, with no rules yet.
    #[must_use]
    pub fn new(inner: Arc<dyn FileSystem>) -> Self {
        Self { inner, plan: SharedPlan::default() }
    }

    /// Adds a rule; the number names it.
    pub fn add(&self, rule: Rule) -> usize {
        let mut plan = self.plan.lock();
        let id = plan.added;
        plan.added += 1;
        plan.rules.push(Armed { id, rule, calls: 0, hits: 0, appended: 0 });
        id
    }

    /// Adds a rule from its line. Panics if it is none: plans are written by the test.
    pub fn plan(&self, line: &str) -> usize {
        self.add(Rule::parse(line).expect("a plan is well formed"))
    }

    /// Takes a rule away; files written meanwhile go on.
    pub fn lift(&self, id: usize) {
        self.plan.lock().rules.retain(|armed| armed.id != id);
    }

    /// Takes all rules away.
    pub fn lift_all(&self) {
        self.plan.lock().rules.clear();
    }

    /// How often a rule acted; 0 once it was lifted.
    #[must_use]
    pub fn hits(&self, id: usize) -> u64 {
        self.plan.lock().rules.iter().find(|armed| armed.id == id).map_or(0, |armed| armed.hits)
    }

    fn check(&self, op: Op, path: &Path) -> Result<()> {
        check(&self.plan, op, path)
    }
}

/// A read that comes back, perhaps with a bit flipped.
fn read(
    plan: &SharedPlan,
    path: &Path,
    buf: &mut [u8],
    inner: impl FnOnce(&mut [u8]) -> Result<usize>,
) -> Result<usize> {
    let effect = plan.lock().befalls(Op::Read, path, 0);
    if let Some(Effect::Error(code) | Effect::Short(code)) = effect {
        return Err(injected(Op::Read, path, code));
    }
    let n = inner(buf)?;
    if let Some(Effect::Flip(seed)) = effect
        && n > 0
    {
        let bit = Rng::new(seed).below(n as u64 * 8) as usize;
        buf[bit / 8] ^= 1 << (bit % 8);
    }
    Ok(n)
}

struct Sequential {
    inner: Box<dyn SequentialFile>,
    path: PathBuf,
    plan: SharedPlan,
}

impl SequentialFile for Sequential {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        read(&self.plan, &self.path, buf, |buf| self.inner.read(buf))
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        self.inner.skip(n)
    }
}

struct RandomAccess {
    inner: Arc<dyn RandomAccessFile>,
    path: PathBuf,
    plan: SharedPlan,
}

impl RandomAccessFile for RandomAccess {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        read(&self.plan, &self.path, buf, |buf| self.inner.read_at(offset, buf))
    }

    fn prefetch(&self, offset: u64, len: usize) {
        self.inner.prefetch(offset, len);
    }

    fn size(&self) -> Result<u64> {
        check(&self.plan, Op::Stat, &self.path)?;
        self.inner.size()
    }
}

struct Writable {
    inner: Box<dyn WritableFile>,
    path: PathBuf,
    plan: SharedPlan,
}

impl Writable {
    fn sync_by(&mut self, sync: fn(&mut dyn WritableFile) -> Result<()>) -> Result<()> {
        match self.plan.lock().befalls(Op::Sync, &self.path, 0) {
            Some(Effect::Lost) => return Ok(()),
            Some(Effect::Error(code) | Effect::Short(code)) => {
                return Err(injected(Op::Sync, &self.path, code));
            }
            _ => {}
        }
        sync(&mut *self.inner)
    }
}

impl WritableFile for Writable {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let effect = self.plan.lock().befalls(Op::Append, &self.path, bytes.len() as u64);
        let fail = |code| Err(injected(Op::Append, &self.path, code));
        match effect {
            None | Some(Effect::Lost | Effect::Flip(_)) => self.inner.append(bytes),
            Some(Effect::Error(code)) => fail(code),
            Some(Effect::Short(code)) => {
                self.inner.append(&bytes[..bytes.len() / 2])?;
                fail(code)
            }
            Some(Effect::Full(_)) => {
                // A full disk takes some of it too.
                self.inner.append(&bytes[..bytes.len() / 2])?;
                fail(libc::ENOSPC)
            }
            Some(Effect::Torn(seed)) => {
                let mut torn = bytes.to_vec();
                let from = Rng::new(seed).below(torn.len() as u64) as usize;
                torn[from..].fill(0);
                self.inner.append(&torn)
            }
        }
    }

    fn sync(&mut self) -> Result<()> {
        self.sync_by(|file| file.sync())
    }

    fn fsync(&mut self) -> Result<()> {
        self.sync_by(|file| file.fsync())
    }

    fn range_sync(&mut self, upto: u64) -> Result<()> {
        check(&self.plan, Op::RangeSync, &self.path)?;
        self.inner.range_sync(upto)
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        check(&self.plan, Op::Truncate, &self.path)?;
        self.inner.truncate(len)
    }

    fn allocate(&mut self, len: u64) -> Result<()> {
        check(&self.plan, Op::Allocate, &self.path)?;
        self.inner.allocate(len)
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn close(&mut self) -> Result<()> {
        // The descriptor is gone either way.
        let closed = self.inner.close();
        check(&self.plan, Op::Close, &self.path)?;
        closed
    }
}

impl FileSystem for FaultFs {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        self.check(Op::Open, path)?;
        let inner = self.inner.open_sequential(path)?;
        Ok(Box::new(Sequential { inner, path: path.into(), plan: Arc::clone(&self.plan) }))
    }

    fn open_random(&self, path: &Path, mode: ReadMode) -> Result<Arc<dyn RandomAccessFile>> {
        self.check(Op::Open, path)?;
        let inner = self.inner.open_random(path, mode)?;
        Ok(Arc::new(RandomAccess { inner, path: path.into(), plan: Arc::clone(&self.plan) }))
    }

    fn create(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        self.check(Op::Create, path)?;
        let inner = self.inner.create(path, mode)?;
        Ok(Box::new(Writable { inner, path: path.into(), plan: Arc::clone(&self.plan) }))
    }

    fn reopen(&self, path: &Path, mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        self.check(Op::Reopen, path)?;
        let inner = self.inner.reopen(path, mode)?;
        Ok(Box::new(Writable { inner, path: path.into(), plan: Arc::clone(&self.plan) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        // Under both names, so that a plan may say the one it knows.
        self.check(Op::Rename, from)?;
        self.check(Op::Rename, to)?;
        self.inner.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        self.check(Op::Link, to)?;
        self.inner.link(from, to)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.check(Op::Remove, path)?;
        self.inner.remove(path)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.check(Op::Stat, path)?;
        self.inner.exists(path)
    }

    fn size(&self, path: &Path) -> Result<u64> {
        self.check(Op::Stat, path)?;
        self.inner.size(path)
    }

    fn modified_micros(&self, path: &Path) -> Result<u64> {
        self.check(Op::Stat, path)?;
        self.inner.modified_micros(path)
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        self.check(Op::List, dir)?;
        self.inner.list(dir)
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        self.check(Op::CreateDir, dir)?;
        self.inner.create_dir(dir)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        self.check(Op::CreateDir, dir)?;
        self.inner.create_dir_all(dir)
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        self.check(Op::RemoveDir, dir)?;
        self.inner.remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        match self.plan.lock().befalls(Op::SyncDir, dir, 0) {
            Some(Effect::Lost) => return Ok(()),
            Some(Effect::Error(code)) => return Err(injected(Op::SyncDir, dir, code)),
            _ => {}
        }
        self.inner.sync_dir(dir)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        self.check(Op::Lock, path)?;
        self.inner.lock(path)
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        self.inner.canonical(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::clock::ManualClock;
    use crate::env::memory::{Cut, MemoryFs};

    fn both() -> (MemoryFs, FaultFs) {
        let memory = MemoryFs::new(Arc::new(ManualClock::default()));
        let fault = FaultFs::new(Arc::new(memory.clone()));
        (memory, fault)
    }

    #[test]
    fn a_rule_acts_at_its_call_on_its_files() {
        let (memory, fs) = both();
        let rule = fs.plan("append *.log 2: short ENOSPC");
        let mut log = fs.create(Path::new("/1.log"), WriteMode::default()).unwrap();
        let mut sst = fs.create(Path::new("/1.sst"), WriteMode::default()).unwrap();
        log.append(b"aaaa").unwrap();
        sst.append(b"bbbb").unwrap();
        sst.append(b"bbbb").unwrap();
        let error = log.append(b"cccc").unwrap_err().to_string();
        assert_eq!(
            error,
            "IO error: No space left on device: Injected at append: /1.log: No space left on device"
        );
        assert_eq!(memory.contents(Path::new("/1.log")).unwrap(), b"aaaacc");
        log.truncate(4).unwrap();
        log.append(b"dddd").unwrap();
        assert_eq!(memory.contents(Path::new("/1.log")).unwrap(), b"aaaadddd");
        assert_eq!(fs.hits(rule), 1);
    }

    #[test]
    fn a_full_disk_stays_full_until_lifted() {
        let (_, fs) = both();
        let rule = fs.plan("append|allocate *: full 10");
        let mut file = fs.create(Path::new("/a"), WriteMode::default()).unwrap();
        file.append(b"0123456789").unwrap();
        assert!(file.append(b"x").is_err());
        assert!(file.append(b"x").is_err());
        fs.lift(rule);
        file.append(b"x").unwrap();
    }

    #[test]
    fn a_lost_sync_says_yes() {
        let (memory, fs) = both();
        fs.plan("sync *: lost");
        let mut file = fs.create(Path::new("/a"), WriteMode::default()).unwrap();
        file.append(b"gone").unwrap();
        file.sync().unwrap();
        fs.sync_dir(Path::new("/")).unwrap();
        assert_eq!(memory.crash_clone(Cut::PowerLost).contents(Path::new("/a")).unwrap(), b"");
    }

    #[test]
    fn a_flipped_bit_is_one_bit_and_only_on_reading() {
        let (_, fs) = both();
        fs.create(Path::new("/a"), WriteMode::default()).unwrap().append(&[0; 100]).unwrap();
        fs.plan("read a 1..3: flip 9");
        let file = fs.open_random(Path::new("/a"), ReadMode::default()).unwrap();
        for ones in [1, 1, 0] {
            let mut buf = [0; 100];
            file.read_at(0, &mut buf).unwrap();
            assert_eq!(buf.iter().map(|b| b.count_ones()).sum::<u32>(), ones);
        }
    }

    #[test]
    fn patterns_and_plans_mean_what_they_say() {
        for (pattern, text, yes) in [
            ("*", "", true),
            ("*.log", "1.log", true),
            ("*.log", "1.logs", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("LOCK", "LOCK", true),
            ("LOCK", "LOCK2", false),
        ] {
            assert_eq!(glob(pattern, text), yes, "{pattern} {text}");
        }
        for bad in ["", "append", "append *", "fly *: EIO", "append * x: EIO", "read *: E"] {
            assert!(Rule::parse(bad).is_err(), "{bad}");
        }
    }
}
