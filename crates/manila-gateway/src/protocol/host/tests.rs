use super::is_loopback;

#[test]
fn recognises_the_hosts_of_this_machine() {
    for host in ["localhost", "LOCALHOST:80", "localhost.", "127.0.0.1", "127.9.9.9:7300"] {
        assert!(is_loopback(host), "{host}");
    }
    for host in ["[::1]", "[::1]:7300", "::1"] {
        assert!(is_loopback(host), "{host}");
    }
    for host in [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1@evil.example",
        "localhost:80:80",
        "0.0.0.0",
        "10.0.0.1:7300",
        "[::]",
        "[::1]evil.example:80x",
    ] {
        assert!(!is_loopback(host), "{host}");
    }
}
