//! A file system in memory that knows what would survive a power cut.
//!
//! Each file has its live bytes and its durable bytes (those of the last sync); each folder has its
//! live names and its durable names (those of the last `sync_dir`), with the changes between the two
//! kept as a list, oldest first. [`MemoryFs::crash_clone`] makes the file system that a restart
//! would find:
//!
//! - after a killed process everything is there;
//! - after a power cut, unsynced bytes and names are gone, or by a seed some of them are: a file keeps
//!   some prefix of its unsynced tail, perhaps ending in zeros; of the unsynced changes of names either a
//!   prefix took place or any part of them. A rename is whole or not at all.
//!
//! Syncing a file does not make its name durable, and making a folder is a change of its parent's
//! names. Nobody gets more from a disk than that.
//!
//! Every operation that changes something has a number, from 1. [`MemoryFs::cut_after`] lets all
//! operations after one fail, so that a test can stop a store at each of them in turn. A file system may
//! be used by many threads; only with one thread do the numbers repeat.
#![forbid(unsafe_code)]

use super::clock::{ManualClock, SeededRandom};
use super::pool::SteppedPool;
use super::posix::{doing, os_error, thread_id};
use super::{
    Clock, Env, FileLock, FileSystem, RandomAccessFile, ReadMode, SequentialFile, WritableFile,
    WriteMode,
};
use crate::base::rng::Rng;
use crate::base::sync::{Mutex, RwLock};
use crate::base::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How the machine goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The process is killed: the OS keeps all that it was given.
    Killed,
    /// The power fails and everything unsynced is lost.
    PowerLost,
    /// The power fails and chance, by this seed, says what of the unsynced is there.
    PowerTorn(u64),
}

type NodeId = u64;
/// A disk does not write less at once.
const SMALLEST_BLOCK: usize = 8;
const ROOT: NodeId = 0;

#[derive(Clone)]
enum Entry {
    File(Arc<FileNode>),
    Dir(NodeId),
}

type Names = BTreeMap<String, Entry>;

#[derive(Clone, Default)]
struct Dir {
    live: Names,
    durable: Names,
}

struct FileNode {
    id: NodeId,
    content: RwLock<Content>,
}

struct Content {
    live: Vec<u8>,
    durable: Durable,
    modified_micros: u64,
}

/// What of a file is on the medium.
enum Durable {
    /// This many of the live bytes.
    Prefix(usize),
    /// Other bytes: the file was cut below what was synced.
    Apart(Vec<u8>),
}

impl Content {
    fn truncate(&mut self, len: usize) {
        if let Durable::Prefix(durable) = self.durable
            && len < durable
        {
            self.durable = Durable::Apart(self.live[..durable].to_vec());
        }
        self.live.resize(len, 0);
    }

    fn after(&self, cut: Cut, rng: &mut Rng) -> Vec<u8> {
        let seeded = match cut {
            Cut::Killed => return self.live.clone(),
            Cut::PowerLost => false,
            Cut::PowerTorn(_) => true,
        };
        let kept = match &self.durable {
            Durable::Prefix(durable) => *durable,
            Durable::Apart(bytes) if !seeded || rng.one_in(2) => return bytes.clone(),
            Durable::Apart(_) => 0,
        };
        if !seeded {
            return self.live[..kept].to_vec();
        }
        let more = rng.below((self.live.len() - kept) as u64 + 1) as usize;
        let mut bytes = self.live[..kept + more].to_vec();
        if more >= SMALLEST_BLOCK && rng.one_in(4) {
            // The size reached the medium, the last blocks did not.
            let from = kept + rng.below((more - SMALLEST_BLOCK) as u64 + 1) as usize;
            bytes[from..].fill(0);
        }
        bytes
    }
}

/// One change of names, whole or not at all.
struct Change(Vec<(NodeId, String, Option<Entry>)>);

impl Change {
    fn touches(&self, dirs: &BTreeSet<NodeId>) -> bool {
        self.0.iter().any(|(dir, ..)| dirs.contains(dir))
    }

    fn apply(&self, mut names_of: impl FnMut(NodeId, &str, Option<&Entry>)) {
        for (dir, name, entry) in &self.0 {
            names_of(*dir, name, entry.as_ref());
        }
    }
}

fn put(names: &mut Names, name: &str, entry: Option<&Entry>) {
    match entry {
        Some(entry) => names.insert(name.to_owned(), entry.clone()),
        None => names.remove(name),
    };
}

struct Tree {
    dirs: HashMap<NodeId, Dir>,
    pending: Vec<Change>,
    locks: HashMap<NodeId, (u64, u64)>,
    next_id: NodeId,
}

