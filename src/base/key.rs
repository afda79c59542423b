//! Keys as the store keeps them.
//!
//!     internal key := user key | fixed64 tag        tag := sequence << 8 | kind
//!
//! Order: user key ascending by the family's comparator, then tag **descending**, so that the newest
//! version of a key comes first.
#![forbid(unsafe_code)]

/// A position in the order of writes. 56 bits.
pub type Sequence = u64;

/// The largest sequence number.
pub const MAX_SEQUENCE: Sequence = (1 << 56) - 1;

/// Bytes of the tag behind a user key.
pub const TAG_BYTES: usize = 8;

/// What an entry is. The numbers are on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The key is gone.
    Deletion = 0x00,
    /// A value.
    Value = 0x01,
    /// An operand for the merge operator.
    Merge = 0x02,
    /// The one put below this is gone.
    SingleDeletion = 0x07,
    /// Key = begin, value = end (exclusive). Lives in its own block or list, never among points.
    RangeDeletion = 0x0F,
    /// A reference into a blob file.
    BlobIndex = 0x11,
    /// Deletion of a family with user timestamps.
    DeletionWithTimestamp = 0x14,
    /// Wide columns.
    WideColumns = 0x16,
    /// A value followed by a preferred sequence number.
    ValueWithSequence = 0x18,
}

impl Kind {
    /// The kind with this number.
    #[must_use]
    pub fn from_u8(n: u8) -> Option<Self> {
        Some(match n {
            0x00 => Self::Deletion,
            0x01 => Self::Value,
            0x02 => Self::Merge,
            0x07 => Self::SingleDeletion,
            0x0F => Self::RangeDeletion,
            0x11 => Self::BlobIndex,
            0x14 => Self::DeletionWithTimestamp,
            0x16 => Self::WideColumns,
            0x18 => Self::ValueWithSequence,
            _ => return None,
        })
    }
}

/// The low byte of the tag in a seek target: above every kind, so that a seek at a sequence number
/// lands before all entries of that number.
pub const SEEK_KIND: u8 = 0xFF;

/// The low byte of the tag in index separators that we write: the largest kind that 7.8 knows.
pub const SEPARATOR_KIND: u8 = 0x16;

/// Sequence and raw kind as one number.
#[inline]
#[must_use]
pub fn pack(sequence: Sequence, kind: u8) -> u64 {
    (sequence << 8) | u64::from(kind)
}

/// Appends the internal key of (`user_key`, `tag`) to `to`.
#[inline]
pub fn append_internal(to: &mut Vec<u8>, user_key: &[u8], tag: u64) {
    to.extend_from_slice(user_key);
    to.extend_from_slice(&tag.to_le_bytes());
}

/// The internal key of (`user_key`, `sequence`, `kind`).
#[must_use]
pub fn internal(user_key: &[u8], sequence: Sequence, kind: Kind) -> Vec<u8> {
    let mut key = Vec::with_capacity(user_key.len() + TAG_BYTES);
    append_internal(&mut key, user_key, pack(sequence, kind as u8));
    key
}

/// The target of a seek that shall see `user_key` as of `sequence`.
#[must_use]
pub fn seek_target(user_key: &[u8], sequence: Sequence) -> Vec<u8> {
    let mut key = Vec::with_capacity(user_key.len() + TAG_BYTES);
    append_internal(&mut key, user_key, pack(sequence, SEEK_KIND));
    key
}

/// The user part of an internal key. Keys shorter than a tag have an empty one.
#[inline]
#[must_use]
pub fn user_key(internal: &[u8]) -> &[u8] {
    internal.get(..internal.len().wrapping_sub(TAG_BYTES)).unwrap_or(&[])
}

/// The tag of an internal key; 0 when it is shorter than a tag.
#[inline]
#[must_use]
pub fn tag(internal: &[u8]) -> u64 {
    internal.last_chunk::<TAG_BYTES>().map_or(0, |b| u64::from_le_bytes(*b))
}

/// The first eight bytes as a big-endian number, short keys filled up with zeros. Never falls where
/// byte order rises, so an unequal number decides a compare.
#[inline]
#[must_use]
pub fn prefix_number(user_key: &[u8]) -> u64 {
    if let Some(b) = user_key.first_chunk::<8>() {
        return u64::from_be_bytes(*b);
    }
    let mut b = [0u8; 8];
    b[..user_key.len()].copy_from_slice(user_key);
    u64::from_be_bytes(b)
}

/// An internal key taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedKey<'a> {
    /// The caller's key.
    pub user_key: &'a [u8],
    /// When it was written.
    pub sequence: Sequence,
    /// What it says.
    pub kind: Kind,
}

impl<'a> ParsedKey<'a> {
    /// Takes `internal` apart; `None` if it is too short or of no known kind.
    #[inline]
    #[must_use]
    pub fn parse(internal: &'a [u8]) -> Option<Self> {
        let (user_key, tag) = internal.split_last_chunk::<TAG_BYTES>()?;
        let tag = u64::from_le_bytes(*tag);
        let kind = Kind::from_u8((tag & 0xFF) as u8)?;
        Some(Self { user_key, sequence: tag >> 8, kind })
    }

    /// Back to bytes.
    #[must_use]
    pub fn to_internal(&self) -> Vec<u8> {
        internal(self.user_key, self.sequence, self.kind)
    }
}
