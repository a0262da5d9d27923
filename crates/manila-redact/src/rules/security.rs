//! Tokens of security services and secret managers, and password hashes.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("vault-service-token", "HashiCorp Vault service tokens", &["hvs."], r"hvs\.[A-Za-z0-9_-]{24,300}")
        .with_dashes().examples("hvs.·0g3EwYzQcIVb7q43y9eseaqBY2Qyxrn2ROFBJps5XWqHiayi7Pn2L0mK0YSPn1bo3ycJXESRXCjsCtD24dBuIdJ3oFR", "hvs.·RyV12odwb"),
    Rule::token("vault-batch-token", "HashiCorp Vault batch tokens", &["hvb."], r"hvb\.[A-Za-z0-9_-]{100,400}")
        .with_dashes().examples("hvb.·gExZWyfnj1XOcv4AUn9izlEqcYv_6Mwl65yWm74URAitlBEpOGxFo0ykM1S0Cp4J7ahgr0LWkLCbJjoQl6HEjx5LY7CctSBo2CQqTMzlxGKOXu_zlapnQoFBsuo0k7yBWGk5ncWoCbBrqRP598wTVN", "hvb.·QcjnkC2SVepU2inYML0L"),
    Rule::token("vault-recovery-token", "HashiCorp Vault recovery tokens", &["hvr."], r"hvr\.[A-Za-z0-9_-]{24,300}")
        .with_dashes().examples("hvr.·8LTunw-euxCpZwjo8BMrqhtm0xDLdjvtFZTGSa0Tbn2ZS2JysMmgW7akIiMi0uOPubDIQTj29UYCGb9AqHLWfW-L7VQ", "hvr.·sVTgYBlEB"),
    Rule::token("onepassword-service-token", "1Password service account tokens", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9+/_-]{240,400}[A-Za-z0-9+/_-]{0,400}[A-Za-z0-9+/_-]{0,400}={0,2}")
        .with_dashes().examples("ops_eyJ·QyrZe8E97LCICyTIHikS8ZTHQikZKnFAUacsYaQrLWA0QFDPTjPW2Rdb3reQa6UZG356j9LoqnR6a6NKLTpDst4KvyenzP7VWE7W4JuiwQtYkZFgIeVx1y9VNlmIZlpvfPy9pkzt6VKRkYxCEpdkCsMIfgYdIuqkeAtKwb8cp9BXO8dQ2PDoH9oCickqhPleT2gTZqLIB6MXFT16TupIYZrKIYU1jU4LY0a0BEJQg9sCLPSQouw3OQytUzghd6VNkGB1ZzfeDlhMBbyLQPeama43cSJUE0WLnF8nRQcQwqcB", "ops_eyJ·oyBLnz7urZElFO7Zpepr"),
    Rule::token("onepassword-secret-key", "1Password secret keys", &["A3-"], r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}")
        .with_dashes().examples("A3-·N41EUL-YKQD0M-6N4L4-31F73-OC8F6-8T4W4", "A3-·TRQWO1-CJWMD1"),
    Rule::token("age-secret-key", "age identities", &["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-P"], r"AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{58}")
        .with_dashes().examples("AGE-SECRET-KEY-1·PLXJT9FPA8GMFJF34X5T96XLEFPF4NMN49469G26ARUVCRATHKR0RJEVDL", "AGE-SECRET-KEY-1·HA0GN45XD2KR6R2PJTFK"),
    Rule::token("age-plugin-identity", "age plugin identities", &["AGE-PLUGIN-"], r"AGE-PLUGIN-[A-Z0-9]{2,24}(?:-[A-Z0-9]{2,24}){0,3}-1[02-9AC-HJ-NP-Z]{20,400}")
        .with_dashes().examples("AGE-PLUGIN-·YUBIKEY-1V2R9RTQMHQK6TK3LFU3XR9N0LJMFPTYV3S5EMSZ3KW", "AGE-PLUGIN-·YUBIKEY"),
    Rule::token("doppler-personal-token", "Doppler personal tokens", &["dp.pt."], r"dp\.pt\.[A-Za-z0-9]{40,44}")
        .examples("dp.pt.·ysUTvhX1SWJoPWc2bVkIz5HRTLcbljsjLqkgvIQ1SHj", "dp.pt.·UScqyDmqJ"),
    Rule::token("doppler-service-token", "Doppler service tokens", &["dp.st."], r"dp\.st\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}")
        .examples("dp.st.·prd_backend.9ULXxea4z2LZoR5OCrPr3BsqcljgMPa3gAekI8OsyGo", "dp.st.·prd.j8GXErYbq"),
    Rule::token("doppler-cli-token", "Doppler command line tokens", &["dp.ct."], r"dp\.ct\.[A-Za-z0-9]{40,44}")
        .examples("dp.ct.·ghPBcBP4wio5AfHqyfwTfaKU82iWfwFMFAJskMxt4GP", "dp.ct.·qb8aQyv74"),
    Rule::token("doppler-service-account-token", "Doppler service account tokens", &["dp.sa."], r"dp\.sa\.[A-Za-z0-9]{40,44}")
        .examples("dp.sa.·hqDtXfoG6RC3xi9kMcJHekcNAX1ORvKsCyt1gSMDCpS", "dp.sa.·4KjHNp84x"),
    Rule::token("doppler-scim-token", "Doppler SCIM tokens", &["dp.scim."], r"dp\.scim\.[A-Za-z0-9]{40,44}")
        .examples("dp.scim.·b2imTWSfSvSmrOVvJfcoHyAhgOTuMQ5t4id8sBLbOhX", "dp.scim.·4QrEb6uHu"),
    Rule::token("doppler-audit-token", "Doppler audit tokens", &["dp.audit."], r"dp\.audit\.[A-Za-z0-9]{40,44}")
        .examples("dp.audit.·IxEVOVadJn3xR6ETDmX2mnEOFhHi4WyD2dW9bfawLt4", "dp.audit.·g4ImsxmEt"),
    Rule::token("tailscale-auth-key", "Tailscale auth keys", &["tskey-auth-"], r"tskey-auth-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,48}")
        .with_dashes().examples("tskey-auth-·kOTID2crWCNTRL-41fc5nogJXgbGL0WkMRhoVSaW2s7CgxF", "tskey-auth-·kJL28vtgMCNTRL"),
    Rule::token("tailscale-api-key", "Tailscale API tokens", &["tskey-api-"], r"tskey-api-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,48}")
        .with_dashes().examples("tskey-api-·k2QEARsoYCNTRL-Z4FiJrVn0UCmYb0YUhRyS4D8vLEuelDb", "tskey-api-·k4qVD46GMCNTRL"),
    Rule::token("tailscale-client-key", "Tailscale OAuth client secrets", &["tskey-client-"], r"tskey-client-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,48}")
        .with_dashes().examples("tskey-client-·kJB2cnGb7CNTRL-vNx1E1F2DZ4EBHMyBHAJk0ox5fBQRxM5", "tskey-client-·k3L4AwRI0CNTRL"),
    Rule::token("tailscale-scim-key", "Tailscale SCIM keys", &["tskey-scim-"], r"tskey-scim-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,48}")
        .with_dashes().examples("tskey-scim-·kfXYMGapWCNTRL-FEksHfIok73TqfxYEStpU7MXawxEvPub", "tskey-scim-·kRwneOobGCNTRL"),
    Rule::token("tailscale-webhook-key", "Tailscale webhook secrets", &["tskey-webhook-"], r"tskey-webhook-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,48}")
        .with_dashes().examples("tskey-webhook-·kObPxqDFNCNTRL-B9ibsBxDs7uxzQbWmcvs0ZgcPDl212kK", "tskey-webhook-·kU9CefuZRCNTRL"),
    Rule::token("tailscale-node-key", "Tailscale machine and node private keys", &["privkey:", "nlpriv:"], r"(?:privkey|nlpriv):[0-9a-f]{64}")
        .examples("privkey:·edb05fa86da8e6fb19ab13f28067b9c071a631e26231e15d16d19d805269b0a3", "privkey:·58c71b4f1"),
    Rule::token("netbird-access-token", "NetBird access tokens", &["nbp_"], r"nbp_[A-Za-z0-9]{36}")
        .examples("nbp_·jTGzCVWFmoE0qnP4TZfnScPUQHtrNtbdpNpv", "nbp_·HaRYHuQTw"),
    Rule::token("stytch-secret", "Stytch project secrets", &["secret-live-", "secret-test-"], r"secret-(?:live|test)-[A-Za-z0-9_-]{36,48}={0,2}")
        .with_dashes().examples("secret-live-·nuOEsKEeNmuKMzyqtDdSYpRlKRj6MgeDdVAqtrwzAt2=", "secret-live-·pb9FN3Se"),
    Rule::token("ory-api-key", "Ory API keys", &["ory_pat_", "ory_apikey_"], r"ory_(?:pat|apikey)_[A-Za-z0-9]{28,64}")
        .examples("ory_pat_·irKQ5F4YWiNWhI2m7wIqRi5zXQJgiMmk", "ory_pat_·wymzO69ST"),
    Rule::token("ory-session-token", "Ory session tokens", &["ory_st_"], r"ory_st_[A-Za-z0-9]{28,64}")
        .examples("ory_st_·58EeNcybM4EqyBcCaDpL5KRDXdyLdKHy", "ory_st_·WzKU9R57S"),
    Rule::token("ory-oauth-token", "Ory OAuth codes and tokens", &["ory_at_", "ory_rt_", "ory_ac_"], r"ory_(?:at|rt|ac)_[A-Za-z0-9_-]{40,48}\.[A-Za-z0-9_-]{40,48}")
        .with_dashes().examples("ory_at_·MUAdzoFg6TivS2Sa8ZPRtAHV0VSkfgL7kisj0pylGxN.2l9S7mMP_LiWlrolLINAe35NYgRGI8I3YMR8CwAQwn5", "ory_at_·LgoSvIDzk"),
    Rule::token("unkey-root-key", "Unkey root keys", &["unkey_"], r"unkey_[A-Za-z0-9]{20,30}")
        .examples("unkey_·3ZKMjrgFG6ZofEZyDyUlm0c", "unkey_·blWvHBf"),
    Rule::token("pangea-token", "Pangea service tokens", &["pts_"], r"pts_[a-z2-7]{32}")
        .examples("pts_·ctyoaf5xbmrnzpe42mdqbcxiuzituocj", "pts_·37df2o7jm"),
    Rule::token("snyk-token", "Snyk user and service account tokens", &["snyk_uat.", "snyk_sat."], r"snyk_[us]at\.[0-9a-f]{8}\.[A-Za-z0-9_.-]{40,400}")
        .with_dashes().examples("snyk_uat.·497c3b67.Uxd8tiTDMXrzgX81ecYfC5hkmLEV1vrcgRp7CAaC42nhU6uz9Lfvtfq7SqGb4bsCEmRuvrXiS0wnJQ9Dygu8wMVG4TbKnj6_tFK1sRFQqOLs5YHGTZBnSKqX9QyqbuQwrq.8Ndx8j9wvctXLYXS6Yg7JbqJwVyGuLF8HdObl9Q9Ui12bCnMg5Di8jZuBSB8kdWSeRiaH1Kx3eqaztna02h2rz", "snyk_uat.·594218b1"),
    Rule::token("socket-api-token", "Socket API tokens", &["sktsec_"], r"sktsec_[A-Za-z0-9_-]{30,80}")
        .with_dashes().examples("sktsec_·VwbNaj7iN0NDKjAda39rbjzM0YLPN1kXHGoYizl31Tj5_api", "sktsec_·O2b93BTpm"),
    Rule::token("stackhawk-api-key", "StackHawk API keys", &["hawk."], r"hawk\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}")
        .with_dashes().examples("hawk.·WaIbFIxpdcFbXP0LNHKY.cRqpweuYNI6tuJ05x9K7", "hawk.·WmNQESH1IK6kjd0LHwM7"),
    Rule::token("jumpcloud-api-key", "JumpCloud API keys", &["jca_"], r"jca_[A-Za-z0-9]{36}")
        .examples("jca_·oucrCf0tI1ANMlJnh7gBkOhfx7aI4b42oYf3", "jca_·e2t4so8Ab"),
    Rule::token("paseto", "PASETO tokens", &["v1.local.", "v2.local.", "v3.local.", "v4.local.", "v1.public.", "v2.public.", "v3.public.", "v4.public."], r"v[1-4]\.(?:local|public)\.[A-Za-z0-9_-]{60,400}[A-Za-z0-9_-]{0,400}[A-Za-z0-9_-]{0,400}(?:\.[A-Za-z0-9_-]{1,400})?")
        .with_dashes().examples("v4.local.·L9R2b2pALqlrDoKP8zZd6qxnwgHC95qzMrN1IUayUqK0o9wQNmBLh_GHKoQuTkDqBP6H6BagjUnY4xRATQf6kDAPuOe7nEjLCgHQs3W6xtoNb9p3rmxh6ZlLwFXlxLSBkKG6nzeTHfO7BkLFVw2y3UAp_xNoUMfi", "v4.local.·3WOYolwsK"),
    Rule::token("fernet-token", "Fernet tokens, such as those of OpenStack Keystone", &["gAAAAA"], r"gAAAAA[A-Za-z0-9_-]{92,400}[A-Za-z0-9_-]{0,400}={0,2}")
        .with_dashes().examples("gAAAAA·Bm9ZlHT5JNebUy9aRMiAGrAOQN9Yf7UmYlWR5iOGBmT3l98Op4fKAt9qoOASFkX3SOUJQRvAhw9x3DYIa27ONsGTqfQnmKRhIye71ZQRmfZuULIPME0RAcnJY9ryr6WEqafs==", "gAAAAA·Bme5bnuLpY7ODPuDiPM2Sr"),
    Rule::token("minisign-secret-key", "minisign secret keys", &["RWRTY0Iy", "RWQAAEIy"], r"RW(?:RTY0Iy|QAAEIy)[A-Za-z0-9+/]{203}=")
        .examples("RWRTY0Iy·f9c3b7R65hS9PIvE4THYlbQkUobFREdHv7GZzMEuGyihn7rWNaPRaCXmU7eB6SLTQWmtXACvjBArRGpytP6xSIHUzD15LVeCnXKYWEmy7ZFlcqYKLo32A5hsd02LtDmLMWjfWvV0oLc5R1SrBnkqyG/cg0ylhXEsJ3oiW09W1ZvDHMagIED/QVST50m5tvJnbNILDsfcRo7=", "RWRTY0Iy·ZX9Htv0RXLAuAoKXz0uAPBe52CunSh"),
    Rule::token("bcrypt-hash", "password hashes of bcrypt", &["$2a$", "$2b$", "$2x$", "$2y$"], r"\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}")
        .examples("$2b$·12$65lnS1rlwMT1edk1wPpnHfWYvlcN0bV7n/m5BXrcafZENuSUSBtxp", "$2b$·12$bkMJbhd8AsYP"),
    Rule::token("sha512-crypt-hash", "password hashes of sha512-crypt", &["$6$"], r"\$6\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}")
        .examples("$6$·Vx7eo49W6niPqfCl$Q7.Q4zat.uvbTVNrXC3sbeVE8WqH8FhoI9sbwgP4htKmnflyRjP98sPO4f7MsXWsaKxRg3BRim7zfp4QXG9YEw", "$6$·GrMWeyPUQU8RBSQn$SZCg80T.J"),
    Rule::token("argon2-hash", "password hashes of Argon2", &["$argon2"], r"\$argon2(?:id|i|d)\$(?:v=[0-9]{1,3}\$)?m=[0-9]{1,10},t=[0-9]{1,10},p=[0-9]{1,4}\$[A-Za-z0-9+/]{8,128}={0,2}\$[A-Za-z0-9+/]{16,256}={0,2}")
        .examples("$argon2·id$v=19$m=65536,t=3,p=4$MuVl9YXfqRD4kzrNjWwjaq$tkK0BjhMuwprkIR8L9zeqfCHlS2rnDzXi8QvmjC52ho", "$argon2·id$v=19$m=65536,t=3,p=4"),
    Rule::token("django-pbkdf2-hash", "password hashes of Django", &["pbkdf2_sha256$", "pbkdf2_sha1$"], r"pbkdf2_sha(?:256|1)\$[0-9]{1,8}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/]{27,43}=")
        .examples("pbkdf2_sha256$·600000$Opgr050fQFZYU3m5TIScnD$Hlnt9t6VUzlZhXcwbACnqPCNdvZAEINLuIrXgPVwq92=", "pbkdf2_sha256$·600000$sa4TEdN5reYI"),
    Rule::token("passlib-pbkdf2-hash", "password hashes of passlib", &["$pbkdf2-sha256$", "$pbkdf2-sha512$"], r"\$pbkdf2-sha(?:256|512)\$[0-9]{1,8}\$[./A-Za-z0-9]{8,64}\$[./A-Za-z0-9]{43,86}")
        .examples("$pbkdf2-sha256$·29000$zilEB6kBlZH9JnxviJWdNL$or37UFPYFjGh3QZoUsemd6nbT6abGeoVTiEvyb7N0z0", "$pbkdf2-sha256$·29000"),
    Rule::token("werkzeug-hash", "password hashes of Werkzeug", &["scrypt:32768:8:1", "pbkdf2:sha256:", "pbkdf2:sha512:", "pbkdf2:sha1:"], r"(?:scrypt:32768:8:1|pbkdf2:sha(?:1|256|512):[0-9]{1,8})\$[A-Za-z0-9]{8,32}\$[0-9a-f]{40,128}")
        .examples("scrypt:32768:8:1·$SfpFTXe72AHGyhXh$5cbc7820c6765a2745f21e5ecf3bc9a5c64eb74723863e4ad0b01c35e8ad6f1f9db175d62035b48b6a09f1e6d5c895ec7d9c742cfb59f6f167973808bd71020b", "scrypt:32768:8:1·$IKFZh4Sj9OwzFmXk"),
    Rule::token("postgres-scram-verifier", "password verifiers of PostgreSQL", &["SCRAM-SHA-256$"], r"SCRAM-SHA-256\$[0-9]{1,8}:[A-Za-z0-9+/]{16,44}={0,2}\$[A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=")
        .examples("SCRAM-SHA-256$·4096:9SN0OPBSFHX7OrvfhPnFck==$alVaHsnjT8GmfkbOc7RIhzh1es3pJzhKsUdy9eTeqVT=:Lc7lCEcVN2Lwq5AjLgUr7N2N4XIdLbSe2EJbwFAJUOi=", "SCRAM-SHA-256$·4096:vYQr0vHvMQLx"),
    Rule::token("ldap-ssha-hash", "password hashes of LDAP", &["{SSHA}", "{SSHA256}", "{SSHA512}"], r"\{SSHA(?:256|512)?\}[A-Za-z0-9+/]{30,120}={0,2}")
        .examples("{SSHA}·zMWtBRkVjePVL5WjRg2jqN78H6MTClcT", "{SSHA}·ztQpceqxs"),
    Rule::token("grub-pbkdf2-hash", "password hashes of GRUB", &["grub.pbkdf2.sha5"], r"grub\.pbkdf2\.sha512\.[0-9]{4,8}\.[0-9A-F]{16,200}\.[0-9A-F]{128}")
        .examples("grub.pbkdf2.sha512·.10000.8EC87ED4F92DF8B92047652FE23AC818C2B69B6E4729D8A4959A4C5E9DF68CE0AFCEC49D1CDC4061680ABFA98C5A462A2353427AD0C8296CBC849CFDCA4A5A67.4C08BF2FE4B9A7BC2C607FCDA875164B98A4563281E8F4F38B48EC678D05DAC946C0832F6DAB1A7B12C8530467AEF47275CAB20951E97BE86AEC0148EBC1E4B0", "grub.pbkdf2.sha512·.10000"),
    Rule::token("mssql-password-hash", "password hashes of SQL Server", &["0x0100", "0x0200"], r"0x0(?:200[0-9A-F]{136}|100[0-9A-F]{88}|100[0-9A-F]{48})")
        .examples("0x0200·575171B6842191F53B27A6162BD9656AC9E7B6AFD5E7E3B0F87F7B4E040F892608FD123F85B4CAB372C78D6CD0849535E52BF64E2564DAD1F8C8E17EB3DB21DC08484D4B", "0x0200·56346D2438EB"),
];
