//! Key sets that imitate real ones, for tests and benchmarks of learned indexes.
//!
//! Deterministic: a name, a count and a seed always give the same keys. They imitate shapes, they are not
//! the original data. Included by path (it needs nothing of the crate), so that unit tests, integration
//! tests, examples and benches share one copy.
//!
//! Numbers: `seq` 1..n; `ycsb` hashed counters; `amazon` near-linear ids; `covid` time-ordered snowflake
//! ids in bursts; `facebook` uniform with outliers; `genome` pairs of loci; `osm` Hilbert cells of clustered
//! points; `lognormal`; `tenant64` dense runs per tenant; `pow63` two dense clusters 2^63 apart.
//! Strings: `user%019d`, `be64`, urls, emails, paths, reversed domains, words, UUIDs of version 4 and 7, row
//! keys of two SQL stores, `tbl:row:column`, time stamps, tenant + id, hashes, long shared prefixes, keys that
//! differ only in length, short strings of few symbols.
// Each program that includes this uses some of it.
#![allow(dead_code)]

/// SplitMix64 with what the sets need on top.
#[derive(Clone)]
pub(crate) struct Dice(u64);

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Dice {
    pub(crate) fn new(name: &str, seed: u64) -> Self {
        Self(mix(name.bytes().fold(seed ^ 7, |a, b| a.wrapping_mul(131).wrapping_add(b.into()))))
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.roll()) * u128::from(limit)) >> 64) as u64
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (self.unit() + 1e-18).min(1.0).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Heavy-tailed, in `1..=most`.
    fn pareto(&mut self, alpha: f64, most: u64) -> u64 {
        ((1.0 - self.unit()).powf(-1.0 / alpha) as u64).clamp(1, most)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// One of the first more often.
    fn pick_popular<'a, T>(&mut self, alpha: f64, from: &'a [T]) -> &'a T {
        &from[self.pareto(alpha, from.len() as u64) as usize - 1]
    }
}

pub(crate) const INT_SETS: &[&str] = &[
    "seq",
    "ycsb",
    "amazon",
    "covid",
    "facebook",
    "genome",
    "osm",
    "lognormal",
    "tenant64",
    "pow63",
];

pub(crate) const STRING_SETS: &[&str] = &[
    "user",
    "be64",
    "urls",
    "emails",
    "paths",
    "rdomains",
    "words",
    "uuid",
    "uuid7",
    "tidb",
    "rowcol",
    "crdb",
    "ts",
    "composite",
    "hash32",
    "prefix100",
    "adv100",
    "zeros",
    "short",
];

/// Position on the Hilbert curve that fills a square of `2^bits` a side.
fn hilbert(mut x: u64, mut y: u64, bits: u32) -> u64 {
    let most = (1u64 << bits) - 1;
    let mut d = 0;
    for bit in (0..bits).rev() {
        let side = 1u64 << bit;
        let (right, top) = (u64::from(x & side != 0), u64::from(y & side != 0));
        d += side * side * ((3 * right) ^ top);
        if top == 0 {
            if right == 1 {
                (x, y) = (most - x, most - y);
            }
            std::mem::swap(&mut x, &mut y);
        }
    }
    d
}

/// Keeps `n` keys of a sorted list, evenly spread, the first and the last among them.
fn thin<T: Clone>(keys: Vec<T>, n: usize) -> Vec<T> {
    if keys.len() <= n || n < 2 {
        return keys.into_iter().take(n).collect();
    }
    let last = keys.len() - 1;
    (0..n).map(|i| keys[(i as u128 * last as u128 / (n as u128 - 1)) as usize].clone()).collect()
}

