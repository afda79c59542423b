//! The identity of a table, made of what its properties say about its origin: the raw form that the
//! manifest keeps and openers compare.
#![forbid(unsafe_code)]

use crate::base::checksum::xxh3_128;

/// Digits of a session id: base 36.
fn number(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0u64, |n, b| {
        let digit = match b {
            b'0'..=b'9' => b - b'0',
            b'A'..=b'Z' => b - b'A' + 10,
            _ => return None,
        };
        Some(n.wrapping_mul(36).wrapping_add(u64::from(digit)))
    })
}

/// Upper and lower half of a session id.
fn session_halves(session: &str) -> (u64, u64) {
    if (13..=24).contains(&session.len())
        && session.is_ascii()
        && let (Some(a), Some(b)) =
            (number(&session[..session.len() - 12]), number(&session[session.len() - 12..]))
    {
        return (a >> 2, (b & ((1 << 62) - 1)) | (a << 62));
    }
    let h = xxh3_128(session.as_bytes(), 0);
    let (upper, lower) = ((h >> 64) as u64, h as u64);
    (upper, if lower == 0 { upper | 1 } else { lower })
}

/// The identity of file `number` (the number it was made under) of database `db_id`, written in
/// `session`; `None` when a part is unknown.
#[must_use]
pub fn unique_id(db_id: &str, session: &str, number: u64) -> Option<[u8; 16]> {
    if db_id.is_empty() || session.is_empty() || number == 0 {
        return None;
    }
    let (upper, lower) = session_halves(session);
    let high = (xxh3_128(db_id.as_bytes(), upper) >> 64) as u64 ^ number;
    let mut id = [0; 16];
    id[..8].copy_from_slice(&lower.to_le_bytes());
    id[8..].copy_from_slice(&high.to_le_bytes());
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_base_36_numbers_or_hashed_text() {
        let (upper, lower) = session_halves("00000001000000000002");
        assert_eq!((upper, lower), (0, 2 | (1 << 62)));
        assert_ne!(session_halves("not a session"), session_halves("nor this"));
        assert!(unique_id("", "ABCDEFGHIJKLMNOPQRST", 1).is_none());
        assert_ne!(
            unique_id("db", "ABCDEFGHIJKLMNOPQRST", 1),
            unique_id("db", "ABCDEFGHIJKLMNOPQRST", 2)
        );
    }
}
