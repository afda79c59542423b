//! One writer to a folder, whatever it is called.

use super::store::{DIR, Store, family_options, options};
use mountdb::db::Db;
use mountdb::env::Env;
use std::path::Path;

#[test]
fn a_second_open_is_refused_and_a_failed_open_leaves_the_lock_free() {
    let mut store = Store::new(1, |_| ());
    let families = [("default".to_owned(), family_options())];
    for spelling in [DIR, "/db/", "/./db", "/db/../db", "//db/."] {
        let error = Db::open(&store.options, Path::new(spelling), &families).err();
        let text = error.expect("somebody has it").to_string();
        assert!(
            text.starts_with("IO error: lock hold by current process, acquire time "),
            "{text}"
        );
        assert!(text.contains(" acquiring thread "), "{text}");
        assert!(text.ends_with("/LOCK: No locks available"), "{text}");
    }
    store.write([true, true], true).expect("the refused ones did no harm");
    let text = Db::destroy(&store.options, Path::new(DIR), &[]).expect_err("open").to_string();
    assert!(text.starts_with("IO error: lock hold by current process"), "{text}");
    store.close();
    // A failed open, then a right one at once; and one after a close.
    for _ in 0..3 {
        let error = Db::open(&store.options, Path::new(DIR), &families).err();
        let text = error.expect("a family is missing").to_string();
        assert_eq!(text, "Invalid argument: Column families not opened: other");
        store.reopen().expect("the lock is free");
        store.close();
    }
    store.reopen().expect("the lock is free");
    store.check_live("at the end");
}

#[test]
fn a_link_to_the_folder_is_the_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let real = dir.path().join("real");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let options = options(&Env::posix());
    let families = [("default".to_owned(), family_options())];
    let (db, handles) = Db::open(&options, &real, &families).expect("opens");
    for path in [&link, &real.join("."), &real.join("..").join("link"), &link.join("")] {
        let text = Db::open(&options, path, &families).err().expect("has it").to_string();
        assert!(text.starts_with("IO error: lock hold by current process, "), "{text}");
    }
    drop(handles);
    db.close();
    let (db, _) = Db::open(&options, &link, &families).expect("free after the close");
    let text = Db::open(&options, &real, &families).err().expect("has it").to_string();
    assert!(text.starts_with("IO error: lock hold by current process, "), "{text}");
    // Dropped, not closed: the lock is free as well.
    drop(db);
    Db::open(&options, &real, &families).expect("free after the drop");
}
