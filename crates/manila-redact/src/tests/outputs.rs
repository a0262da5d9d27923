//! Typical program outputs: logs of containers and CI, cloud tools, code.

use super::{redact_json, redact_text};
use crate::Redactor;
use crate::apply;
use crate::stream::Stream;

const KEY: [&str; 5] = [
    "-----BEGIN RSA PRIVATE KEY-----",
    "MIIEowIBAAKCAQEAvQ7m2KpLx9wZ3nRb5Yc7m2KpLx9wZ3nRb5YcvQ7m2KpLx9wZ",
    "Gx72kQhJ6Lp8Qw0Mk3wJ4rXUtnFEMI7K7MDENGbPxRfiCYzQ8KeyLm3vTsQ7m2Kp",
    "c2hvcnQ=",
    "-----END RSA PRIVATE KEY-----",
];

/// No line of a key remains, in the format of any log, diff, listing or program. A stream gives the
/// same result, however the text is split.
#[test]
fn redacts_keys_in_program_outputs() {
    let prefixes: [fn(usize) -> String; 19] = [
        |_| "2024-05-01T10:00:00.1234567Z ".to_owned(),
        |_| "web_1  | ".to_owned(),
        |_| "[pod/x/app] ".to_owned(),
        |_| "May  1 10:00:00 host app[1]: ".to_owned(),
        |_| "#12 3.456 ".to_owned(),
        |n| format!("key.pem:{n}:"),
        |n| format!("     {n}→"),
        |n| format!("{n} | "),
        |_| "│ ".to_owned(),
        |_| "< ".to_owned(),
        |_| "> ".to_owned(),
        |_| "stdout: ".to_owned(),
        |_| "-".to_owned(),
        |_| "+".to_owned(),
        |_| "# ".to_owned(),
        |_| " * ".to_owned(),
        |n| if n == 0 || n == 4 { " " } else { "-" }.to_owned(),
        |n| if n == 0 || n == 4 { " " } else { "+" }.to_owned(),
        |_| "\u{1b}[32m+\u{1b}[m\u{1b}[32m".to_owned(),
    ];
    for prefix in prefixes {
        check_key(|n| (prefix(n), ""));
    }
    for (before, after) in [("'", "\\n'"), ("\"", "\\n\" +"), ("'", "',"), ("  \"", "\" \\")] {
        check_key(|_| (before.to_owned(), after));
    }
    // In a diff, a line with only a prefix is also part of a key.
    check_key(|n| ("+".to_owned(), if n == 0 { "\n+" } else { "" }));
}

#[track_caller]
fn check_key<'a>(around: impl Fn(usize) -> (String, &'a str)) {
    let mut text = "before\n".to_owned();
    for (n, line) in KEY.iter().enumerate() {
        let (before, after) = around(n);
        text.extend([before.as_str(), line, after, "\n"]);
    }
    text += "after\n";
    let redacted = redact_text(&text);
    for line in &KEY[1..4] {
        assert!(!redacted.contains(line), "{redacted}");
    }
    assert_eq!(redacted.lines().count(), text.lines().count(), "{redacted}");
    assert!(redacted.contains("before\n") && redacted.contains("after\n"), "{redacted}");
    assert_eq!(redact_text(&redacted), redacted);
    for len in [1, 7, 40, 100] {
        let mut stream = Stream::new(Redactor::standard());
        let mut streamed = Vec::new();
        for piece in text.as_bytes().chunks(len) {
            streamed.extend_from_slice(&stream.push(piece).text);
        }
        streamed.extend_from_slice(&stream.finish().text);
        assert_eq!(String::from_utf8_lossy(&streamed), redacted, "in pieces of {len}");
    }
}

