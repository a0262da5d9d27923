//! Tokens of databases, analytics and monitoring.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("databricks-personal-token", "Databricks personal access tokens", &["dapi"], r"dapi[0-9a-f]{32}(?:-[0-9])?")
        .with_dashes().examples("dapi·b0a45395a855b1f43422bee2ce56354d-7", "dapi·17054755c6ae89a5423f2d"),
    Rule::token("databricks-oauth-secret", "Databricks OAuth secrets", &["dose"], r"dose[0-9a-f]{32}")
        .examples("dose·e81a7ff543bd064157dd05a31a09e824", "dose·48dd249e6ee991c0c533d6"),
    Rule::token("mongodb-atlas-secret", "MongoDB Atlas service account secrets", &["mdb_sa_sk_"], r"mdb_sa_sk_[A-Za-z0-9_-]{40}")
        .with_dashes().examples("mdb_sa_sk_·NR8RJp2G3utunBvAy1YEewXeLy43NnZEwbB4nhp4", "mdb_sa_sk_·xR-ESIJUfMBZ3M_MlHR5Vj4VQUV"),
    Rule::token("planetscale-service-token", "PlanetScale service tokens", &["pscale_tkn_"], r"pscale_tkn_[A-Za-z0-9_-]{32,64}")
        .with_dashes().examples("pscale_tkn_·5TXwz3bneWaXfWXnYH7C5IpAsI-kHDYE5", "pscale_tkn_·PjLXuwuKI2zT2Z_Emn01zE"),
    Rule::token("planetscale-password", "PlanetScale passwords", &["pscale_pw_"], r"pscale_pw_[A-Za-z0-9_-]{32,64}")
        .with_dashes().examples("pscale_pw_·y51y1r54MqRsbLJ_Qqh1UsIIzrtWSKeBfbj_6UrHO", "pscale_pw_·9iUhLXq0kD8ZMgwQuZftwf"),
    Rule::token("planetscale-oauth-token", "PlanetScale OAuth tokens", &["pscale_oauth_"], r"pscale_oauth_[A-Za-z0-9_-]{32,64}")
        .with_dashes().examples("pscale_oauth_·f-gVzXHkRpLwJvW2yTQ_pprZ9nw6g-vOVz3uW", "pscale_oauth_·CW07d-NqKqSID9Xk_pTuHZ"),
    Rule::token("supabase-access-token", "Supabase access tokens", &["sbp_"], r"sbp_(?:oauth_|v0_)?[0-9a-f]{40}")
        .examples("sbp_·10f9c76b1053fdda72fc8f6944805288148ba565", "sbp_·9790b2978846bd039246c31430e"),
    Rule::token("supabase-secret-key", "Supabase secret keys", &["sb_secret_"], r"sb_secret_[A-Za-z0-9_-]{28,48}")
        .with_dashes().examples("sb_secret_·Gd_056sOEgCYPt6Rw1haFRHk48J3ten", "sb_publishable_·q7RtZ2mWc9LxPv4KdHs8bN_e5JfYu3T"),
    Rule::token("neon-api-key", "Neon API keys", &["napi_"], r"napi_[a-z0-9]{64}")
        .examples("napi_·9ojn46ablb4zq4vpkpmetpllz292nccrwn00sfuae01qtdwyfuof7lzrsoomxbuz", "napi_·5qrxyrmmc2x3f09vojmiea6b7r96sxqh3m7di3dkdva"),
    Rule::token("neon-role-password", "passwords of Neon roles", &["npg_"], r"npg_[A-Za-z0-9]{12}")
        .examples("npg_·bFLDPe1AmD1C", "npg_·v7yaKZ0O"),
    Rule::token("cockroach-api-key", "CockroachDB Cloud API keys", &["CCDB1_"], r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}")
        .examples("CCDB1_·6kTr4vHuhAdwIA7C3WQ3Tb_CyEkwe9DF70mxvK085URzTZOzVO9wL2JYlPVM6Ty", "CCDB1_·hWXBMnvR4CFIhrICOLCHyH_W7f54MkYwfzWC5xZ5ey"),
    Rule::token("astra-db-token", "DataStax Astra tokens", &["AstraCS:"], r"AstraCS:[A-Za-z0-9]{24}:[0-9a-f]{64}")
        .examples("AstraCS:·BXaOMlvWOSesBsyALAgYvCmj:8d91426c4192908bdd7bbb3c7d6eeaf926a6c8da2884246ac148bf1d8232837b", "AstraCS:·0u8kEWsh9Dlw1kxEvn5eJyA9:36a90b26403372aeefcbcbb152824444c8e"),
    Rule::token("influxdb-token", "InfluxDB 3 tokens", &["apiv3_"], r"apiv3_[A-Za-z0-9_-]{80,90}")
        .with_dashes().examples("apiv3_·qqTIJv0SxTMg-23bFczQ3QcO3rAOQRUG73d5QDtu8yH7GoR_5Y8COupApRgiPD4qJcjhRQMXJ3od8KJyqQKYbP5", "apiv3_·zSAr12ksTah0DMQU0JbRP8UwYuDAvKgt5TljTjbxqzn2iILPp_Sxt8"),
    Rule::token("materialize-app-password", "Materialize app passwords", &["mzp_"], r"mzp_[0-9a-f]{64}")
        .examples("mzp_·07c2add63675495ddbfad109006848654ced0c87285f10b028b9835952a9dded", "mzp_·c02c1bd0b07fdd46605f905625f6134ecad6b8a04e9"),
    Rule::token("aiven-service-password", "passwords of Aiven services", &["AVNS_"], r"AVNS_[A-Za-z0-9_-]{19}")
        .with_dashes().examples("AVNS_·ACSOZHYqOe_-l___k3x", "AVNS_·9k4VeynUZPyQx"),
    Rule::token("elastic-service-token", "Elasticsearch service account tokens", &["AAEAAWVsYXN0aWMv"], r"AAEAAWVsYXN0aWMv[A-Za-z0-9+/]{24,300}={0,2}")
        .examples("AAEAAWVsYXN0aWMv·TFozK+hQLc8eXj0/fHz8+V3MCUsTd71z==", "AAEAAWVsYXN0aWMv·shD47DHXzB4Hpvyw"),
    Rule::token("newrelic-user-key", "New Relic user keys", &["NRAK-"], r"NRAK-[A-Z0-9]{27}")
        .with_dashes().examples("NRAK-·MAFI6QJRDJ059YOUPLB500N9T1R", "NRAK-·ZGS3TQ1PPYDJLXRWHF"),
    Rule::token("newrelic-insert-key", "New Relic insert keys", &["NRII-"], r"NRII-[A-Za-z0-9_-]{32}")
        .with_dashes().examples("NRII-·JU3AO9FdmH5IDstpGFK7pj37its8sl7L", "NRII-·QyfynJJlux2mq8ZaZusQx9"),
    Rule::token("newrelic-query-key", "New Relic query keys", &["NRIQ-"], r"NRIQ-[A-Za-z0-9_-]{32}")
        .with_dashes().examples("NRIQ-·P5wokMmnnRn4QlMtS-nqq8L85elcBohr", "NRIQ-·gtQjh3l1BGuKhmY-gS0Awr"),
    Rule::token("newrelic-license-key", "New Relic license keys", &["NRAL"], r"[a-z0-9]{36}NRAL")
        .with_offset(36, 36).examples("wecpxc·sm8wlh2df91jld5mj3pxaz0k1o2lodNRAL", "eu01xx·5b0c7d41a96e28f3071cNRAL"),
    Rule::token("newrelic-rest-key", "New Relic REST API keys", &["NRRA-"], r"NRRA-[0-9a-f]{42}")
        .with_dashes().examples("NRRA-·5f7a76d8f31a05cb92d0f8e827e15fbfe0e68fe0c7", "NRRA-·e95dff120a0b682ae2dcdef28508"),
    Rule::token("newrelic-admin-key", "New Relic admin keys", &["NRAA-"], r"NRAA-[0-9a-f]{27}")
        .with_dashes().examples("NRAA-·142758a682e94912e75fefe0d4a", "NRAA-·544accae072778b394"),
    Rule::token("newrelic-synthetics-key", "New Relic private location keys", &["NRSP-"], r"NRSP-(?:us|eu)[0-9]{2}[A-Za-z0-9]{24,64}")
        .with_dashes().examples("NRSP-·us38Hbvq9jEQuzdKMQGSrDjZbG6mTHNcmP", "NRSP-·eu89StjU0DH0Pg92XHZ"),
    Rule::token("sentry-org-token", "Sentry organization tokens", &["sntrys_eyJ"], r"sntrys_eyJ[A-Za-z0-9+/=]{80,400}_[A-Za-z0-9+/]{43}")
        .examples("sntrys_eyJ·To30PGOcegW4dqb9He0NcvHoO/ZbUETR4vpJSwEi6+isfGk3CWiNb8AUesmdX/TBqw3vSojhZTGOR3e8x+Pu_GolFxN2ZzUcnoPfqn6mrRId+yZwQOt561Cbazvj/3cE", "sntrys_eyJ·4Z9yyGdd6eQhNxW7CFgB78aWmIF8dhru+VnovFR2fC87BRcig7IRIVdzlZ6+ULr4oEusgbeBHoz5XwU=_F0"),
    Rule::token("sentry-user-token", "Sentry user tokens", &["sntryu_"], r"sntryu_[0-9a-f]{64}")
        .examples("sntryu_·fdf2e26754440da1fb64733185df70dba255f380be56d3fb2c98bbc8738493f3", "sntryu_·97561ee1d3140c85925b15ac6610bb23ff76117c54e"),
    Rule::token("sentry-integration-token", "Sentry integration and app tokens", &["sntryi_", "sntrya_"], r"sntry[ia]_[0-9a-f]{64}")
        .examples("sntryi_·69c346acb457c40c37511a1c5097a41a624913ca6b23695f334e2b3ffbc11a9c", "sntryi_·7f3ce19ef9b673feaaa872a117317b0a07cf7f0d0d5"),
    Rule::token("grafana-service-token", "Grafana service account tokens", &["glsa_"], r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}")
        .examples("glsa_·1IIUkd8FSh15Tb5Ew0WXhOWHxAucyFyR_edCdbBD1", "glsa_·ff6ZO02vC8THAkOR5RIBKV4yNYY7"),
    Rule::token("grafana-cloud-token", "Grafana Cloud access policy tokens", &["glc_"], r"glc_[A-Za-z0-9+/]{40,400}={0,3}")
        .examples("glc_·sdmhXTfOgUOmJknB5jrFRsZEHhN8CETMjH3dTmCcncr==", "glc_·gofWgtTgtaJ2180MMxQsOL/MIU+"),
    Rule::token("grafana-legacy-key", "Grafana API keys in the original format", &["eyJrIjoi"], r"eyJrIjoi[A-Za-z0-9+/]{60,400}={0,2}")
        .examples("eyJrIjoi·eQqOSS3ZnmdyU9raO9iZpOqEDMSZNKhERWMD4gXepEMQjnm/xpRE0h7RXe2gGTUEm==", "eyJrIjoi·GGPh2MsMCC7Z5cXlN6ztSPPQ4/tb6b2Phiw2IyOG"),
    Rule::token("dynatrace-api-token", "Dynatrace API tokens", &["dt0c01."], r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}")
        .examples("dt0c01.·HO1INB9HESQ2ZT9QGQ8CGSKV.NARUXJO4R3B5UYRWCS2GKBHNPXKU4FTO8SAMUW8WIJBRPWGOJG57LXA3RK9OJ8HK", "dt0c01.·7H4OGZXD1FDVBEGKCFM0ZNIQ.3B779W7X8SSRML86VYGVCRXWSIQS0KXRMLU"),
    Rule::token("dynatrace-platform-token", "Dynatrace OAuth secrets, platform and other tokens", &["dt0s", "dt0e", "dt0d"], r"dt0[sed][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}")
        .examples("dt0e·74.FS4GMZ2JASGCCH.BQS0WR2AQDOZ93N70R5NKQK3KRMNGG5D8LV4IOHIRK3NIXLIWUKPZ5Q0NU6P5HJ8", "dt0e·64.PJPICTDI.SQH2LTBA1VDGKDBTB0KO1GT7HVYEZA8RDFHTPPA"),
    Rule::token("posthog-personal-key", "PostHog personal API keys", &["phx_"], r"phx_[A-Za-z0-9_-]{40,64}")
        .with_dashes().examples("phx_·iYjWLeNmWVJ2cO5Do-t0j0Jx5GRVIpnpixjxO_qb", "phx_·oJYdzW5VW_W6QiePJ5Jw_k0wGd"),
    Rule::token("posthog-secure-key", "PostHog feature flags secure keys", &["phs_"], r"phs_[A-Za-z0-9_-]{40,64}")
        .with_dashes().examples("phs_·aLESA_oaU9l8k98GIsmMs9DqLlRGLU6NHVna1E-Zevb8-O", "phs_·8xJJ15rWfN8t0E5TNoJCW9ydv6T"),
    Rule::token("honeycomb-ingest-key", "Honeycomb ingest keys", &["hcaik_", "hcbik_", "hcxik_", "hcaic_", "hcbic_", "hcxic_"], r"hc[abx]i[kc]_[a-z0-9]{58}")
        .examples("hcbic_·nmt7mngo31trqiymj33acz576nyxhh7e6ilvvicaohokzg969p2rocro13", "hcbik_·56oopr6nhbirsw2iu8qxmy2852uu3ympb3o72gb"),
    Rule::token("axiom-api-token", "Axiom API tokens", &["xaat-"], r"xaat-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .with_dashes().examples("xaat-·9bc326bf-0cff-496a-870b-a689fe01b597", "xaat-·efe3915f-113b-c104-a1ce"),
    Rule::token("axiom-personal-token", "Axiom personal tokens", &["xapt-"], r"xapt-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .with_dashes().examples("xapt-·95506cbb-e1d2-83b9-88d7-dd6251bb4f28", "xapt-·265645eb-291f-7677-1414"),
    Rule::token("tinybird-token", "Tinybird tokens", &["p.eyJ"], r"p\.eyJ[A-Za-z0-9_-]{40,300}\.[A-Za-z0-9_-]{20,64}")
        .with_dashes().examples("p.eyJ·BeoSUzdB7x3DYforQHOZ4MAdoi8-CpWULusTQpsLCSdZJZ.J-MPgPFAB1GScoKSP2ge", "p.eyJ·9HlGOWfn8g_NTDWqTS8igOJ1L3rsGiSNxdeNWxBm"),
    Rule::token("dbt-service-token", "dbt Cloud service tokens", &["dbtc_"], r"dbtc_[A-Za-z0-9_-]{36,64}")
        .with_dashes().examples("dbtc_·lahib3HR87yGhhgNavJuM4gsqwFVaqtBD4jYo6zDvXj2", "dbtc_·Ie6b05LWPB0eV5LNJo6tNVUA"),
    Rule::token("dbt-personal-token", "dbt Cloud personal access tokens", &["dbtu_"], r"dbtu_[A-Za-z0-9_-]{36,64}")
        .with_dashes().examples("dbtu_·yDvmSwC80-Y7CXLmFPpHUfdZsORX-0u17fuQUoO", "dbtu_·4k7m7p5MO2REgQrqK6hWpQvs"),
    Rule::token("contentful-personal-token", "Contentful management tokens", &["CFPAT-"], r"CFPAT-[A-Za-z0-9_-]{43}")
        .with_dashes().examples("CFPAT-·M-KCqFguASWtGNoPwgtTdtrWyZTTiFfL2aX9R7zlKyY", "CFPAT-·XOKvNXeO74UQW3CqGzEC5VYoHVEJ8"),
    Rule::token("segment-api-token", "Segment public API tokens", &["sgp_"], r"sgp_[A-Za-z0-9]{64}")
        .examples("sgp_·aTssOreFihd7KbYHfwdtQPn8difGSrewuJ6cXBlszpsSLNqCc3GXNOY4XW06nQ7F", "sgp_·EhN5cbOQkOm91lWHXiXAIQ3U2U0kp0X3sSPG6l1fdzo"),
    Rule::token("statsig-secret-key", "Statsig server secret keys", &["secret-"], r"secret-[A-Za-z0-9]{40,50}")
        .with_dashes().examples("secret-·lOGO7XhBrJWzSVNLyFD1kKQg4Wto8nE1aNUHQqOOj6bWjdKX", "secret-·1zGmD7g6Hl1Rb1InSmQx3VcPZNP"),
    Rule::token("arcgis-api-key", "ArcGIS API keys", &["AAPK", "AAPT"], r"AAP[KT][A-Za-z0-9_-]{60,400}")
        .with_dashes().examples("AAPK·cqqef-BwBt7tlo7ESNoJM8Apqe14TzHvFBISxW8i3TlZp6-ZEPQIdFy9RmsU7sC", "AAPT·YzIXAqwnuEq-ycu9UwpVUIqNUm_OShOqMT_5kAYC"),
];
