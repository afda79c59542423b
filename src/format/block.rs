//! Blocks with restart points: build, seek, iterate forward and back.
//!
//!     block   := entry* values? restart* hash? word
//!     entry   := shared varint32 | unshared varint32 | value length varint32 | key tail | value
//!     restart := offset u32 of an entry with shared = 0; the first is 0
//!     hash    := bucket u8 * n | n u16              bucket: restart index, 254 collision, 255 empty
//!     word    := u32: bits 0..=27 restart count | 28 separated | 29 uniform keys | 31 hash
//!
//! `shared` counts the bytes that a key has in common with the key before it. In index blocks the
//! value may be a handle without a length in front ([`IndexFormat`]). In separated blocks (11.8) the
//! values stand behind all keys; an entry at a restart point says where its value starts, and a u32
//! in front of the word says where the values start.
//!
//! A [`Block`] owns its bytes and never changes, so that any number of [`BlockCursor`]s, each of one
//! thread, may stand on it. Nothing in the bytes is trusted: a cursor that meets nonsense becomes
//! invalid and its `status` says why.
#![forbid(unsafe_code)]

use super::handle::{BlockHandle, TRAILER_BYTES};
use super::index_block::IndexFormat;
use crate::base::bytes::Owner;
use crate::base::checksum::hash32;
use crate::base::coding::{Reader, put_u32, put_varint32, u32_at, unzigzag};
use crate::base::key::{prefix_number, user_key};
use crate::base::{Error, InternalComparator, Result};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

const COUNT_MASK: u32 = 0x0FFF_FFFF;
const SEPARATED: u32 = 1 << 28;
const RESERVED: u32 = 1 << 30;
const HASH: u32 = 1 << 31;
const HASH_SEED: u32 = 397;
const BUCKET_COLLISION: u8 = 254;
const BUCKET_EMPTY: u8 = 255;
const MAX_HASH_RESTARTS: usize = 253;
const MAX_HASH_BLOCK_BYTES: usize = 64 << 10;

/// What the keys of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// User key and tag.
    Internal,
    /// The bare user key.
    User,
}

impl KeyForm {
    #[inline]
    fn user_part(self, key: &[u8]) -> &[u8] {
        match self {
            Self::Internal => user_key(key),
            Self::User => key,
        }
    }
}

/// An order of the keys of a block.
pub trait KeyOrder {
    /// Which comes first.
    fn compare_keys(&self, a: &[u8], b: &[u8]) -> Ordering;
    /// What the keys are, when their user parts are in plain byte order.
    fn bytewise_form(&self) -> Option<KeyForm>;
}

impl KeyOrder for InternalComparator {
    #[inline]
    fn compare_keys(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.compare(a, b)
    }
    #[inline]
    fn bytewise_form(&self) -> Option<KeyForm> {
        self.is_bytewise().then_some(KeyForm::Internal)
    }
}

/// The order of bare user keys.
#[derive(Clone, Copy, Debug)]
pub struct UserOrder<'a>(pub &'a InternalComparator);

impl KeyOrder for UserOrder<'_> {
    #[inline]
    fn compare_keys(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.0.compare_user(a, b)
    }
    #[inline]
    fn bytewise_form(&self) -> Option<KeyForm> {
        self.0.is_bytewise().then_some(KeyForm::User)
    }
}

/// Plain byte order of whole keys: metaindex and properties.
#[derive(Clone, Copy, Debug)]
pub struct ByteOrder;

impl KeyOrder for ByteOrder {
    #[inline]
    fn compare_keys(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }
    #[inline]
    fn bytewise_form(&self) -> Option<KeyForm> {
        Some(KeyForm::User)
    }
}

/// Builds one block after the other.
#[derive(Debug)]
pub struct BlockBuilder {
    bytes: Vec<u8>,
    restarts: Vec<u32>,
    since_restart: usize,
    interval: usize,
    use_delta: bool,
    last_key: Vec<u8>,
    entries: usize,
    hash: Option<HashBuilder>,
}

#[derive(Debug)]
struct HashBuilder {
    fill: f64,
    keys: Vec<(u32, usize)>,
}

impl BlockBuilder {
    /// With a restart point every `interval` entries; without `use_delta` keys share nothing.
    #[must_use]
    pub fn new(interval: usize, use_delta: bool) -> Self {
        Self {
            bytes: Vec::new(),
            restarts: vec![0],
            since_restart: 0,
            interval: interval.max(1),
            use_delta,
            last_key: Vec::new(),
            entries: 0,
            hash: None,
        }
    }