/// In each template, `§` is replaced by a secret.
#[test]
fn redacts_values_in_program_outputs() {
    for template in [
        "password=\u{1b}[32m§\u{1b}[0m",
        "password: \u{1b}[32m'§'\u{1b}[39m",
        "\u{1b}[36mpassword\u{1b}[0m=§",
        r#"{"name":"DB_PASSWORD","value":"§"}"#,
        "\"name\": \"DB_PASSWORD\",\n    \"value\": \"§\"\n",
        "- name: DB_PASSWORD\n  value: §\n",
        "password: |\n  §\n",
        "password: >-\n  §\n",
        "password:\n  §\n",
        "password: !!str §",
        "password: &pw §",
        "mysql://root:§#x@localhost:3306/app",
        "root:§@tcp(127.0.0.1:3306)/app",
        "const apiKey = process.env.API_KEY ?? \"§\"",
        "const apiKey = process.env.API_KEY || '§'",
        "password = os.getenv(\"DB_PASSWORD\") or \"§\"",
        "let password = String::from(\"§\");",
        "var password string = \"§\"",
        "char password[] = \"§\";",
        "password = \"\"\"§\"\"\"",
        "builder.password(\"§\")",
        "setPassword(\"§\")",
        "  ~ password = \"hunter-Gx72kQ\" -> \"§\"",
        "requirepass §",
        "masterauth §",
        "curl -sSu \"bob:§\" h",
        "curl --proxy-user bob:§ h",
        "curl -U p:hunter2x -u bob:§ h",
        "oc login -u bob -p §",
        "docker login -u docker -p §",
        "IDENTIFIED WITH mysql_native_password BY '§'",
        "IDENTIFIED BY \"§\"",
        "CREATE LOGIN x WITH PASSWORD = N'§'",
        "<property name=\"password\">§</property>",
        "<entry key=\"db.password\">§</entry>",
        "<password type=\"x\">§</password>",
        "    [password] => §",
        "Server=h;password={§;x1};encrypt=true",
        "Server=db;Password=secret horse § staple;Database=app",
        "AWS Secret Access Key [None]: §",
        "aws configure set aws_secret_access_key §",
        "password=&quot;§&quot;",
        "password=\"admin'§\"",
        "password: § user = 'bob'",
        "password:str = \"§\"",
        "password: string  = '§'",
    ] {
        let text = template.replace('§', "t8KwZ3nRb5Yc");
        let redacted = redact_text(&text);
        let is_redacted = redacted.contains("[REDACTED]") && !redacted.contains("t8KwZ3nR");
        assert!(is_redacted, "{text}: {redacted}");
        assert_eq!(redact_text(&redacted), redacted);
    }
}

#[test]
fn redacts_values_in_json_outputs() {
    for json in [
        r#"{"SecretString":"t8KwZ3nRb5Yc"}"#,
        r#"{"SecretBinary":"t8KwZ3nRb5Yc"}"#,
        r#"{"text":"{\"name\":\"DB_PASSWORD\",\"value\":\"t8KwZ3nRb5Yc\"}"}"#,
        r#"{"text":"KEY=LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBeFY0t8KwZ3nRb5Yc"}"#,
    ] {
        let redacted = redact_json(json);
        assert!(redacted.contains("[REDACTED]") && !redacted.contains("t8KwZ3nR"), "{redacted}");
    }
}

/// The text after a truncated key is not part of it. Other text between its lines ends the key.
#[test]
fn keeps_the_text_after_a_key() {
    let [begin, line, more, ..] = KEY;
    let text = format!("{begin}\n{line}\nServer started ok\nword\n");
    assert_eq!(redact_text(&text), format!("{begin}\n[REDACTED]\nServer started ok\nword\n"));
    let text = format!("{begin}\n{line}\nwarning: connection lost\n{more}\n");
    let redacted = redact_text(&text);
    assert_eq!(redact_text(&redacted), redacted);
    let encoded = "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFUkNDQ1BQM204Y0pyTVBrT3g5MEI1";
    assert_eq!(
        redact_text(&format!("{encoded}\nhello\nINFO more\n")),
        "[REDACTED]\nhello\nINFO more\n"
    );
}