impl Tree {
    fn new() -> Self {
        let dirs = HashMap::from([(ROOT, Dir::default())]);
        Self { dirs, pending: Vec::new(), locks: HashMap::new(), next_id: ROOT + 1 }
    }

    fn fresh_id(&mut self) -> NodeId {
        self.next_id += 1;
        self.next_id - 1
    }

    fn dir(&self, id: NodeId) -> &Dir {
        self.dirs.get(&id).expect("folders in the tree have a node")
    }

    fn find(&self, parts: &[String]) -> std::result::Result<Entry, i32> {
        let mut at = Entry::Dir(ROOT);
        for part in parts {
            let Entry::Dir(id) = at else { return Err(libc::ENOTDIR) };
            at = self.dir(id).live.get(part).cloned().ok_or(libc::ENOENT)?;
        }
        Ok(at)
    }

    fn find_dir(&self, parts: &[String]) -> std::result::Result<NodeId, i32> {
        match self.find(parts)? {
            Entry::Dir(id) => Ok(id),
            Entry::File(_) => Err(libc::ENOTDIR),
        }
    }

    fn find_file(&self, parts: &[String]) -> std::result::Result<Arc<FileNode>, i32> {
        match self.find(parts)? {
            Entry::File(file) => Ok(file),
            Entry::Dir(_) => Err(libc::EISDIR),
        }
    }

    /// The folder that holds the last part, and that part.
    fn find_parent(&self, parts: &[String]) -> std::result::Result<(NodeId, String), i32> {
        let (name, parents) = parts.split_last().ok_or(libc::EEXIST)?;
        Ok((self.find_dir(parents)?, name.clone()))
    }

    fn change(&mut self, change: Change) {
        let dirs = &mut self.dirs;
        change.apply(|dir, name, entry| put(&mut dirs.entry(dir).or_default().live, name, entry));
        self.pending.push(change);
    }

    fn make_dir(&mut self, parent: NodeId, name: String) -> NodeId {
        let id = self.fresh_id();
        self.dirs.insert(id, Dir::default());
        self.change(Change(vec![(parent, name, Some(Entry::Dir(id)))]));
        id
    }

    fn make_file(&mut self, parent: NodeId, name: String, now: u64) -> Arc<FileNode> {
        let content =
            Content { live: Vec::new(), durable: Durable::Prefix(0), modified_micros: now };
        let file = Arc::new(FileNode { id: self.fresh_id(), content: RwLock::new(content) });
        self.change(Change(vec![(parent, name, Some(Entry::File(Arc::clone(&file))))]));
        file
    }

    /// Makes the names in `dir` durable, with all that earlier changes bind to them.
    fn sync_dir(&mut self, dir: NodeId) {
        let mut bound = BTreeSet::from([dir]);
        let mut durable = vec![false; self.pending.len()];
        for (change, durable) in self.pending.iter().zip(&mut durable).rev() {
            if change.touches(&bound) {
                *durable = true;
                bound.extend(change.0.iter().map(|(dir, ..)| *dir));
            }
        }
        let pending = std::mem::take(&mut self.pending);
        for (change, durable) in pending.into_iter().zip(durable) {
            if durable {
                let dirs = &mut self.dirs;
                change.apply(|dir, name, entry| {
                    put(&mut dirs.entry(dir).or_default().durable, name, entry);
                });
            } else {
                self.pending.push(change);
            }
        }
    }

    /// The tree that a restart finds.
    fn after(&self, cut: Cut) -> Self {
        let mut rng = Rng::new(if let Cut::PowerTorn(seed) = cut { seed } else { 0 });
        let mut names: BTreeMap<NodeId, Names> = self
            .dirs
            .iter()
            .map(|(id, dir)| match cut {
                Cut::Killed => (*id, dir.live.clone()),
                _ => (*id, dir.durable.clone()),
            })
            .collect();
        if let Cut::PowerTorn(_) = cut {
            let in_order = rng.one_in(2);
            let count = rng.below(self.pending.len() as u64 + 1) as usize;
            for (i, change) in self.pending.iter().enumerate() {
                if if in_order { i < count } else { rng.one_in(2) } {
                    change.apply(|dir, name, entry| {
                        put(names.entry(dir).or_default(), name, entry);
                    });
                }
            }
        }
        // Two names of one file stay two names of one file.
        let mut files: HashMap<NodeId, Arc<FileNode>> = HashMap::new();
        let mut tree = Self::new();
        tree.next_id = self.next_id;
        for (id, names) in names {
            let live: Names = names
                .into_iter()
                .map(|(name, entry)| match entry {
                    Entry::Dir(id) => (name, Entry::Dir(id)),
                    Entry::File(file) => {
                        let new = files.entry(file.id).or_insert_with(|| {
                            let old = file.content.read();
                            let live = old.after(cut, &mut rng);
                            let durable = Durable::Prefix(live.len());
                            let modified_micros = old.modified_micros;
                            let content = Content { live, durable, modified_micros };
                            Arc::new(FileNode { id: file.id, content: RwLock::new(content) })
                        });
                        (name, Entry::File(Arc::clone(new)))
                    }
                })
                .collect();
            tree.dirs.insert(id, Dir { durable: live.clone(), live });
        }
        tree
    }
}

