//! Secrets identified by their context: labels, headers, URLs, key blocks and command lines.

use super::Demand::{Anything, Random};
use super::{Rule, Structure};

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::structure("private-key", "private keys in PEM, of every kind, complete or truncated", Structure::PrivateKey, &["-----BEGIN "])
        .examples("-----BEGIN RSA PRIVATE KEY-----\nMIIEow·IBAAKCAQEAxV4Zq2n1\n-----END RSA PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEF\n-----END PUBLIC KEY-----"),
    Rule::structure("certificate", "certificates in PEM", Structure::Certificate, &["-----BEGIN "])
        .examples("-----BEGIN CERTIFICATE-----\nMIIDdz·CCAl+gAwIBAgIEAgAAuTAN\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE REQUEST-----"),
    Rule::structure("putty-key", "the private lines of PuTTY keys", Structure::PuttyKey, &["Private-Lines:"])
        .examples("Private-Lines: 1\nAAAAgQ·CXnVsLaaN9ptP4rE2cRGzk\n", "Public-Lines: 1\nAAAAB3NzaC1yc2EAAAABJQAA\n"),
    Rule::structure("encoded-key", "private keys and certificates in PEM, encoded again in base64, as in kubeconfig", Structure::EncodedBlock, &["LS0tLS1CRUdJTi"])
        .examples("client-key-data: LS0tLS1CRUdJTi·BSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBeFY0WnEybjEK", "LS0tLS1CRUdJTi·BQVUJMSUMgS0VZLS0tLS0KTUlJQklqQU5CZ2txaGtpRzl3MEJBUUVGCi0tLS0t"),
    Rule::structure("jwt", "JSON Web Tokens, signed or encrypted", Structure::Jwt,
        &["eyJh", "eyJi", "eyJj", "eyJk", "eyJl", "eyJm", "eyJn", "eyJo", "eyJp", "eyJq", "eyJr", "eyJs", "eyJt", "eyJu", "eyJv", "eyJw", "eyJx", "eyJy", "eyJz", "eyJ0", "eyJ1", "eyJ2", "eyJ3", "eyJ4", "eyJ5", "eyJ6"])
        .examples("eyJhbGci·OiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "eyJvZmZzZXQiOjEwMCwibGltaXQiOjUwfQ"),
    Rule::structure("authorization", "credentials in `Authorization` headers, of every scheme", Structure::Authorization, &["authorization"])
        .examples("Authorization: Basic dXNl·cjpodW50ZXIy", "Authorization: Bearer <your-token>"),
    Rule::structure("bearer", "bearer tokens without their header", Structure::Bearer, &["bearer "])
        .examples("sent Bearer mF_9·B5f-4.1JqM1a2b3c4", "a bearer of bad news"),
    Rule::structure("cookie", "cookies, sent or set", Structure::Cookie, &["cookie"])
        .examples("Set-Cookie: sid=31d4·d96e407aad42; Path=/", "Cookie: disabled"),
    Rule::structure("url-password", "passwords in URLs of any scheme; the user name is kept", Structure::Url, &["://", ":\\/", ":/\\", ":\\\\"])
        .examples("postgres://app:s3cr·etpw@db:5432/app", "https://host:8080/path@tag"),
    Rule::structure("dsn-password", "passwords in the data source names of Go's MySQL driver", Structure::Dsn, &["@tcp(", "@unix("])
        .examples("app:s3cr·etpw@tcp(127.0.0.1:3306)/app", "root@tcp(127.0.0.1:3306)/app"),
    Rule::structure("command-password", "passwords in the arguments of programs that take them as options or at a fixed position", Structure::Command,
        &["sshpass", "mysql", "mariadb", "docker login", "curl", "wget", "redis-cli", "ldapsearch", "sqlcmd", "mongo", "htpasswd", "smbclient", "podman login", "unzip", "zip ", "openssl", "user-secrets", "oc login", "az login", "helm registry login"])
        .examples("mysql -u root -phunt·er2x app", "mkdir -p build/output"),
    Rule::token("sql-password", "passwords in SQL, after `IDENTIFIED BY`", &["identified "], r#"(?i)identified (?:with [a-z0-9_]{1,40} )?by (?:password )?(?:'|")([^'"\n]{6,128})(?:'|")"#)
        .examples("IDENTIFIED BY 'hunt·er2x'", "IDENTIFIED BY 'x'"),
    Rule::label("connection-string", "signatures in connection strings, such as those of Azure Service Bus; the rule for keys in them is `api-key`", Anything,
        &["shared_access_signature"])
        .examples("Endpoint=sb://x/;SharedAccessSignature=sr%3Dx·%26sig%3DEby8vdM02xNOcqFlqUwJPL", "SharedAccessSignature=${SAS}"),
    Rule::label("signature", "signatures of URLs that grant access (SAS, presigned URLs)", Random,
        &["sig=", "x_amz_signature", "x_goog_signature", "x_amz_security_token", "x_ms_signature"])
        .examples("https://x.blob/y?sv=2024&sig=Zm9v·YmFyYmF6cXV4MTIzNDU2Nzg5MA%3D%3D", "https://x/y?sig=none"),
    Rule::label("password", "passwords beside their label, in any spelling", Anything,
        &["password", "passwd", "passphrase", "passcode",
          "pwd=", "pwd:", "pwd\"", "pwd'", "pwd ", "pwd\\", "pwd%", "pwd>", "pass=", "pass:", "pass\"", "pass'", "-pass ", "pass\\", "requirepass ", "masterauth ", "bindpw "])
        .except_after(&["no", "by", "com", "over", "under", "sur", "tres", "en"])
        .examples("password=hunt·er2", "The password must have 8 characters"),
    Rule::label("secret", "values labelled as a secret or a credential", Anything,
        &["secret", "credential", "secretstring", "secretbinary", "dockerconfigjson"])
        .examples("client_secret: 's3cr·et-Value-42'", "secret: ${CLIENT_SECRET}"),
    Rule::label("api-key", "values labelled as a key, such as API, access, secret, signing and encryption keys", Anything,
        &["api_key", "access_key", "secret_key", "private_key", "signing_key", "encryption_key", "auth_key", "master_key",
          "service_key", "subscription_key", "consumer_key", "account_key", "session_key", "webhook_key", "deploy_key",
          "app_key", "application_key", "license_key", "storage_key", "shared_key", "hmac_key", "functions_key",
          "service_role_key", "publishable_key", "integration_key", "ingest_key", "sas_key", "server_key", "security_key", "admin_key", "secret_key_base"])
        .examples("X-Api-Key: 5f2b·a81c90de", "public_key: 5f2ba81c90de"),
    Rule::label("access-token", "values labelled as a token, such as access, refresh, session and auth tokens", Anything,
        &["access_token", "auth_token", "refresh_token", "bearer_token", "id_token", "session_token", "api_token", "oauth_token",
          "security_token", "private_token", "personal_access_token", "deploy_token", "bot_token", "user_token", "app_token",
          "web_token", "csrf_token", "xsrf_token", "verification_token", "reset_token", "service_token", "admin_token",
          "registry_token", "github_token", "gitlab_token", "slack_token", "npm_token", "vault_token", "device_token", "root_token", "recovery_code", "one_time_code"])
        .examples("\"access_token\": \"mF_9·B5f-4\"", "access_token: string"),
    Rule::label("token", "random values beside a label that is weak evidence on its own, such as `token`", Random,
        &["token", "auth\"", "_auth=", "_auth:", "jsessionid", "phpsessid", "dsn="])
        .except_after(&["next", "page", "continuation", "cursor", "sync", "resume", "pagination", "max", "min", "num", "total", "count",
            "per", "input", "output", "prompt", "completion", "cached", "reasoning", "stop", "special", "pad", "eos", "bos", "unk",
            "mask", "sep", "cls", "first", "last", "cancellation", "cancel", "change", "concurrency", "client", "idempotency",
            "request", "progress", "skip", "start", "end", "previous", "prev", "current", "expected", "unexpected", "invalid"])
        .examples("token: 8f3a·91cb72de4450", "next_token: 8f3a91cb72de4450"),
];
