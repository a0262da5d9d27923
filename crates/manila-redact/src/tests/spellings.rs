//! Each kind of secret in each spelling.

use super::{redact_json, redact_text};

const VALUE: &str = "s3cr3t-Value-42";

/// Labels whose values are secrets, with words joined by `_`.
const LABELS: [&str; 17] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "client_secret",
    "api_key",
    "apikey",
    "x_api_key",
    "access_token",
    "auth_token",
    "refresh_token",
    "token",
    "private_key",
    "secret_key",
    "aws_secret_access_key",
    "credentials",
];

/// The spellings, with LABEL and VALUE as placeholders.
const SPELLINGS: [&str; 40] = [
    "LABEL=VALUE",
    "LABEL = VALUE",
    "LABEL:VALUE",
    "LABEL: VALUE",
    "LABEL:\tVALUE",
    "LABEL=>VALUE",
    "LABEL := \"VALUE\"",
    "LABEL=\"VALUE\"",
    "LABEL='VALUE'",
    "LABEL=`VALUE`",
    "LABEL: \"VALUE\"",
    "LABEL: 'VALUE'",
    "\"LABEL\": \"VALUE\"",
    "\"LABEL\":\"VALUE\",\"x\":1}",
    "'LABEL': 'VALUE'",
    "\\\"LABEL\\\": \\\"VALUE\\\"",
    "\\\\\\\"LABEL\\\\\\\":\\\\\\\"VALUE\\\\\\\"",
    "export LABEL=VALUE",
    "DB_LABEL=VALUE",
    "my.app.LABEL=VALUE",
    "--LABEL VALUE --next",
    "--LABEL=VALUE",
    "--LABEL \"VALUE\"",
    "-LABEL VALUE",
    "[\"--LABEL\", \"VALUE\"]",
    "?a=b&LABEL=VALUE&c=d",
    "https://host/x?LABEL=VALUE",
    "LABEL%3DVALUE",
    "LABEL\\u003dVALUE\\u0026x",
    "LABEL\\u003d\\u0022VALUE\\u0022",
    "<LABEL>VALUE</LABEL>",
    "<add key=\"LABEL\" value=\"VALUE\"/>",
    "Server=x;LABEL=VALUE;Database=y",
    "config[\"LABEL\"] = \"VALUE\"",
    "headers['LABEL'] => 'VALUE'",
    "setenv(\"LABEL\", \"VALUE\")",
    "x\\nLABEL=VALUE\\ny",
    "(LABEL=VALUE)",
    "LABEL=VALUE\r",
    "PREFIX: LABEL=VALUE, next=1",
];

