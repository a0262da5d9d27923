use super::decode_path;

#[test]
fn decodes_names_in_paths() {
    for (path, name) in [
        ("echo", Some("echo")),
        ("a%2Fb", Some("a/b")),
        ("gr%C3%BC%c3%9fe", Some("grüße")),
        ("%", None),
        ("%2", None),
        ("%zz", None),
        ("%ff", None),
    ] {
        assert_eq!(decode_path(path).as_deref(), name, "{path}");
    }
}
