//! Which entries survive a flush or a compaction.
//!
//! Input: all versions of all keys, sorted by internal key (newest first within a key), and the
//! range deletions over them. Output: fewer entries, of which every live snapshot and the present
//! see exactly what they saw before (a compaction filter's work apart).
//!
//! Snapshots cut the versions of a key into *stripes*; nobody can tell apart what lies within one:
//!
//! ```text
//!   sequence   1 .. s0 | s0+1 .. s1 | s1+1 .. now          snapshots s0 < s1
//!   stripe         0          1            2
//! ```
//!
//! For each entry, in order:
//!
//!  1. An entry that does not parse, or is out of order, is Corruption. A repeated one is dropped.
//!  2. An entry is *hidden* and dropped when its stripe is settled: a newer value or deletion of
//!     the key lies in the same stripe.
//!  3. It is dropped when a range deletion of its own stripe covers it.
//!  4. The newest version of a key, if it is a plain value, goes through the compaction filter, which
//!     may keep it, change it, or turn it into a deletion of the same sequence number (step 6).
//!  5. A value (plain, columns, blob reference) is kept and settles its stripe.
//!  6. A deletion settles its stripe. It is dropped when nothing older is left for it to hide: there
//!     is no deeper data for the key, and no older version survives in a lower stripe.
//!  7. A single deletion and the value right below it in the same stripe both go. A single deletion
//!     alone goes like a deletion does; one that meets another single deletion leaves the work to
//!     that one. A misuse must not bring back old values: a single deletion that meets a deletion or an
//!     operand becomes a deletion, and so does one with another value or operand right below its pair.
//!  8. Merge operands of one stripe are gathered. Over a plain value, a deletion or a range deletion
//!     of that stripe, or when there is nothing older, they fold into a value. Otherwise they are
//!     joined by the operator's partial merge if it can, or kept apart. An operator that
//!     fails leaves the operands as they are: readers of the key get its error, others nothing.
//!  9. At the bottom (no deeper data for any key), values of stripe 0 get sequence number 0: all
//!     readers see them, nothing older exists, and equal tags compress well.
//!
//! Range deletions: of each piece, the newest of each stripe is kept; one of stripe 0 is dropped when
//! there is no deeper data under it. Step 9 and this rule must use the same notion of bottom, else
//! a range deletion could swallow a newer value whose number became 0.
//!
//! With user timestamps each (key, timestamp) is a key of its own, and its deletions are always kept.
#![forbid(unsafe_code)]

use crate::base::key::{self, Kind, MAX_SEQUENCE, ParsedKey, Sequence};
use crate::base::{Error, InternalComparator, Result};
use crate::hooks::{CompactionFilter, Decision, MergeOperator};
use crate::iter::{BoxIter, Fragments, Tombstone};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Is a point covered by a range deletion that is newer than it and not newer than the snapshot?
/// Asked with keys in ascending order.
pub type Covers = Box<dyn FnMut(&ParsedKey<'_>, Sequence) -> bool + Send>;

/// May there be older data for a user key outside the input? Asked with keys in ascending order.
pub type Deeper = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// Shall the work go on? An error says why not.
pub type GoOn = Arc<dyn Fn() -> Result<()> + Send + Sync>;

/// Entries between two such questions.
const ENTRIES_PER_CHECK: u64 = 1024;

/// A compaction filter, shared by all compactions or made for this one.
pub enum Filter {
    /// From the options.
    Shared(Arc<dyn CompactionFilter>),
    /// From a factory.
    Own(Box<dyn CompactionFilter>),
}

impl Filter {
    /// The filter itself.
    #[must_use]
    pub fn get(&self) -> &dyn CompactionFilter {
        match self {
            Self::Shared(f) => &**f,
            Self::Own(f) => &**f,
        }
    }
}

/// What a stream needs to know.
pub struct StreamOptions {
    /// The order of the input.
    pub order: InternalComparator,
    /// Live snapshots, ascending, without repetition.
    pub snapshots: Vec<Sequence>,
    /// Folds operands; without one they are kept.
    pub merge_operator: Option<Arc<dyn MergeOperator>>,
    /// Drops or changes values.
    pub filter: Option<Filter>,
    /// The level that the filter is told.
    pub filter_level: i32,
    /// No deeper data for any key of the input.
    pub bottommost: bool,
    /// Key by key; `None` says "always" unless `bottommost`.
    pub deeper: Option<Deeper>,
    /// Range deletions of the input; `None` if there are none.
    pub covers: Option<Covers>,
    /// Asked now and then; an error ends the stream.
    pub go_on: Option<GoOn>,
}

impl StreamOptions {
    /// Nothing special: no snapshots, no hooks, deeper data everywhere (what a flush wants).
    #[must_use]
    pub fn new(order: InternalComparator) -> Self {
        Self {
            order,
            snapshots: Vec::new(),
            merge_operator: None,
            filter: None,
            filter_level: 0,
            bottommost: false,
            deeper: None,
            covers: None,
            go_on: None,
        }
    }
}

/// What happened to the entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Entries read.
    pub input: u64,
    /// Entries given out.
    pub output: u64,
    /// Dropped: a newer version in the same stripe (step 2, 7).
    pub hidden: u64,
    /// Dropped: deletions with nothing to delete (step 6, 7).
    pub obsolete: u64,
    /// Dropped: covered by a range deletion (step 3).
    pub range_deleted: u64,
    /// Dropped or turned into deletions by the filter (step 4).
    pub filtered: u64,
    /// Operands that went into a value or into another operand (step 8).
    pub folded: u64,
    /// Folds that the operator refused.
    pub merge_failures: u64,
}