struct Shared {
    tree: Mutex<Tree>,
    clock: Arc<dyn Clock>,
    /// Is what survives a power cut kept apart?
    tracked: bool,
    operations: AtomicU64,
    last_operation: AtomicU64,
    down: AtomicBool,
    /// Counts restarts; handles from before one are dead.
    epoch: AtomicU64,
}

/// What an open file shares with its file system.
#[derive(Clone)]
struct Handle {
    shared: Arc<Shared>,
    node: Arc<FileNode>,
    path: PathBuf,
    epoch: u64,
}

impl Shared {
    fn check_up(&self) -> std::result::Result<(), i32> {
        // Relaxed: threads that race with the cut may see it late, as with a real one.
        if self.down.load(Ordering::Relaxed) { Err(libc::EIO) } else { Ok(()) }
    }

    /// Counts a changing operation and fails it behind the cut.
    fn begin(&self) -> std::result::Result<(), i32> {
        // Relaxed: only the count matters.
        let number = self.operations.fetch_add(1, Ordering::Relaxed) + 1;
        if number > self.last_operation.load(Ordering::Relaxed) {
            self.down.store(true, Ordering::Relaxed);
        }
        self.check_up()
    }
}

impl Handle {
    fn check(&self, doing: &str) -> Result<()> {
        let stale = self.epoch != self.shared.epoch.load(Ordering::Relaxed);
        let code = if stale { Err(libc::EIO) } else { self.shared.check_up() };
        code.map_err(|code| os_error(doing, &self.path, code))
    }

    fn begin(&self, doing: &str) -> Result<()> {
        self.check(doing)?;
        self.shared.begin().map_err(|code| os_error(doing, &self.path, code))
    }

    fn read_at(&self, doing: &str, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.check(doing)?;
        let content = self.node.content.read();
        let rest = usize::try_from(offset).ok().and_then(|at| content.live.get(at..));
        let rest = rest.unwrap_or(&[]);
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

struct Sequential {
    handle: Handle,
    at: u64,
}

impl SequentialFile for Sequential {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.handle.read_at(doing::READ, self.at, buf)?;
        self.at += n as u64;
        Ok(n)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        self.at = self.at.saturating_add(n);
        Ok(())
    }
}

impl RandomAccessFile for Handle {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        Self::read_at(self, "While pread", offset, buf)
    }

    fn size(&self) -> Result<u64> {
        self.check(doing::STAT)?;
        Ok(self.node.content.read().live.len() as u64)
    }
}

struct Writable {
    handle: Handle,
    len: u64,
    open: bool,
}

impl Writable {
    fn begin(&self, doing: &str) -> Result<()> {
        if self.open {
            self.handle.begin(doing)
        } else {
            Err(os_error(doing, &self.handle.path, libc::EBADF))
        }
    }
}

impl WritableFile for Writable {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.begin(doing::APPEND)?;
        let mut content = self.handle.node.content.write();
        let at = self.len as usize;
        if at < content.live.len() {
            content.truncate(at);
        }
        content.live.extend_from_slice(bytes);
        content.modified_micros = self.handle.shared.clock.now_micros();
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.begin(doing::FDATASYNC)?;
        let mut content = self.handle.node.content.write();
        content.durable = Durable::Prefix(content.live.len());
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        self.begin(&doing::truncate(len))?;
        self.handle.node.content.write().truncate(len as usize);
        self.len = len;
        Ok(())
    }

    fn size(&self) -> u64 {
        self.len
    }

    fn close(&mut self) -> Result<()> {
        self.open = false;
        Ok(())
    }
}

struct Lock {
    shared: Arc<Shared>,
    node: NodeId,
    epoch: u64,
}

impl FileLock for Lock {}

