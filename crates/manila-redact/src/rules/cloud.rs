//! Tokens of cloud providers, hosting services and infrastructure tools.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("aws-access-key-id", "AWS access key ids", &["AKIA"], r"AKIA[A-Z0-9]{16}")
        .examples("AKIA·00QRI6MC3PJYHZW7", "AKIA·DDJPV9MIEDC"),
    Rule::token("aws-temporary-key-id", "AWS temporary access key ids", &["ASIA"], r"ASIA[A-Z0-9]{16}")
        .examples("ASIA·K2EAPI1UCGG39ALM", "ASIA·K4WW7351SV7"),
    Rule::token("aws-bearer-key-id", "AWS service bearer token ids", &["ABIA"], r"ABIA[A-Z0-9]{16}")
        .examples("ABIA·FNF3V37LOKIUY6J8", "ABIA·T0HN7ABRPWZ"),
    Rule::token("aws-context-key-id", "AWS context-specific credential ids", &["ACCA"], r"ACCA[A-Z0-9]{16}")
        .examples("ACCA·3431PS931SBI3WAE", "ACCA·3VHNMVDWKYL"),
    Rule::token("aws-session-token", "AWS session tokens", &["IQoJb3JpZ2luX2Vj", "FwoGZXIvYXdz"], r"(?:IQoJb3JpZ2luX2Vj|FwoGZXIvYXdz)(?:[A-Za-z0-9+/=]|%[0-9A-Fa-f]{2}){100,400}(?:[A-Za-z0-9+/=]|%[0-9A-Fa-f]{2}){0,400}(?:[A-Za-z0-9+/=]|%[0-9A-Fa-f]{2}){0,400}")
        .examples("IQoJb3JpZ2luX2Vj·XAhND1oAGPXX1HYEBSsiUzXvC+y+wrBggk6YXfStMdXB4Pt6BTEY/U4X4Q/PysBqdURPa3DBWxN8nnqUaK3X6oPkg5vdGQW0F6J7KFZVLrc/UYwS6ZS+rYrsh34EnOFaBArjtLtZUda5rRpEnIEEiJ", "IQoJb3JpZ2luX2Vj·EAcaCXVzLWVhc3QtMSJHMEUC"),
    Rule::token("aws-bedrock-key", "Amazon Bedrock long-term API keys", &["ABSKQmVkcm9ja0FQ"], r"ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/]{80,269}={0,2}")
        .examples("ABSKQmVkcm9ja0FQ·SUtleSEbboOeNjtKkb7BClcJoE93ZsnHmTERTNpyR3DpN+sOM44w411EZ8iJ39lcQSbQ4W6yXCi/NAH40lZBEzXrsDEYzlX=", "ABSKQmVkcm9ja0FQ·SUtleSMVsaf+/9ThLoJdW21TR9e2arMQc1h945BMUZkDveNbIluIVKE304"),
    Rule::token("aws-bedrock-short-key", "Amazon Bedrock short-term API keys", &["bedrock-api-key-"], r"bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]{60,400}[A-Za-z0-9+/=]{0,400}[A-Za-z0-9+/=]{0,400}")
        .with_dashes().examples("bedrock-api-key-·YmVkcm9jay5hbWF6b25hd3MuY29tFD8qYV3XT51RGMPnXvs6uDVYJcWRAgF4FWXocYvMFiAehAMNm1yXf6w6B9eg7RH9HydJeRGZ/DKYMAD6Bv9WnGTQLvxMQyJrFD8qYV3XT51RGMPnXvs6uDVY", "bedrock-api-key-·YmVkcm9jay5hbWF6b25hd3MuY29tRyLlz+qwLPTHJthLS1vBypzP9t0xQbx"),
    Rule::token("aws-appsync-key", "AWS AppSync API keys", &["da2-"], r"da2-[a-z0-9]{26}")
        .with_dashes().examples("da2-·07v51hemqzinu5oy0v3cakrqnn", "da2-·f64ghkpefy4z9pnyeq"),
    Rule::token("google-api-key", "Google API keys", &["AIza"], r"AIza[A-Za-z0-9_-]{35}")
        .with_dashes().examples("AIza·-UhgV0XG6Soy7LWBeSvBSAr1brSySmIoqd7", "AIza·WCqpdC85E2c8ENGxPW9feoFG"),
    Rule::token("google-auth-key", "Google API keys bound to an account", &["AQ.Ab"], r"AQ\.Ab[A-Za-z0-9_-]{45,60}")
        .with_dashes().examples("AQ.Ab·l6nYWCwr9U-22BT7oECbMoQF1-1MDN7rqK3PXuXVTxZswHO5Gk7r0p", "AQ.Ab·u3HceQH1gBav7shsiZDgMoii0TgTPM"),
    Rule::token("google-access-token", "Google OAuth access tokens", &["ya29."], r"ya29\.(?:[a-z]\.)?[A-Za-z0-9_-]{40,400}[A-Za-z0-9_-]{0,400}[A-Za-z0-9_-]{0,400}")
        .with_dashes().examples("ya29.·0yV5AXGXXoEyxc68jG3XGmDSNiV4HQNCK1xDtN_5EgMFPkNyMR0W2PS", "ya29.·d5E5pmmN-TW4wy_2XvLY-r9br0t"),
    Rule::token("google-refresh-token", "Google OAuth refresh tokens", &["1//0"], r"1//0[A-Za-z0-9_-]{40,200}")
        .with_dashes().examples("1//0·QB165lyD67tkXSJ4o1B9o3hdfUfDCM0y0zHn4EpK8", "1//0·li_RYlQgh_hLxADAliZqFtM37pM"),
    Rule::token("google-client-secret", "Google OAuth client secrets", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{28}")
        .with_dashes().examples("GOCSPX-·rRKljAT5UAf6UeLskoVTOi9Mnebb", "GOCSPX-·PmCrrCduwSbrDBp-H_R"),
    Rule::token("azure-client-secret", "Microsoft Entra client secrets", &["7Q~", "8Q~"], r"[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,34}")
        .with_dashes().with_offset(3, 3).examples("U8d7Q~·P.ieRtt3peVFWz.HvW~qfg_lCs7fX4C", "XHt7Q~·G~8TqFzM9gmuxMtBNDH8s"),
    Rule::token("azure-annotated-key", "Azure keys in the common annotated format, e.g. of AI services and DevOps", &["JQQJ9"], r"[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9][A-L][A-Za-z0-9]{16}[A-Za-z][A-Za-z0-9]{7}(?:[A-Za-z0-9]{2}==)?")
        .with_offset(52, 52).examples("7kyICRbqpACu4bhfZjMqXqzLyuUmpaHNQWFBE1PR1MhTeN1z6Iq9JQQJ9·95AwChKy0ghWXfRYKGxHtBOOD6x", "DOjx1VUr0RO0Otcm7z1uwe8gRshbW3MkGx5WM1O4SqLfrDCuyixxJQQJ9·9NBMzFnu9OlSSk06VY"),
    Rule::token("azure-messaging-key", "keys of Azure Service Bus, Event Hubs, Relay and IoT", &["+ASb", "+AEh", "+ARm", "AIoT"], r"[A-Za-z0-9+/]{33}(?:\+ASb|\+AEh|\+ARm|AIoT)[A-P][A-Za-z0-9+/]{5}=")
        .with_offset(33, 33).examples("FIIm5eEzzIuN1D0oVX4NV4HcM0BX3ULjy+AEh·Fgdg0w=", "1p3yRvt34kZW0OSk6hPdfOnn6inlf2En4+ASb·CEcN"),
    Rule::token("azure-redis-key", "Azure Cache for Redis keys", &["AzCa"], r"[A-Za-z0-9]{33}AzCa[A-P][A-Za-z0-9]{5}=")
        .with_offset(33, 33).examples("GqIFPSOHRfGVRWQOU6W5XdWnIawDy0CiYAzCa·BjEXBh=", "tBZggh08wx5LfExirZcYzTu0FJua75zhKAzCa·ItFa"),
    Rule::token("azure-search-key", "Azure AI Search keys", &["AzSe"], r"[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}")
        .with_offset(42, 42).examples("TgQwUyIBXsOmwMtZDKG4xSWNbtSBBhNZZRegpL0UHaAzSe·CsRj1r", "YjHj8hSrnULf7ZHAuVT0UuFnU4fzv8IxLMl6MXDhanAzSe·DgC"),
    Rule::token("azure-container-registry-key", "Azure Container Registry passwords", &["+ACR"], r"[A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9]{5}")
        .with_offset(42, 42).examples("6/Zacfq5igFiWaUWOd8pjB0BYN9BmKo7RnxMN3Edom+ACR·BIkybv", "I42babPsJHJBdHd2g2RY7bsFC5OLphZ3IpDjSaXyIG+ACR·BEJ"),
    Rule::token("azure-functions-key", "Azure Functions keys", &["AzFu"], r"[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{5}[AQgw]==")
        .with_dashes().with_offset(44, 44).examples("YtkTAInLKdC91tQJKSBuhO2JQ2BnERrHPfFtuEYAPQQRAzFu·Q5ARDQ==", "qv6c1bDUp2S-nfTU-bciwREKAIaf1poFErUCJJRrVmS-AzFu·8TG5a"),
    Rule::token("digitalocean-personal-token", "DigitalOcean personal access tokens", &["dop_v1_"], r"dop_v1_[0-9a-f]{64}")
        .examples("dop_v1_·20aa97c3d78214b83712aca785759ce5fab9d9e143c1d2c4b4fef8611677cc8b", "dop_v1_·74969dd86f17393f40012a7ea8b8ea8f7f9757fd7a2"),
    Rule::token("digitalocean-oauth-token", "DigitalOcean OAuth tokens", &["doo_v1_"], r"doo_v1_[0-9a-f]{64}")
        .examples("doo_v1_·e52bafafb3772dcbad9bd5d17f79613b240d655235091ce35365eb523a485b64", "doo_v1_·ebb57452b222bbb07a8e9cefad4c7a322ae19dc42f2"),
    Rule::token("digitalocean-refresh-token", "DigitalOcean OAuth refresh tokens", &["dor_v1_"], r"dor_v1_[0-9a-f]{64}")
        .examples("dor_v1_·b54aca5b470bbe2462e249ee29602f9bae5e5f11fc3e87a58a8713a4ad05a255", "dor_v1_·50b251b6e93ee3eb89e4744a8dce73935ee1eb92c4b"),
    Rule::token("heroku-api-key", "Heroku API keys", &["HRKU-"], r"HRKU-(?:AA[A-Za-z0-9_-]{58}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
        .with_dashes().examples("HRKU-·b60b3658-6a4a-1767-6f07-2c6fac84cd16", "HRKU-·c2ecd108-6e0b-90ec-5364"),
    Rule::token("cloudflare-origin-ca-key", "Cloudflare origin CA keys", &["v1.0-"], r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}")
        .with_dashes().examples("v1.0-·6324186adc22fa07ef3d2ddf-bafb76e101fc9e75fcb0f9ef2dea22f0889db1781e456bef08ccfe6b372a76f215e8a4992a8309e529c67f6bfec8faa3d61227e82be211e8b08c46d3f3f2c4a655176020b0022e82f7", "v1.0-·09a622066c50275286a2c48f-1d7b03dfee7503dc321d4280bc85942143438e4845065dbcbceea778be58fa7221f876782fb8e51c1a159fa3a"),
    Rule::token("cloudflare-global-key", "Cloudflare global API keys", &["cfk_"], r"cfk_[A-Za-z0-9_-]{44,52}")
        .with_dashes().examples("cfk_·Eg60wz_9F9VRKtUf5X2WIAokyFVXSHcWnI5tpZwDCROyTf_", "cfk_·AQe9dwhovpHmsGNTcJeBT4Vpmmhc2W"),
    Rule::token("cloudflare-user-token", "Cloudflare user API tokens", &["cfut_"], r"cfut_[A-Za-z0-9_-]{44,52}")
        .with_dashes().examples("cfut_·vjXNnq3efgUX4Ehp7ERnlsQ74zXXjdbvnx2C1uzF5Ww6qQIJ1", "cfut_·-SuwfYT6SXWEstzkuV8TW-PyBZNxfl"),
    Rule::token("cloudflare-account-token", "Cloudflare account API tokens", &["cfat_"], r"cfat_[A-Za-z0-9_-]{44,52}")
        .with_dashes().examples("cfat_·DSpeECTU-wJ0C5KE3bVa6Axs-l9Zvrx34Fn9Ho8wqWRH", "cfat_·I5zobXYrnZNLeRq9EphQ7T-hnup4E4"),
    Rule::token("cloudflare-turnstile-secret", "Cloudflare Turnstile secret keys", &["0x4AAAA"], r"0x4AAAAA[A-Za-z0-9_-]{27}")
        .with_dashes().examples("0x4AAAA·AAeY27mkROwhagCrRBSEA4OZs5qk", "0x4AAAA·AEUXvum-6TQlBfm15ra"),
    Rule::token("alibaba-access-key-id", "Alibaba Cloud access key ids", &["LTAI"], r"LTAI[A-Za-z0-9]{12,20}")
        .examples("LTAI·BkQQgOui9ZBUbHZG", "LTAI·gZo07tO2"),
    Rule::token("tencent-secret-id", "Tencent Cloud secret ids", &["AKID"], r"AKID[A-Za-z0-9]{32}")
        .examples("AKID·ujd2qceAGx6HXXdnLbpQnj4nkrVR4ZB3", "AKID·LplxZM9zsRGYufTg45VGT0"),
    Rule::token("yandex-api-key", "Yandex Cloud API keys", &["AQVN"], r"AQVN[A-Za-z0-9_-]{35,38}")
        .with_dashes().examples("AQVN·MZi2lHSkFxPWt3UmzWIdEQT0lAEivJKniFnxzX", "AQVN·EZg5YO4dEQJ9n63z66XmHbEF"),
    Rule::token("yandex-oauth-token", "Yandex OAuth tokens", &["y0_", "y1_", "y2_", "y3_"], r"y[0-3]_[A-Za-z0-9_-]{39,64}")
        .with_dashes().examples("y3_·lHMZ80Zpnsfh1Wy0jrGAMzvosMaBE4llxri4UQN", "y0_·4IS5SuO9mGZgqNZibPMO371O_m"),
    Rule::token("yandex-static-key-id", "Yandex Cloud static access key ids", &["YCAJE"], r"YCAJE[A-Za-z0-9_-]{20}")
        .with_dashes().examples("YCAJE·yrZdCuqZLk2iQCpgIX2p", "YCAJE·IfhPq1WxQBAFhc"),
    Rule::token("akamai-edgegrid-token", "Akamai EdgeGrid client and access tokens", &["akab-"], r"akab-[a-z0-9]{16}-[a-z0-9]{16}")
        .with_dashes().examples("akab-·49x5jse4vdmfxgbr-loh5u4j7lfy7vxvp", "akab-·ppydxtz1kvt9jf6b-qeo7x"),
    Rule::token("flyio-oauth-token", "Fly.io personal tokens", &["fo1_"], r"fo1_[A-Za-z0-9_-]{43}")
        .with_dashes().examples("fo1_·htGXNbYKKFXAyHIQJY4wFaCteKf5k8j2YcPagc5VsSc", "fo1_·qZ94ipTMJVbEpMUnY5_sA8lwakR-r"),
    Rule::token("flyio-macaroon", "Fly.io macaroon tokens", &["fm1a_", "fm1r_", "fm2_"], r"fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,400}[A-Za-z0-9+/]{0,400}[A-Za-z0-9+/]{0,400}={0,3}")
        .examples("fm2_·HvVsdHiZSRoT66frAC3HGnD/I/lEDQkO8ayrzGoZhPdi6mrWpzwhIZ9W5O+YYtmsQBFQnW3SUC+oSyfr/IBdkLP1IZCvw2o=", "fm1r·_SzjQaCSIho6avqHWRvCls7HMuzID3kTGYj1x3EjBheTgNaDwc0fZ3p"),
    Rule::token("netlify-token", "Netlify tokens", &["nfp_", "nfc_", "nfo_", "nfb_", "nfu_"], r"nf[pcobu]_[A-Za-z0-9]{36}")
        .examples("nfb_·AHiP3xZyDwCx8eJBXpaz2VX09oSytlFSG80c", "nfb_·oPBRlb9OeZjixarVfVZMQyZn"),
    Rule::token("vercel-blob-token", "Vercel Blob read-write tokens", &["vercel_blob_rw_"], r"vercel_blob_rw_[A-Za-z0-9]{14,20}_[A-Za-z0-9]{28,36}")
        .examples("vercel_blob_rw_·OaUFcyDFAGh3gtsR7_5FA2GYLV4k2imhtsEfymst9wCW6nxldy", "vercel_blob_rw_·wi5T43FhWeGdOs_ofriW4ZIkm2aYW"),
    Rule::token("render-api-key", "Render API keys", &["rnd_"], r"rnd_[A-Za-z0-9]{28,36}")
        .examples("rnd_·m6Fya5sYIV1R0Vzk1aMv4oJGDkhYg535APj", "rnd_·kMDILoJWJDHIvdkJ82n"),
    Rule::token("deno-deploy-token", "Deno Deploy access tokens", &["ddp_", "ddo_"], r"dd[po]_[A-Za-z0-9]{36}")
        .examples("ddo_·8LORmHBnSwgXkN9nadjOzalRXF9v5w9hE9oS", "ddp_·pIScSRgIfW0CwiZdlc7S887x"),
    Rule::token("scalingo-api-token", "Scalingo API tokens", &["tk-us-"], r"tk-us-[A-Za-z0-9_-]{48}")
        .with_dashes().examples("tk-us-·9zXgS7zGbtkNwBa7vGFReyGNwlM_CHnwkkjtgWj_tVQR3hT6", "tk-us-·kTA-8kYWmDB73EUFrOTPbhlbgmjXFBY6"),
    Rule::token("pulumi-access-token", "Pulumi access tokens", &["pul-"], r"pul-[0-9a-f]{40}")
        .with_dashes().examples("pul-·4ddf79141fe4a258d9aaf26ed7c2dfbb29a0600f", "pul-·bf32311ed5c7dc2b0fde936e31b"),
    Rule::token("terraform-cloud-token", "HCP Terraform tokens", &[".atlasv1."], r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}")
        .with_dashes().with_offset(14, 14).examples("idf4R1H2asG0F5.atlasv1.·ME6Y8a90Y_HwzLS1_sV1ZWUo0p2Ay-qjz9amQ5rDCK=kIliaqkx4ZZCw64W6qo", "GZlnqkVti0WfBG.atlasv1.·xVQ8AZ==t7pmIbjjmiF_gVgjPrs6V-s9l_8pYEbT"),
    Rule::token("infracost-api-key", "Infracost API keys", &["ico-"], r"ico-[A-Za-z0-9]{32}")
        .with_dashes().examples("ico-·SlH0JzgiVrI2iEvnF6btWYjktKmwgSBe", "ico-·DRmtuAgd2B3lm63t3rO0Fj"),
    Rule::token("openshift-user-token", "OpenShift user tokens", &["sha256~"], r"sha256~[A-Za-z0-9_-]{43}")
        .with_dashes().examples("sha256~·PpF19gIAihyyBr1-lIhL6zMif3TAK2s0zoPhz3Tpq2e", "sha256~·CbjKHHibZG_mBwcW8pBu8GvovrAgF"),
    Rule::token("rancher-api-token", "Rancher API and kubeconfig tokens", &["token-", "kubeconfig-"], r"(?:token-[a-z0-9]{5}|kubeconfig-[a-z0-9-]{5,40}):([bcdfghjklmnpqrstvwxz2456789]{54})")
        .with_dashes().examples("token-·xz9wu:8kk2cdc782k8n7pq499mhmfc8npj6k4h7k5z7xpb7lr8gpxbh6nhtj", "token-·x7k2p9qd4m8zv5w"),
    Rule::token("docker-swarm-join-token", "Docker Swarm join tokens", &["SWMTKN-1-"], r"SWMTKN-1-[a-z0-9]{50}-[a-z0-9]{25}")
        .with_dashes().examples("SWMTKN-1-·pqz4hmylrppczkhx47ivwwy48w7je79eihi5edd25orujp0u4j-q6lamy06ryp92q8g8pcpulxfr", "SWMTKN-1-·10yd478cva7b9z9sdbauisi1mk39e4otip63rjvere9ws2mhy7"),
    Rule::token("docker-swarm-unlock-key", "Docker Swarm unlock keys", &["SWMKEY-1-"], r"SWMKEY-1-[A-Za-z0-9+/]{43}")
        .with_dashes().examples("SWMKEY-1-·ZrL+KV3+cxaUy6npZfee21qUYWIe3jd/7y63LVByhB4", "SWMKEY-1-·yuj9AajUo/8jzG4fZXJZiQNhgEDDv"),
];