impl Counts {
    /// Adds `other` to this.
    pub fn add(&mut self, other: &Self) {
        self.input += other.input;
        self.output += other.output;
        self.hidden += other.hidden;
        self.obsolete += other.obsolete;
        self.range_deleted += other.range_deleted;
        self.filtered += other.filtered;
        self.folded += other.folded;
        self.merge_failures += other.merge_failures;
    }
}

/// The stripe of `sequence`: how many snapshots are older than it.
#[inline]
#[must_use]
pub fn stripe_of(snapshots: &[Sequence], sequence: Sequence) -> usize {
    match snapshots {
        [] => 0,
        [.., newest] if sequence > *newest => snapshots.len(),
        [oldest, ..] if sequence <= *oldest => 0,
        _ => snapshots.partition_point(|s| *s < sequence),
    }
}

/// No stripe.
const NOWHERE: usize = usize::MAX;

/// What lies under a run of operands.
enum Base {
    /// Something outside the stripe, the input, or our understanding.
    Unknown,
    /// Nothing.
    Absent,
    /// The plain value that the input stands on.
    Value,
}

/// Where the value given out is.
enum Given {
    /// The input still stands on it.
    Input,
    /// In `buffer`.
    Buffer(Range<usize>),
}

/// The survivors, one by one.
pub struct CompactionStream {
    input: BoxIter,
    options: StreamOptions,
    counts: Counts,
    /// The current user key, then the tag of the entry given out.
    key: Vec<u8>,
    user_len: usize,
    has_user_key: bool,
    /// The tag of the last entry consumed, for the check of order.
    last_tag: u64,
    /// The stripe in which a newer entry of this key hides the rest.
    settled: usize,
    /// No entry of this key was looked at yet.
    fresh: bool,
    given: Given,
    /// The input stands on the entry given out and must move first.
    on_given: bool,
    /// Entries waiting to be given out, newest first, with their bytes in `buffer`.
    queue: Vec<(u64, Range<usize>)>,
    queue_at: usize,
    buffer: Vec<u8>,
    /// The count of input entries at which to ask `go_on` again.
    next_check: u64,
}

impl CompactionStream {
    /// Over `input`, which is moved to its first entry.
    #[must_use]
    pub fn new(mut input: BoxIter, options: StreamOptions) -> Self {
        debug_assert!(options.snapshots.is_sorted());
        input.seek_to_first();
        Self::from_here(input, options)
    }

    /// Over `input` from where it stands.
    #[must_use]
    pub fn from_here(input: BoxIter, options: StreamOptions) -> Self {
        Self {
            input,
            options,
            counts: Counts::default(),
            key: Vec::new(),
            user_len: 0,
            has_user_key: false,
            last_tag: 0,
            settled: NOWHERE,
            fresh: false,
            given: Given::Buffer(0..0),
            on_given: false,
            queue: Vec::new(),
            queue_at: 0,
            buffer: Vec::new(),
            next_check: 0,
        }
    }

    /// The internal key given out by the last `advance`.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Its user key.
    #[inline]
    #[must_use]
    pub fn user_key(&self) -> &[u8] {
        &self.key[..self.user_len]
    }