/// `n` ascending distinct numbers of the set `name`.
pub(crate) fn ints(name: &str, n: usize, seed: u64) -> Vec<u64> {
    let mut dice = Dice::new(name, seed);
    let mut keys: Vec<u64> = Vec::new();
    let mut id = 1_000_000u64;
    let mut ms = 291_165_025_343u64;
    let mut burst = 1.0f64;
    let mut locus = 0u64;
    let countries: Vec<[f64; 3]> =
        (0..40).map(|_| [dice.unit(), dice.unit(), 0.002 + 0.06 * dice.unit().powi(2)]).collect();
    let cities: Vec<[f64; 3]> = (0..4000)
        .map(|_| {
            let c = *dice.pick_popular(1.0, &countries);
            let spread = 0.000_03 + 0.000_6 * dice.unit().powi(3);
            [c[0] + c[2] * dice.normal(), c[1] + c[2] * dice.normal(), spread]
        })
        .collect();
    while keys.len() < n {
        let wanted = n - keys.len() + n / 50 + 16;
        for i in 0..wanted as u64 {
            match name {
                "seq" => keys.push(keys.len() as u64 + 1),
                "ycsb" => keys.push(dice.roll()),
                "amazon" => {
                    id += 1;
                    let chance = dice.below(1000);
                    if chance < 150 {
                        id += 1 + dice.below(3);
                    } else if chance == 999 {
                        id += dice.below(200);
                    }
                    keys.push(id);
                }
                "covid" => {
                    let day = (ms % 86_400_000) as f64 / 86_400_000.0;
                    let wave = 1.0 + 0.6 * (std::f64::consts::TAU * day).sin();
                    if dice.below(5000) == 0 {
                        burst = 0.2 + dice.pareto(1.2, 40) as f64 / 3.0;
                    }
                    ms += (-(1.0 - dice.unit()).ln() * 60.0 / (wave * burst)) as u64;
                    let serial = if dice.below(8) == 0 { dice.below(4) } else { 0 };
                    keys.push((ms << 22) | ((300 + dice.below(80)) << 12) | serial);
                }
                "facebook" if i < 21 => keys.push(u64::MAX - dice.below(1 << 61)),
                "facebook" => keys.push(1 + dice.below(1 << 37)),
                "genome" => {
                    let chromosome = 1 + dice.below(24);
                    let length = 260_000_000 / (1 + chromosome / 4);
                    let step = dice.pareto(0.9, 2_000_000);
                    locus = if dice.below(4) == 0 {
                        dice.below(length)
                    } else {
                        (locus + step) % length
                    };
                    for _ in 0..1 + dice.below(24) {
                        let partner = locus + dice.pareto(0.6, 150_000_000);
                        let here = chromosome * 280_000_000 + locus + dice.below(400);
                        keys.push((here << 31) | (partner & 0x7FFF_FFFF));
                    }
                }
                "osm" => {
                    let kind = dice.below(100);
                    let (mut x, mut y) = (dice.unit(), dice.unit());
                    if kind < 97 {
                        let c = if kind < 85 {
                            *dice.pick_popular(0.7, &cities)
                        } else {
                            *dice.pick_popular(1.0, &countries)
                        };
                        let (mut dx, mut dy) = (c[2] * dice.normal(), c[2] * dice.normal());
                        let street = |d: f64| (d / 3e-5).round() * 3e-5;
                        match dice.below(20) {
                            0..7 if kind < 85 => dx = street(dx),
                            7..14 if kind < 85 => dy = street(dy),
                            _ => {}
                        }
                        (x, y) = (c[0] + dx, c[1] + dy);
                    }
                    let cell =
                        |v: f64| ((v - v.floor()) * (1u64 << 31) as f64) as u64 & 0x7FFF_FFFF;
                    keys.push(hilbert(cell(x), cell(y), 31) << 1 | 1);
                }
                "lognormal" => keys.push(((dice.normal() * 2.0).exp() * 1e9) as u64),
                "tenant64" => {
                    let (tenant, base) = (dice.below(1 << 20), dice.below(1 << 30));
                    let run = dice.pareto(0.8, 200_000).min(wanted as u64);
                    keys.extend((0..run).map(|j| (tenant << 40) | (base + j)));
                }
                "pow63" => keys.push(
                    *dice.pick(&[0, 1 << 63, u64::MAX - 2 * n as u64])
                        + dice.below(2 * n as u64 + 1),
                ),
                _ => panic!("no set of numbers called {name}"),
            }
        }
        keys.sort_unstable();
        keys.dedup();
    }
    match name {
        "seq" | "amazon" | "covid" => keys.truncate(n),
        _ => keys = thin(keys, n),
    }
    keys
}

