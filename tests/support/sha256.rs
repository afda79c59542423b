//! SHA-256, for fixtures that name large values by their digest. Slow and small.

/// The digest of `data`.
pub(crate) fn digest(data: &[u8]) -> [u8; 32] {
    // First 32 bits of the fractional parts of the cube roots of the first 64 primes.
    let k: Vec<u32> = primes().map(|p| fraction(f64::from(p).cbrt(), p, 3)).take(64).collect();
    let mut h: Vec<u32> = primes().map(|p| fraction(f64::from(p).sqrt(), p, 2)).take(8).collect();
    let mut message = data.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend_from_slice(&(data.len() as u64 * 8).to_be_bytes());
    for chunk in message.chunks(64) {
        let mut w = [0u32; 64];
        for (i, word) in chunk.chunks(4).enumerate() {
            w[i] = u32::from_be_bytes(word.try_into().expect("four bytes"));
        }
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        let mut v: [u32; 8] = h[..].try_into().expect("eight words");
        for i in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 =
                v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(k[i]).wrapping_add(w[i]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0.wrapping_add(majority));
        }
        for (a, b) in h.iter_mut().zip(v) {
            *a = a.wrapping_add(b);
        }
    }
    let mut out = [0; 32];
    for (to, word) in out.chunks_mut(4).zip(h) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    out
}

fn primes() -> impl Iterator<Item = u32> {
    (2u32..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
}

/// 32 bits behind the point of the `power`-th root of `p`, made exact with integers.
fn fraction(root: f64, p: u32, power: u32) -> u32 {
    // floor(root * 2^32), corrected by trial, since a double has too few bits for certainty.
    let mut scaled = (root * 4_294_967_296.0) as u128;
    let at_most = |x: u128| {
        // x^power <= p * 2^(32 * power)
        let mut product = 1u128;
        for _ in 0..power {
            match product.checked_mul(x) {
                Some(next) => product = next,
                None => return false,
            }
        }
        product <= u128::from(p) << (32 * power)
    };
    while !at_most(scaled) {
        scaled -= 1;
    }
    while at_most(scaled + 1) {
        scaled += 1;
    }
    (scaled & 0xFFFF_FFFF) as u32
}