    /// Adds a hash table of user keys to each block that can have one. Keys must be internal keys.
    /// `fill` is the share of buckets in use.
    #[must_use]
    pub fn with_hash(mut self, fill: f64) -> Self {
        let fill = if fill > 0.0 && fill <= 1.0 { fill } else { 0.75 };
        self.hash = Some(HashBuilder { fill, keys: Vec::new() });
        self
    }

    /// Adds an entry behind all others. Key and value are below 4 GiB, and so is the block.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        let shared = self.start_entry(key);
        self.put_header(key.len() - shared, shared);
        put_varint32(&mut self.bytes, u32::try_from(value.len()).expect("values are below 4 GiB"));
        self.finish_entry(key, shared, value);
    }

    /// Adds an index entry whose value has no length in front. `share` says that the value depends
    /// on the one before; where no bytes are shared in the end, `full` is written instead.
    pub(super) fn add_bare(&mut self, key: &[u8], full: &[u8], delta: Option<&[u8]>) {
        let mut shared = self.start_entry(key);
        if delta.is_none() {
            shared = 0;
        }
        self.put_header(key.len() - shared, shared);
        self.finish_entry(key, shared, if shared > 0 { delta.unwrap_or(full) } else { full });
    }

    fn put_header(&mut self, unshared: usize, shared: usize) {
        put_varint32(&mut self.bytes, u32::try_from(shared).expect("keys are below 4 GiB"));
        put_varint32(&mut self.bytes, u32::try_from(unshared).expect("keys are below 4 GiB"));
    }

    fn start_entry(&mut self, key: &[u8]) -> usize {
        if self.since_restart >= self.interval {
            self.restarts.push(u32::try_from(self.bytes.len()).expect("blocks are below 4 GiB"));
            self.since_restart = 0;
            return 0;
        }
        if self.since_restart == 0 || !self.use_delta {
            return 0;
        }
        common_prefix(&self.last_key, key)
    }

    fn finish_entry(&mut self, key: &[u8], shared: usize, value: &[u8]) {
        self.bytes.extend_from_slice(&key[shared..]);
        self.bytes.extend_from_slice(value);
        if self.use_delta {
            self.last_key.truncate(shared);
            self.last_key.extend_from_slice(&key[shared..]);
        }
        self.since_restart += 1;
        self.entries += 1;
        if let Some(hash) = &mut self.hash {
            hash.keys.push((hash32(user_key(key), HASH_SEED), self.restarts.len() - 1));
        }
    }

    /// Completes the block. [`BlockBuilder::reset`] must come before the next `add`.
    pub fn finish(&mut self) -> &[u8] {
        for &restart in &self.restarts {
            put_u32(&mut self.bytes, restart);
        }
        let mut word = u32::try_from(self.restarts.len()).expect("blocks are below 4 GiB");
        assert!(word <= COUNT_MASK, "restart points of one block are below 2^28");
        if let Some(table) = self.hash_table() {
            word |= HASH;
            self.bytes.extend_from_slice(&table);
        }
        put_u32(&mut self.bytes, word);
        &self.bytes
    }

    fn buckets(&self) -> Option<u16> {
        let hash = self.hash.as_ref()?;
        if self.restarts.len() > MAX_HASH_RESTARTS || hash.keys.is_empty() {
            return None;
        }
        // As many as the fill asks for, and an odd number.
        let n = (hash.keys.len() as f64 / hash.fill) as usize | 1;
        u16::try_from(n).ok()
    }

    fn hash_table(&self) -> Option<Vec<u8>> {
        let n = self.buckets()?;
        if self.bytes.len() + usize::from(n) + 6 > MAX_HASH_BLOCK_BYTES {
            return None;
        }
        let mut table = vec![BUCKET_EMPTY; usize::from(n)];
        for &(hash, restart) in &self.hash.as_ref()?.keys {
            let bucket = &mut table[(hash % u32::from(n)) as usize];
            let restart = restart as u8; // at most 252, see `buckets`
            *bucket = match *bucket {
                BUCKET_EMPTY => restart,
                same if same == restart => restart,
                _ => BUCKET_COLLISION,
            };
        }
        table.extend_from_slice(&n.to_le_bytes());
        Some(table)
    }

    /// Bytes that the block would have if it were finished now.
    #[must_use]
    pub fn size_estimate(&self) -> usize {
        let hash = self.buckets().map_or(0, |n| usize::from(n) + 2);
        self.bytes.len() + 4 * self.restarts.len() + 4 + hash
    }

    /// Is there no entry yet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Entries so far.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Starts the next block, keeping the memory.
    pub fn reset(&mut self) {
        self.bytes.clear();
        self.restarts.clear();
        self.restarts.push(0);
        self.since_restart = 0;
        self.last_key.clear();
        self.entries = 0;
        if let Some(hash) = &mut self.hash {
            hash.keys.clear();
        }
    }
}

