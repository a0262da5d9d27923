use super::*;

#[test]
fn reads_all_keys_of_the_redact_table() {
    let config = Config::from_toml(
        r#"
        [redact]
        off = ["jwt"]
        extra = [{ name = "internal-id", pattern = "INT-[0-9]{8}" }]
        allow = ["hunter2-example"]
        allow_patterns = ["^test-"]
        unsafe_output = true
        [tool.get_token]
        redact = false
        [tool.other]
        redact = true
        "#,
    )
    .unwrap();
    let redact = |text: &str| config.redaction.redact_text(text.to_owned());
    assert_eq!(redact("see INT-12345678"), "see [REDACTED]");
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
    assert_eq!(redact(jwt), jwt);
    assert_eq!(redact("password=hunter2-example"), "password=hunter2-example");
    assert_eq!(redact("password=test-1234"), "password=test-1234");
    assert_eq!(redact("password=hunter2"), "password=[REDACTED]");
    assert_eq!(config.redaction.excluded_tools.iter().collect::<Vec<_>>(), ["get_token"]);
    assert_eq!(config.redaction.unsafe_output, UnsafeOutput::Allowed);
}

#[test]
fn reports_errors_with_their_position() {
    for (text, expected) in [
        (
            "[redact]\noff = [\"pasword\"]",
            "2:8 there is no rule `pasword` to disable | did you mean `password`?",
        ),
        (
            "[upstream.x]\nheaders = \"Bearer of a secret\"",
            "2:11 invalid type: string, expected a table | `manila schema config` prints all keys",
        ),
        (
            "[redct]\n",
            "1:2 unknown key `redct`, expected one of `contract`, `speaks`, `placement`, `timeout`, `output_check`, `listen`, `limits`, `upstream`, `pack`, `tool`, `redact`, `journal` | did you mean `redact`?",
        ),
        (
            "[redact]\nextra = [{ name = \"x\", pattern = \"(\" }]",
            "2:19 the pattern of `x` is not a valid regular expression: unclosed group | \
             correct the pattern; it uses the syntax of the Rust regex crate",
        ),
        (
            "[redact]\nextra = [{ name = \"jwt\", pattern = \"x\" }]",
            "2:19 the rule name `jwt` is already in use | choose another name",
        ),
        (
            "[redact]\nallow_patterns = [\"x*\"]",
            "2:19 the pattern `x*` in `allow_patterns` matches the empty string, and so everywhere \
             | correct the pattern; it uses the syntax of the Rust regex crate",
        ),
    ] {
        let ConfigError { message, line, column, hint } = Config::from_toml(text).unwrap_err();
        assert_eq!(format!("{line}:{column} {message} | {hint}"), expected);
    }
    let error = Config::from_toml("redact = 7").unwrap_err();
    assert_eq!((error.line, error.column), (1, 10), "{error}");
    assert!(Config::from_toml("\u{0}").is_err());
}
