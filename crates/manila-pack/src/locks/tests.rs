use super::{Locks, NotHeld};

#[test]
fn one_holds_and_others_are_told_who() {
    let folder = std::env::temp_dir().join(format!("manila-locks-{}", std::process::id()));
    let locks = Locks::new(folder.clone());
    let held = locks.take("/a/b.csproj", "restore").unwrap();
    let Err(NotHeld::Busy(Some(holder))) = locks.take("/a/b.csproj", "build") else {
        panic!("two have one lock");
    };
    assert_eq!(holder.operation, "restore");
    assert!(holder.since.starts_with("20"), "{holder:?}");
    locks.take("/a/c.csproj", "build").unwrap();
    drop(held);
    let again = locks.take("/a/b.csproj", "build").unwrap();
    drop(again);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    // What a process that was killed left behind is nobody's.
    let left = folder.join(manila::sha256_hex(b"/a/b.csproj"));
    std::fs::write(&left, "{\"operation\":\"x\"").unwrap();
    locks.take("/a/b.csproj", "build").unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
