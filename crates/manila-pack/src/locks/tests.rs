use super::{LockError, Locks};

#[test]
fn allows_one_holder_and_reports_it_to_others() {
    let folder = std::env::temp_dir().join(format!("manila-locks-{}", std::process::id()));
    let locks = Locks::new(folder.clone());
    let held = locks.take("/a/b.csproj", "restore").unwrap();
    let Err(LockError::Busy(Some(holder))) = locks.take("/a/b.csproj", "build") else {
        panic!("the lock was acquired twice");
    };
    assert_eq!(holder.operation, "restore");
    assert!(holder.since.starts_with("20"), "{holder:?}");
    locks.take("/a/c.csproj", "build").unwrap();
    drop(held);
    let again = locks.take("/a/b.csproj", "build").unwrap();
    drop(again);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    // The lock file of a killed process is free.
    let left = folder.join(manila::sha256_hex(b"/a/b.csproj"));
    std::fs::write(&left, "{\"operation\":\"x\"").unwrap();
    locks.take("/a/b.csproj", "build").unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
