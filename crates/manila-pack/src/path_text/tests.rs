use std::path::Path;

use manila_process::os::path_from_bytes;

use super::{path_to_text, text_to_path};

#[test]
fn paths_survive_as_text() {
    let paths: [&[u8]; 4] = [b"", b"/a/b c", "/gr\u{fc}n".as_bytes(), b"/a\xff/\xfe"];
    for path in paths.map(|bytes| path_from_bytes(bytes.to_vec())) {
        assert_eq!(text_to_path(&path_to_text(&path)), path);
    }
    assert_eq!(path_to_text(Path::new("/a")), "/a");
}