impl Drop for Lock {
    fn drop(&mut self) {
        let mut tree = self.shared.tree.lock();
        // A restart has freed it already, and somebody else may have it now.
        if self.epoch == self.shared.epoch.load(Ordering::Relaxed) {
            tree.locks.remove(&self.node);
        }
    }
}

/// The file system. Clones are the same one.
#[derive(Clone)]
pub struct MemoryFs {
    shared: Arc<Shared>,
}

/// The parts of an absolute path, without dots. A relative path counts from the root.
fn parts(path: &Path) -> Vec<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()),
            _ => {}
        }
    }
    parts
}

impl MemoryFs {
    /// An empty one that keeps track of what is durable.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::with(Tree::new(), clock, true)
    }

    /// An empty one for use, not for tests: nothing is kept for a crash, and `create_dir` makes the
    /// parents too, as RocksDB's memory environment has it.
    #[must_use]
    pub fn plain(clock: Arc<dyn Clock>) -> Self {
        Self::with(Tree::new(), clock, false)
    }

    fn with(tree: Tree, clock: Arc<dyn Clock>, tracked: bool) -> Self {
        let shared = Shared {
            tree: Mutex::new(tree),
            clock,
            tracked,
            operations: AtomicU64::new(0),
            last_operation: AtomicU64::new(u64::MAX),
            down: AtomicBool::new(false),
            epoch: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Changing operations so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.shared.operations.load(Ordering::Relaxed)
    }

    /// Lets every operation after the changing operation `last` fail; `u64::MAX` for none. What is open can only be
    /// looked at through [`MemoryFs::crash_clone`] then.
    pub fn cut_after(&self, last: u64) {
        self.shared.last_operation.store(last, Ordering::Relaxed);
    }

    /// Has the cut come?
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.shared.down.load(Ordering::Relaxed)
    }

    /// The file system as a restart after `cut` would find it; this one goes on.
    #[must_use]
    pub fn crash_clone(&self, cut: Cut) -> Self {
        let tree = self.shared.tree.lock().after(cut);
        Self::with(tree, Arc::clone(&self.shared.clock), self.shared.tracked)
    }

    /// Goes down and comes up again in place: open files are dead and locks are free. Operations
    /// count on; a cut that came is over.
    pub fn crash(&self, cut: Cut) {
        let mut tree = self.shared.tree.lock();
        let after = tree.after(cut);
        *tree = after;
        self.shared.epoch.fetch_add(1, Ordering::Relaxed);
        self.shared.last_operation.store(u64::MAX, Ordering::Relaxed);
        self.shared.down.store(false, Ordering::Relaxed);
    }

    /// All files with their sizes, by path.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        fn walk(tree: &Tree, dir: NodeId, at: &Path, out: &mut Vec<(PathBuf, u64)>) {
            for (name, entry) in &tree.dir(dir).live {
                let path = at.join(name);
                match entry {
                    Entry::Dir(id) => walk(tree, *id, &path, out),
                    Entry::File(f) => out.push((path, f.content.read().live.len() as u64)),
                }
            }
        }
        let mut out = Vec::new();
        walk(&self.shared.tree.lock(), ROOT, Path::new("/"), &mut out);
        out
    }

    /// A file's bytes, even behind a cut.
    pub fn contents(&self, path: &Path) -> Result<Vec<u8>> {
        let file = self.shared.tree.lock().find_file(&parts(path));
        let file = file.map_err(|code| os_error(doing::OPEN_SEQUENTIAL, path, code))?;
        Ok(file.content.read().live.clone())
    }

    /// Changes a file's bytes under everybody's hands, durably: how tests do damage.
    pub fn edit(&self, path: &Path, edit: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let file = self.shared.tree.lock().find_file(&parts(path));
        let file = file.map_err(|code| os_error(doing::REOPEN, path, code))?;
        let mut content = file.content.write();
        edit(&mut content.live);
        content.durable = Durable::Prefix(content.live.len());
        Ok(())
    }

    /// Makes all that is there durable, without counting as an operation.
    pub fn sync_all(&self) {
        let mut tree = self.shared.tree.lock();
        tree.pending.clear();
        for dir in tree.dirs.values_mut() {
            dir.durable = dir.live.clone();
            for entry in dir.live.values() {
                if let Entry::File(file) = entry {
                    let mut content = file.content.write();
                    content.durable = Durable::Prefix(content.live.len());
                }
            }
        }
    }

    /// Looks something up.
    fn look<T>(
        &self,
        doing: &str,
        path: &Path,
        f: impl FnOnce(&Tree, &[String]) -> std::result::Result<T, i32>,
    ) -> Result<T> {
        let found = self.shared.check_up().and_then(|()| f(&self.shared.tree.lock(), &parts(path)));
        found.map_err(|code| os_error(doing, path, code))
    }

    /// Changes something, as one numbered operation.
    fn change<T>(
        &self,
        doing: &str,
        path: &Path,
        f: impl FnOnce(&mut Tree, &[String]) -> std::result::Result<T, i32>,
    ) -> Result<T> {
        let mut tree = self.shared.tree.lock();
        let done = self.shared.begin().and_then(|()| f(&mut tree, &parts(path)));
        if !self.shared.tracked {
            // Nobody will ask what was pending.
            tree.pending.clear();
        }
        done.map_err(|code| os_error(doing, path, code))
    }

    fn handle(&self, node: Arc<FileNode>, path: &Path) -> Handle {
        let epoch = self.shared.epoch.load(Ordering::Relaxed);
        Handle { shared: Arc::clone(&self.shared), node, path: path.into(), epoch }
    }
}

