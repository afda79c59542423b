//! Golden tests: `tests/golden/picker/*.txt` draws a store and says what is picked.
//!
//! ```text
//! case WHAT IT SHOWS
//! options NAME=VALUE ..
//! L1 5[a-c]300 6[d-f)400 7[g-g]10@3-9* 8[h-k]10!   number, user keys (`)` exclusive), bytes, sequences,
//!                                                  `*` being compacted, `!` marked
//! run L1->L2 a-c                                   a compaction that runs
//! universal RATIO WIDTH AMPLIFICATION STOP   fifo SIZE merge|keep      another style
//! now SECONDS                                      the time; a file was made at the second of its number
//! cursor L1 f                                      round robin goes on behind f
//! pick | range L1->L2 a-m | files 5 6 -> L2 | scores
//! = the result
//! ```
//!
//! With MOUNTDB_GOLDEN=write the results are written into the files.

use super::*;
use crate::base::InternalComparator;
use crate::base::comparator::bytewise;
use crate::base::key::{self, Kind, MAX_SEQUENCE};
use crate::compaction::pick::Running;
use crate::compaction::{picker, score};
use crate::format::manifest::FileEntry;
use crate::options::OptionText;
use std::fmt::Write;

#[derive(Default)]
struct Case {
    options: CfOptions,
    levels: Vec<Vec<Arc<FileMeta>>>,
    running: InProgress,
    cursors: Vec<(usize, Vec<u8>)>,
}

impl Case {
    fn version(&self) -> Version {
        let mut levels = self.levels.clone();
        levels.resize(self.options.num_levels as usize, Vec::new());
        let order = InternalComparator::new(bytewise());
        let mut version = Version::new(order, levels).unwrap();
        for (level, key) in &self.cursors {
            version.set_cursor(*level, key.clone());
        }
        version
    }

    fn line(&mut self, line: &str) -> Option<String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "case" => {
                *self = Self::default();
                self.options.level_compaction_dynamic_level_bytes = false;
                self.options.max_bytes_for_level_base = 1000;
                self.options.target_file_size_base = 100;
                None
            }
            "options" => {
                for pair in rest.split_whitespace() {
                    let (name, value) = pair.split_once('=').unwrap();
                    assert!(self.options.set_text(name, value).unwrap(), "{name}");
                }
                None
            }
            "run" => {
                let (levels, keys) = rest.split_once(' ').unwrap();
                let (start_level, output_level) = arrow(levels);
                let (a, b) = keys.split_once('-').unwrap();
                self.running.running.push(Running {
                    start_level,
                    output_level,
                    smallest: a.into(),
                    largest: b.into(),
                    is_manual: false,
                });
                None
            }
            "universal" => {
                self.options.compaction_style = CompactionStyle::Universal;
                let numbers: Vec<i64> =
                    rest.split_whitespace().map(|n| n.parse().unwrap()).collect();
                let [ratio, least, amplification, stop] = numbers[..] else { panic!("{line}") };
                self.options.universal.size_ratio = ratio as u32;
                self.options.universal.min_merge_width = least as u32;
                self.options.universal.max_size_amplification_percent = amplification as u32;
                self.options.universal.stop_style =
                    crate::options::StopStyle::from_number(stop as i32).unwrap();
                None
            }
            "fifo" => {
                self.options.compaction_style = CompactionStyle::Fifo;
                let (size, merge) = rest.split_once(' ').unwrap();
                self.options.fifo.max_table_files_size = size.parse().unwrap();
                self.options.fifo.allow_compaction = merge == "merge";
                None
            }
            "now" => {
                self.running.now_seconds = rest.parse().unwrap();
                None
            }
            "cursor" => {
                let (l, k) = rest.split_once(' ').unwrap();
                self.cursors.push((level(l), key::internal(k.as_bytes(), 0, Kind::Value)));
                None
            }
            "pick" => Some(match picker::pick(&self.version(), &self.options, &self.running) {
                Some(pick) => show(&pick),
                None => "nothing".to_owned(),
            }),
            "range" => {
                let (levels, keys) = rest.split_once(' ').unwrap();
                let (level, output_level) = arrow(levels);
                let (a, b) = keys.split_once('-').unwrap();
                let bound = |k: &'static str| (!k.is_empty()).then_some(k.as_bytes());
                let range = KeyRange { begin: bound(leak(a)), end: bound(leak(b)) };
                let manual = Manual { level, output_level, range, ignore_from_number: None };
                let found = pick_range(&self.version(), &self.options, &self.running, &manual);
                Some(match found {
                    RangePick::Pick(pick) => show(&pick),
                    other => format!("{other:?}"),
                })
            }
            "files" => {
                let (files, output) = rest.split_once(" -> ").unwrap();
                let numbers: Vec<u64> =
                    files.split_whitespace().map(|n| n.parse().unwrap()).collect();
                let version = self.version();
                let found =
                    pick_files(&version, &self.options, &self.running, &numbers, level(output));
                Some(found.map_or_else(|e| e.to_string(), |pick| show(&pick)))
            }
            "scores" => {
                let s = score::compute(&self.version(), &self.options);
                let mut text = String::new();
                for (level, score) in &s.levels {
                    write!(text, "L{level} {score:.2}, ").unwrap();
                }
                let target = |t: &u64| if *t == u64::MAX { "-".into() } else { t.to_string() };
                let targets: Vec<String> = s.targets.iter().skip(1).map(target).collect();
                let (base, pending) = (s.base_level, s.estimated_pending_bytes);
                let targets = targets.join(" ");
                Some(format!("{text}base {base}, targets {targets}, pending {pending}"))
            }
            _ if word.starts_with('L') => {
                let at = level(word);
                if self.levels.len() <= at {
                    self.levels.resize(at + 1, Vec::new());
                }
                for text in rest.split_whitespace() {
                    self.levels[at].push(file(text));
                }
                None
            }
            _ => panic!("what is {line:?}?"),
        }
    }
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn level(text: &str) -> usize {
    text.strip_prefix('L').unwrap().parse().unwrap()
}