    /// Its value.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &[u8] {
        match &self.given {
            Given::Input => self.input.value(),
            Given::Buffer(range) => &self.buffer[range.clone()],
        }
    }

    /// What happened so far.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// To the next survivor; false at the end. After an error the stream is of no more use.
    pub fn advance(&mut self) -> Result<bool> {
        loop {
            if self.queue_at < self.queue.len() {
                let (tag, range) = self.queue[self.queue_at].clone();
                self.queue_at += 1;
                self.give(tag, Given::Buffer(range));
                return Ok(true);
            }
            if self.on_given {
                self.on_given = false;
                self.consume();
            }
            if !self.input.valid() {
                self.input.status()?;
                return Ok(false);
            }
            if self.counts.input >= self.next_check {
                self.next_check = self.counts.input + ENTRIES_PER_CHECK;
                self.options.go_on.as_ref().map_or(Ok(()), |go_on| go_on())?;
            }
            if self.look()? {
                return Ok(true);
            }
        }
    }

    /// Decides about the entry that the input stands on; true if one was given out.
    fn look(&mut self) -> Result<bool> {
        let Some(tag) = self.enter()? else {
            self.drop_hidden();
            return Ok(false);
        };
        let (sequence, kind) = (tag >> 8, kind_of(tag)?);
        let stripe = stripe_of(&self.options.snapshots, sequence);
        if stripe == self.settled {
            self.drop_hidden();
            return Ok(false);
        }
        let fresh = std::mem::replace(&mut self.fresh, false);
        if self.is_covered(sequence, kind, stripe) {
            self.counts.range_deleted += 1;
            self.consume();
            return Ok(false);
        }
        match kind {
            Kind::Deletion => Ok(self.deletion(sequence, stripe)?),
            Kind::DeletionWithTimestamp => {
                self.settled = stripe;
                self.give_input(tag);
                Ok(true)
            }
            Kind::SingleDeletion => self.single_deletion(sequence, stripe),
            Kind::Merge => self.merge(sequence, stripe),
            Kind::Value | Kind::BlobIndex | Kind::WideColumns | Kind::ValueWithSequence => {
                self.value_entry(tag, kind, stripe, fresh)
            }
            Kind::RangeDeletion => Err(Error::corruption("range deletion among point entries")),
        }
    }

    /// Steps 4, 5 and 9.
    fn value_entry(&mut self, tag: u64, kind: Kind, stripe: usize, fresh: bool) -> Result<bool> {
        let mut given = Given::Input;
        if let (true, Kind::Value, Some(filter)) = (fresh, kind, &self.options.filter) {
            let user_key = &self.key[..self.user_len];
            match filter.get().filter(self.options.filter_level, user_key, self.input.value()) {
                Decision::Keep => {}
                Decision::Remove => {
                    self.counts.filtered += 1;
                    return self.deletion(tag >> 8, stripe);
                }
                Decision::Change(value) => {
                    self.buffer = value;
                    given = Given::Buffer(0..self.buffer.len());
                }
            }
        }
        self.settled = stripe;
        let tag = self.zeroed(tag, kind, stripe);
        self.give(tag, given);
        self.on_given = true;
        Ok(true)
    }

    /// Step 6, for whatever entry the input stands on.
    fn deletion(&mut self, sequence: Sequence, stripe: usize) -> Result<bool> {
        self.consume();
        self.deletion_behind(sequence, stripe)
    }

    /// Step 6, the input being past the entry.
    fn deletion_behind(&mut self, sequence: Sequence, stripe: usize) -> Result<bool> {
        self.settled = stripe;
        if !self.has_deeper() && (stripe == 0 || !self.has_older_survivor()?) {
            self.counts.obsolete += 1;
            return Ok(false);
        }
        self.give(key::pack(sequence, Kind::Deletion as u8), Given::Buffer(0..0));
        Ok(true)
    }

    /// Skips what is hidden or covered; is there another entry of this key?
    fn has_older_survivor(&mut self) -> Result<bool> {
        while let Some((tag, kind)) = self.peek()? {
            let stripe = stripe_of(&self.options.snapshots, tag >> 8);
            if stripe == self.settled {
                self.drop_hidden();
            } else if self.is_covered(tag >> 8, kind, stripe) {
                self.counts.range_deleted += 1;
                self.consume();
            } else {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Step 7.
    fn single_deletion(&mut self, sequence: Sequence, stripe: usize) -> Result<bool> {
        self.consume();
        match self.peek()? {
            Some((tag, kind)) if stripe_of(&self.options.snapshots, tag >> 8) == stripe => {
                match kind {
                    Kind::SingleDeletion => {
                        self.counts.hidden += 1;
                        Ok(false)
                    }
                    Kind::Deletion
                    | Kind::DeletionWithTimestamp
                    | Kind::Merge
                    | Kind::RangeDeletion => self.deletion_behind(sequence, stripe),
                    _ => self.pair(sequence, stripe),
                }
            }
            None if !self.has_deeper() => {
                self.counts.obsolete += 1;
                Ok(false)
            }
            _ => {
                self.settled = stripe;
                self.give(key::pack(sequence, Kind::SingleDeletion as u8), Given::Buffer(0..0));
                Ok(true)
            }
        }
    }

    /// The input stands on the value that a single deletion took: both go, unless more values follow.
    fn pair(&mut self, sequence: Sequence, stripe: usize) -> Result<bool> {
        self.drop_hidden();
        let is_deleted = |kind| {
            matches!(kind, Kind::Deletion | Kind::SingleDeletion | Kind::DeletionWithTimestamp)
        };
        if self.has_older_survivor()? && !self.peek()?.is_some_and(|(_, kind)| is_deleted(kind)) {
            return self.deletion_behind(sequence, stripe);
        }
        self.counts.obsolete += 1;
        Ok(false)
    }

    /// Step 8. Leaves what is to be given out in the queue.
    fn merge(&mut self, sequence: Sequence, stripe: usize) -> Result<bool> {
        self.queue.clear();
        self.queue_at = 0;
        self.buffer.clear();
        self.take_operand();
        let base = self.gather(stripe)?;
        let Some(operator) = self.options.merge_operator.clone() else { return Ok(false) };
        let oldest_first = self.queue.iter().rev();
        let operands: Vec<&[u8]> = oldest_first.map(|(_, r)| &self.buffer[r.clone()]).collect();
        let user_key = &self.key[..self.user_len];
        let (folded, kind) = match base {
            Base::Unknown if operands.len() < 2 => (None, Kind::Merge),
            Base::Unknown => (operator.partial_merge(user_key, &operands), Kind::Merge),
            Base::Absent => (operator.full_merge(user_key, None, &operands), Kind::Value),
            Base::Value => {
                let value = Some(self.input.value());
                (operator.full_merge(user_key, value, &operands), Kind::Value)
            }
        };
        match folded {
            Some(value) => {
                self.counts.folded += self.queue.len() as u64;
                let mut tag = key::pack(sequence, kind as u8);
                if kind == Kind::Value {
                    self.settled = stripe;
                    tag = self.zeroed(tag, kind, stripe);
                }
                self.buffer = value;
                self.queue.clear();
                self.queue.push((tag, 0..self.buffer.len()));
            }
            None if kind == Kind::Value => self.counts.merge_failures += 1,
            None => {}
        }
        Ok(false)
    }

    /// Takes further operands of the stripe; what ended the run?
    fn gather(&mut self, stripe: usize) -> Result<Base> {
        loop {
            let Some((tag, kind)) = self.peek()? else {
                return Ok(if self.has_deeper() { Base::Unknown } else { Base::Absent });
            };
            if stripe_of(&self.options.snapshots, tag >> 8) != stripe {
                return Ok(Base::Unknown);
            }
            if self.is_covered(tag >> 8, kind, stripe) {
                return Ok(Base::Absent);
            }
            match kind {
                Kind::Merge => self.take_operand(),
                Kind::Value => return Ok(Base::Value),
                Kind::Deletion | Kind::SingleDeletion => return Ok(Base::Absent),
                _ => return Ok(Base::Unknown),
            }
        }
    }

    /// Moves the operand that the input stands on into the queue.
    fn take_operand(&mut self) {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(self.input.value());
        self.queue.push((key::tag(self.input.key()), start..self.buffer.len()));
        self.consume();
    }

    /// Step 1: takes note of the entry that the input stands on; its tag, or `None` if it is a
    /// repetition of the entry before.
    fn enter(&mut self) -> Result<Option<u64>> {
        let internal = self.input.key();
        let Some((user_key, tag)) = internal.split_last_chunk::<8>() else {
            return Err(corrupted_key());
        };
        let tag = u64::from_le_bytes(*tag);
        let order = if self.has_user_key {
            self.options.order.compare_user(user_key, &self.key[..self.user_len])
        } else {
            Ordering::Greater
        };
        match order {
            Ordering::Equal if tag == self.last_tag => return Ok(None),
            Ordering::Equal if tag < self.last_tag => {}
            Ordering::Greater => {
                self.key.clear();
                self.key.extend_from_slice(user_key);
                self.user_len = user_key.len();
                self.has_user_key = true;
                self.settled = NOWHERE;
                self.fresh = true;
            }
            _ => return Err(out_of_order()),
        }
        Ok(Some(tag))
    }

    /// The tag and kind of the input's entry, if it is of the current user key.
    fn peek(&mut self) -> Result<Option<(u64, Kind)>> {
        loop {
            if !self.input.valid() {
                self.input.status()?;
                return Ok(None);
            }
            let internal = self.input.key();
            let Some((user_key, tag)) = internal.split_last_chunk::<8>() else {
                return Err(corrupted_key());
            };
            let tag = u64::from_le_bytes(*tag);
            match self.options.order.compare_user(user_key, &self.key[..self.user_len]) {
                Ordering::Greater => return Ok(None),
                Ordering::Equal if tag < self.last_tag => return Ok(Some((tag, kind_of(tag)?))),
                Ordering::Equal if tag == self.last_tag => self.drop_hidden(),
                _ => return Err(out_of_order()),
            }
        }
    }

    fn consume(&mut self) {
        self.last_tag = key::tag(self.input.key());
        self.counts.input += 1;
        self.input.next();
    }

    fn drop_hidden(&mut self) {
        self.counts.hidden += 1;
        self.consume();
    }

    fn is_covered(&mut self, sequence: Sequence, kind: Kind, stripe: usize) -> bool {
        let Some(covers) = &mut self.options.covers else { return false };
        let top = self.options.snapshots.get(stripe).copied().unwrap_or(MAX_SEQUENCE);
        covers(&ParsedKey { user_key: &self.key[..self.user_len], sequence, kind }, top)
    }

    fn has_deeper(&mut self) -> bool {
        if self.options.bottommost {
            return false;
        }
        let user_key = &self.key[..self.user_len];
        self.options.deeper.as_mut().is_none_or(|deeper| deeper(user_key))
    }

    /// Step 9.
    fn zeroed(&self, tag: u64, kind: Kind, stripe: usize) -> u64 {
        let plain = matches!(kind, Kind::Value | Kind::BlobIndex | Kind::WideColumns);
        if self.options.bottommost && stripe == 0 && plain { tag & 0xFF } else { tag }
    }

    fn give_input(&mut self, tag: u64) {
        self.give(tag, Given::Input);
        self.on_given = true;
    }

    fn give(&mut self, tag: u64, given: Given) {
        self.key.truncate(self.user_len);
        self.key.extend_from_slice(&tag.to_le_bytes());
        self.given = given;
        self.counts.output += 1;
    }
}

impl std::fmt::Debug for CompactionStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CompactionStream({:?})", self.counts)
    }
}

