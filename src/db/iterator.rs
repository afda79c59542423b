//! The user-visible iterator: versions folded as of a sequence number, both ways.
//!
//! Below stands one merge over memtables, level-0 files and levels, newest data first. Going forward
//! the first visible version of a key is the newest and decides; the merge then stands on the entry
//! shown (or, after merge operands were folded, at or behind the last one used). Going back the
//! versions come oldest first; all of a key are walked and the merge stands in front of them.
//!
//! Range deletions come from the same sources, in groups numbered like the children of the merge.
//! The files of a level bring theirs when they are opened, which is always before the merge reaches a
//! key that they could cover: a level's cursor passes through all files between where it was placed
//! and where it stands. A key covered by a range deletion of a newer source is not stepped over:
//! that child is moved to where the cover ends.
//!
//! Promises: bounds and options are those of the creation; prefixes never hide anything (unless
//! `prefix_same_as_start` asks for it); an error makes it invalid and shows in `status` until the next
//! seek; steps on an invalid iterator do nothing; what it shows stays readable whatever happens to the
//! store, as it holds its super-version.
#![forbid(unsafe_code)]

use super::fold::{full_merge, plain_value};
use super::sources::{Arrivals, Opener, children};
use super::tables::Tables;
use crate::base::key::{self, MAX_SEQUENCE, SEEK_KIND, append_internal, pack};
use crate::base::prefix::{SliceTransform, prefix_of};
use crate::base::{Error, InternalComparator, Kind, ParsedKey, Result, Sequence};
use crate::hooks::MergeOperator;
use crate::iter::{InternalIterator, MergingIter, RangeDeletions};
use crate::options::ReadOptions;
use crate::stats::ticker::tick;
use crate::stats::{Statistics, Ticker};
use crate::version::SuperVersion;
use std::ops::Range;
use std::sync::Arc;

/// What an iterator is made of.
pub struct IterParts {
    /// What it sees; held as long as it lives.
    pub super_version: Arc<SuperVersion>,
    /// How to reach the files.
    pub tables: Arc<dyn Tables>,
    /// As of which sequence.
    pub snapshot: Sequence,
    /// Counters.
    pub statistics: Option<Arc<Statistics>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// Where the value of the current entry is.
#[derive(Clone, Debug)]
enum ValueAt {
    /// All of the merge's current value.
    Whole,
    /// A part of it.
    Part(Range<usize>),
    /// In `value`.
    Saved,
}

/// What the walk back over the versions of a key has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Nothing,
    Value,
    Gone,
}

/// A cursor over the entries that a user sees.
pub struct DbIterator {
    // What it reads. The super-version is held so that the data stays; it is let go last.
    iter: MergingIter,
    ranges: RangeDeletions,
    arrivals: Arc<Arrivals>,
    order: InternalComparator,
    snapshot: Sequence,
    options: Arc<ReadOptions>,
    merge: Option<Arc<dyn MergeOperator>>,
    extractor: Option<Arc<dyn SliceTransform>>,
    /// Hidden versions of one key that are stepped over before a seek.
    most_steps: u64,
    statistics: Option<Arc<Statistics>>,
    // Where it stands.
    valid: bool,
    status: Result<()>,
    direction: Direction,
    key: Vec<u8>,
    value_at: ValueAt,
    value: Vec<u8>,
    /// Merge operands, in the order in which they were met.
    operands: Vec<Vec<u8>>,
    /// Prefix to stay within.
    prefix: Option<Vec<u8>>,
    /// No prefix yet: the first key found brings it.
    prefix_from_first: bool,
    /// Hidden entries since the last move began.
    hidden: u64,
    /// Scratch for seek targets.
    target: Vec<u8>,
    /// Keys shown before, kept in place for `pin_data`.
    pinned: Vec<Vec<u8>>,
    super_version: Arc<SuperVersion>,
}

impl std::fmt::Debug for DbIterator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DbIterator(valid: {}, at sequence {})", self.valid, self.snapshot)
    }
}

