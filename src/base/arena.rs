//! A concurrent bump arena: memory handed out in pieces, given back all at once.
//!
//! Any number of threads may allocate at the same time; the fast path is one atomic addition. A piece
//! stays valid and in place until the arena is dropped. Nothing in it is dropped: only plain bytes
//! and atomics belong here.
//!
//! Chunks grow from `FIRST_CHUNK_BYTES` by doubling up to the given size, so that an idle memtable
//! is cheap. A piece larger than a quarter of a chunk gets a chunk of its own.
//!
//! Invariants: `current` points to a chunk in `chunks`; chunks are freed only by `drop`.

use super::sync::Mutex;
use super::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::alloc::Layout;
use std::ptr::NonNull;

const FIRST_CHUNK_BYTES: usize = 4 << 10;

/// All pieces begin at a multiple of this.
pub const ALIGN: usize = 8;

struct Chunk {
    memory: NonNull<u8>,
    bytes: usize,
    /// Bytes handed out; may exceed `bytes` when several threads find the chunk full at once.
    used: AtomicUsize,
}

impl Chunk {
    fn new(bytes: usize) -> Box<Self> {
        let layout = Self::layout(bytes);
        // SAFETY: the size is not 0; callers round up to at least ALIGN.
        let memory = unsafe { std::alloc::alloc(layout) };
        let Some(memory) = NonNull::new(memory) else { std::alloc::handle_alloc_error(layout) };
        Box::new(Self { memory, bytes, used: AtomicUsize::new(0) })
    }

    fn layout(bytes: usize) -> Layout {
        assert!(bytes > 0);
        Layout::from_size_align(bytes, ALIGN).expect("chunks are far below isize::MAX")
    }

    #[inline]
    fn take(&self, bytes: usize) -> Option<NonNull<u8>> {
        // Relaxed: only the number matters; whoever shares the piece publishes it by itself.
        let at = self.used.fetch_add(bytes, Ordering::Relaxed);
        if at.checked_add(bytes)? > self.bytes {
            return None;
        }
        // SAFETY: at + bytes <= self.bytes, so the result is inside the allocation.
        Some(unsafe { self.memory.add(at) })
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, freed only here.
        unsafe { std::alloc::dealloc(self.memory.as_ptr(), Self::layout(self.bytes)) };
    }
}

/// See the module's text.
pub struct Arena {
    current: AtomicPtr<Chunk>,
    /// Boxed, so that `current` stays right while the vector grows.
    #[allow(clippy::vec_box, reason = "chunks are pointed to")]
    chunks: Mutex<Vec<Box<Chunk>>>,
    chunk_bytes: usize,
    reserved: AtomicUsize,
    used: AtomicUsize,
}

// SAFETY: the raw pointers lead to memory that the arena owns alone and frees in `drop`. Pieces are
// handed out once each, by an atomic addition, so no two threads get the same one.
unsafe impl Send for Arena {}
// SAFETY: as above; every field is an atomic, a mutex or never written.
unsafe impl Sync for Arena {}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Arena({} of {} B)", self.used(), self.reserved())
    }
}

impl Arena {
    /// An arena whose chunks grow up to `chunk_bytes`.
    #[must_use]
    pub fn new(chunk_bytes: usize) -> Self {
        let chunk_bytes = chunk_bytes.max(FIRST_CHUNK_BYTES).next_multiple_of(ALIGN);
        let first = Chunk::new(FIRST_CHUNK_BYTES);
        let current = std::ptr::from_ref::<Chunk>(&first).cast_mut();
        Self {
            current: AtomicPtr::new(current),
            chunks: Mutex::new(vec![first]),
            chunk_bytes,
            reserved: AtomicUsize::new(FIRST_CHUNK_BYTES),
            used: AtomicUsize::new(0),
        }
    }

    /// `bytes` bytes, not initialized, at a multiple of [`ALIGN`], for this caller alone and valid
    /// until the arena is dropped.
    #[inline]
    pub fn allocate(&self, bytes: usize) -> NonNull<u8> {
        let bytes = bytes.max(1).next_multiple_of(ALIGN);
        // Relaxed: a number for reports.
        self.used.fetch_add(bytes, Ordering::Relaxed);
        if bytes <= self.chunk_bytes / 4
            && let Some(piece) = self.current().take(bytes)
        {
            return piece;
        }
        self.allocate_slow(bytes)
    }

    #[inline]
    fn current(&self) -> &Chunk {
        // Acquire: pairs with the Release in `allocate_slow`, so that the chunk is seen whole.
        let chunk = self.current.load(Ordering::Acquire);
        // SAFETY: `current` always points to a chunk in `chunks`, which lives as long as the arena.
        unsafe { &*chunk }
    }

    #[cold]
    fn allocate_slow(&self, bytes: usize) -> NonNull<u8> {
        let mut chunks = self.chunks.lock();
        if bytes <= self.chunk_bytes / 4 {
            // Somebody else may have put a new one in place meanwhile.
            if let Some(piece) = self.current().take(bytes) {
                return piece;
            }
        }
        let grown = self.current().bytes.saturating_mul(2).min(self.chunk_bytes);
        let own = bytes > grown / 4;
        let chunk = Chunk::new(if own { bytes } else { grown });
        // Relaxed: a number for reports.
        self.reserved.fetch_add(chunk.bytes, Ordering::Relaxed);
        let piece = chunk.take(bytes).expect("a new chunk holds what it was made for");
        if !own {
            // Release: pairs with the Acquire in `current`.
            self.current.store(std::ptr::from_ref::<Chunk>(&chunk).cast_mut(), Ordering::Release);
        }
        chunks.push(chunk);
        piece
    }

    /// Bytes taken from the allocator.
    #[must_use]
    pub fn reserved(&self) -> usize {
        self.reserved.load(Ordering::Relaxed)
    }

    /// Bytes handed out.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_and_apart() {
        let arena = Arena::new(16 << 10);
        let mut pieces = Vec::new();
        for i in 0..2000usize {
            let bytes = match i % 50 {
                0 => 20_000,
                n => n * 7 % 300,
            };
            let piece = arena.allocate(bytes);
            assert_eq!(piece.as_ptr() as usize % ALIGN, 0);
            // SAFETY: the piece has `bytes` bytes and is ours.
            unsafe { std::ptr::write_bytes(piece.as_ptr(), i as u8, bytes) };
            pieces.push((piece, bytes, i as u8));
        }
        for (piece, bytes, mark) in pieces {
            // SAFETY: written above in full; nobody else has it.
            let seen = unsafe { std::slice::from_raw_parts(piece.as_ptr(), bytes) };
            assert!(seen.iter().all(|&b| b == mark));
        }
        assert!(arena.used() <= arena.reserved());
    }

    #[test]
    fn threads_get_different_pieces() {
        let arena = Arena::new(8 << 10);
        let mut all: Vec<usize> = std::thread::scope(|s| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    let arena = &arena;
                    s.spawn(move || {
                        (0..3000).map(|_| arena.allocate(24).as_ptr() as usize).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
        });
        all.sort_unstable();
        assert!(all.windows(2).all(|w| w[1] - w[0] >= 24));
    }
}