#[inline]
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let mut n = 0;
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        let (Some(x), Some(y)) = (x.first_chunk::<8>(), y.first_chunk::<8>()) else { break };
        let diff = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if diff != 0 {
            return n + (diff.trailing_zeros() / 8) as usize;
        }
        n += 8;
    }
    let rest = |s: &[u8]| s.len().saturating_sub(n);
    let limit = rest(a).min(rest(b));
    n + a.iter().skip(n).zip(b.iter().skip(n)).take(limit).take_while(|(x, y)| x == y).count()
}

/// A block's bytes and what its tail says. Immutable.
#[derive(Debug)]
pub struct Block {
    bytes: Vec<u8>,
    /// Where the entries end: at the restart array, or at the values of a separated block.
    entries_end: u32,
    restarts_at: u32,
    restart_count: u32,
    values_at: Option<u32>,
    hash: Option<(u32, u16)>,
    prefixes: Option<Prefixes>,
}

/// Eight bytes of each restart point's user key, behind the bytes that all have in common: most
/// steps of a search then touch these few lines and not the block.
#[derive(Debug)]
struct Prefixes {
    form: KeyForm,
    common: Box<[u8]>,
    numbers: Box<[u64]>,
}

impl Block {
    /// Takes the tail of `bytes` apart.
    pub fn parse(bytes: Vec<u8>) -> Result<Self> {
        let bad = |why: &str| Error::corruption(format!("bad block contents: {why}"));
        let size = u32::try_from(bytes.len()).map_err(|_| bad("larger than 4 GiB"))?;
        let mut end = size.checked_sub(4).ok_or_else(|| bad("shorter than its tail"))?;
        let word = u32_at(&bytes, end as usize).ok_or_else(|| bad("shorter than its tail"))?;
        if word & RESERVED != 0 {
            return Err(bad("reserved bits are set"));
        }
        let restart_count = word & COUNT_MASK;
        let separated = word & SEPARATED != 0;
        let mut hash = None;
        if word & HASH != 0 {
            if separated {
                return Err(Error::not_supported("separated blocks with a hash table"));
            }
            let at = end.checked_sub(2).ok_or_else(|| bad("hash table does not fit"))?;
            let count = bytes.get(at as usize..).and_then(|b| b.first_chunk::<2>());
            let count = u16::from_le_bytes(*count.ok_or_else(|| bad("hash table does not fit"))?);
            end = at.checked_sub(u32::from(count)).ok_or_else(|| bad("hash table does not fit"))?;
            hash = (count > 0).then_some((end, count));
        }
        let mut values_at = None;
        if separated {
            end = end.checked_sub(4).ok_or_else(|| bad("values offset does not fit"))?;
            values_at = u32_at(&bytes, end as usize);
        }
        let restarts_at = restart_count
            .checked_mul(4)
            .and_then(|n| end.checked_sub(n))
            .ok_or_else(|| bad("restart points do not fit"))?;
        let entries_end = values_at.unwrap_or(restarts_at);
        if entries_end > restarts_at {
            return Err(bad("values start behind the restart points"));
        }
        if restart_count == 0 && entries_end > 0 {
            return Err(bad("entries without a restart point"));
        }
        Ok(Self { bytes, entries_end, restarts_at, restart_count, values_at, hash, prefixes: None })
    }

    /// Prepares fast searches for keys of `form` whose user parts are in plain byte order. Worth it
    /// for blocks that stay in memory; small blocks are left alone.
    pub fn prepare(&mut self, form: KeyForm) {
        self.prepare_with(form, self.numbers_before_key(Values::Lengths));
    }