fn make_dirs(tree: &mut Tree, parts: &[String]) -> std::result::Result<(), i32> {
    for end in 1..=parts.len() {
        match tree.find(&parts[..end]) {
            Ok(Entry::Dir(_)) => {}
            Ok(Entry::File(_)) => return Err(libc::ENOTDIR),
            Err(_) => {
                let (parent, name) = tree.find_parent(&parts[..end])?;
                tree.make_dir(parent, name);
            }
        }
    }
    Ok(())
}

impl FileSystem for MemoryFs {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let node = self.look(doing::OPEN_SEQUENTIAL, path, |tree, parts| tree.find_file(parts))?;
        Ok(Box::new(Sequential { handle: self.handle(node, path), at: 0 }))
    }

    fn open_random(&self, path: &Path, _mode: ReadMode) -> Result<Arc<dyn RandomAccessFile>> {
        let node = self.look(doing::OPEN_RANDOM, path, |tree, parts| tree.find_file(parts))?;
        Ok(Arc::new(self.handle(node, path)))
    }

    fn create(&self, path: &Path, _mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        let now = self.shared.clock.now_micros();
        let node = self.change(doing::OPEN_WRITE, path, |tree, parts| match tree.find(parts) {
            Ok(Entry::Dir(_)) => Err(libc::EISDIR),
            Ok(Entry::File(file)) => {
                file.content.write().truncate(0);
                Ok(file)
            }
            Err(_) => {
                let (parent, name) = tree.find_parent(parts)?;
                Ok(tree.make_file(parent, name, now))
            }
        })?;
        Ok(Box::new(Writable { handle: self.handle(node, path), len: 0, open: true }))
    }

    fn reopen(&self, path: &Path, _mode: WriteMode) -> Result<Box<dyn WritableFile>> {
        let node = self.look(doing::REOPEN, path, |tree, parts| tree.find_file(parts))?;
        let len = node.content.read().live.len() as u64;
        Ok(Box::new(Writable { handle: self.handle(node, path), len, open: true }))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let to_parts = parts(to);
        self.change(&doing::rename(to), from, |tree, parts| {
            let (from_dir, from_name) = tree.find_parent(parts)?;
            let (to_dir, to_name) = tree.find_parent(&to_parts)?;
            let entry = tree.dir(from_dir).live.get(&from_name).cloned().ok_or(libc::ENOENT)?;
            match (&entry, tree.dir(to_dir).live.get(&to_name)) {
                (Entry::File(_), Some(Entry::Dir(_))) => return Err(libc::EISDIR),
                (Entry::Dir(_), Some(Entry::File(_))) => return Err(libc::ENOTDIR),
                (Entry::Dir(_), Some(Entry::Dir(id))) if !tree.dir(*id).live.is_empty() => {
                    return Err(libc::ENOTEMPTY);
                }
                (Entry::File(a), Some(Entry::File(b))) if a.id == b.id => return Ok(()),
                _ => {}
            }
            tree.change(Change(vec![(from_dir, from_name, None), (to_dir, to_name, Some(entry))]));
            Ok(())
        })
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        let to_parts = parts(to);
        self.change(&doing::link(to), from, |tree, parts| {
            let file = tree.find_file(parts)?;
            let (dir, name) = tree.find_parent(&to_parts)?;
            if tree.dir(dir).live.contains_key(&name) {
                return Err(libc::EEXIST);
            }
            tree.change(Change(vec![(dir, name, Some(Entry::File(file)))]));
            Ok(())
        })
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.change(doing::UNLINK, path, |tree, parts| {
            tree.find_file(parts)?;
            let (dir, name) = tree.find_parent(parts)?;
            tree.change(Change(vec![(dir, name, None)]));
            Ok(())
        })
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.look(doing::EXISTS, path, |tree, parts| Ok(tree.find(parts).is_ok()))
    }

    fn size(&self, path: &Path) -> Result<u64> {
        self.look(doing::STAT, path, |tree, parts| {
            Ok(match tree.find(parts)? {
                Entry::File(file) => file.content.read().live.len() as u64,
                Entry::Dir(_) => 0,
            })
        })
    }

    fn modified_micros(&self, path: &Path) -> Result<u64> {
        self.look(doing::STAT_TIME, path, |tree, parts| {
            Ok(tree.find_file(parts)?.content.read().modified_micros)
        })
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        self.look(doing::LIST, dir, |tree, parts| {
            Ok(tree.dir(tree.find_dir(parts)?).live.keys().cloned().collect())
        })
    }

    fn create_dir(&self, dir: &Path) -> Result<()> {
        if !self.shared.tracked {
            return self.create_dir_all(dir);
        }
        let mut in_the_way = false;
        let made = self.change(doing::MKDIR, dir, |tree, parts| match tree.find(parts) {
            Ok(Entry::Dir(_)) => Ok(()),
            Ok(Entry::File(_)) => {
                in_the_way = true;
                Err(libc::EEXIST)
            }
            Err(_) => {
                let (parent, name) = tree.find_parent(parts)?;
                tree.make_dir(parent, name);
                Ok(())
            }
        });
        if in_the_way {
            let text = format!("`{}' exists but is not a directory", dir.display());
            return Err(Error::io_error(text));
        }
        made
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        self.change(doing::MKDIR, dir, make_dirs)
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        self.change(doing::RMDIR, dir, |tree, parts| {
            let id = tree.find_dir(parts)?;
            if !tree.dir(id).live.is_empty() {
                return Err(libc::ENOTEMPTY);
            }
            let (parent, name) = tree.find_parent(parts).map_err(|_| libc::EBUSY)?;
            tree.change(Change(vec![(parent, name, None)]));
            Ok(())
        })
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.change(doing::FSYNC, dir, |tree, parts| {
            let id = tree.find_dir(parts)?;
            tree.sync_dir(id);
            Ok(())
        })
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let now = self.shared.clock.now_micros();
        let mut holder = None;
        let node = self.change(doing::LOCK, path, |tree, parts| {
            let file = match tree.find(parts) {
                Ok(Entry::Dir(_)) => return Err(libc::EISDIR),
                Ok(Entry::File(file)) => file,
                Err(_) => {
                    let (parent, name) = tree.find_parent(parts)?;
                    tree.make_file(parent, name, now)
                }
            };
            holder = tree.locks.get(&file.id).copied();
            if holder.is_some() {
                return Err(libc::ENOLCK);
            }
            tree.locks.insert(file.id, (now / 1_000_000, thread_id()));
            Ok(file.id)
        });
        if let Some((since, thread)) = holder {
            let doing = format!(
                "lock hold by current process, acquire time {since} acquiring thread {thread}"
            );
            return Err(os_error(&doing, path, libc::ENOLCK));
        }
        let epoch = self.shared.epoch.load(Ordering::Relaxed);
        Ok(Box::new(Lock { shared: Arc::clone(&self.shared), node: node?, epoch }))
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        let mut out = PathBuf::from("/");
        out.extend(parts(path));
        out
    }
}

