//! A buffer whose start and capacity are multiples of what direct I/O asks for.
//!
//! Invariants: `len <= capacity`; all of the capacity is initialized, and zero where it was never written.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Bytes at an aligned address.
pub struct AlignedBuf {
    start: NonNull<u8>,
    len: usize,
    capacity: usize,
}

// SAFETY: the buffer owns its memory alone, like a `Vec<u8>`.
unsafe impl Send for AlignedBuf {}

impl AlignedBuf {
    /// What start, length and file offset of a direct transfer are multiples of.
    pub const ALIGNMENT: usize = 4096;

    fn layout(capacity: usize) -> Layout {
        Layout::from_size_align(capacity, Self::ALIGNMENT)
            .expect("buffers are far below isize::MAX")
    }

    /// Room for at least `bytes`, zeroed.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let capacity = bytes.max(1).next_multiple_of(Self::ALIGNMENT);
        let layout = Self::layout(capacity);
        // SAFETY: the layout's size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        Self { start, len: 0, capacity }
    }

    /// Bytes held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is nothing held?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn whole(&self) -> &[u8] {
        // SAFETY: `start` is valid for `capacity` initialized bytes, borrowed as `self` is.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.capacity) }
    }

    fn whole_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `whole`; `&mut self` makes the borrow the only one.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.capacity) }
    }

    /// Everything behind what is held.
    pub fn spare_mut(&mut self) -> &mut [u8] {
        let len = self.len;
        &mut self.whole_mut()[len..]
    }

    /// Adds `bytes`, for which there must be room.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.spare_mut()[..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// What is held, padded with zeros to a whole number of pages.
    pub fn padded(&mut self) -> &[u8] {
        let (len, end) = (self.len, self.len.next_multiple_of(Self::ALIGNMENT));
        self.whole_mut()[len..end].fill(0);
        &self.whole()[..end]
    }

    /// Drops all whole pages and keeps the rest, moved to the start.
    pub fn keep_last_part(&mut self) {
        let keep = self.len % Self::ALIGNMENT;
        let from = self.len - keep;
        self.whole_mut().copy_within(from..from + keep, 0);
        self.len = keep;
    }
}

impl Drop for AlignedBuf {
    fn drop(&mut self) {
        // SAFETY: allocated by `with_capacity` with the same layout and freed once.
        unsafe { dealloc(self.start.as_ptr(), Self::layout(self.capacity)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_page_stays() {
        let mut buf = AlignedBuf::with_capacity(10_000);
        assert_eq!(buf.start.as_ptr().addr() % AlignedBuf::ALIGNMENT, 0);
        buf.extend(&[1; 5000]);
        assert_eq!(buf.padded().len(), 8192);
        assert_eq!(&buf.padded()[4999..5002], &[1, 0, 0]);
        buf.keep_last_part();
        assert_eq!(buf.len(), 5000 - 4096);
        buf.extend(&[2; 10]);
        assert_eq!(&buf.padded()[903..915], &[1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0]);
    }
}
