use super::*;
use crate::base::comparator::bytewise;
use crate::base::rng::Rng;
use crate::iter::{InternalIterator, RangeDeletions};

pub(in crate::compaction) type Entry = (Vec<u8>, Vec<u8>);

/// Entries in memory as an iterator; fails at the end if told so.
pub(in crate::compaction) struct VecIter {
    entries: Vec<Entry>,
    at: usize,
    error: Option<Error>,
}

impl VecIter {
    pub(in crate::compaction) fn boxed(entries: Vec<Entry>) -> BoxIter {
        Box::new(Self { at: entries.len(), entries, error: None })
    }
}

impl InternalIterator for VecIter {
    fn valid(&self) -> bool {
        self.at < self.entries.len()
    }
    fn seek_to_first(&mut self) {
        self.at = 0;
    }
    fn seek_to_last(&mut self) {
        self.at = self.entries.len().saturating_sub(1);
    }
    fn seek(&mut self, target: &[u8]) {
        let order = order();
        self.at = self.entries.partition_point(|e| order.compare(&e.0, target).is_lt());
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let order = order();
        let after = self.entries.partition_point(|e| order.compare(&e.0, target).is_le());
        self.at = after.checked_sub(1).unwrap_or(self.entries.len());
    }
    fn next(&mut self) {
        self.at = (self.at + 1).min(self.entries.len());
    }
    fn prev(&mut self) {
        self.at = self.at.checked_sub(1).unwrap_or(self.entries.len());
    }
    fn key(&self) -> &[u8] {
        self.entries.get(self.at).map_or(&[], |e| &e.0)
    }
    fn value(&self) -> &[u8] {
        self.entries.get(self.at).map_or(&[], |e| &e.1)
    }
    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}

