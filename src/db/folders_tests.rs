//! A store whose tables are in more than one folder.

use super::Db;
use super::column_family::Family;
use crate::env::{Env, FileSystem};
use crate::options::{CfOptions, CompactRangeOptions, DbOptions, FlushOptions, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn options(env: &Arc<Env>) -> DbOptions {
    DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        env: Some(Arc::clone(env)),
        db_paths: vec![(PathBuf::from("/fast"), 3 << 20), (PathBuf::from("/slow"), 1 << 40)],
        ..DbOptions::default()
    }
}

fn families() -> Vec<(String, CfOptions)> {
    let o = CfOptions { max_bytes_for_level_base: 2 << 20, ..CfOptions::default() };
    let own = CfOptions { cf_paths: vec![(PathBuf::from("/own"), 1 << 30)], ..o.clone() };
    vec![("default".to_owned(), o), ("own".to_owned(), own)]
}

fn tables(fs: &dyn FileSystem, folder: &str) -> usize {
    fs.list(Path::new(folder)).unwrap().iter().filter(|n| n.ends_with(".sst")).count()
}

fn fill(db: &Db, family: &Family, round: u8) {
    let w = WriteOptions::default();
    for key in 0..50u8 {
        db.put(&w, family, &[key], &[round]).unwrap();
    }
    db.flush(&FlushOptions::default(), std::slice::from_ref(family)).unwrap();
}

fn check(db: &Db, family: &Family, round: u8) {
    for key in 0..50u8 {
        let value = db.get(&crate::options::ReadOptions::default(), family, &[key]).unwrap();
        assert_eq!(value.as_deref(), Some(&[round][..]));
    }
}

#[test]
fn tables_go_where_the_target_sizes_say_and_leave_with_the_store() {
    let env = Arc::new(Env::memory_threads());
    let fs = Arc::clone(&env.fs);
    let path = Path::new("/store");
    let count = || ["/store", "/fast", "/slow", "/own"].map(|folder| tables(&*fs, folder));
    let (db, of) = Db::open(&options(&env), path, &families()).unwrap();
    fill(&db, &of[0], 1);
    fill(&db, &of[1], 1);
    assert_eq!(count(), [0, 1, 0, 1]);
    let all = db.live_files();
    let folder_of =
        |name: &str| all.iter().find(|f| f.family == name).map(|f| f.directory.clone()).unwrap();
    assert_eq!((&*folder_of("default"), &*folder_of("own")), ("/fast", "/own"));
    let refused = db.checkpoint(Path::new("/copy"), 0).unwrap_err().to_string();
    assert!(refused.starts_with("Not implemented: db_paths / cf_paths not supported"), "{refused}");

    // Level 1 has no room left in the first folder beside level 0: not even a move stays there.
    fill(&db, &of[0], 2);
    db.compact_range(&CompactRangeOptions::default(), &of[0], None, None).unwrap();
    assert_eq!(count(), [0, 0, 1, 1]);
    check(&db, &of[0], 2);
    db.close();
    drop((db, of));

    // A leftover in any of the folders goes; nothing else there does.
    for name in ["/slow/000999.sst", "/slow/000998.log", "/own/000997.sst"] {
        fs.create(Path::new(name), Default::default()).unwrap().close().unwrap();
    }
    let (db, of) = Db::open(&options(&env), path, &families()).unwrap();
    check(&db, &of[0], 2);
    check(&db, &of[1], 1);
    assert_eq!(count(), [0, 0, 1, 1]);
    assert!(fs.exists(Path::new("/slow/000998.log")).unwrap());
    fill(&db, &of[0], 3);
    db.compact_range(&CompactRangeOptions::default(), &of[0], None, None).unwrap();
    check(&db, &of[0], 3);
    assert_eq!(count(), [0, 0, 1, 1]);
    db.close();
    drop((db, of));

    // Without its folders the store is refused, and nothing of it is lost.
    let bare = DbOptions { db_paths: Vec::new(), ..options(&env) };
    let error = Db::open(&bare, path, &families()).map(|_| ()).unwrap_err();
    assert!(error.is_corruption(), "{error}");
    let (db, of) = Db::open(&options(&env), path, &families()).unwrap();
    check(&db, &of[0], 3);
    db.close();
    drop((db, of));
    Db::destroy(&options(&env), path, &families()).unwrap();
    assert!(fs.exists(Path::new("/slow/000998.log")).unwrap());
    for folder in ["/store", "/fast", "/own"] {
        assert!(!fs.exists(Path::new(folder)).unwrap(), "{folder}");
    }
}