/// The range deletions that survive, as sorted pieces: of each stripe the newest, those of stripe 0
/// only where `may_hide_deeper(begin, end)`. Pieces overlap only if they are the same range.
#[must_use]
pub fn surviving(
    tombstones: &Fragments,
    order: &InternalComparator,
    snapshots: &[Sequence],
    mut may_hide_deeper: impl FnMut(&[u8], &[u8]) -> bool,
) -> Vec<Tombstone> {
    let mut pieces: Vec<Tombstone> = Vec::new();
    // Where the pieces of the last range begin.
    let mut last = 0;
    tombstones.stripes(snapshots, |fragment| {
        let mut sequences = fragment.sequences;
        let is_droppable = sequences.last().is_some_and(|s| stripe_of(snapshots, *s) == 0);
        if is_droppable && !may_hide_deeper(fragment.begin, fragment.end) {
            sequences.pop();
        }
        if sequences.is_empty() {
            return;
        }
        let adjoins = pieces.get(last).is_some_and(|p| {
            order.compare_user(&p.end, fragment.begin) == Ordering::Equal
                && pieces[last..].iter().map(|p| p.sequence).eq(sequences.iter().copied())
        });
        if adjoins {
            for piece in &mut pieces[last..] {
                piece.end = fragment.end.to_vec();
            }
            return;
        }
        last = pieces.len();
        pieces.extend(sequences.into_iter().map(|sequence| Tombstone {
            begin: fragment.begin.to_vec(),
            end: fragment.end.to_vec(),
            sequence,
        }));
    });
    pieces
}

fn kind_of(tag: u64) -> Result<Kind> {
    Kind::from_u8((tag & 0xFF) as u8).ok_or_else(corrupted_key)
}

fn corrupted_key() -> Error {
    Error::corruption("corrupted internal key in compaction input")
}

fn out_of_order() -> Error {
    Error::corruption("compaction sees out-of-order keys")
}

#[cfg(test)]
pub(in crate::compaction) mod tests;