    pub(super) fn prepare_index(&mut self, format: IndexFormat) {
        let form = if format.user_keys { KeyForm::User } else { KeyForm::Internal };
        self.prepare_with(form, self.numbers_before_key(Values::Index(format)));
    }

    fn prepare_with(&mut self, form: KeyForm, numbers: u32) {
        let count = self.restart_count;
        if count < 4 {
            return;
        }
        let key = |i| self.restart_key(i, numbers).map(|k| form.user_part(k));
        let (Some(first), Some(last)) = (key(0), key(count - 1)) else { return };
        let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let all: Option<Box<[u64]>> = (0..count)
            .map(|i| key(i).map(|k| prefix_number(k.get(common..).unwrap_or(&[]))))
            .collect();
        let common = first.get(..common).unwrap_or(&[]).into();
        self.prefixes = all.map(|numbers| Prefixes { form, common, numbers });
    }

    /// How many varints stand in front of the key at a restart point.
    fn numbers_before_key(&self, values: Values) -> u32 {
        match values {
            Values::Index(f) if f.delta_handles => 2,
            _ if self.values_at.is_some() => 4,
            _ => 3,
        }
    }

    /// Its bytes, as they were parsed.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of memory that it holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        let prefixes = self.prefixes.as_ref().map_or(0, |p| p.common.len() + 8 * p.numbers.len());
        size_of::<Self>() + self.bytes.capacity() + prefixes
    }

    /// Restart points.
    #[must_use]
    pub fn restart_count(&self) -> u32 {
        self.restart_count
    }

    /// Has it no entries?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries_end == 0
    }

    /// A cursor over entries with value lengths.
    #[must_use]
    pub fn cursor(&self) -> BlockCursor<&Self> {
        BlockCursor::new(self)
    }

    #[inline]
    fn restart(&self, i: u32) -> Option<u32> {
        if i >= self.restart_count {
            return None;
        }
        let at = u32_at(&self.bytes, self.restarts_at as usize + 4 * i as usize)?;
        (at < self.entries_end).then_some(at)
    }

    /// The key at restart point `i`, with `numbers` varints in front of it.
    #[inline]
    fn restart_key(&self, i: u32, numbers: u32) -> Option<&[u8]> {
        let at = self.restart(i)?;
        let entry = self.bytes.get(at as usize..self.entries_end as usize)?;
        if let ([0, unshared @ 0..0x80, 0..0x80, rest @ ..], 3) = (entry, numbers) {
            return rest.get(..usize::from(*unshared));
        }
        let mut r = Reader::new(entry);
        if r.varint32().ok()? != 0 {
            return None;
        }
        let unshared = r.varint32().ok()?;
        for _ in 2..numbers {
            r.varint32().ok()?;
        }
        r.bytes(unshared as usize).ok()
    }
}

impl Owner for Block {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Whatever a cursor may stand on: a borrowed block, a shared one, a cache entry.
pub trait HoldsBlock {
    /// The block; the same one each time.
    fn block(&self) -> &Block;
}

impl HoldsBlock for &Block {
    #[inline]
    fn block(&self) -> &Block {
        self
    }
}

impl HoldsBlock for Arc<Block> {
    #[inline]
    fn block(&self) -> &Block {
        self
    }
}

/// How the values of a block are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// A length stands in front.
    Lengths,
    /// They are the handles of an index.
    Index(IndexFormat),
}

/// A position in a block. Invalid until the first move.
#[derive(Debug)]
pub struct BlockCursor<B> {
    holder: B,
    core: Core,
}

impl<B: HoldsBlock> BlockCursor<B> {
    /// Over the block in `holder`, whose entries have value lengths.
    #[must_use]
    pub fn new(holder: B) -> Self {
        Self { holder, core: Core::new(Values::Lengths) }
    }

    pub(super) fn over_index(holder: B, format: IndexFormat) -> Self {
        Self { holder, core: Core::new(Values::Index(format)) }
    }

    /// What it stands on.
    #[must_use]
    pub fn holder(&self) -> &B {
        &self.holder
    }

    /// Stands on another block from now on, before its first entry, keeping the memory.
    pub fn reset(&mut self, holder: B) -> B {
        self.core.clear();
        std::mem::replace(&mut self.holder, holder)
    }

    /// Does it stand on an entry?
    #[inline]
    #[must_use]
    pub fn valid(&self) -> bool {
        self.core.valid
    }