impl DbIterator {
    /// Over what `parts` name. Does no I/O: files are opened when a seek reaches them.
    #[must_use]
    pub fn new(parts: IterParts, options: &ReadOptions) -> Self {
        let IterParts { super_version, tables, snapshot, statistics } = parts;
        let order = super_version.version.order().clone();
        let options = Arc::new(options.clone());
        let arrivals = Arc::new(Arrivals::default());
        let opener =
            Opener { tables, options: Arc::clone(&options), arrivals: Arc::clone(&arrivals) };
        let mut ranges = RangeDeletions::new(order.clone());
        let children = children(&super_version, &opener, &mut ranges);
        let extractor = match options.prefix_same_as_start {
            true => super_version.options.prefix_extractor.clone(),
            false => None,
        };
        Self {
            iter: MergingIter::new(order.clone(), children),
            ranges,
            arrivals,
            order,
            snapshot,
            merge: super_version.options.merge_operator.clone(),
            extractor,
            most_steps: super_version.options.max_sequential_skip_in_iterations,
            statistics,
            valid: false,
            status: Ok(()),
            direction: Direction::Forward,
            key: Vec::new(),
            value_at: ValueAt::Whole,
            value: Vec::new(),
            operands: Vec::new(),
            prefix: None,
            prefix_from_first: false,
            hidden: 0,
            target: Vec::new(),
            pinned: Vec::new(),
            options,
            super_version,
        }
    }

    /// Does it stand on an entry?
    #[inline]
    #[must_use]
    pub fn valid(&self) -> bool {
        self.valid
    }