#[test]
fn redacts_labelled_values_in_every_spelling_and_case() {
    let mut missed = Vec::new();
    let mut n_checked = 0;
    for label in LABELS {
        let cases =
            [label.to_owned(), label.to_uppercase(), capitalise(label), label.replace('_', "-")];
        for spelling in SPELLINGS {
            for label in &cases {
                let text = spelling.replace("LABEL", label).replace("VALUE", VALUE);
                let expected = text.replace(VALUE, "[REDACTED]");
                let found = redact_text(&text);
                n_checked += 1;
                if found != expected {
                    missed.push(format!("{text}  became  {found}"));
                }
                if redact_text(&found) != found {
                    missed.push(format!("{found}  became  {} again", redact_text(&found)));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} of {n_checked}:\n{}", missed.len(), missed.join("\n"));
}

/// Converts a label to upper camel case: `AccessToken`
fn capitalise(label: &str) -> String {
    let words = label.split('_').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}

#[track_caller]
fn check(before: &str, after: &str) {
    assert_eq!(redact_text(before), after);
    assert_eq!(redact_text(after), after, "twice");
}

#[test]
fn redacts_connection_strings() {
    for [before, after] in [
        [
            "Server=localhost;Database=MyDb;User=admin;Password=SuperSecret123!",
            "Server=localhost;Database=MyDb;User=admin;Password=[REDACTED]",
        ],
        ["Password='a;b c1d';User ID=sa", "Password='[REDACTED]';User ID=sa"],
        ["Pwd=hunter2x;User ID=sa;Server=.", "Pwd=[REDACTED];User ID=sa;Server=."],
        [
            "Server=x;User Id=sa;Password=abc def, ghi&j;Encrypt=true",
            "Server=x;User Id=sa;Password=[REDACTED];Encrypt=true",
        ],
        ["Password=p@ss,w0rd&x 1;Server=y", "Password=[REDACTED];Server=y"],
        ["PASSWORD=p@ss,w0rd!9", "PASSWORD=[REDACTED]"],
        ["PASSWORD=abc)w0rd!9", "PASSWORD=[REDACTED]"],
        ["User ID=sa;PASSWORD=hunter2x", "User ID=sa;PASSWORD=[REDACTED]"],
        [
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50==;EndpointSuffix=core",
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=[REDACTED];EndpointSuffix=core",
        ],
        [
            "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=q1w2e3r4t5y6u7i8o9p0=",
            "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=[REDACTED]",
        ],
    ] {
        check(before, after);
    }
}

#[test]
fn redacts_urls() {
    for [before, after] in [
        ["postgres://app:s3cretpw@db:5432/x", "postgres://app:[REDACTED]@db:5432/x"],
        ["redis://:s3cretpw@cache:6379/0", "redis://:[REDACTED]@cache:6379/0"],
        ["mongodb+srv://u:p%40ss:w@rd@c0.x.net/db", "mongodb+srv://u:[REDACTED]@c0.x.net/db"],
        [
            "git clone https://bob:hunter2x@github.com/a/b.git",
            "git clone https://bob:[REDACTED]@github.com/a/b.git",
        ],
        [r"https:\/\/bob:hunter2x@host\/x", r"https:\/\/bob:[REDACTED]@host\/x"],
        ["AMQPS://Bob:HUNTER2X@Host", "AMQPS://Bob:[REDACTED]@Host"],
        ["see (https://bob:hunter2x@host).", "see (https://bob:[REDACTED]@host)."],
    ] {
        check(before, after);
    }
}

#[test]
fn redacts_headers() {
    for [before, after] in [
        ["Authorization: Bearer abc", "Authorization: Bearer [REDACTED]"],
        ["authorization: basic dXNlcjpwYXNz", "authorization: basic [REDACTED]"],
        ["AUTHORIZATION: TOKEN abc.def", "AUTHORIZATION: TOKEN [REDACTED]"],
        [
            "Authorization: Digest username=\"x\", realm=\"y\", response=\"z\"",
            "Authorization: Digest [REDACTED]",
        ],
        ["Proxy-Authorization: Basic dXNlcg==", "Proxy-Authorization: Basic [REDACTED]"],
        [
            "curl -H 'Authorization: Bearer abc.def' https://x",
            "curl -H 'Authorization: Bearer [REDACTED]' https://x",
        ],
        ["{\"Authorization\": \"Bearer abc\"}", "{\"Authorization\": \"Bearer [REDACTED]\"}"],
        [
            "{\\\"Authorization\\\": \\\"Bearer abc\\\"}",
            "{\\\"Authorization\\\": \\\"Bearer [REDACTED]\\\"}",
        ],
        ["Cookie: sid=31d4d96e407aad42; theme=dark", "Cookie: sid=[REDACTED]"],
        [
            "Set-Cookie: sid=31d4d96e407aad42; Path=/; HttpOnly",
            "Set-Cookie: sid=[REDACTED]; Path=/; HttpOnly",
        ],
        ["set-cookie: sid=31d4d96e407aad42", "set-cookie: sid=[REDACTED]"],
        ["Authorization: SharedKey acct:ctzMq4/1x2y3z=", "Authorization: SharedKey [REDACTED]"],
        ["Authorization: Bearer\tabc123", "Authorization: Bearer\t[REDACTED]"],
        ["Authorization: Bearer abc,def123", "Authorization: Bearer [REDACTED]"],
        [
            "Authorization: AWS4-HMAC-SHA256 Credential=x/y, SignedHeaders=host, Signature=ab12",
            "Authorization: AWS4-HMAC-SHA256 [REDACTED]",
        ],
        ["Cookie: a=[REDACTED]; session=realsecret123", "Cookie: a=[REDACTED]"],
        ["Cookie: flag; sid=31d4d96e407aad42", "Cookie: flag; sid=[REDACTED]"],
        ["X-Api-Key: 5f2ba81c90de", "X-Api-Key: [REDACTED]"],
        ["sent Bearer mF_9B5f-4.1JqM1a2b3c4 to it", "sent Bearer [REDACTED] to it"],
    ] {
        check(before, after);
    }
}

#[test]
fn redacts_command_lines() {
    for [before, after] in [
        ["mysql -u root -phunter2x app", "mysql -u root -p[REDACTED] app"],
        ["mysqldump -p hunter2x app", "mysqldump -p [REDACTED] app"],
        ["sshpass -p 'hunter 2x' ssh host", "sshpass -p '[REDACTED]' ssh host"],
        ["docker login -u me -p hunter2x reg.test", "docker login -u me -p [REDACTED] reg.test"],
        ["curl -u bob:hunter2x https://x", "curl -u bob:[REDACTED] https://x"],
        ["curl --user bob:hunter2x https://x", "curl --user bob:[REDACTED] https://x"],
        ["#define WIFI_PASSWORD \"hunter2x\"", "#define WIFI_PASSWORD \"[REDACTED]\""],
        ["redis-cli -a hunter2x ping", "redis-cli -a [REDACTED] ping"],
        ["openssl rsa -passin pass:hunter2x -in k", "openssl rsa -passin pass:[REDACTED] -in k"],
        [
            "dotnet user-secrets set \"Api:Key\" \"value-12\"",
            "dotnet user-secrets set \"Api:Key\" \"[REDACTED]\"",
        ],
        ["CREATE USER a WITH PASSWORD 'hunter2x'", "CREATE USER a WITH PASSWORD '[REDACTED]'"],
        ["IDENTIFIED BY 'hunter2x'", "IDENTIFIED BY '[REDACTED]'"],
        ["machine h login u password hunter2x", "machine h login u password [REDACTED]"],
    ] {
        check(before, after);
    }
}

#[test]
fn redacts_blocks_line_by_line() {
    let block = |line_end: &str, kind: &str| {
        [
            "a",
            &format!("-----BEGIN {kind}-----"),
            "MIIEowIBAAKCAQEAxV4Zq2n1+/",
            "c2hvcnQ=",
            &format!("-----END {kind}-----"),
            "b",
        ]
        .join(line_end)
    };
    for line_end in ["\n", "\r\n", "\\n", "\\r\\n", "\\\\n"] {
        for kind in [
            "PRIVATE KEY",
            "RSA PRIVATE KEY",
            "EC PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "ENCRYPTED PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
            "CERTIFICATE",
        ] {
            let redacted = block(line_end, kind)
                .replace("MIIEowIBAAKCAQEAxV4Zq2n1+/", "[REDACTED]")
                .replace("c2hvcnQ=", "[REDACTED]");
            check(&block(line_end, kind), &redacted);
        }
        let public = block(line_end, "PUBLIC KEY");
        check(&public, &public);
    }
    check(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEowIBAAKCAQEAxV4Zq2n1",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n[REDACTED]",
    );
    check(
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    );
}

/// Blocks quoted in a mail, in a diff, in comments, and as a string in several parts.
#[test]
fn redacts_blocks_in_other_texts() {
    for [before, between, after] in [
        ["> ", "\n> ", ""],
        ["-", "\n-", ""],
        ["+", "\n+", ""],
        ["# ", "\n# ", ""],
        [" * ", "\n * ", ""],
        ["key = \"", "\\n\" +\n    \"", "\""],
        ["key = ('", "\\n'\n    '", "')"],
    ] {
        let block = |secret: &str, short: &str| {
            let lines =
                ["-----BEGIN RSA PRIVATE KEY-----", secret, short, "-----END RSA PRIVATE KEY-----"];
            format!("{before}{}{after}\n", lines.join(between))
        };
        // A `+` may be base64, so it is redacted too.
        let redacted = redact_text(&block("MIIEowIBAAKCAQEAxV4Zq2n1", "c2hvcnQ="));
        assert!(!redacted.contains("MIIE") && !redacted.contains("c2hv"), "{redacted}");
        assert_eq!(redacted.lines().count(), block("", "").lines().count(), "{redacted}");
        assert_eq!(redact_text(&redacted), redacted);
    }
}

#[test]
fn redacts_names_and_values_on_two_lines() {
    for [before, after] in [
        ["- name: DB_PASSWORD\n  value: hunter2x\n", "- name: DB_PASSWORD\n  value: [REDACTED]\n"],
        [
            "- name: \"API_TOKEN\"\r\n  value: \"8f3a91cb72de4450\"\r\n",
            "- name: \"API_TOKEN\"\r\n  value: \"[REDACTED]\"\r\n",
        ],
        // Names without a value, or beside another member.
        [
            "- name: DB_PASSWORD\n  valueFrom: hunter2x\n",
            "- name: DB_PASSWORD\n  valueFrom: hunter2x\n",
        ],
        ["- id: DB_PASSWORD\n  value: hunter2x\n", "- id: DB_PASSWORD\n  value: hunter2x\n"],
        ["- name: DB_HOST\n  value: hunter2x\n", "- name: DB_HOST\n  value: hunter2x\n"],
    ] {
        check(before, after);
    }
}

#[test]
fn redacts_names_with_types() {
    for [before, after] in [
        ["const API_KEY: &str = \"8f3a91cb72de\";", "const API_KEY: &str = \"[REDACTED]\";"],
        ["password: string = 'hunter2x'", "password: string = '[REDACTED]'"],
        ["password: str = \"hunter2x\"", "password: str = \"[REDACTED]\""],
        [
            "static SECRET: &'static str = \"hunter2x\";",
            "static SECRET: &'static str = \"[REDACTED]\";",
        ],
        ["password: str = get_password()", "password: str = get_password()"],
        ["password: string = ''", "password: string = ''"],
    ] {
        check(before, after);
    }
}

#[test]
fn redacts_json_by_key_and_by_text() {
    for [before, after] in [
        [r#"{"password": "hunter2"}"#, r#"{"password": "[REDACTED]"}"#],
        [
            r#"{"a": [{"b": {"db_password": "hunter2"}}]}"#,
            r#"{"a": [{"b": {"db_password": "[REDACTED]"}}]}"#,
        ],
        [
            r#"{"secrets": ["hunter21", "hunter22"]}"#,
            r#"{"secrets": ["[REDACTED]", "[REDACTED]"]}"#,
        ],
        [r#"{"password": 12345678, "x": 1}"#, r#"{"password": "[REDACTED]", "x": 1}"#],
        [r#"{"pwd" : "hunter2"}"#, r#"{"pwd" : "[REDACTED]"}"#],
        [r#"{"pass\u0077ord": "hunter2"}"#, r#"{"pass\u0077ord": "[REDACTED]"}"#],
        [r#"{"t": "{\"password\": \"hunter2\"}"}"#, r#"{"t": "{\"password\": \"[REDACTED]\"}"}"#],
        [
            r#"{"t": "{\"a\": \"{\\\"password\\\": \\\"hunter2\\\"}\"}"}"#,
            r#"{"t": "{\"a\": \"{\\\"password\\\": \\\"[REDACTED]\\\"}\"}"}"#,
        ],
        [r#"{"t": "api_key\u003dhunter2"}"#, r#"{"t": "api_key\u003d[REDACTED]"}"#],
        [r#"{"t": "x\nAKIAIOSFODNN7EXAMPLE"}"#, r#"{"t": "x\n[REDACTED]"}"#],
        [r#"{"t": "\u0041KIAIOSFODNN7EXAMPLE"}"#, r#"{"t": "[REDACTED]"}"#],
        [r#"{"t": "postgres:\/\/a:hunter2@db"}"#, r#"{"t": "postgres:\/\/a:[REDACTED]@db"}"#],
        [r#"{"Authorization": "Bearer abc"}"#, r#"{"Authorization": "Bearer [REDACTED]"}"#],
        [
            r#"{"set-cookie": ["a=31d4d96e; Path=/"]}"#,
            r#"{"set-cookie": ["a=[REDACTED]; Path=/"]}"#,
        ],
        [
            r#"{"args": ["run", "--password", "hunter2"]}"#,
            r#"{"args": ["run", "--password", "[REDACTED]"]}"#,
        ],
        [
            r#"{"name": "DB_PASSWORD", "value": "hunter2"}"#,
            r#"{"name": "DB_PASSWORD", "value": "[REDACTED]"}"#,
        ],
        [r#"{"a": "{\"password\": 123456789}"}"#, r#"{"a": "{\"password\": \"[REDACTED]\"}"}"#],
        [
            r#"{"a": "{\"b\": \"{\\\"password\\\": 123456789}\"}"}"#,
            r#"{"a": "{\"b\": \"{\\\"password\\\": \\\"[REDACTED]\\\"}\"}"}"#,
        ],
        [
            r#"{"passwords": [null, "abc123def", ["abc123deg"]]}"#,
            r#"{"passwords": [null, "[REDACTED]", ["[REDACTED]"]]}"#,
        ],
        [
            r#"{"password": {"type": "text", "value": "hunter2"}}"#,
            r#"{"password": {"type": "text", "value": "[REDACTED]"}}"#,
        ],
        [
            r#"{"name": "DB_PASSWORD", "type": "text", "value": "hunter2"}"#,
            r#"{"name": "DB_PASSWORD", "type": "text", "value": "[REDACTED]"}"#,
        ],
        [
            r#"{"auths": {"r": {"auth": "am9lOnNlY3JldDEy"}}}"#,
            r#"{"auths": {"r": {"auth": "[REDACTED]"}}}"#,
        ],
        [r#"{"AKIAIOSFODNN7EXAMPLE": 1}"#, r#"{"[REDACTED]": 1}"#],
        [r#"{"password": "caf\u00e9-\"quoted\""}"#, r#"{"password": "[REDACTED]"}"#],
    ] {
        assert_eq!(redact_json(before), after);
        assert_eq!(redact_json(after), after, "twice");
    }
}