/// How many random runs: `short`, or what MOUNTDB_TEST_RUNS says.
pub(in crate::compaction) fn runs(short: u64) -> u64 {
    std::env::var("MOUNTDB_TEST_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(short)
}

fn order() -> InternalComparator {
    InternalComparator::new(bytewise())
}

/// Joins with commas.
pub(in crate::compaction) struct Join {
    pub(in crate::compaction) partial: bool,
    pub(in crate::compaction) fails: bool,
}

impl MergeOperator for Join {
    fn name(&self) -> &str {
        "join"
    }
    fn full_merge(&self, _: &[u8], existing: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
        if self.fails {
            return None;
        }
        let parts: Vec<&[u8]> = existing.into_iter().chain(operands.iter().copied()).collect();
        Some(parts.join(&b','))
    }
    fn partial_merge(&self, _: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.partial.then(|| operands.join(&b','))
    }
}

fn options(snapshots: &[Sequence]) -> StreamOptions {
    StreamOptions {
        snapshots: snapshots.to_vec(),
        merge_operator: Some(Arc::new(Join { partial: true, fails: false })),
        ..StreamOptions::new(order())
    }
}

fn bottom(snapshots: &[Sequence]) -> StreamOptions {
    StreamOptions { bottommost: true, ..options(snapshots) }
}

fn run(mut input: Vec<Entry>, options: StreamOptions) -> Result<(Vec<Entry>, Counts)> {
    let order = order();
    input.sort_by(|a, b| order.compare(&a.0, &b.0));
    let mut stream = CompactionStream::new(VecIter::boxed(input), options);
    let mut out = Vec::new();
    while stream.advance()? {
        out.push((stream.key().to_vec(), stream.value().to_vec()));
    }
    assert!(!stream.advance()?, "the end is the end");
    Ok((out, *stream.counts()))
}

fn entry(text: &str) -> Entry {
    // "k9=v" value, "k9-" deletion, "k9!" single deletion, "k9+v" operand, "k9@v" blob, "k9#v" columns
    let at = text.find(['=', '-', '!', '+', '@', '#']).unwrap();
    let kind = match &text[at..=at] {
        "=" => Kind::Value,
        "-" => Kind::Deletion,
        "!" => Kind::SingleDeletion,
        "+" => Kind::Merge,
        "@" => Kind::BlobIndex,
        _ => Kind::WideColumns,
    };
    let sequence = text[1..at].parse().unwrap();
    (key::internal(&text.as_bytes()[..1], sequence, kind), text.as_bytes()[at + 1..].to_vec())
}

fn show(entries: &[Entry]) -> String {
    let one = |(internal, value): &Entry| {
        let k = ParsedKey::parse(internal).unwrap();
        let sign = match k.kind {
            Kind::Value => '=',
            Kind::Deletion => '-',
            Kind::SingleDeletion => '!',
            Kind::Merge => '+',
            Kind::BlobIndex => '@',
            _ => '#',
        };
        let (user, value) = (String::from_utf8_lossy(k.user_key), String::from_utf8_lossy(value));
        format!("{user}{}{sign}{value}", k.sequence)
    };
    entries.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn case(input: &str, options: StreamOptions) -> String {
    let input = input.split_whitespace().map(entry).collect();
    show(&run(input, options).unwrap().0)
}

#[test]
fn only_the_newest_version_of_a_stripe_survives() {
    assert_eq!(case("a5=e a4=d a3=c b1=x", options(&[])), "a5=e b1=x");
    assert_eq!(case("a5=e a4=d a3=c a1=a", options(&[1, 4])), "a5=e a4=d a1=a");
    assert_eq!(case("a5=e a5=e", options(&[])), "a5=e");
}

#[test]
fn values_at_the_bottom_lose_their_number_once_every_reader_sees_them() {
    assert_eq!(case("a5=e a3=c b7=x c2@i d2#w", bottom(&[4])), "a5=e a0=c b7=x c0@i d0#w");
    assert_eq!(case("a5=e a3=c", bottom(&[])), "a0=e");
}

#[test]
fn deletions_go_when_nothing_is_left_to_hide() {
    assert_eq!(case("a5- a4=d", options(&[])), "a5-");
    assert_eq!(case("a5- a4=d b1=x", bottom(&[])), "b0=x");
    // The snapshot still sees the value under it.
    assert_eq!(case("a5- a4=d", bottom(&[4])), "a5- a0=d");
    // Too new for the snapshot, but nothing is under it.
    assert_eq!(case("a5- a4=d b5-", bottom(&[3])), "");
    let deeper = Box::new(|k: &[u8]| k == b"a");
    let o = StreamOptions { deeper: Some(deeper), ..options(&[]) };
    assert_eq!(case("a5- a4=d b5- b4=x", o), "a5-");
}

#[test]
fn a_single_deletion_takes_its_value_along() {
    assert_eq!(case("a5! a4=d b1=x", options(&[])), "b1=x");
    // Below the pair an older life of the key ended in a deletion, which must stay.
    assert_eq!(case("a5! a4=d a3- a2=b", options(&[])), "a3-");
    assert_eq!(case("a5! a4=d", options(&[4])), "a5! a4=d");
    assert_eq!(case("a5!", options(&[])), "a5!");
    assert_eq!(case("a5!", bottom(&[])), "");
    assert_eq!(case("a6! a5! a4=d", options(&[])), "");
    assert_eq!(case("a6=x a5! a4=d", options(&[])), "a6=x");
}

#[test]
fn misused_single_deletions_delete() {
    assert_eq!(case("a5! a4- a3=c", options(&[])), "a5-");
    assert_eq!(case("a5! a4+x a3=c", options(&[])), "a5-");
    assert_eq!(case("a5! a4=d a3=c", options(&[])), "a5-");
    assert_eq!(case("a5! a4=d a3=c", options(&[3])), "a5- a3=c");
}

#[test]
fn operands_fold_over_what_is_known() {
    assert_eq!(case("a5+e a4+d a3=c a2=b", options(&[])), "a5=c,d,e");
    assert_eq!(case("a5+e a4+d a3-", options(&[])), "a5=d,e");
    assert_eq!(case("a5+e a4+d", options(&[])), "a5+d,e");
    assert_eq!(case("a5+e a4+d", bottom(&[])), "a0=d,e");
    assert_eq!(case("a5+e", options(&[])), "a5+e");
    // A snapshot between them keeps them apart.
    assert_eq!(case("a5+e a4+d a3+c a2=b", options(&[3])), "a5+d,e a3=b,c");
    // What we cannot read stays under them.
    assert_eq!(case("a5+e a4+d a3@i a2=b", bottom(&[])), "a5+d,e a0@i");
    assert_eq!(case("a5+e a3#w", options(&[])), "a5+e a3#w");
}

#[test]
fn operands_stay_apart_without_help() {
    let o = || StreamOptions { merge_operator: None, ..bottom(&[]) };
    assert_eq!(case("a5+e a4+d a3=c a2=b", o()), "a5+e a4+d a0=c");
    let failing = Arc::new(Join { partial: false, fails: true });
    let o = StreamOptions { merge_operator: Some(failing), ..bottom(&[]) };
    let input = "a5+e a4+d a3=c a2=b b1=x".split_whitespace().map(entry).collect();
    let (out, counts) = run(input, o).unwrap();
    assert_eq!(show(&out), "a5+e a4+d a0=c b0=x");
    assert_eq!(counts.merge_failures, 1);
    let unwilling = Arc::new(Join { partial: false, fails: false });
    let o = StreamOptions { merge_operator: Some(unwilling), ..options(&[]) };
    assert_eq!(case("a5+e a4+d", o), "a5+e a4+d");
}

struct Picky;

impl CompactionFilter for Picky {
    fn name(&self) -> &str {
        "picky"
    }
    fn filter(&self, level: i32, key: &[u8], value: &[u8]) -> Decision {
        assert_eq!(level, 2);
        assert!(!key.is_empty());
        match value {
            b"drop" => Decision::Remove,
            b"change" => Decision::Change(b"changed".to_vec()),
            _ => Decision::Keep,
        }
    }
}

#[test]
fn the_filter_sees_the_newest_plain_value_only() {
    let with = |mut o: StreamOptions| {
        o.filter = Some(Filter::Own(Box::new(Picky)));
        o.filter_level = 2;
        o
    };
    assert_eq!(
        case("a5=drop a4=d b3=change b2=drop c1=x", with(options(&[]))),
        "a5- b3=changed c1=x"
    );
    assert_eq!(case("a5=drop a4=d b3=change c1=x", with(bottom(&[]))), "b0=changed c0=x");
    // An older version is not filtered, though a snapshot keeps it; snapshots are ignored.
    assert_eq!(case("a5=x a4=drop b3=drop", with(options(&[4]))), "a5=x a4=drop b3-");
    assert_eq!(case("a5- a4=drop b3+drop", with(options(&[4]))), "a5- a4=drop b3+drop");
    let input = vec![entry("a5=drop")];
    assert_eq!(run(input, with(bottom(&[]))).unwrap().1.filtered, 1);
}

#[test]
fn damage_is_an_error() {
    let bad = vec![(b"short".to_vec(), vec![])];
    assert!(run(bad, options(&[])).unwrap_err().is_corruption());
    let mut unknown = key::internal(b"k", 3, Kind::Value);
    unknown[1] = 0x77;
    assert!(run(vec![(unknown, vec![])], options(&[])).unwrap_err().is_corruption());
    let range = vec![(key::internal(b"k", 3, Kind::RangeDeletion), vec![])];
    assert!(run(range, options(&[])).unwrap_err().is_corruption());
    let turned = vec![entry("b1=x"), entry("a1=x")];
    let mut stream = CompactionStream::new(VecIter::boxed(turned), options(&[]));
    assert!(stream.advance().unwrap());
    assert!(stream.advance().unwrap_err().is_corruption());
    let turned = vec![entry("a1=x"), entry("a2=x")];
    let mut stream = CompactionStream::new(VecIter::boxed(turned), options(&[]));
    assert!(stream.advance().unwrap());
    assert!(stream.advance().unwrap_err().is_corruption());
}

#[test]
fn an_input_that_fails_is_no_end() {
    let iter =
        VecIter { entries: vec![entry("a1=x")], at: 0, error: Some(Error::io_error("torn")) };
    let mut stream = CompactionStream::new(Box::new(iter), options(&[]));
    assert!(stream.advance().unwrap());
    assert!(stream.advance().is_err());
}

#[test]
fn a_stream_ends_when_told_to() {
    let o = StreamOptions { go_on: Some(Arc::new(|| Err(Error::shutdown("")))), ..options(&[]) };
    assert!(run(vec![entry("a1=x")], o).is_err());
}

#[test]
fn range_deletions_survive_by_stripe() {
    let t = |b: &str, e: &str, s| Tombstone { begin: b.into(), end: e.into(), sequence: s };
    let all = vec![t("a", "m", 5), t("c", "f", 8), t("a", "m", 3), t("x", "y", 9)];
    let fragments = Fragments::build(all, &*bytewise());
    let survive = |snapshots: &[Sequence], deeper: bool| {
        let left = surviving(&fragments, &order(), snapshots, |_, _| deeper);
        let one = |t: &Tombstone| {
            let (b, e) = (String::from_utf8_lossy(&t.begin), String::from_utf8_lossy(&t.end));
            format!("{b}-{e}@{}", t.sequence)
        };
        left.iter().map(one).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(survive(&[], true), "a-c@5 c-f@8 f-m@5 x-y@9");
    assert_eq!(survive(&[], false), "");
    assert_eq!(survive(&[6], true), "a-c@5 c-f@8 c-f@5 f-m@5 x-y@9");
    assert_eq!(survive(&[6], false), "c-f@8 x-y@9");
    assert_eq!(survive(&[3], true), "a-c@5 a-c@3 c-f@8 c-f@3 f-m@5 f-m@3 x-y@9");
}

// The model.

#[derive(Clone)]
pub(in crate::compaction) struct World {
    pub(in crate::compaction) points: Vec<Entry>,
    pub(in crate::compaction) tombstones: Vec<Tombstone>,
}

/// What a reader at `snapshot` sees of `user_key`, by the rules of visibility. `layers` from new to old.
pub(in crate::compaction) fn visible(
    layers: &[&World],
    user_key: &[u8],
    snapshot: Sequence,
) -> Option<Vec<u8>> {
    let covering = layers
        .iter()
        .flat_map(|l| &l.tombstones)
        .filter(|t| t.sequence <= snapshot && &t.begin[..] <= user_key && user_key < &t.end[..]);
    let covered = covering.map(|t| t.sequence).max().unwrap_or(0);
    let mut operands: Vec<&[u8]> = Vec::new();
    let mut base = None;
    for (internal, value) in layers.iter().flat_map(|l| &l.points) {
        let k = ParsedKey::parse(internal).unwrap();
        if k.user_key != user_key || k.sequence > snapshot {
            continue;
        }
        if k.sequence < covered {
            break;
        }
        match k.kind {
            Kind::Merge => operands.push(value),
            Kind::Value => {
                base = Some(&value[..]);
                break;
            }
            _ => break,
        }
    }
    if operands.is_empty() {
        return base.map(<[u8]>::to_vec);
    }
    operands.reverse();
    let parts: Vec<&[u8]> = base.into_iter().chain(operands).collect();
    Some(parts.join(&b','))
}

pub(in crate::compaction) fn random_history(
    rng: &mut Rng,
    count: u64,
    keys: u8,
    misuse: bool,
) -> Vec<(Sequence, Entry)> {
    // Puts of a key since its last deletion; 9 means that a single deletion would be a misuse.
    let mut puts = vec![0u8; usize::from(keys)];
    let mut history = Vec::new();
    for sequence in 1..=count {
        let at = rng.below(u64::from(keys)) as usize;
        let user = vec![b'a' + at as u8];
        let value = format!("{sequence}").into_bytes();
        let (kind, value) = match rng.below(12) {
            0..=4 => (Kind::Value, value),
            5..=6 => (Kind::Deletion, vec![]),
            7..=8 => (Kind::Merge, value),
            9..=10 if misuse || puts[at] == 1 => (Kind::SingleDeletion, vec![]),
            11 => {
                let end = vec![user[0] + 1 + rng.below(4) as u8];
                (Kind::RangeDeletion, end)
            }
            _ => (Kind::Value, value),
        };
        puts[at] = match kind {
            Kind::Value => {
                if puts[at] == 0 {
                    1
                } else {
                    9
                }
            }
            Kind::Merge => 9,
            Kind::Deletion | Kind::SingleDeletion => 0,
            _ => puts[at],
        };
        history.push((sequence, (key::internal(&user, sequence, kind), value)));
    }
    history
}

pub(in crate::compaction) fn world(
    history: &[(Sequence, Entry)],
    from: Sequence,
    to: Sequence,
) -> World {
    let mut w = World { points: vec![], tombstones: vec![] };
    for (sequence, (internal, value)) in history {
        if !(from..=to).contains(sequence) {
            continue;
        }
        let k = ParsedKey::parse(internal).unwrap();
        if k.kind == Kind::RangeDeletion {
            let (begin, end) = (k.user_key.to_vec(), value.clone());
            w.tombstones.push(Tombstone { begin, end, sequence: *sequence });
        } else {
            w.points.push((internal.clone(), value.clone()));
        }
    }
    let order = order();
    w.points.sort_by(|a, b| order.compare(&a.0, &b.0));
    w
}

#[test]
fn every_snapshot_sees_the_same_before_and_after() {
    for seed in 0..runs(400) {
        let mut rng = Rng::new(seed);
        let count = 5 + rng.below(50);
        let misuse = rng.one_in(4);
        let has_deeper = !misuse && !rng.one_in(3);
        let history = random_history(&mut rng, count, 6, misuse);
        let low = if has_deeper { rng.below(count) } else { 0 };
        let high = low + 1 + rng.below(count - low);
        let deeper = world(&history, 1, low);
        let upper = if misuse {
            World { points: vec![], tombstones: vec![] }
        } else {
            world(&history, high + 1, count)
        };
        let mut now = world(&history, low + 1, high);
        let mut snapshots: Vec<_> = (0..rng.below(5)).map(|_| 1 + rng.below(count)).collect();
        snapshots.sort_unstable();
        snapshots.dedup();
        let before = now.clone();
        let partial = rng.one_in(2);
        for round in 0..2 {
            let is_bottom = !has_deeper && rng.one_in(2);
            let fragments = Arc::new(Fragments::build(now.tombstones.clone(), &*bytewise()));
            let mut covering = RangeDeletions::new(order());
            covering.add(Arc::clone(&fragments), None);
            let has_key = {
                let deeper = deeper.clone();
                move |k: &[u8]| {
                    let points = deeper.points.iter().any(|e| key::user_key(&e.0) == k);
                    let ranges = &deeper.tombstones;
                    points || ranges.iter().any(|t| &t.begin[..] <= k && k < &t.end[..])
                }
            };
            let key_is_deeper = has_key.clone();
            let o = StreamOptions {
                snapshots: snapshots.clone(),
                merge_operator: Some(Arc::new(Join { partial, fails: false })),
                bottommost: is_bottom,
                deeper: Some(Box::new(key_is_deeper)),
                covers: Some(Box::new(move |k: &ParsedKey<'_>, s| covering.covers(k, s))),
                ..StreamOptions::new(order())
            };
            let (points, counts) = run(now.points.clone(), o).unwrap();
            assert_eq!(counts.input, now.points.len() as u64);
            assert_eq!(counts.output, points.len() as u64);
            let tombstones = surviving(&fragments, &order(), &snapshots, |b, e| {
                !is_bottom && (b[0]..e[0]).any(|k| has_key(&[k]))
            });
            let after = World { points, tombstones };
            for pair in after.points.windows(2) {
                assert!(order().compare(&pair[0].0, &pair[1].0).is_lt(), "seed {seed}: order");
            }
            for k in b'a'..b'l' {
                for &s in snapshots.iter().chain([&MAX_SEQUENCE]) {
                    let was = visible(&[&upper, &before, &deeper], &[k], s);
                    let is = visible(&[&upper, &after, &deeper], &[k], s);
                    assert_eq!(
                        was,
                        is,
                        "seed {seed} round {round}: {} at {s}, snapshots {snapshots:?}\n{}\n{}\n{:?}",
                        k as char,
                        show(&before.points),
                        show(&after.points),
                        before.tombstones,
                    );
                }
            }
            now = after;
            // Snapshots only go.
            snapshots.retain(|_| !rng.one_in(3));
        }
    }
}