fn arrow(text: &str) -> (usize, usize) {
    let (a, b) = text.split_once("->").unwrap();
    (level(a), level(b))
}

fn file(text: &str) -> Arc<FileMeta> {
    let (number, rest) = text.split_once('[').unwrap();
    let number: u64 = number.parse().unwrap();
    let close = rest.find([']', ')']).unwrap();
    let (small, large) = rest[..close].split_once('-').unwrap();
    let flags: String = rest.chars().filter(|c| "*!".contains(*c)).collect();
    let tail = rest[close + 1..].trim_end_matches(['*', '!']);
    let (size, sequences) = tail.split_once('@').unwrap_or((tail, ""));
    let (low, high) = match sequences.split_once('-') {
        Some((low, high)) => (low.parse().unwrap(), high.parse().unwrap()),
        None => (number * 10, number * 10 + 9),
    };
    let largest = match &rest[close..=close] {
        ")" => key::internal(large.as_bytes(), MAX_SEQUENCE, Kind::RangeDeletion),
        _ => key::internal(large.as_bytes(), low, Kind::Value),
    };
    let meta = FileMeta::new(FileEntry {
        number,
        size: size.parse().unwrap(),
        smallest: key::internal(small.as_bytes(), high, Kind::Value),
        largest,
        smallest_sequence: low,
        largest_sequence: high,
        epoch: number,
        oldest_ancestor_time: number,
        file_creation_time: number,
        marked_for_compaction: flags.contains('!'),
        ..FileEntry::default()
    });
    meta.set_being_compacted(flags.contains('*'));
    Arc::new(meta)
}

fn show(pick: &Pick) -> String {
    let mut text = String::new();
    for (level, files) in &pick.inputs {
        write!(text, "L{level}").unwrap();
        for file in files {
            write!(text, " {}", file.number()).unwrap();
        }
        text.push_str(", ");
    }
    write!(text, "to L{}, {:?}", pick.output_level, pick.reason).unwrap();
    for (is, what) in [
        (pick.trivial_move, "move"),
        (pick.deletion_only, "delete"),
        (pick.bottommost, "bottommost"),
        (pick.is_full, "full"),
    ] {
        if is {
            write!(text, ", {what}").unwrap();
        }
    }
    if let Some((level, key)) = &pick.cursor {
        write!(text, ", cursor L{level} {}", String::from_utf8_lossy(key::user_key(key))).unwrap();
    }
    if let Some(next) = &pick.next_begin {
        write!(text, ", then from {}", String::from_utf8_lossy(next)).unwrap();
    }
    if !pick.grandparents.is_empty() {
        let numbers: Vec<_> = pick.grandparents.iter().map(|f| f.number().to_string()).collect();
        write!(text, ", over {}", numbers.join(" ")).unwrap();
    }
    text
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a test reads its own files")]
fn picks_are_as_drawn() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/picker");
    let rewrite = std::env::var("MOUNTDB_GOLDEN").is_ok_and(|v| v == "write");
    let mut cases = 0;
    for found in std::fs::read_dir(&dir).unwrap() {
        let path = found.unwrap().path();
        let old = std::fs::read_to_string(&path).unwrap();
        let mut new = String::new();
        let mut case = Case::default();
        for line in old.lines().filter(|line| !line.starts_with("= ")) {
            writeln!(new, "{line}").unwrap();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            cases += usize::from(line.starts_with("case "));
            if let Some(result) = case.line(line) {
                writeln!(new, "= {result}").unwrap();
            }
        }
        if rewrite {
            std::fs::write(&path, new).unwrap();
            continue;
        }
        for (at, (old, new)) in old.lines().zip(new.lines()).enumerate() {
            assert_eq!(old, new, "{}:{}", path.display(), at + 1);
        }
        assert_eq!(old.lines().count(), new.lines().count(), "{}", path.display());
    }
    assert!(cases > 20, "{cases} cases in {}", dir.display());
}