/// A key that is encoded again in base64, on several lines.
#[test]
fn redacts_an_encoded_key_on_several_lines() {
    let line = "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBdlE3bTJLcExj";
    assert_eq!(line.len(), 76);
    let text = format!("{line}\n{}\nUm9zZQ==\nafter\n", "Q".repeat(70) + "MIIEab");
    let edits = Redactor::standard().text(text.as_bytes());
    let redacted = String::from_utf8(apply(text.as_bytes(), &edits)).unwrap();
    assert_eq!(redacted, "[REDACTED]\n[REDACTED]\n[REDACTED]\nafter\n");
    // In quotes, and streamed line by line.
    let quoted = format!("\"{line}\"\n\"Y2NISUZFVm1nK0o4c2JheXVORXV6RVNSZjF2aE44PQ==\"\nafter\n");
    let mut stream = Stream::new(Redactor::standard());
    let lines = quoted.split_inclusive('\n');
    let mut streamed: Vec<u8> = lines.flat_map(|it| stream.push(it.as_bytes()).text).collect();
    streamed.extend_from_slice(&stream.finish().text);
    assert_eq!(String::from_utf8_lossy(&streamed), "\"[REDACTED]\"\n\"[REDACTED]\"\nafter\n");
}

#[test]
fn keeps_harmless_program_outputs() {
    for text in [
        "\"jsonwebtoken\": \"^9.0.2\"",
        "\"csrf-token\": \"^1.2.0\"",
        "Tests: pass: 1428571, fail: 0",
        "First pass: optimizing 128/512 nodes",
        "passwd:         compat",
        "getPassword(\"db-main-1\")",
        "const password: string = process.env.PW1;",
        "WARN password reset requested by user12345",
        "\"password\": {\"type\": \"string\", \"minLength\": 8}",
        "<input type=\"password\">Enter1234</input>",
        "secret:\n  name: my-tls-2\n",
        "password:\n- hunter2x\n",
        "password:\nnext_key: hunter2x9\n",
        "https://host:8080#frag@x",
        "root@tcp(127.0.0.1:3306)/app",
        "username: DB_PASSWORD\nvalue: hunter2x\n",
        "if password:\n    connect_to_db1()\n",
        "    case token:\n        doThing1();\n",
        "--- PASS: TestParse (0.00s)",
        "PASS: tests/misc/head.sh",
        "+ password = (sensitive value)",
        "password=(null) secret: [object Object]",
        "Private-Lines: 3\nthe docs say\nthat three lines\nfollow it\n",
        r#"{"token": ["password:", 1], "b": "x1"}"#,
        r#"{"secret": [[true]]}"#,
    ] {
        assert_eq!(redact_text(text), text);
    }
}

#[test]
fn redacts_prefixed_tokens_and_words_as_values() {
    let token = ["ghp_", "0Fh3kQ9dLm2Xs7VbTz5Wc8Yn1Ra6Pe4Ug0Jq"].concat();
    for (before, after) in [
        (format!("tok_{token}"), "tok_[REDACTED]"),
        (format!("cache/prod_{token}.json"), "cache/prod_[REDACTED].json"),
        ("DB_PASSWORD=prodsecret".to_owned(), "DB_PASSWORD=[REDACTED]"),
        ("password=mysecret99 x".to_owned(), "password=[REDACTED] x"),
        (
            "Server=db;User=admin;Password=SuperSecret123;Pooling=true".to_owned(),
            "Server=db;User=admin;Password=[REDACTED];Pooling=true",
        ),
        ("DB_PASSWORD: MySecretKey2024".to_owned(), "DB_PASSWORD: [REDACTED]"),
        ("--password=hunter2secret".to_owned(), "--password=[REDACTED]"),
        ("A=1\\nPGPASSWORD=prodtoken\\n".to_owned(), "A=1\\nPGPASSWORD=[REDACTED]\\n"),
    ] {
        assert_eq!(redact_text(&before), after);
    }
    for code in [
        "connect(password=new_password, PASSWORD=config.secret)",
        "app.config.update(SECRET_KEY=secret_key)",
        "login(password=newPassword2, token=Token1, secret=s3Secret)",
        "override_settings(SECRET_KEY=new_secret_key, API_TOKEN=user_token)",
        "--build-arg NPM_TOKEN=npm_token ENV AUTH_TOKEN=AUTH_TOKEN",
    ] {
        assert_eq!(redact_text(code), code);
    }
}
