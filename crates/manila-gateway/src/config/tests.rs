use super::*;

#[test]
fn everything_at_once() {
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
    let hide = |text: &str| config.hiding.text(text.to_owned());
    assert_eq!(hide("see INT-12345678"), "see [REDACTED]");
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
    assert_eq!(hide(jwt), jwt);
    assert_eq!(hide("password=hunter2-example"), "password=hunter2-example");
    assert_eq!(hide("password=test-1234"), "password=test-1234");
    assert_eq!(hide("password=hunter2"), "password=[REDACTED]");
    assert_eq!(config.hiding.not_for.iter().collect::<Vec<_>>(), ["get_token"]);
    assert_eq!(config.hiding.unsafe_output, UnsafeOutput::Allowed);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, expected) in [
        (
            "[redact]\noff = [\"pasword\"]",
            "2:8 there is no rule `pasword` to switch off | did you mean `password`?",
        ),
        (
            "[upstream.x]\nheaders = \"Bearer of a secret\"",
            "2:11 invalid type: string, expected a map | docs/configuration.md has every key",
        ),
        (
            "[redct]\n",
            "1:2 unknown field `redct`, expected one of `contract`, `speaks`, `placement`, `timeout`, `output_check`, `listen`, `limits`, `upstream`, `pack`, `tool`, `redact`, `journal` | did you mean `redact`?",
        ),
        (
            "[redact]\nextra = [{ name = \"x\", pattern = \"(\" }]",
            "2:19 the pattern of `x` is no regular expression: unclosed group | \
             `manila redact --rules` lists the rules that there are",
        ),
        (
            "[redact]\nextra = [{ name = \"jwt\", pattern = \"x\" }]",
            "2:19 the rule name `jwt` is taken | `manila redact --rules` lists the rules that there are",
        ),
        (
            "[redact]\nallow_patterns = [\"x*\"]",
            "2:19 the pattern of `allow_patterns` matches nothing at all, and so everywhere | \
             `manila redact --rules` lists the rules that there are",
        ),
    ] {
        let ConfigError { message, line, column, hint } = Config::from_toml(text).unwrap_err();
        assert_eq!(format!("{line}:{column} {message} | {hint}"), expected);
    }
    let error = Config::from_toml("redact = 7").unwrap_err();
    assert_eq!((error.line, error.column), (1, 10), "{error}");
    assert!(Config::from_toml("\u{0}").is_err());
}