    /// Does it stand on the first entry?
    #[inline]
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.core.valid && self.core.now.entry == 0
    }

    /// Ok, or what is wrong with the block.
    pub fn status(&self) -> Result<()> {
        self.core.error.map_or(Ok(()), |why| {
            Err(Error::corruption(format!(
                "bad entry in block: {why} at byte {}",
                self.core.bad_at
            )))
        })
    }

    /// The key; empty when invalid.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.core.key(self.holder.block())
    }

    /// The value; empty when invalid.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.holder.block().bytes.get(self.value_range()).unwrap_or(&[])
    }

    /// Where in the block's bytes the value is.
    #[inline]
    #[must_use]
    pub fn value_range(&self) -> Range<usize> {
        self.core.now.value.0 as usize..self.core.now.value.1 as usize
    }

    pub(super) fn handle(&self) -> BlockHandle {
        self.core.now.handle
    }

    /// To the first entry.
    pub fn seek_to_first(&mut self) {
        self.core.seek_to_first(self.holder.block());
    }

    /// To the last entry.
    pub fn seek_to_last(&mut self) {
        self.core.seek_to_last(self.holder.block());
    }

    /// To the first entry with a key >= `target`.
    #[inline]
    pub fn seek<O: KeyOrder>(&mut self, order: &O, target: &[u8]) {
        self.core.seek(self.holder.block(), order, target);
    }

    /// As [`BlockCursor::seek`], by the block's hash table where it has one that knows the user key
    /// of `target`. For internal keys in an order whose equal user keys have equal bytes.
    pub fn seek_hashed(&mut self, order: &InternalComparator, target: &[u8]) {
        self.core.seek_hashed(self.holder.block(), order, target);
    }

    /// To the last entry with a key <= `target`.
    pub fn seek_for_prev<O: KeyOrder>(&mut self, order: &O, target: &[u8]) {
        self.seek(order, target);
        if !self.core.valid && self.core.error.is_none() {
            self.seek_to_last();
        }
        while self.valid() && order.compare_keys(self.key(), target) == Ordering::Greater {
            self.prev();
        }
    }

    /// One forward.
    #[inline]
    pub fn next(&mut self) {
        self.core.next(self.holder.block());
    }

    /// One back.
    pub fn prev(&mut self) {
        self.core.prev(self.holder.block());
    }
}

/// Where the current key's bytes are.
#[derive(Clone, Copy, Debug)]
enum KeyAt {
    /// In the block.
    Block(u32, u32),
    /// In `Core::key_bytes`, all of it.
    Buffer,
    /// In `Core::back_bytes`.
    Back(u32, u32),
}

/// All that is known of one entry.
#[derive(Clone, Copy, Debug)]
struct At {
    entry: u32,
    next: u32,
    value: (u32, u32),
    key: KeyAt,
    handle: BlockHandle,
}

const NOWHERE: At = At {
    entry: 0,
    next: 0,
    value: (0, 0),
    key: KeyAt::Block(0, 0),
    handle: BlockHandle { offset: 0, size: 0 },
};

/// The cursor without its block, which every call brings.
#[derive(Debug)]
struct Core {
    values: Values,
    valid: bool,
    error: Option<&'static str>,
    bad_at: u32,
    /// The restart interval that `now.entry` is in.
    restart: u32,
    /// Where the next interval starts; `u32::MAX` in the last one.
    restart_limit: u32,
    now: At,
    key_bytes: Vec<u8>,
    /// Entries of this interval in front of `now`, nearest last: makes going back cheap.
    back: Vec<At>,
    back_bytes: Vec<u8>,
}