fn word(dice: &mut Dice, least: u64, most: u64) -> String {
    let mut vowel = dice.below(2) == 0;
    let length = least + dice.below(most - least + 1);
    let letter = |_| {
        let from: &[u8] = if vowel { b"eeeaaaooiiuy" } else { b"ttnnssrrllddccmmppbgfhvkwjxqz" };
        vowel = if dice.below(6) == 0 { vowel } else { !vowel };
        char::from(*dice.pick(from))
    };
    (0..length).map(letter).collect()
}

fn hex(dice: &mut Dice, digits: usize) -> String {
    (0..digits).map(|_| char::from(*dice.pick(b"0123456789abcdef"))).collect()
}

fn uuid_tail(dice: &mut Dice) -> String {
    let variant = dice.pick(&["8", "9", "a", "b"]).to_string();
    format!("{}-{variant}{}-{}", hex(dice, 3), hex(dice, 3), hex(dice, 12))
}

/// `n` ascending distinct byte strings of the set `name`.
pub(crate) fn strings(name: &str, n: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut dice = Dice::new(name, seed);
    let top = ["com", "com", "com", "org", "net", "de", "co.uk", "io", "fr", "edu"];
    let domains: Vec<String> =
        (0..3000).map(|_| format!("{}.{}", word(&mut dice, 4, 12), dice.pick(&top))).collect();
    let folders: Vec<String> = (0..2000).map(|_| word(&mut dice, 3, 10)).collect();
    let columns = ["address", "created_at", "email", "id", "name", "status", "updated_at"];
    let mut ms = 1_750_000_000_000u64;
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let mut counter = 0u64;
    let mut tries = 0;
    while keys.len() < n && tries < 40 {
        tries += 1;
        for _ in 0..(n - keys.len()) * tries + n / 50 + 16 {
            counter += 1;
            let d = &mut dice;
            let key: Vec<u8> = match name {
                "user" => format!("user{:019}", mix(counter ^ seed) >> 1).into_bytes(),
                "be64" => mix(counter.wrapping_add(seed << 32)).to_be_bytes().to_vec(),
                "urls" => {
                    let mut url = format!("https://www.{}", d.pick_popular(0.8, &domains));
                    for _ in 0..1 + d.below(4) {
                        url = url + "/" + d.pick_popular(0.7, &folders).as_str();
                    }
                    match d.below(3) {
                        0 => url += &format!("/{}.html", d.below(1_000_000)),
                        1 => url += &format!("?id={}", d.below(10_000_000)),
                        _ => url = url + "/" + &word(d, 5, 14),
                    }
                    url.into_bytes()
                }
                "emails" => {
                    let joint = *d.pick(&["", ".", "_"]);
                    let digits =
                        if d.below(3) == 0 { d.below(2000).to_string() } else { String::new() };
                    let (first, last) = (word(d, 3, 8), word(d, 3, 9));
                    format!("{first}{joint}{last}{digits}@{}", d.pick_popular(0.8, &domains))
                        .into_bytes()
                }
                "paths" => {
                    let mut path =
                        d.pick(&["/usr/share", "/home", "/var/lib", "/srv/data"]).to_string();
                    for _ in 0..2 + d.below(5) {
                        path = path + "/" + d.pick_popular(0.6, &folders).as_str();
                    }
                    let ending = *d.pick(&["rs", "txt", "json", "so", "png"]);
                    format!("{path}/{}_{}.{ending}", word(d, 3, 8), d.below(5000)).into_bytes()
                }
                "rdomains" => {
                    let domain = d.pick_popular(0.8, &domains);
                    let reversed: Vec<&str> = domain.split('.').rev().collect();
                    let host = *d.pick(&["www", "mail", "api", "cdn", "img"]);
                    format!("{}.{host}.{}", reversed.join("."), word(d, 3, 9)).into_bytes()
                }
                "words" if d.below(3) == 0 => word(d, 3, 9).into_bytes(),
                "words" => format!("{} {}", word(d, 3, 9), word(d, 2, 9)).into_bytes(),
                "uuid" => format!("{}-{}-4{}", hex(d, 8), hex(d, 4), uuid_tail(d)).into_bytes(),
                "uuid7" => {
                    ms += d.below(40);
                    let time = format!("{ms:012x}");
                    format!("{}-{}-7{}", &time[..8], &time[8..], uuid_tail(d)).into_bytes()
                }
                "tidb" => {
                    let table = 40 + d.pareto(0.7, 60);
                    let row = (d.below(1 << 16) * table + counter / 8) | 1 << 63;
                    [b"t", &(table | 1 << 63).to_be_bytes()[..], b"_r", &row.to_be_bytes()].concat()
                }
                "rowcol" => {
                    let table = d.pareto(0.8, 60);
                    let row = d.below(n as u64);
                    format!("tbl_{table:03}:{row:010}:{}", d.pick(&columns)).into_bytes()
                }
                "crdb" => {
                    let table = (104 + d.pareto(0.8, 40)) as u8;
                    let index = (0x89 + d.pareto(1.5, 4)) as u8;
                    let row = d.below(n as u64 * 4) as u32;
                    let family = 0x88 + d.below(3) as u8;
                    [&[0xF6, table, index, 0xFA][..], &row.to_be_bytes(), &[family]].concat()
                }
                "ts" => {
                    ms += d.below(30);
                    let s = ms / 1000;
                    let days = s / 86_400;
                    format!(
                        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{:03}Z",
                        1970 + days / 336,
                        1 + days / 28 % 12,
                        1 + days % 28,
                        s / 3600 % 24,
                        s / 60 % 60,
                        s % 60,
                        ms % 1000,
                        d.below(1000)
                    )
                    .into_bytes()
                }
                "composite" => {
                    let tenant = d.pareto(0.7, 100_000) as u32;
                    let id = d.below(n as u64 * 16);
                    [&tenant.to_be_bytes()[..], &id.to_be_bytes()].concat()
                }
                "hash32" => (0..4).flat_map(|_| d.roll().to_be_bytes()).collect(),
                "prefix100" => [&[b'P'; 100][..], &d.roll().to_be_bytes()].concat(),
                "adv100" => {
                    let group = d.below(1000);
                    let id = d.below(n as u64 * 8);
                    format!("{}{group:04}................{id}", "x".repeat(96)).into_bytes()
                }
                "zeros" => {
                    let mut key = vec![b'a'; 1 + d.below(8) as usize];
                    key.resize(key.len() + d.below(n as u64 / 4 + 2) as usize % 4000, 0);
                    if d.below(4) == 0 {
                        key.push(1 + d.below(255) as u8);
                    }
                    key
                }
                "short" => {
                    let length = d.below(12);
                    (0..length).map(|_| *d.pick(&[0, 0, 1, b'a', 0xFF])).collect()
                }
                _ => panic!("no set of strings called {name}"),
            };
            keys.push(key);
        }
        keys.sort_unstable();
        keys.dedup();
    }
    match name {
        "uuid7" | "ts" => keys.truncate(n),
        _ => keys = thin(keys, n),
    }
    keys
}

/// Keys of any set as bytes; numbers big-endian.
pub(crate) fn keys(name: &str, n: usize, seed: u64) -> Vec<Vec<u8>> {
    if INT_SETS.contains(&name) {
        ints(name, n, seed).iter().map(|k| k.to_be_bytes().to_vec()).collect()
    } else {
        strings(name, n, seed)
    }
}

/// `key` with something small done to it: a byte changed, dropped, added, or moved by one.
pub(crate) fn mutated(key: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut key = key.to_vec();
    let at = dice.below(key.len() as u64 + 1) as usize;
    match dice.below(7) {
        0 if at < key.len() => key[at] = dice.roll() as u8,
        1 if at < key.len() => key[at] = key[at].wrapping_add(1),
        2 if at < key.len() => key[at] = key[at].wrapping_sub(1),
        3 => key.truncate(at),
        4 => key.insert(at, dice.roll() as u8),
        5 => key.push(0),
        _ => {
            let more = dice.below(12);
            let byte = *dice.pick(&[0, 0xFF, b'a']);
            key.extend((0..more).map(|_| byte));
        }
    }
    key
}
