//! Tokens of productivity, business and other services.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("atlassian-api-token", "Atlassian API tokens", &["ATATT3"], r"ATATT3[A-Za-z0-9_=-]{150,260}")
        .with_dashes().examples("ATATT3·xFfGF0PeSR-caQsnieICLri5NIGcMJbUewACtdryJ2Xy45GtQEW08TgTq6RJCQynLFiQA0cNKhM2_lOnYAcEx93S_DmVJsWXFIyADSXkUEXDb37UZRNKGK0qgDCSvY3xlvr1kLfbwCmNJUGl3E5c9tkGcuvi1EnuDHl-BUAU2uL=7FCD476A", "ATATT3·xFfGF0sFlLA1IQ8wC-qBJWNXIh"),
    Rule::token("atlassian-service-token", "Atlassian service account tokens", &["ATSTT3"], r"ATSTT3[A-Za-z0-9_=-]{150,260}")
        .with_dashes().examples("ATSTT3·xFfGN02l4ytldHva2bWxDguJojxfpL1PN57pjFfkONb68XAaAOkZTKbX28B40jdwiTj7Mli2fr2lB14VH7mr4UiBgGoM9RoRc8SBOyY7cUtd1JrxB1MZY4nxKw29MCNlCRl0K4B2nmHb6iLQA3v91F4Qm6Pxn0DwrIGwTzfS5TU=ED1DE20F", "ATSTT3·xFfGN0fmH780cdkO9L9rw65v8U"),
    Rule::token("atlassian-oauth-secret", "Atlassian OAuth client secrets", &["ATOA"], r"ATOA[A-Za-z0-9_-]{60,80}")
        .with_dashes().examples("ATOA·q5vawIFrhDWEA_IT1IvrFEShlT0b8HnOXtXMCVKuMAhIdoGRxasDHOdNIrbwJsB3ObZXQKnm", "ATOA·GuVjFkopk6NqwJq0D6ut"),
    Rule::token("trello-token", "Trello tokens", &["ATTA"], r"ATTA[0-9A-Za-z]{60,72}")
        .examples("ATTA·2c3f49e18c9743c9f9705b284389df26763d6dc9234cd7163a34c7301d95ae013C8DE195", "ATTA·6295f3203e0df5d8b074"),
    Rule::token("asana-access-token", "Asana personal access tokens", &["1/11", "1/12", "2/11", "2/12"], r"[12]/1[12][0-9]{12,15}(?:/1[12][0-9]{12,15})?:[0-9a-f]{32}")
        .examples("2/12·94297060351038/1241782930451358:795c34781c153801439d7461ed01d5d7", "2/12·19723873958651/1287358218319101"),
    Rule::token("linear-api-key", "Linear API keys", &["lin_api_"], r"lin_api_[A-Za-z0-9]{40}")
        .examples("lin_api_·86hry7BDLEkbimVivUf8j8rlZXpikiHdXaVO7xe3", "lin_api_·Mp4VGmwlk"),
    Rule::token("linear-oauth-token", "Linear OAuth tokens", &["lin_oauth_"], r"lin_oauth_[0-9a-f]{64}")
        .examples("lin_oauth_·f0adf7b7d1d3fd4357e5a7a4b2a2d6a67491e6fb2fb620da584570a327dcd5b3", "lin_oauth_·2605eabf0"),
    Rule::token("linear-webhook-secret", "Linear webhook secrets", &["lin_wh_"], r"lin_wh_[A-Za-z0-9]{32,64}")
        .examples("lin_wh_·ONgH0yd6dtFDiuhFvUC8N7lmQ59P9w9K5DTRCVoR", "lin_wh_·dtRfFLhdH"),
    Rule::token("notion-legacy-token", "Notion integration secrets in the original format", &["secret_"], r"secret_[A-Za-z0-9]{43}")
        .examples("secret_·e2bZdRziPYS1yipTaniS6GeDAgf1Lgbw5Y5N9BtNUEJ", "secret_·x95n40FAl"),
    Rule::token("notion-token", "Notion integration secrets", &["ntn_"], r"ntn_[A-Za-z0-9]{40,60}")
        .examples("ntn_·107318567252K3LyqmSZtVbYRWz4FBQV2EIHDWe3JpnvW8", "ntn_·428058481"),
    Rule::token("figma-access-token", "Figma personal access tokens", &["figd_"], r"figd_[A-Za-z0-9_-]{36,60}")
        .with_dashes().examples("figd_·JEnLw-lqgLD2OswSvjXG91lwcwhQvF_0AJoHRx2i", "figd_·Hv5F28KzK"),
    Rule::token("figma-oauth-token", "Figma OAuth tokens", &["figu_", "figur_"], r"figur?_[A-Za-z0-9_-]{36,60}")
        .with_dashes().examples("figu_·zeJsR-karHXisVyvo5yVXfb2uNzabsxztZ1GRKH0", "figu_·aMjJhIDd2"),
    Rule::token("hubspot-private-app-token", "HubSpot private app tokens", &["pat-na", "pat-eu", "pat-ap"], r"pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("pat-na1-·dad6ace8-e6cb-edfb-b028-c3b4e7fb3726", "pat-na1-·f8b97164"),
    Rule::token("hubspot-personal-key", "HubSpot personal access keys", &["CiRuYTEt", "CiRuYTIt", "CiRldTEt", "CiRhcDEt"], r"CiR(?:uYTEt|uYTIt|ldTEt|hcDEt)[A-Za-z0-9_-]{80,400}={0,2}")
        .with_dashes().examples("CiRuYTEt·4gG3nhypqfDsy2XUvxqgrHi6PTDfp6LHUBtNKh_o0rgy5OsjBqJlRh9ydKCPwUeYVJ-phJeFnNcoSzT1hTKmbH0fwvQ7HT2h8uImomKOwkNsqVqKpftdmLd1UJbR9PYNWtabFGslRvxMYj8BGirXs3t6eDXq1svM", "CiRuYTEt·j7dL1iZ7XgoF7I8ToCqP"),
    Rule::token("typeform-token", "Typeform tokens", &["tfp_"], r"tfp_[A-Za-z0-9_.=-]{40,80}")
        .with_dashes().examples("tfp_·Yr9g4WzrSWNliUlv5ZfH3T_kI9LN1V2N1KkyHXYJE2sz_i5XGC9kbARO1wk", "tfp_·yd8SqjXw6"),
    Rule::token("frameio-token", "Frame.io tokens", &["fio-u-"], r"fio-u-[A-Za-z0-9_=-]{64}")
        .with_dashes().examples("fio-u-·UC3agOTIpveIZfXidelCN8tIcd1WVxLblqxZkgQArxvdBRmNpZ5jcWxqkdZRG0aj", "fio-u-·QmCXjwN37"),
    Rule::token("clickup-token", "ClickUp personal tokens", &["pk_"], r"pk_[0-9]{5,10}_[A-Z0-9]{32}")
        .examples("pk_·39738797_RQ7TD014RFLF8QVX20DEDCANJYWYWL50", "pk_·38301089_L78XQSBL9"),
    Rule::token("salesforce-consumer-key", "Salesforce consumer keys", &["3MVG9"], r"3MVG9[A-Za-z0-9._]{70,100}")
        .examples("3MVG9·MdFMkTMTbY1xjmun4PzpnQIjoAWyinBzqn2ZMA2hTI9syPrZj3VP0mPMxUxP0iETSrDQYkyDnlBbDNLW", "3MVG9·Z4D9EiP02"),
    Rule::token("salesforce-refresh-token", "Salesforce refresh tokens", &["5Aep861"], r"5Aep861[A-Za-z0-9._]{60,100}")
        .examples("5Aep861·wAIHczUVcNnroHuOJNcVfKwe2Q3iI4wSfn0zMIlseEmb6IQ9YKXLne9BfrtQRmeiVw2rtyBNl1Cl3rb7", "5Aep861·vlyzugUyq"),
    Rule::token("n8n-api-key", "n8n API keys", &["n8n_api_"], r"n8n_api_[0-9a-f]{40,120}")
        .examples("n8n_api_·f48f2387d5918b6759504931df238a21479a8592cab74b930267e6268b57ea07d1b9a4c384020798", "n8n_api_·1bab9ba43"),
    Rule::token("plane-api-key", "Plane API keys", &["plane_api_"], r"plane_api_[0-9a-f]{32}")
        .examples("plane_api_·5b6983f41567f057bce6b6e3bae54f3f", "plane_api_·6b6d2b4a5"),
    Rule::token("calcom-api-key", "Cal.com API keys", &["cal_live_"], r"cal_live_[0-9a-f]{32}")
        .examples("cal_live_·53b0a2e8c462cafe0a491e8506824761", "cal_live_·9b6c6ae38"),
    Rule::token("dub-api-key", "Dub API keys", &["dub_"], r"dub_[A-Za-z0-9]{24}")
        .examples("dub_·B1oSe3HVX0CXB6F6Hoce7iKn", "dub_·DfpIAbkr2"),
    Rule::token("tally-api-key", "Tally API keys", &["tly-"], r"tly-[A-Za-z0-9]{24,64}")
        .with_dashes().examples("tly-·E5NwfV6PsdONn4KPF5g2LMsCGqaq3tm3", "tly-·mJWIShl3F"),
    Rule::token("settlemint-personal-token", "SettleMint personal access tokens", &["sm_pat_"], r"sm_pat_[A-Za-z0-9]{16}")
        .examples("sm_pat_·NrTtg9YgDmAlAguv", "sm_pat_·NElg7xV"),
    Rule::token("settlemint-service-token", "SettleMint service access tokens", &["sm_sat_"], r"sm_sat_[A-Za-z0-9]{16}")
        .examples("sm_sat_·jMoW7zJqVSfYeI5I", "sm_sat_·dNj6JQO"),
    Rule::token("settlemint-application-token", "SettleMint application access tokens", &["sm_aat_"], r"sm_aat_[A-Za-z0-9]{16}")
        .examples("sm_aat_·meQsi813liVtk9zq", "sm_aat_·ksjTUKM"),
    Rule::token("kong-personal-token", "Kong Konnect personal access tokens", &["kpat_"], r"kpat_[A-Za-z0-9]{40,60}")
        .examples("kpat_·3ZftDReMygft0hPSA2CBQ4RHWsIdWfMxTvOmfX31SGhqomJwq", "kpat_·yOPROlfIR"),
    Rule::token("kong-system-token", "Kong Konnect system account tokens", &["spat_"], r"spat_[A-Za-z0-9]{40,60}")
        .examples("spat_·RHPt92kNcUg5cKW7h1QVIPCDyMPaKntAiK4D3VfMVyYPp4Ntg", "spat_·CV6eaFW7C"),
    Rule::token("samsara-api-token", "Samsara API tokens", &["samsara_api_"], r"samsara_api_[A-Za-z0-9]{30}")
        .examples("samsara_api_·IxbK1PewPvSXknmDhdgCzbRErVfQUb", "samsara_api_·i1bMKDTBf"),
    Rule::token("rootly-api-token", "Rootly API tokens", &["rootly_"], r"rootly_[0-9a-f]{64}")
        .examples("rootly_·4c4b4d8695dc59f214cfc71f60c59d860915465652a1e78a45a9f171e51725e6", "rootly_·c393908ab"),
    Rule::token("firehydrant-bot-token", "FireHydrant bot tokens", &["fhb-"], r"fhb-[0-9a-f]{32}")
        .with_dashes().examples("fhb-·bfa2897f85439ca367abef59d606b043", "fhb-·0d16acd52"),
    Rule::token("tolgee-api-key", "Tolgee project keys and personal tokens", &["tgpak_", "tgpat_"], r"tgpa[kt]_[a-z0-9]{30,80}")
        .examples("tgpak_·3uaqx5nv7gzx6iprpljavsjvrzpyv3sloqjdkdrwifxo", "tgpak_·56c5f4fjl"),
    Rule::token("adobe-client-secret", "Adobe client secrets", &["p8e-"], r"p8e-[A-Za-z0-9_-]{32}")
        .with_dashes().examples("p8e-·ScLEyxOGIbq5uBFIL74H7z2OJU9vCmI0", "p8e-·K7FOq9kOr"),
    Rule::token("basecamp-access-token", "Basecamp access tokens", &["BAhbB0kiA"], r"BAhbB0kiA[A-Za-z0-9+/]{150,400}[A-Za-z0-9+/]{0,400}={0,2}--[0-9a-f]{40}")
        .with_dashes().examples("BAhbB0kiA·Hg0qyQ0JtLPAryJ6Pg2xXy4f8WYHJFzjPjZXdmxhMrzAol0MJwJuzMNB7wWMPKCrUeo8UAB2tzDR5i34KyIXITzrFRTUfXRxUotQc36rB6BDdw3Z7pwBz17HEBtOuXlmkdteY9NwnWBbOhq5SxhBY5Bax0uVmy8wTWJUP2J0NGVHz76dHeCTlemYFpjXnCo4elGHtBwxOpK7QmeR59ypUlZSx1OuvsLP7JEYTHKdxmYcxsLS0GroT1P0AgcJyzO0z30o==--60648c6f54a3974a95b0d65f0312f5a7929aed2e", "BAhbB0kiA·RdFGjC03l0QbRJ5M3Aue"),
    Rule::token("nylas-api-key", "Nylas API keys", &["nyk_v0_", "nyk_v1_"], r"nyk_v[01]_[A-Za-z0-9]{50,80}")
        .examples("nyk_v0_·LOnVSYT1GhKF5JzlMVxnCLuCa1tS9MgPlLHY21YUgDL9eKsRj8V0jtidBwl1OjeL", "nyk_v0_·KZMUMFVz4"),
    Rule::token("builderio-private-key", "Builder.io private keys", &["bpk-"], r"bpk-[0-9a-f]{32}")
        .with_dashes().examples("bpk-·3c09e83b8bd3ec79c8b37ef37b5b4a20", "bpk-·de393864a"),
    Rule::token("imagekit-private-key", "ImageKit private keys", &["private_"], r"private_[A-Za-z0-9+/]{27}=")
        .examples("private_·ZNlxNSiSNE8aCxvcfGT6dMK9ICU=", "private_·3C9y5VqyE="),
    Rule::token("riot-api-key", "Riot Games API keys", &["RGAPI-"], r"RGAPI-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("RGAPI-·d495e347-b79b-fbd8-79fe-4d58fed9e85c", "RGAPI-·a56c8095"),
    Rule::token("roblox-session-cookie", "Roblox session cookies", &["_|WARNING:-DO-NO"], r"_\|WARNING:-DO-NOT-SHARE-THIS\.[A-Za-z.-]{20,160}\|_([A-Za-z0-9_.-]{100,400}[A-Za-z0-9_.-]{0,400}[A-Za-z0-9_.-]{0,400}[A-Za-z0-9_.-]{0,400})")
        .with_dashes().examples("_|WARNING:-DO-NOT-SHARE-THIS.--Sharing-this-will-allow-someone-to-log-in-as-you-and-to-steal-your-ROBUX-and-items.|_·5BD98F08057EC7A7C5730289D171A984895720861CB16B6E0164FA634713829A2F0FB5DB2D670C946B613451DCECDFA6F04E64E5BE1A0A240136B0DC2AE81924AC82DB79EA47863935F96D7D15D75F8F3ED38C5E28A656AF606F86E046EC9E7D97A06AB5020C436534CB92054FAE7DA2FC4CBD509AFACBE3D063CFB75B64372CB73BF295BF86F0AC4AD2D4983924FB16F82950B0F638", "_|WARNING:-DO-NOT-SHARE-THIS.·--Sharing"),
    Rule::token("modrinth-token", "Modrinth tokens", &["mrp_", "mra_"], r"mr[ap]_[A-Za-z0-9]{60}")
        .examples("mrp_·v4MSjZAGgT0PvU4Ol1RqZKx0yNMgK9damKvJ5diO6NAuAyPEmySmVOhDROAE", "mrp_·f6JuK01rw"),
    Rule::token("lichess-personal-token", "Lichess personal tokens", &["lip_"], r"lip_[A-Za-z0-9]{20}")
        .examples("lip_·6auUhVY4MPWENQrDSL5M", "lip_·3umxWDFS3"),
    Rule::token("lichess-oauth-token", "Lichess OAuth tokens", &["lio_"], r"lio_[A-Za-z0-9]{32}")
        .examples("lio_·t6JhZ6us9m96dm0KdFzP1dHnmFDn9lmD", "lio_·MximGchDN"),
    Rule::token("wakatime-api-key", "WakaTime API keys", &["waka_"], r"waka_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("waka_·106890c3-e0cd-6cba-a157-d64caf587c75", "waka_·6cb6cdc3"),
    Rule::token("wakatime-oauth-token", "WakaTime OAuth secrets and tokens", &["waka_tok_", "waka_sec_", "waka_ref_"], r"waka_(?:tok|sec|ref)_[A-Za-z0-9]{40,120}")
        .examples("waka_tok_·f9cKrD9zskjgqoWe6woAQT8BRaqoVWdWwjwPITAWApfyK9f1YmPkPwn0vBuD949cVn05Re3ZSmdKxuwb", "waka_tok_·JY5SPFiX4"),
    Rule::token("overleaf-git-token", "Overleaf Git tokens", &["olp_"], r"olp_[A-Za-z0-9]{36}")
        .examples("olp_·fTXdKoCztF0CoQbkm8CnsAklipdXHfb15rzL", "olp_·jduw7FmLp"),
];