/// A whole environment in memory, single-stepped, with its parts at hand for tests.
#[derive(Clone)]
pub struct MemoryEnv {
    /// What the store gets.
    pub env: Env,
    /// Its files.
    pub fs: MemoryFs,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// Its background jobs.
    pub pool: Arc<SteppedPool>,
}

impl MemoryEnv {
    /// An empty one; the seed decides identities and the order of background jobs.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let clock = Arc::new(ManualClock::default());
        Self::over(MemoryFs::new(clock.clone()), clock, seed)
    }

    fn over(fs: MemoryFs, clock: Arc<ManualClock>, seed: u64) -> Self {
        let pool = Arc::new(SteppedPool::new(clock.clone(), seed));
        let env = Env {
            fs: Arc::new(fs.clone()),
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(seed)),
            pool: pool.clone(),
        };
        Self { env, fs, clock, pool }
    }

    /// The environment that a restart after `cut` finds: no jobs wait, the clock goes on.
    #[must_use]
    pub fn restart(&self, cut: Cut, seed: u64) -> Self {
        Self::over(self.fs.crash_clone(cut), Arc::clone(&self.clock), seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fs() -> MemoryFs {
        MemoryFs::new(Arc::new(ManualClock::default()))
    }

    fn write(fs: &MemoryFs, path: &str, bytes: &[u8]) -> Box<dyn WritableFile> {
        let mut file = fs.create(Path::new(path), WriteMode::default()).unwrap();
        file.append(bytes).unwrap();
        file
    }

    #[test]
    fn a_power_cut_takes_what_was_not_synced() {
        let fs = fs();
        let mut a = write(&fs, "/a", b"one");
        a.sync().unwrap();
        fs.sync_dir(Path::new("/")).unwrap();
        a.append(b"two").unwrap();
        write(&fs, "/b", b"b").sync().unwrap();
        let after = fs.crash_clone(Cut::PowerLost);
        assert_eq!(after.contents(Path::new("/a")).unwrap(), b"one");
        assert!(!after.exists(Path::new("/b")).unwrap(), "its name was never synced");
        let after = fs.crash_clone(Cut::Killed);
        assert_eq!(after.contents(Path::new("/a")).unwrap(), b"onetwo");
        assert_eq!(after.contents(Path::new("/b")).unwrap(), b"b");
    }

    #[test]
    fn a_torn_tail_is_a_prefix_or_ends_in_zeros() {
        let fs = fs();
        let mut a = write(&fs, "/a", b"synced");
        a.sync().unwrap();
        fs.sync_all();
        a.append(b"123456789abcdefghijklmno").unwrap();
        let mut seen = BTreeSet::new();
        for seed in 0..200 {
            let bytes = fs.crash_clone(Cut::PowerTorn(seed)).contents(Path::new("/a")).unwrap();
            assert!(bytes.starts_with(b"synced"));
            let whole = b"synced123456789abcdefghijklmno";
            let zeros = bytes.iter().rev().take_while(|&&b| b == 0).count();
            let text = bytes.len() - zeros;
            assert_eq!(bytes[..text], whole[..text]);
            seen.insert(bytes);
        }
        assert!(seen.len() > 10, "chance has its say");
    }

    #[test]
    fn a_rename_is_whole_or_not_at_all() {
        let fs = fs();
        write(&fs, "/new", b"new").sync().unwrap();
        write(&fs, "/old", b"old").sync().unwrap();
        fs.sync_dir(Path::new("/")).unwrap();
        fs.rename(Path::new("/new"), Path::new("/old")).unwrap();
        for seed in 0..50 {
            let after = fs.crash_clone(Cut::PowerTorn(seed));
            let moved = !after.exists(Path::new("/new")).unwrap();
            let content = after.contents(Path::new("/old")).unwrap();
            assert_eq!(content, if moved { b"new" } else { b"old" });
        }
        fs.sync_dir(Path::new("/")).unwrap();
        let after = fs.crash_clone(Cut::PowerLost);
        assert_eq!(after.files(), [(PathBuf::from("/old"), 3)]);
    }

    #[test]
    fn a_removed_file_may_come_back_and_a_cut_one_may_be_long_again() {
        let fs = fs();
        let mut a = write(&fs, "/a", b"123456");
        a.sync().unwrap();
        fs.sync_dir(Path::new("/")).unwrap();
        a.truncate(2).unwrap();
        fs.remove(Path::new("/a")).unwrap();
        assert!(!fs.exists(Path::new("/a")).unwrap());
        let after = fs.crash_clone(Cut::PowerLost);
        assert_eq!(after.contents(Path::new("/a")).unwrap(), b"123456");
    }

    #[test]
    fn operations_behind_the_cut_fail() {
        let fs = fs();
        let mut a = write(&fs, "/a", b"1");
        assert_eq!(fs.operations(), 2);
        fs.cut_after(3);
        a.append(b"2").unwrap();
        assert!(a.append(b"3").is_err());
        assert!(a.sync().is_err());
        assert!(fs.open_sequential(Path::new("/a")).is_err());
        assert!(fs.is_down());
        fs.crash(Cut::Killed);
        assert_eq!(crate::env::read_file(&fs, Path::new("/a"), 9).unwrap(), b"12");
        assert!(a.append(b"4").is_err(), "a file opened before the crash stays dead");
    }

    #[test]
    fn a_lock_is_held_once_and_a_crash_frees_it() {
        let fs = fs();
        let path = Path::new("/LOCK");
        let held = fs.lock(path).unwrap();
        let text = fs.lock(Path::new("/x/../LOCK")).err().unwrap().to_string();
        assert!(
            text.starts_with("IO error: lock hold by current process, acquire time 1704067200")
        );
        assert!(text.ends_with("/LOCK: No locks available"), "{text}");
        fs.crash(Cut::Killed);
        let again = fs.lock(path).unwrap();
        drop(held);
        assert!(fs.lock(path).is_err(), "the dead holder freed nothing");
        drop(again);
        fs.lock(path).unwrap();
    }

    #[test]
    fn texts_and_rules_are_those_of_a_disk() {
        let (memory, disk) = (fs(), crate::env::posix::PosixFs);
        let dir = tempfile::tempdir().unwrap();
        let run = |fs: &dyn FileSystem, root: &Path| -> Vec<String> {
            let at = |name: &str| root.join(name);
            let mut out = Vec::new();
            let mut note = |what: &str, result: Result<String>| {
                let text = result.unwrap_or_else(|e| e.to_string());
                out.push(format!("{what}: {}", text.replace(&*root.to_string_lossy(), "")));
            };
            let unit = |r: Result<()>| r.map(|()| "ok".to_owned());
            note("list", fs.list(&at("no")).map(|_| String::new()));
            note("mkdir", unit(fs.create_dir(&at("no/sub"))));
            note("mkdir", unit(fs.create_dir(&at("d"))));
            note("mkdir", unit(fs.create_dir(&at("d"))));
            note("mkdir -p", unit(fs.create_dir_all(&at("d/e/f"))));
            note("rmdir", unit(fs.remove_dir(&at("d/e"))));
            note("rmdir", unit(fs.remove_dir(&at("d/e/f"))));
            note("create", fs.create(&at("no/a"), WriteMode::default()).map(|_| String::new()));
            note("reopen", fs.reopen(&at("a"), WriteMode::default()).map(|_| String::new()));
            note(
                "create",
                unit(fs.create(&at("a"), WriteMode::default()).and_then(|mut f| {
                    f.append(b"hello")?;
                    f.close()
                })),
            );
            note("mkdir", unit(fs.create_dir(&at("a"))));
            note("open", fs.open_sequential(&at("b")).map(|_| String::new()));
            note("open", fs.open_random(&at("b"), ReadMode::default()).map(|_| String::new()));
            note("rename", unit(fs.rename(&at("b"), &at("c"))));
            note("rename", unit(fs.rename(&at("a"), &at("d"))));
            note("link", unit(fs.link(&at("a"), &at("d/a"))));
            note("link", unit(fs.link(&at("a"), &at("d/a"))));
            note("size", fs.size(&at("d/a")).map(|n| n.to_string()));
            note("size", fs.size(&at("b")).map(|n| n.to_string()));
            note("time", fs.modified_micros(&at("b")).map(|n| n.to_string()));
            note("remove", unit(fs.remove(&at("b"))));
            note("remove", unit(fs.remove(&at("a"))));
            note("exists", fs.exists(&at("a")).map(|b| b.to_string()));
            note("exists", fs.exists(&at("d/a/b")).map(|b| b.to_string()));
            note(
                "again",
                unit(fs.reopen(&at("d/a"), WriteMode::default()).and_then(|mut f| {
                    assert_eq!(f.size(), 5);
                    f.append(b", world")?;
                    f.truncate(8)?;
                    f.append(b"?")?;
                    f.close()
                })),
            );
            let mut buf = [0; 20];
            let file = fs.open_random(&at("d/a"), ReadMode::default()).unwrap();
            let n = file.read_at(3, &mut buf).unwrap();
            note("read", Ok(String::from_utf8_lossy(&buf[..n]).into_owned()));
            assert_eq!(file.read_at(90, &mut buf).unwrap(), 0);
            let mut file = fs.open_sequential(&at("d/a")).unwrap();
            file.skip(4).unwrap();
            let n = file.read(&mut buf).unwrap();
            note("read", Ok(String::from_utf8_lossy(&buf[..n]).into_owned()));
            note("lock", fs.lock(&at("no/LOCK")).map(|_| String::new()));
            out
        };
        memory.create_dir(Path::new("/root")).unwrap();
        let (memory, disk) = (run(&memory, Path::new("/root")), run(&disk, dir.path()));
        for (memory, disk) in memory.iter().zip(&disk) {
            // Where a disk has two steps with a name each, memory has one.
            let lock = "lock: IO error: No such file or directory: While lock file";
            if !memory.starts_with(lock) {
                assert_eq!(memory, disk);
            }
        }
    }
}
