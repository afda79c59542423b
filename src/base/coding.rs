//! Varints and fixed little-endian numbers; a checked reader over bytes that nobody vouches for.
#![forbid(unsafe_code)]

use super::error::{Error, Result};

/// Appends a fixed 32-bit number.
pub fn put_u32(to: &mut Vec<u8>, n: u32) {
    to.extend_from_slice(&n.to_le_bytes());
}

/// Appends a fixed 64-bit number.
pub fn put_u64(to: &mut Vec<u8>, n: u64) {
    to.extend_from_slice(&n.to_le_bytes());
}

/// Appends a varint of up to 32 bits.
pub fn put_varint32(to: &mut Vec<u8>, n: u32) {
    put_varint64(to, u64::from(n));
}

/// Appends a varint of up to 64 bits.
#[inline]
pub fn put_varint64(to: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        to.push((n as u8) | 0x80);
        n >>= 7;
    }
    to.push(n as u8);
}

/// Appends a length and the bytes. Panics at 4 GiB and above: callers check sizes on the way in.
pub fn put_slice(to: &mut Vec<u8>, bytes: &[u8]) {
    put_varint32(to, u32::try_from(bytes.len()).expect("slices are below 4 GiB"));
    to.extend_from_slice(bytes);
}

/// Bytes that `n` takes as a varint.
#[must_use]
pub fn varint_len(n: u64) -> usize {
    (64 - (n | 1).leading_zeros() as usize).div_ceil(7)
}

/// The fixed 32-bit number at `at`, if it is all there.
#[inline]
#[must_use]
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*b))
}

/// The fixed 64-bit number at `at`, if it is all there.
#[inline]
#[must_use]
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let b = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*b))
}

/// Maps signed numbers to unsigned ones, small magnitudes first.
#[must_use]
pub fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

/// Undoes [`zigzag`].
#[must_use]
pub fn unzigzag(n: u64) -> i64 {
    ((n >> 1) as i64) ^ -((n & 1) as i64)
}

/// Reads numbers and slices off the front of bytes; each read is checked and none panics.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    total: usize,
}

impl<'a> Reader<'a> {
    /// Over all of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, total: bytes.len() }
    }

    /// What is left.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Bytes consumed so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.total - self.rest.len()
    }

    /// Is nothing left?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn short(&self) -> Error {
        Error::corruption(format!("truncated at byte {} of {}", self.position(), self.total))
    }

    /// The next `n` bytes.
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(n).ok_or_else(|| self.short())?;
        self.rest = tail;
        Ok(head)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8> {
        let (&b, tail) = self.rest.split_first().ok_or_else(|| self.short())?;
        self.rest = tail;
        Ok(b)
    }

    /// A fixed 16-bit number.
    pub fn u16(&mut self) -> Result<u16> {
        let (b, tail) = self.rest.split_first_chunk::<2>().ok_or_else(|| self.short())?;
        self.rest = tail;
        Ok(u16::from_le_bytes(*b))
    }

    /// A fixed 32-bit number.
    pub fn u32(&mut self) -> Result<u32> {
        let (b, tail) = self.rest.split_first_chunk::<4>().ok_or_else(|| self.short())?;
        self.rest = tail;
        Ok(u32::from_le_bytes(*b))
    }

    /// A fixed 64-bit number.
    pub fn u64(&mut self) -> Result<u64> {
        let (b, tail) = self.rest.split_first_chunk::<8>().ok_or_else(|| self.short())?;
        self.rest = tail;
        Ok(u64::from_le_bytes(*b))
    }

    /// A varint of up to 64 bits.
    #[inline]
    pub fn varint64(&mut self) -> Result<u64> {
        let mut n = 0u64;
        for (i, &b) in self.rest.iter().enumerate().take(10) {
            if i == 9 && b > 1 {
                break;
            }
            n |= u64::from(b & 0x7F) << (7 * i);
            if b < 0x80 {
                self.rest = self.rest.get(i + 1..).unwrap_or(&[]);
                return Ok(n);
            }
        }
        Err(Error::corruption(format!("bad varint at byte {} of {}", self.position(), self.total)))
    }

    /// A varint of up to 32 bits.
    #[inline]
    pub fn varint32(&mut self) -> Result<u32> {
        let before = *self;
        let n = self.varint64()?;
        u32::try_from(n).map_err(|_| {
            *self = before;
            Error::corruption(format!("varint too large at byte {}", before.position()))
        })
    }

    /// A varint length and that many bytes.
    #[inline]
    pub fn slice(&mut self) -> Result<&'a [u8]> {
        let n = self.varint32()? as usize;
        self.bytes(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for shift in 0..64 {
            for n in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                let mut b = Vec::new();
                put_varint64(&mut b, n);
                assert_eq!(b.len(), varint_len(n));
                let mut r = Reader::new(&b);
                assert_eq!(r.varint64().unwrap(), n);
                assert!(r.is_empty());
                assert_eq!(unzigzag(zigzag(n as i64)), n as i64);
            }
        }
    }

    #[test]
    fn a_short_or_overlong_varint_is_corruption() {
        for bytes in [&[0x80u8][..], &[0xFF; 10][..], &[0xFF; 11][..], &[]] {
            assert!(Reader::new(bytes).varint64().unwrap_err().is_corruption());
        }
        assert!(Reader::new(&[0xFF, 0xFF, 0xFF, 0xFF, 0x7F]).varint32().is_err());
        assert!(Reader::new(&[5, 1, 2]).slice().is_err());
    }
}