    /// The user key; empty when it is invalid.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        if self.valid { &self.key } else { &[] }
    }

    /// The value; empty when it is invalid.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &[u8] {
        if !self.valid {
            return &[];
        }
        match &self.value_at {
            ValueAt::Whole => self.iter.value(),
            ValueAt::Part(range) => &self.iter.value()[range.clone()],
            ValueAt::Saved => &self.value,
        }
    }

    /// Ok, or why it is invalid.
    pub fn status(&self) -> Result<()> {
        self.status.clone()
    }

    /// The sequence number as of which it reads.
    #[must_use]
    pub fn snapshot(&self) -> Sequence {
        self.snapshot
    }

    /// What it holds.
    #[must_use]
    pub fn super_version(&self) -> &Arc<SuperVersion> {
        &self.super_version
    }

    /// To the first entry.
    pub fn seek_to_first(&mut self) {
        self.begin_seek();
        self.prefix_from_first = self.extractor.is_some();
        match &self.options.iterate_lower_bound {
            Some(lower) => {
                set_target(&mut self.target, lower, pack(MAX_SEQUENCE, SEEK_KIND));
                self.iter.seek(&self.target);
            }
            None => self.iter.seek_to_first(),
        }
        self.find_forward(false);
        self.end_seek();
    }

    /// To the last entry.
    pub fn seek_to_last(&mut self) {
        self.begin_seek();
        self.prefix_from_first = self.extractor.is_some();
        match &self.options.iterate_upper_bound {
            Some(upper) => {
                set_target(&mut self.target, upper, pack(MAX_SEQUENCE, SEEK_KIND));
                self.iter.seek_for_prev(&self.target);
            }
            None => self.iter.seek_to_last(),
        }
        self.find_backward();
        self.end_seek();
    }

    /// To the first entry with a key >= `user_key`.
    pub fn seek(&mut self, user_key: &[u8]) {
        self.begin_seek();
        self.set_prefix(user_key);
        let lower = self.options.iterate_lower_bound.as_deref();
        let from = match lower {
            Some(lower) if self.order.compare_user(user_key, lower).is_lt() => lower,
            _ => user_key,
        };
        if self.is_beyond_upper(from) {
            return;
        }
        set_target(&mut self.target, from, pack(self.snapshot, SEEK_KIND));
        self.iter.seek(&self.target);
        self.find_forward(false);
        self.end_seek();
    }

    /// To the last entry with a key <= `user_key`.
    pub fn seek_for_prev(&mut self, user_key: &[u8]) {
        self.begin_seek();
        self.set_prefix(user_key);
        if self.is_before_lower(user_key) {
            return;
        }
        match &self.options.iterate_upper_bound {
            Some(upper) if self.order.compare_user(user_key, upper).is_ge() => {
                set_target(&mut self.target, upper, pack(MAX_SEQUENCE, SEEK_KIND));
            }
            _ => set_target(&mut self.target, user_key, 0),
        }
        self.iter.seek_for_prev(&self.target);
        self.find_backward();
        self.end_seek();
    }

    /// One forward.
    pub fn next(&mut self) {
        if !self.valid {
            return;
        }
        tick(self.statistics.as_deref(), Ticker::DbNext, 1);
        self.hidden = 0;
        if self.direction == Direction::Backward {
            // The merge stands in front of the current key: go behind its versions.
            set_target(&mut self.target, &self.key, 0);
            self.iter.seek(&self.target);
        } else if !matches!(self.value_at, ValueAt::Saved) {
            self.iter.next();
        }
        self.find_forward(true);
        self.count_bytes();
    }

    /// One back.
    pub fn prev(&mut self) {
        if !self.valid {
            return;
        }
        tick(self.statistics.as_deref(), Ticker::DbPrev, 1);
        self.hidden = 0;
        if self.direction == Direction::Forward {
            // The merge stands within or behind the current key: go in front of its versions.
            self.seek_in_front();
        }
        self.find_backward();
        self.count_bytes();
    }

    fn begin_seek(&mut self) {
        tick(self.statistics.as_deref(), Ticker::DbSeek, 1);
        self.valid = false;
        self.status = Ok(());
        self.hidden = 0;
        self.prefix = None;
        self.prefix_from_first = false;
    }

    fn end_seek(&mut self) {
        if self.valid {
            tick(self.statistics.as_deref(), Ticker::DbSeekFound, 1);
        }
        self.count_bytes();
    }

    #[inline]
    fn count_bytes(&self) {
        if self.valid && self.statistics.is_some() {
            let bytes = self.key.len() + self.value().len();
            tick(self.statistics.as_deref(), Ticker::IterBytesRead, bytes as u64);
        }
    }

    fn set_prefix(&mut self, user_key: &[u8]) {
        if let Some(extractor) = &self.extractor {
            self.prefix = prefix_of(extractor.as_ref(), user_key);
        }
    }

    #[inline]
    fn is_beyond_upper(&self, user_key: &[u8]) -> bool {
        match &self.options.iterate_upper_bound {
            Some(upper) => self.order.compare_user(user_key, upper).is_ge(),
            None => false,
        }
    }

    #[inline]
    fn is_before_lower(&self, user_key: &[u8]) -> bool {
        match &self.options.iterate_lower_bound {
            Some(lower) => self.order.compare_user(user_key, lower).is_lt(),
            None => false,
        }
    }

    /// Is the merge's key outside the prefix to stay within?
    fn leaves_prefix(&self, user_key: &[u8]) -> bool {
        let (Some(extractor), Some(prefix)) = (&self.extractor, &self.prefix) else {
            return false;
        };
        let mut same = false;
        if extractor.in_domain(user_key) {
            extractor.with_prefix(user_key, &mut |p| same = p == prefix);
        }
        !same
    }

    /// The merge ended: at its end, or by an error.
    fn ended(&mut self) {
        self.valid = false;
        self.status = self.iter.status();
    }

    fn fail(&mut self, error: Error) {
        self.valid = false;
        self.status = Err(error);
    }

    /// Counts a hidden entry. False when there were too many.
    #[inline]
    fn may_skip(&mut self) -> bool {
        self.hidden += 1;
        let most = self.options.max_skippable_internal_keys;
        if most != 0 && self.hidden > most {
            self.fail(Error::incomplete("Too many internal keys skipped."));
            return false;
        }
        true
    }

    /// An entry is found: key and value are in place.
    fn found(&mut self, direction: Direction) {
        self.valid = true;
        self.direction = direction;
        if self.prefix_from_first {
            self.prefix_from_first = false;
            if let Some(extractor) = &self.extractor {
                self.prefix = prefix_of(extractor.as_ref(), &self.key);
            }
        }
    }

    /// Places the merge in front of all versions of `key`.
    fn seek_in_front(&mut self) {
        set_target(&mut self.target, &self.key, pack(MAX_SEQUENCE, SEEK_KIND));
        self.iter.seek_for_prev(&self.target);
    }

    /// Goes forward to the first entry to show. With `skipping`, versions of `key` are hidden.
    fn find_forward(&mut self, mut skipping: bool) {
        self.direction = Direction::Forward;
        let mut steps = 0u64;
        loop {
            if !self.iter.valid() {
                return self.ended();
            }
            self.arrivals.take(&mut self.ranges);
            let Some(entry) = ParsedKey::parse(self.iter.key()) else {
                return self.fail(bad_key(self.iter.key()));
            };
            if skipping && self.order.compare_user(entry.user_key, &self.key).is_eq() {
                if !self.may_skip() {
                    return;
                }
                steps += 1;
                if steps > self.most_steps {
                    steps = 0;
                    set_target(&mut self.target, &self.key, 0);
                    self.iter.seek(&self.target);
                    // The target itself may be there: the loop steps over it.
                    if self.iter.valid() && self.iter.key() == self.target {
                        self.iter.next();
                    }
                } else {
                    self.iter.next();
                }
                continue;
            }
            if self.is_beyond_upper(entry.user_key) || self.leaves_prefix(entry.user_key) {
                self.valid = false;
                return;
            }
            if entry.sequence > self.snapshot {
                // Too new to be seen; older versions of the key may be.
                let is_same = steps > 0 && !skipping && entry.user_key == self.key;
                if is_same {
                    steps += 1;
                } else {
                    skipping = false;
                    steps = 1;
                    set_key(&mut self.key, &mut self.pinned, self.options.pin_data, entry.user_key);
                }
                if !self.may_skip() {
                    return;
                }
                if steps > self.most_steps {
                    steps = 0;
                    set_target(&mut self.target, &self.key, pack(self.snapshot, SEEK_KIND));
                    self.iter.seek(&self.target);
                } else {
                    self.iter.next();
                }
                continue;
            }
            // The newest visible version of its key: it decides.
            let kind = entry.kind;
            let cover = match self.ranges.is_empty() {
                true => None,
                false => self.ranges.find(entry.user_key, entry.sequence, self.snapshot),
            };
            set_key(&mut self.key, &mut self.pinned, self.options.pin_data, entry.user_key);
            if let Some(cover) = cover {
                skipping = true;
                steps = 0;
                if !self.may_skip() {
                    return;
                }
                if self.iter.current_child().is_some_and(|child| cover.group < child) {
                    let end = self.ranges.reach(&cover, self.snapshot);
                    set_target(&mut self.target, end, pack(MAX_SEQUENCE, SEEK_KIND));
                    self.iter.seek_current(&self.target);
                } else {
                    self.iter.next();
                }
                continue;
            }
            match kind {
                Kind::Deletion | Kind::SingleDeletion | Kind::DeletionWithTimestamp => {
                    skipping = true;
                    steps = 0;
                    if !self.may_skip() {
                        return;
                    }
                    self.iter.next();
                }
                Kind::Merge => return self.merge_forward(),
                Kind::Value => {
                    self.value_at = ValueAt::Whole;
                    return self.found(Direction::Forward);
                }
                kind => match plain_value(kind, self.iter.value()) {
                    Ok(range) => {
                        self.value_at = ValueAt::Part(range);
                        return self.found(Direction::Forward);
                    }
                    Err(e) => return self.fail(e),
                },
            }
        }
    }

    /// The merge stands on the newest operand of `key`: folds it with what is below.
    fn merge_forward(&mut self) {
        self.operands.clear();
        self.operands.push(self.iter.value().to_vec());
        let mut base = None;
        loop {
            self.iter.next();
            if !self.iter.valid() {
                if let Err(e) = self.iter.status() {
                    return self.fail(e);
                }
                break;
            }
            self.arrivals.take(&mut self.ranges);
            let Some(entry) = ParsedKey::parse(self.iter.key()) else {
                return self.fail(bad_key(self.iter.key()));
            };
            if self.order.compare_user(entry.user_key, &self.key).is_ne()
                || self.ranges.covers(&entry, self.snapshot)
            {
                break;
            }
            match entry.kind {
                Kind::Merge => self.operands.push(self.iter.value().to_vec()),
                Kind::Deletion | Kind::SingleDeletion | Kind::DeletionWithTimestamp => break,
                kind => match plain_value(kind, self.iter.value()) {
                    Ok(range) => {
                        base = Some(range);
                        break;
                    }
                    Err(e) => return self.fail(e),
                },
            }
        }
        let base = base.map(|range| &self.iter.value()[range]);
        let operands: Vec<&[u8]> = self.operands.iter().rev().map(Vec::as_slice).collect();
        let merge = self.merge.as_deref();
        match full_merge(merge, self.statistics.as_deref(), &self.key, base, &operands) {
            Ok(value) => {
                self.value = value;
                self.value_at = ValueAt::Saved;
                self.found(Direction::Forward);
            }
            Err(e) => self.fail(e),
        }
    }

    /// Goes back to the first entry to show; the merge stands on the last version of some key.
    fn find_backward(&mut self) {
        self.direction = Direction::Backward;
        loop {
            if !self.iter.valid() {
                return self.ended();
            }
            self.arrivals.take(&mut self.ranges);
            let user_key = key::user_key(self.iter.key());
            if self.is_before_lower(user_key) || self.leaves_prefix(user_key) {
                self.valid = false;
                return;
            }
            set_key(&mut self.key, &mut self.pinned, self.options.pin_data, user_key);
            let Some(seen) = self.walk_back() else { return };
            if self.operands.is_empty() {
                if seen == Seen::Value {
                    self.value_at = ValueAt::Saved;
                    return self.found(Direction::Backward);
                }
                continue;
            }
            let base = (seen == Seen::Value).then_some(&self.value[..]);
            let operands: Vec<&[u8]> = self.operands.iter().map(Vec::as_slice).collect();
            let merge = self.merge.as_deref();
            match full_merge(merge, self.statistics.as_deref(), &self.key, base, &operands) {
                Ok(value) => {
                    self.value = value;
                    self.value_at = ValueAt::Saved;
                    return self.found(Direction::Backward);
                }
                Err(e) => return self.fail(e),
            }
        }
    }

    /// Walks back over all versions of `key`, oldest first, and leaves the merge in front of them. The
    /// newest visible state is in `value` and `operands` (oldest first). `None`: it failed.
    fn walk_back(&mut self) -> Option<Seen> {
        self.operands.clear();
        let mut seen = Seen::Nothing;
        let mut steps = 0u64;
        loop {
            if !self.iter.valid() {
                if let Err(e) = self.iter.status() {
                    self.fail(e);
                    return None;
                }
                return Some(seen);
            }
            self.arrivals.take(&mut self.ranges);
            let Some(entry) = ParsedKey::parse(self.iter.key()) else {
                self.fail(bad_key(self.iter.key()));
                return None;
            };
            if self.order.compare_user(entry.user_key, &self.key).is_ne() {
                return Some(seen);
            }
            let (kind, sequence) = (entry.kind, entry.sequence);
            // The first version costs nothing; each further one hides or is hidden.
            if steps > 0 && !self.may_skip() {
                return None;
            }
            steps += 1;
            if sequence > self.snapshot {
                // This and all that follow of the key are too new.
                if steps > self.most_steps {
                    self.seek_in_front();
                } else {
                    self.iter.prev();
                }
                continue;
            }
            if steps > self.most_steps.max(1) {
                // Many versions: look at the newest visible one from the other side.
                return self.walk_from_newest();
            }
            let cover = match self.ranges.is_empty() {
                true => None,
                false => self.ranges.find(&self.key, sequence, self.snapshot),
            };
            if let Some(cover) = cover {
                self.operands.clear();
                seen = Seen::Gone;
                if self.iter.current_child().is_some_and(|child| cover.group < child) {
                    let begin = self.ranges.reach_back(&cover, self.snapshot);
                    if self.order.compare_user(begin, &self.key).is_lt() {
                        set_target(&mut self.target, begin, 0);
                        self.iter.seek_current_for_prev(&self.target);
                        continue;
                    }
                }
                self.iter.prev();
                continue;
            }
            match kind {
                Kind::Merge => self.operands.push(self.iter.value().to_vec()),
                Kind::Deletion | Kind::SingleDeletion | Kind::DeletionWithTimestamp => {
                    self.operands.clear();
                    seen = Seen::Gone;
                }
                kind => match plain_value(kind, self.iter.value()) {
                    Ok(range) => {
                        self.operands.clear();
                        self.value.clear();
                        self.value.extend_from_slice(&self.iter.value()[range]);
                        seen = Seen::Value;
                    }
                    Err(e) => {
                        self.fail(e);
                        return None;
                    }
                },
            }
            self.iter.prev();
        }
    }

    /// Like `walk_back`, from the newest visible version on.
    fn walk_from_newest(&mut self) -> Option<Seen> {
        self.operands.clear();
        let mut seen = Seen::Gone;
        set_target(&mut self.target, &self.key, pack(self.snapshot, SEEK_KIND));
        self.iter.seek(&self.target);
        while self.iter.valid() {
            self.arrivals.take(&mut self.ranges);
            let Some(entry) = ParsedKey::parse(self.iter.key()) else {
                self.fail(bad_key(self.iter.key()));
                return None;
            };
            if self.order.compare_user(entry.user_key, &self.key).is_ne()
                || self.ranges.covers(&entry, self.snapshot)
            {
                break;
            }
            match entry.kind {
                Kind::Merge => self.operands.push(self.iter.value().to_vec()),
                Kind::Deletion | Kind::SingleDeletion | Kind::DeletionWithTimestamp => break,
                kind => match plain_value(kind, self.iter.value()) {
                    Ok(range) => {
                        self.value.clear();
                        self.value.extend_from_slice(&self.iter.value()[range]);
                        seen = Seen::Value;
                        break;
                    }
                    Err(e) => {
                        self.fail(e);
                        return None;
                    }
                },
            }
            if !self.may_skip() {
                return None;
            }
            self.iter.next();
        }
        if let Err(e) = self.iter.status() {
            self.fail(e);
            return None;
        }
        self.operands.reverse();
        self.seek_in_front();
        if let Err(e) = self.iter.status() {
            self.fail(e);
            return None;
        }
        Some(seen)
    }
}

fn set_target(target: &mut Vec<u8>, user_key: &[u8], tag: u64) {
    target.clear();
    append_internal(target, user_key, tag);
}

/// Makes `new` the current key. With `pin`, the old one stays where it is in memory.
#[inline]
fn set_key(key: &mut Vec<u8>, pinned: &mut Vec<Vec<u8>>, pin: bool, new: &[u8]) {
    if pin && !key.is_empty() {
        pinned.push(std::mem::take(key));
    }
    key.clear();
    key.extend_from_slice(new);
}

fn bad_key(bytes: &[u8]) -> Error {
    Error::corruption(format!("an internal key of {} bytes that is none", bytes.len()))
}
