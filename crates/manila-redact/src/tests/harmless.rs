//! Texts without secrets, which stay unchanged.

use super::{redact_json, redact_text};

#[track_caller]
fn check(texts: &[&str]) {
    for text in texts {
        assert_eq!(redact_text(text), *text);
    }
}

#[test]
fn keeps_digests_ids_versions_and_cursors() {
    check(&[
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id 550e8400-e29b-41d4-a716-446655440000, trace 4bf92f3577b34da6a3ce929d0e0e4736",
        "request_id: req_9f86d081884c, traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "nextPageToken: CAUQAA3d8f, next_token=eyJvZmZzZXQiOjEwMH0, continuationToken: 8f3a91cb72de4450",
        "progressToken: 8f3a91cb72de4450, cursor=eyJvZmZzZXQiOjEwMCwibGltaXQiOjUwfQ",
        "version 1.2.3-rc1, token: v1.22.333, commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "max_tokens=4096 total_tokens: 152 token_count=99 tokens used: 12",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    ]);
}

#[test]
fn keeps_placeholders() {
    check(&[
        "password=<your-password> token=<your-token> api_key={{ api_key }}",
        "password=${DB_PASSWORD} secret=$SECRET api_key=%API_KEY% pwd=$(cat file)",
        "password=xxxxxxxx secret=******** api_key=........ token=XXXXXXXXXXXX",
        "password=changeme secret=CHANGEME api_key=your-api-key-here token=your_token",
        "password=[REDACTED] secret=[hidden] Authorization: Bearer [REDACTED]",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx AKIAXXXXXXXXXXXXXXXX",
        "https://user:[REDACTED]@host/ https://user:<password>@host/ https://user:${PASSWORD}@host/",
        "Authorization: Bearer $TOKEN Authorization: Bearer ${TOKEN} Authorization: Basic <credentials>",
    ]);
}

#[test]
fn keeps_short_and_missing_values() {
    check(&[
        "Password=;Server=x",
        "Password= User=bob",
        "password: abc",
        "token=a1b2",
        "\"password\": \"\"",
        "--password",
        "Cookie: a=b",
        "postgres://app:pw@db/x",
    ]);
}

#[test]
fn keeps_prose_and_code() {
    check(&[
        "The password must have 8 characters; the secret is out.",
        "Error: invalid password: must contain a digit",
        "password: cannot be empty",
        "password: required",
        "forgot your password? token expired. secret: optional",
        "let password = get_password(); let token: String = next_token(&mut lexer);",
        "self.password = config.password; token = process.env.TOKEN;",
        "fn password(secret: &str, api_key: Option<String>) -> Result<Token, Error>",
        "if (password == null || token === undefined) { return secret; }",
        "private_key: /etc/ssl/private/server.pem",
        "api_key: https://docs.example.com/keys",
        "password_hash, password_reset_url=https://x.test/reset, secretName: db-credentials",
        "unexpected token: identifier, found token `let`",
        "use --password to set it, or --token-file PATH",
        "https://host:8080/path@tag and ssh://git@github.com:22/x and mailto:a@b.test",
        "bearer of bad news, basic auth, cookie: disabled, authorization: required",
        "PWD=/home/user1/Project2 OLDPWD=/var/lib/Jenkins2",
        "credentials: include, credentials: 'same-origin', ${DB_PASSWORD:-default1}",
        "private_key: Ed25519PrivateKey, token: Token1, WHERE password = :password",
        "mkdir -p build/output && cp -p a.txt b.txt",
        "public_key: 5f2ba81c90de primary_key: customer_id_42 cache_key=user:42:profile",
    ]);
}

#[test]
fn keeps_types_paths_and_calls() {
    check(&[
        "pub const IFLA_INET6_TOKEN: _bindgen_ty_5 = _bindgen_ty_5::IFLA_INET6_TOKEN;",
        "pub const SYS_memfd_secret: c_long = 447;",
        "pub const NO_COOKIE: _bindgen_ty_64 = _bindgen_ty_64::NO_COOKIE; pub const SYS_dcookie: c_long = 4000 + 247;",
        "dot2_token: node.dot2_token, colon2_token: self.colon2_token.clone(),",
        "let child_token = token1.child_token();",
    ]);
}

/// The fields that Manila itself writes into its envelopes.
#[test]
fn keeps_the_fields_of_envelopes() {
    check(&[
        r#"{"success":true,"data":{},"error":null,"meta":{"version":"response-v2","request_id":"req_0123456789ab"}}"#,
        r#"{"tier":"community","tool_version":"1.4.0","tool_id":"x","request_id":"550e8400e29b41d4a716446655440000","capabilities":["envelope-v1"]}"#,
        r#"{"warning_details":[{"code":"CONTENT_REDACTED","severity":"info","message":"2 secrets were hidden","context":{"count":2,"rules":{"password":1,"jwt":1}}}]}"#,
        r#"{"schema_version":"mcp.envelope.v0.1","result":null,"errors":[{"code":"ADAPTER.EXECUTION.FAILED","message":"Tool execution failed with exit code 1."}]}"#,
        r#"{"retry_after_seconds":30,"error_code":"RATE_LIMITED","error_type":"rate_limit"}"#,
    ]);
}

#[test]
fn keeps_json_without_secrets() {
    for json in [
        r#"{"password": null, "secret": true, "token": 7, "api_key": {}}"#,
        r#"{"password": "", "secret": "abc", "max_tokens": 4096123, "token": 12345678}"#,
        r#"{"passwordPolicy": "at least 8", "secret_name": "db-main-credentials"}"#,
        r#"{"nextCursor": "8f3a91cb72de4450", "nextPageToken": "8f3a91cb72de4450aa"}"#,
        r#"{"password": "[REDACTED]", "type": "password", "name": "password", "format": "password"}"#,
        r#"["password", "username", "secret", "another-value-1"]"#,
        r#"{"required": ["password", "hunter2isnotone"], "description": "the password, in plain text"}"#,
    ] {
        assert_eq!(redact_json(json), json);
    }
}