impl Core {
    fn new(values: Values) -> Self {
        Self {
            values,
            valid: false,
            error: None,
            bad_at: 0,
            restart: 0,
            restart_limit: 0,
            now: NOWHERE,
            key_bytes: Vec::new(),
            back: Vec::new(),
            back_bytes: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.valid = false;
        self.error = None;
        self.now = NOWHERE;
        self.back.clear();
    }

    #[cold]
    fn fail(&mut self, at: u32, why: &'static str) -> bool {
        self.clear();
        self.bad_at = at;
        self.error = Some(why);
        false
    }

    #[inline]
    fn key<'a>(&'a self, block: &'a Block) -> &'a [u8] {
        let slice =
            |bytes: &'a [u8], a: u32, b: u32| bytes.get(a as usize..b as usize).unwrap_or(&[]);
        match self.now.key {
            KeyAt::Block(a, b) => slice(&block.bytes, a, b),
            KeyAt::Buffer => &self.key_bytes,
            KeyAt::Back(a, b) => slice(&self.back_bytes, a, b),
        }
    }

    /// Stands before the first entry of interval `i`, so that `advance` reads it.
    fn go_to_restart(&mut self, block: &Block, i: u32) -> bool {
        self.clear();
        let Some(at) = block.restart(i) else {
            return self.fail(block.restarts_at, "restart point outside of the entries");
        };
        self.restart = i;
        self.now.next = at;
        self.find_limit(block);
        true
    }

    #[inline]
    fn find_limit(&mut self, block: &Block) {
        self.restart_limit = block.restart(self.restart + 1).unwrap_or(u32::MAX);
    }

    /// Reads the entry at `now.next`. False at the end and on nonsense.
    #[inline]
    fn advance(&mut self, block: &Block) -> bool {
        let at = self.now.next;
        if at >= block.entries_end {
            self.valid = false;
            self.now = NOWHERE;
            return false;
        }
        while at >= self.restart_limit {
            self.restart += 1;
            self.find_limit(block);
        }
        let Some(entry) = block.bytes.get(at as usize..block.entries_end as usize) else {
            return self.fail(at, "entry outside of the block");
        };
        if self.values == Values::Lengths
            && block.values_at.is_none()
            && let [shared @ 0..0x80, unshared @ 0..0x80, length @ 0..0x80, ..] = *entry
        {
            return self.plain(
                block,
                at,
                3,
                u32::from(shared),
                u32::from(unshared),
                u32::from(length),
            );
        }
        self.advance_slowly(block, at, entry)
    }

    fn advance_slowly(&mut self, block: &Block, at: u32, entry: &[u8]) -> bool {
        let mut r = Reader::new(entry);
        let (Ok(shared), Ok(unshared)) = (r.varint32(), r.varint32()) else {
            return self.fail(at, "key length");
        };
        let has_length = !matches!(self.values, Values::Index(f) if f.delta_handles);
        let mut length = 0;
        if has_length {
            match r.varint32() {
                Ok(n) => length = n,
                Err(_) => return self.fail(at, "value length"),
            }
        }
        let Some(values_at) = block.values_at else {
            if has_length {
                return self.plain(block, at, r.position() as u32, shared, unshared, length)
                    && self.read_full_handle(block);
            }
            return self.bare(block, at, r.position() as u32, shared, unshared);
        };
        if !has_length {
            return self.fail(at, "separated values without lengths");
        }
        // Separated: the value follows the one before it, wherever a restart point does not say.
        let start = if block.restart(self.restart) == Some(at) {
            match r.varint32() {
                Ok(n) => values_at.checked_add(n),
                Err(_) => None,
            }
        } else {
            Some(self.now.value.1)
        };
        let end = start.and_then(|s| s.checked_add(length)).filter(|&e| e <= block.restarts_at);
        let (Some(start), Some(end)) = (start, end) else { return self.fail(at, "value offset") };
        let Some(key_end) = self.take_key(block, at, r.position() as u32, shared, unshared) else {
            return false;
        };
        self.now.entry = at;
        self.now.value = (start, end);
        self.now.next = key_end;
        self.valid = true;
        self.read_full_handle(block)
    }

    /// An entry whose value stands behind its key.
    #[inline]
    fn plain(
        &mut self,
        block: &Block,
        at: u32,
        header: u32,
        shared: u32,
        unshared: u32,
        length: u32,
    ) -> bool {
        let Some(key_end) = self.take_key(block, at, header, shared, unshared) else {
            return false;
        };
        let end = match key_end.checked_add(length) {
            Some(end) if end <= block.entries_end => end,
            _ => return self.fail(at, "value length"),
        };
        self.now.entry = at;
        self.now.value = (key_end, end);
        self.now.next = end;
        self.valid = true;
        true
    }

    /// Makes the key current and returns where its tail ends.
    #[inline]
    fn take_key(
        &mut self,
        block: &Block,
        at: u32,
        header: u32,
        shared: u32,
        unshared: u32,
    ) -> Option<u32> {
        let start = at + header; // inside the entries: the header was read there
        let end = start.checked_add(unshared).filter(|&end| end <= block.entries_end);
        let tail = end.and_then(|end| block.bytes.get(start as usize..end as usize));
        let (Some(end), Some(tail)) = (end, tail) else {
            self.fail(at, "key length");
            return None;
        };
        if shared == 0 {
            self.now.key = KeyAt::Block(start, end);
            return Some(end);
        }
        let Self { now, key_bytes, back_bytes, .. } = self;
        let head = match now.key {
            KeyAt::Buffer => None,
            KeyAt::Block(a, b) => Some(block.bytes.get(a as usize..b as usize).unwrap_or(&[])),
            KeyAt::Back(a, b) => Some(back_bytes.get(a as usize..b as usize).unwrap_or(&[])),
        };
        let known = head.map_or(key_bytes.len(), <[u8]>::len);
        if shared as usize > known {
            self.fail(at, "shared key bytes");
            return None;
        }
        match head {
            Some(head) => {
                key_bytes.clear();
                key_bytes.extend_from_slice(head.get(..shared as usize).unwrap_or(&[]));
            }
            None => key_bytes.truncate(shared as usize),
        }
        key_bytes.extend_from_slice(tail);
        now.key = KeyAt::Buffer;
        Some(end)
    }

    /// The handle of an index entry with a value length.
    fn read_full_handle(&mut self, block: &Block) -> bool {
        if self.values == Values::Lengths {
            return true;
        }
        let (start, end) = self.now.value;
        let mut r = Reader::new(block.bytes.get(start as usize..end as usize).unwrap_or(&[]));
        match BlockHandle::read(&mut r) {
            Ok(handle) => self.now.handle = handle,
            Err(_) => return self.fail(self.now.entry, "block handle"),
        }
        // What is left of the value is the first key with its length.
        self.now.value.0 = start + r.position() as u32;
        self.first_key(block, self.now.entry)
    }

    /// An index entry without value length.
    fn bare(&mut self, block: &Block, at: u32, header: u32, shared: u32, unshared: u32) -> bool {
        let before = self.now.handle;
        let Some(key_end) = self.take_key(block, at, header, shared, unshared) else {
            return false;
        };
        let rest = block.bytes.get(key_end as usize..block.entries_end as usize).unwrap_or(&[]);
        let mut r = Reader::new(rest);
        let handle = if shared == 0 {
            BlockHandle::read(&mut r).ok()
        } else {
            r.varint64().ok().and_then(|delta| {
                let size = before.size.checked_add_signed(unzigzag(delta))?;
                let offset =
                    before.offset.checked_add(before.size)?.checked_add(TRAILER_BYTES as u64)?;
                Some(BlockHandle { offset, size })
            })
        };
        let Some(handle) = handle else { return self.fail(at, "block handle") };
        self.now.entry = at;
        self.now.handle = handle;
        self.now.value = (key_end + r.position() as u32, block.entries_end);
        self.valid = true;
        if !self.first_key(block, at) {
            return false;
        }
        self.now.next = self.now.value.1;
        true
    }

    /// Narrows `now.value`, which starts behind the handle, to the first key; to nothing in an index
    /// without first keys.
    fn first_key(&mut self, block: &Block, at: u32) -> bool {
        let (start, end) = self.now.value;
        if !matches!(self.values, Values::Index(f) if f.first_keys) {
            self.now.value = (start, start);
            return true;
        }
        let mut r = Reader::new(block.bytes.get(start as usize..end as usize).unwrap_or(&[]));
        let Ok(key) = r.slice() else { return self.fail(at, "first key") };
        let end = start + r.position() as u32;
        self.now.value = (end - key.len() as u32, end);
        true
    }

    fn seek_to_first(&mut self, block: &Block) {
        if block.is_empty() {
            self.clear();
        } else if self.go_to_restart(block, 0) {
            self.advance(block);
        }
    }

    fn seek_to_last(&mut self, block: &Block) {
        if block.is_empty() {
            self.clear();
            return;
        }
        if !self.go_to_restart(block, block.restart_count - 1) {
            return;
        }
        while self.advance(block) && self.now.next < block.entries_end {}
    }

    fn seek<O: KeyOrder>(&mut self, block: &Block, order: &O, target: &[u8]) {
        if block.is_empty() {
            self.clear();
            return;
        }
        let Some(restart) = self.find_restart(block, order, target) else { return };
        if self.go_to_restart(block, restart) {
            self.scan(block, order, target);
        }
    }

    #[inline]
    fn scan<O: KeyOrder>(&mut self, block: &Block, order: &O, target: &[u8]) {
        while self.advance(block) {
            if order.compare_keys(self.key(block), target) != Ordering::Less {
                return;
            }
        }
    }

    fn seek_hashed(&mut self, block: &Block, order: &InternalComparator, target: &[u8]) {
        if let Some((at, count)) = block.hash {
            let bucket = hash32(user_key(target), HASH_SEED) % u32::from(count);
            let bucket = block.bytes.get((at + bucket) as usize).copied().unwrap_or(BUCKET_EMPTY);
            let restart = u32::from(bucket);
            // The table is a hint: it holds when the interval starts at or before the target, since
            // the scan then goes on to the right place wherever that is.
            let numbers = block.numbers_before_key(self.values);
            let before = |i| {
                let key = block.restart_key(i, numbers)?;
                Some(order.compare(key, target) != Ordering::Greater)
            };
            if bucket < BUCKET_COLLISION && before(restart) == Some(true) {
                if self.go_to_restart(block, restart) {
                    self.scan(block, order, target);
                }
                return;
            }
        }
        self.seek(block, order, target);
    }

    /// The last interval that starts before `target`, or the first one. `None` on nonsense.
    fn find_restart<O: KeyOrder>(
        &mut self,
        block: &Block,
        order: &O,
        target: &[u8],
    ) -> Option<u32> {
        let numbers = block.numbers_before_key(self.values);
        let (mut low, mut high) = (0, block.restart_count);
        let mut prefixes = None;
        if let (Some(p), Some(form)) = (&block.prefixes, order.bytewise_form())
            && p.form == form
        {
            let user = form.user_part(target);
            let head = user.get(..p.common.len()).unwrap_or(user);
            match head.cmp(&p.common) {
                Ordering::Less => return Some(0),
                Ordering::Greater => return Some(block.restart_count - 1),
                Ordering::Equal => {}
            }
            let rest = user.get(p.common.len()..).unwrap_or(&[]);
            prefixes = Some((&p.numbers, prefix_number(rest)));
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if let Some((all, number)) = prefixes {
                match all.get(middle as usize).map(|n| n.cmp(&number)) {
                    Some(Ordering::Less) => {
                        low = middle;
                        continue;
                    }
                    Some(Ordering::Greater) => {
                        high = middle;
                        continue;
                    }
                    _ => {}
                }
            }
            let Some(key) = block.restart_key(middle, numbers) else {
                self.fail(block.restarts_at + 4 * middle, "restart point");
                return None;
            };
            if order.compare_keys(key, target) == Ordering::Less {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    #[inline]
    fn next(&mut self, block: &Block) {
        if self.valid {
            self.back.clear();
            self.advance(block);
        }
    }

    fn prev(&mut self, block: &Block) {
        if !self.valid {
            return;
        }
        if let Some(before) = self.back.pop() {
            self.now = before;
            return;
        }
        let limit = self.now.entry;
        let mut restart = self.restart;
        loop {
            match block.restart(restart) {
                Some(at) if at < limit => break,
                Some(_) if restart > 0 => restart -= 1,
                Some(_) => return self.clear(),
                None => {
                    self.fail(block.restarts_at, "restart point outside of the entries");
                    return;
                }
            }
        }
        if self.go_to_restart(block, restart) {
            self.fill_back(block, limit);
        }
    }

    /// Collects the entries from here to before `limit`, and stands on the last of them.
    fn fill_back(&mut self, block: &Block, limit: u32) {
        let mut back = std::mem::take(&mut self.back);
        let mut bytes = std::mem::take(&mut self.back_bytes);
        back.clear();
        bytes.clear();
        while self.now.next < limit && self.advance(block) {
            let mut at = self.now;
            if matches!(at.key, KeyAt::Buffer) {
                let start = bytes.len() as u32;
                bytes.extend_from_slice(&self.key_bytes);
                at.key = KeyAt::Back(start, bytes.len() as u32);
            }
            back.push(at);
        }
        let complete = self.error.is_none() && self.now.next == limit;
        self.back_bytes = bytes;
        if !complete {
            if self.error.is_none() {
                self.fail(limit, "entries do not meet");
            }
            return;
        }
        match back.pop() {
            Some(at) => self.now = at,
            None => self.valid = false,
        }
        self.back = back;
    }
}

#[cfg(test)]
mod tests;
