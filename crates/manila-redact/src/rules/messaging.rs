//! Tokens of messaging, email and social media services.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("slack-bot-token", "Slack bot tokens", &["xoxb-"], r"xoxb-[0-9]{8,14}-(?:[0-9]{8,14}-)?[A-Za-z0-9]{16,34}")
        .with_dashes().examples("xoxb-·830673652613-8047495184842-PM7k3prnvpZw1ulgh1Sb1i0G", "xoxb-·938530-TjyBv"),
    Rule::token("slack-user-token", "Slack user tokens", &["xoxp-"], r"xoxp-(?:[0-9]{8,14}-){1,3}[A-Za-z0-9]{24,64}")
        .with_dashes().examples("xoxp-·965389317659-787650105821-8631363050689-4d16d14db736bde1510e2b6cd6921516", "xoxp-·543835758385-bdefs8W7"),
    Rule::token("slack-workspace-token", "Slack workspace app tokens", &["xoxa-"], r"xoxa-(?:2-)?(?:[0-9]{8,14}-){0,3}[A-Za-z0-9]{16,64}")
        .with_dashes().examples("xoxa-·2-540401406818-582710761789-584089461201-6da1bcf86f30243b69585bdc54e9d012", "xoxa-·2-2UdUSg"),
    Rule::token("slack-refresh-token", "Slack workspace refresh tokens", &["xoxr-"], r"xoxr-(?:[0-9]{8,14}-){0,3}[A-Za-z0-9]{16,64}")
        .with_dashes().examples("xoxr-·504589765604-916596013897-XQ8WifszHsgt3UZ0aLr6T3TVy9BCgCbA", "xoxr-·8nS7hZ8"),
    Rule::token("slack-rotated-token", "Slack rotated access tokens", &["xoxe.xox"], r"xoxe\.xox[bp]-[0-9]-[A-Za-z0-9]{100,250}")
        .with_dashes().examples("xoxe.xoxp-·1-EmR4JFivYFTAek76ZKJYotPK54SuU40eK5ie2c5QhdfSxGU3PlZlkwBTeV6UI4yuh5aQihJtfou25msx95E1FkIip6Nb0MLiTtWUsvDYBCRmWiCz9g4hZ02r0KWbwlunTQ2reiVYbxSb7R2Q0464It9jGzNVpVpn", "xoxe.xoxp-·1-oFmjpfJs6vDw"),
    Rule::token("slack-rotation-token", "Slack refresh tokens for rotation", &["xoxe-"], r"xoxe-[0-9]-[A-Za-z0-9]{100,250}")
        .with_dashes().examples("xoxe-·1-BAqhWRbnoLCpdHIp30HgC5M7nG8cs5eYDyZlKEm2MwXum4szpLSUu1WfuV2hqoTesjLN4co5NQocSqcwNojOxcsnxY5ZiyqvXyNBQxU5VeMbTF38iCOHBue9wFYMge3X5IgmdvSH9BLyzNcO3u", "xoxe-·1-e96gwnmQBw7q"),
    Rule::token("slack-legacy-session", "Slack legacy session tokens", &["xoxs-"], r"xoxs-(?:[0-9]{8,14}-){1,3}[A-Za-z0-9]{10,64}")
        .with_dashes().examples("xoxs-·4901672904-3940869837-18320141715-c2f0b08abf", "xoxs-·45861-Dwha6"),
    Rule::token("slack-browser-token", "Slack tokens of a browser session", &["xoxc-"], r"xoxc-(?:[0-9]{8,14}-){1,3}[a-z0-9]{32,64}")
        .with_dashes().examples("xoxc-·139476406841-931612719814-2052589195295-740c35181f1c2af1ca12a76db505f7bd6d854a2d65d840e49cb824fcf053cd5e", "xoxc-·326825414210-a83c4f0b9"),
    Rule::token("slack-browser-cookie", "Slack cookies of a browser session", &["xoxd-"], r"xoxd-[A-Za-z0-9%+/=-]{60,400}")
        .with_dashes().examples("xoxd-·3krnZnxulMLAaP5oByWnRWgwFXqzsRLTYn6hOk1l%2BsS60ZMtlnVzlYH9nozRT0BvAE1T3obguAZQaFfpKR60AicvkYMWvbRMPjKMp%2Fl6dZ7wtpzr2DoK3p6QyQBLMaBdWs3G%3D", "xoxd-·UfKBIbFU6RGEuYJHLDcl"),
    Rule::token("slack-app-token", "Slack app-level tokens", &["xapp-"], r"xapp-[0-9]-A[A-Z0-9]{8,12}-[0-9]{10,14}-[a-f0-9]{64}")
        .with_dashes().examples("xapp-·1-ASYRT3JK3TN-7623469360482-1fb6a3c20238c2f018610694aefd52c496e0f7c0d49da84a1b0fb2e2b759794d", "xapp-·1-AN42A9H84RJ-4341463245306-6958b23e7f53"),
    Rule::token("slack-webhook", "Slack incoming webhooks", &["hooks.slack.com/"], r"hooks\.slack\.com/services/(T[A-Z0-9]{7,12}/B[A-Z0-9]{7,12}/[A-Za-z0-9]{20,26})")
        .examples("https://hooks.slack.com/services/·TMYIHGNGE/B0S38RZPR4Y/VfLmhAcH9yfC8ys8w94u0ToB", "https://hooks.slack.com/services/·TFC21KIZP"),
    Rule::token("slack-workflow-webhook", "Slack workflow webhooks", &["hooks.slack.com/"], r"hooks\.slack\.com/workflows/(T[A-Z0-9]{7,12}/A[A-Z0-9]{7,12}/[0-9]{15,20}/[A-Za-z0-9]{20,26})")
        .examples("https://hooks.slack.com/workflows/·T7AD163O5/ATLGSE8T7J6/407421636939128923/d5TtmZMC1gHBhuLxLR4oKAR8", "https://hooks.slack.com/workflows/·TFNMNI97B/A4D1OBAKB5B"),
    Rule::token("slack-trigger-webhook", "Slack workflow triggers", &["hooks.slack.com/"], r"hooks\.slack\.com/triggers/([ET][A-Z0-9]{7,12}/[0-9]{10,16}/[a-f0-9]{32})")
        .examples("https://hooks.slack.com/triggers/·T89GQU5JZ/3898375361757/6975e1c12f026a45e378154f5f46ec2f", "https://hooks.slack.com/triggers/·TRQ7904PG/7610950916057"),
    Rule::token("discord-bot-token", "Discord bot tokens", &["MTA", "MTE", "MTI", "MTM", "MTQ"], r"MT[AEIMQ][A-Za-z0-9]{21,23}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}")
        .with_dashes().examples("MTE·msRAGxgSVr4CDz4p26Atyd0.Gn1Gvi.ydzwgcmhRtSeYZysWSyVQipPUW39etztIJpLqm", "MTE·kvTwdUw04vosfvJGyREqoJH.GM6jfQ"),
    Rule::token("discord-mfa-token", "Discord tokens of users with two-factor authentication", &["mfa."], r"mfa\.[A-Za-z0-9_-]{80,90}")
        .with_dashes().examples("mfa.·QbcAdIGAopI_Rtzva7F7T1v25tPp4cktBR3r0IvGikWirWPAdg8Q0aBVQgPqyv7SQjuA8qoR5NgzPK_nNsgR", "mfa.·uJ3kQ8SjOpqHvNyVwiam9KqSyc0DMH"),
    Rule::token("discord-webhook", "Discord webhooks", &["discord.com/api/", "discordapp.com/a"], r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,90})")
        .with_dashes().examples("https://discord.com/api/webhooks/·6264861683940747147/yQCtioAbP50YcaLrivY7iXUpV6AH8lcFPAp8Dp3rMlErO0vqIbfJYLmFRXbmHh2pVUaN", "https://discord.com/api/webhooks/·2486796045636929386/g6XADQbKcV"),
    Rule::token("telegram-bot-token", "Telegram bot tokens", &[":AA"], r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,33}")
        .with_dashes().with_offset(8, 10).examples("7707506836:AA·bLKRFtKnMU6eUcTv3xCSKveTpgN8Bmw89", "7293192014:AA·N2xNcvHoFjWe"),
    Rule::token("twilio-api-key", "Twilio API keys", &["SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"], r"SK[0-9a-f]{32}")
        .examples("SK·2410aeb175b58f2a17975020285fe562", "SK·0d53ef6a9d9525076092"),
    Rule::token("sendgrid-api-key", "SendGrid API keys", &["SG."], r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}")
        .with_dashes().examples("SG.·grs9wp_Htkuo3R2aesis9d.awDl2MDaUzv2Ob6vLXBZT3SeoYAL546LQnquo5rHvzy", "SG.·4iKPFCvqzCXVse7OtLdG_v.rE7mtB4qW"),
    Rule::token("mailgun-api-key", "Mailgun private keys", &["key-"], r"key-[0-9a-f]{32}")
        .with_dashes().examples("key-·76e8452f0ce23c7509bf31ab2ab272e5", "key-·0ef70d83cd0b"),
    Rule::token("mailchimp-api-key", "Mailchimp API keys", &["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"], r"[0-9a-f]{32}-us[1-9][0-9]?")
        .with_dashes().with_offset(32, 32).examples("d6a54850bc3cae3c2b745f4f752c97be-us·14", "3b936a010b2c-us·14"),
    Rule::token("brevo-api-key", "Brevo API keys", &["xkeysib-"], r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}")
        .with_dashes().examples("xkeysib-·742ce3b3218636957b3258a03746e8b8a4d3685b2696cb7069b8ac421d424f0f-Zb54fpBm9TubpVpO", "xkeysib-·30bf9a6c5a2d527f18c3-D7d6WF6dlne1AMR8"),
    Rule::token("brevo-smtp-key", "Brevo SMTP keys", &["xsmtpsib-"], r"xsmtpsib-[0-9a-f]{64}-[A-Za-z0-9]{16}")
        .with_dashes().examples("xsmtpsib-·c1de79ceba8604d32ab10270808b74ed64ba6a0cb4dbf6a2491b7e21a8d94e15-9WH56Yz8LuS4RSdq", "xsmtpsib-·df8583d584e3dc79f12c-GLnxhkMYmhTG92tw"),
    Rule::token("resend-api-key", "Resend API keys", &["re_"], r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}")
        .examples("re_·RosC4xnJ_1rdrbrvAEx08x1ch3s5BuA5X", "re_·WqBULgoi_LCZp5a"),
    Rule::token("mailersend-api-token", "MailerSend API tokens", &["mlsn."], r"mlsn\.[0-9a-f]{64}")
        .examples("mlsn.·f64b2f2fd83fe1d64fd94abce4248ae70247a805037461c975bf670d41d95a1c", "mlsn.·7f2bdb5e6ac61b10"),
    Rule::token("teams-webhook", "Microsoft Teams incoming webhooks", &["webhook.office.c", "outlook.office.c"], r"(?:webhook|outlook)\.office\.com/webhook(?:b2)?/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}@[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:/V2[A-Za-z0-9_-]{20,60})?)")
        .with_dashes().examples("https://contoso.webhook.office.com/webhookb2/·6e7b9c74-f214-f83a-f906-5ac4156ad052@6c542547-3b90-a670-8086-edb02f39d81f/IncomingWebhook/38086395819512408c48ebd4016048db/0536eabe-b215-4179-68e0-c413e2b6e27b", "https://contoso.webhook.office.com/webhookb2/·df86434f-987c-3e45-23f2-3b2dca4e16a9"),
    Rule::token("power-automate-webhook", "Power Automate and Logic Apps triggers", &["logic.azure.com", "api.powerplatfor"], r"(?:logic\.azure|api\.powerplatform)\.com(?::443)?/[A-Za-z0-9/_-]{20,160}/paths/invoke/?\?[A-Za-z0-9%=&;._/-]{0,160}sig=([A-Za-z0-9_-]{40,46})")
        .with_dashes().examples("https://prod-21.westeurope.logic.azure.com:443/workflows/·e4bd5715ef746e9cd897b0485a7d0ac5/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=bH02tiBRSIk30iKJhZQfQu6hbU8r2p4tK8QwunBAr5a", "https://prod-21.westeurope.logic.azure.com:443/workflows/·e8fd0f2fda971cbedc1cd1812bec6804/triggers/manual"),
    Rule::token("google-chat-webhook", "Google Chat webhooks", &["chat.googleapis."], r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_-]{8,16}/messages\?key=[A-Za-z0-9_-]{39}&token=([A-Za-z0-9_-]{40,50}(?:%3D|=)?)")
        .with_dashes().examples("https://chat.googleapis.com/v1/spaces/AAAAwGaMr8b/messages?key=AIza·v9R7e42GXyqYaInDW3Ytg78DEqsM05l6Jqh&token=pyNr6wIHpq-Np68yCcR46k7Lrzo8mqXl4xCRBmLFIlC", "https://chat.googleapis.com/v1/spaces/·AAAAXP7lJdE/messages"),
    Rule::token("zapier-webhook", "Zapier catch hooks", &["hooks.zapier.com"], r"hooks\.zapier\.com/hooks/catch/([0-9]{4,10}/(?:silent/)?[A-Za-z0-9]{6,10})")
        .examples("https://hooks.zapier.com/hooks/catch/·74247167/5b8lz2t", "https://hooks.zapier.com/hooks/·catch/"),
    Rule::token("make-webhook", "Make custom webhooks", &["hook.eu1.make.", "hook.eu2.make.", "hook.us1.make.", "hook.us2.make."], r"hook\.(?:eu|us)[12]\.make\.com/([a-z0-9]{32})")
        .examples("https://hook.eu2.make.com/·35rvnk4i8mr9npzp8lctmubtmpm8elyo", "https://hook.eu2.make.com/·zsredzyd"),
    Rule::token("ifttt-webhook-key", "IFTTT webhook keys", &["maker.ifttt.com/"], r"maker\.ifttt\.com/trigger/[A-Za-z0-9_-]{1,64}/(?:json/)?with/key/([A-Za-z0-9_-]{20,60})")
        .with_dashes().examples("https://maker.ifttt.com/trigger/doorbell/with/key/·T9fZ2PEp105dSLfMtFKog6hcAfkTAavZQBw35P8AOSE", "https://maker.ifttt.com/trigger/doorbell/·with/key/"),
    Rule::token("onesignal-api-key", "OneSignal app and organization keys", &["os_v2_app_", "os_v2_org_"], r"os_v2_(?:app|org)_[a-z2-7]{80,130}")
        .examples("os_v2_app_·5nzyg656jmlhg3mkleyqbaqjl4zx3xthqcrcqewdwskohp3dzedvbzdpu6bxrypifiqpbn6kch5dnivglqyltfsb3cv76k37qodw435", "os_v2_app_·ah43soiwgftcmvdceyqh"),
    Rule::token("telnyx-api-key", "Telnyx API keys", &["KEY01"], r"KEY01[0-9A-F]{30}_[A-Za-z0-9]{22}")
        .examples("KEY01·485B42AB83E65C158A5C256ED843FD_aW3X6BwJMPfxqls4FmtCyD", "KEY01·ECDBC83121EB6D28C163B206108FED"),
    Rule::token("feishu-webhook", "Feishu and Lark bot webhooks", &["open.feishu.cn/o", "open.larksuite.c"], r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/([A-Za-z0-9-]{32,36})")
        .with_dashes().examples("https://open.feishu.cn/open-apis/bot/v2/hook/·1f1034dc-7ec3-9b7c-71e3-cf34a1e3ec39", "https://open.feishu.cn/open-apis/bot/v2/hook/·91d04c04"),
    Rule::token("dingtalk-webhook", "DingTalk robot webhooks", &["oapi.dingtalk.co"], r"oapi\.dingtalk\.com/robot/send\?access_token=([0-9a-f]{64})")
        .examples("https://oapi.dingtalk.com/robot/send?access_token=·294f1eac1565971b67206d2d9097d8171e78e1ef5e91f3f60b5d58f4c8478495", "https://oapi.dingtalk.com/robot/·send?timestamp=1700000000"),
    Rule::token("wecom-webhook", "WeCom robot webhooks", &["qyapi.weixin.qq."], r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
        .with_dashes().examples("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=·9023827f-4095-c129-5f4c-1596763a2b83", "https://qyapi.weixin.qq.com/cgi-bin/·webhook/send"),
    Rule::token("courier-api-key", "Courier API keys", &["pk_prod_", "dk_prod_"], r"[pd]k_prod_[A-Z0-9]{28}")
        .examples("pk_prod_·WEUNUBORELYLIQDVFQH6QGXAKV4D", "pk_prod_·A84NG5F7X"),
    Rule::token("intercom-access-token", "Intercom access tokens", &["dG9rO"], r"dG9rO[A-Za-z0-9+/]{52,60}={0,2}")
        .examples("dG9rO·9RgxoTuSlo5J1VsCiA6jxCwVz4xk6PnPUPDlyUXKJZuPO89b8GTRNf=", "dG9rO·KowFzYrcoU7w2bHCyQal"),
    Rule::token("klaviyo-private-key", "Klaviyo private keys", &["pk_"], r"pk_[0-9a-f]{34}")
        .examples("pk_·02e6eced5846b2ae3918c62fc8bf364d57", "pk_·021fdecfd8a1d53dc4"),
    Rule::token("facebook-access-token", "Facebook and Meta access tokens", &["EAA"], r"EAA[A-Z][A-Za-z0-9]{100,400}")
        .examples("EAAG·UCgxXDaUAkl9FvM31uGIBuhL5izfd4GAj8tH8jJ8lNC8nTChqhaNYsFIZoKdZChF4r4itVPCaUkIUhCKIwolEBVoOK0t6ZsuVEvqKIWKFWLolPxrqkaFcv2mpcZD", "EAAG·aqt5FdTMKV8HxZMOJo4cg0FJBx6d7i"),
    Rule::token("instagram-access-token", "Instagram access tokens", &["IGQV", "IGQW", "IGAA"], r"IG(?:QV|QW|AA)[A-Za-z0-9_-]{100,400}")
        .with_dashes().examples("IGQV·pMokEHoPFmrwvURTp7j5JyAJzX9hpIuOfBTbFwKsuLenTfT9GYujbiT5kcYbsw2rxdud41ZAt8FzbXzmYwetirPVreVzBIxmd6JKajE2LrcoCOak7mikSVIkZ69O1uDKuvbj1X1di920Mk", "IGQV·2Um8rKvULN73J47VWwYav8SaDg3wUN"),
    Rule::token("threads-access-token", "Threads access tokens", &["THQV", "THAA"], r"TH(?:QV|AA)[A-Za-z0-9_-]{100,400}")
        .with_dashes().examples("THAA·xAdIWvokl95NsngWkU5oZNOwAG3q1eRVRhUtjwOB7X2hw4nrWlNdnZsLWroLRjUp7r9nXfZBtwpy72TXFRUWNrYwt9CxSv6DhjFT8gk-1d6Hk-J9jfgDwRS73OZNyCrEHpKES4b10Y7YZb", "THAA·Zdyw0x1uDSgFEvA3dAyEpPplDLqwGI"),
    Rule::token("twitter-bearer-token", "Twitter and X app bearer tokens", &["AAAAAAAAAAAAAAAA"], r"A{20,22}[A-Za-z0-9%+/]{24,90}(?:%3D|=)[A-Za-z0-9]{40,60}")
        .examples("AAAAAAAAAAAAAAAAAAAAA·MGFQtAAAAAAApdTXSr4vwD%2Bi1SaL5f5bqfvqPVJr1l3YV%3DKi1QsA2yRBJPdJEcspGmUX3MPLwzgWoN4SWHvnb87pEP1Bqmqy", "AAAAAAAAAAAAAAAAAAAAA·MTtmNAAAAAAA"),
    Rule::token("dropbox-token", "Dropbox short-lived access tokens", &["sl."], r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,400}[A-Za-z0-9_-]{0,400}[A-Za-z0-9_-]{0,400}[A-Za-z0-9_-]{0,400}")
        .with_dashes().examples("sl.·luLRxuH1UBEq4cS0J1_iYvVmPzc8y5Jo0wBjQFZXmBPDpw1_B8Ezr8GlputluZs20JGLlBZ9ZdVNrGzuyKJ_cGkDKheAJFacjMUR7F0okzoAPKso1lLzdVY6DzyclsJMgm7BwtwY", "sl.·H1i1IF8QPzP-nSMDrmjhovWqyCw9Z9vQxv1xdAoe"),
    Rule::token("mapbox-secret-token", "Mapbox secret tokens", &["sk.eyJ"], r"sk\.eyJ[A-Za-z0-9_-]{40,200}\.[A-Za-z0-9_-]{22}")
        .with_dashes().examples("sk.eyJ·Q8g5srx7Coamj3m0RqtRVZenqrcGSZpLEkjpUjOe3eFA8M5eZsdJ5negYSUyMvPQwCBHVsv58Zd5tp.4NpOzshtOUgiAbwyx4QCNn", "sk.eyJ·4U1x5d5HrS1hXAjaPvis"),
    Rule::token("mapbox-temporary-token", "Mapbox temporary tokens", &["tk.eyJ"], r"tk\.eyJ[A-Za-z0-9_-]{40,400}\.[A-Za-z0-9_-]{22}")
        .with_dashes().examples("tk.eyJ·Lbf1WUbkn4bLpOByAYOTxNTS7CYLYZlk64YRgaVfvFAR1B41gYDCSyWEAdF9oJHoH7toEl91CRCbLEORDyi6ovzCNGFG8eSkfZ.bWuhgiub0oWRoqkOiaTs1N", "tk.eyJ·rUzNoUQBu6HOGFAMY2rZ"),
    Rule::token("adafruit-io-key", "Adafruit IO keys", &["aio_"], r"aio_[A-Za-z0-9]{28}")
        .examples("aio_·uZXEHNLThatNJVsO67xsq6o82WrL", "aio_·QsDL5OUaY"),
    Rule::token("ubidots-token", "Ubidots tokens", &["BBFF-", "BBUS-"], r"BB(?:FF|US)-[A-Za-z0-9]{30}")
        .with_dashes().examples("BBFF-·Q45iOyRZQJ6xKFBlwHQXp4HVMvm7dR", "BBFF-·iADmGkaNj"),
    Rule::token("pinterest-access-token", "Pinterest access tokens", &["pina_"], r"pina_[A-Za-z0-9]{40,400}")
        .examples("pina_·WN0ULW1BM0J4WXCK1S4YV84KIPT3QNJ60XKSGAF07UMK6QIJ8RQWVTG5635Y1XDAP39SPAXV72QMUH796Q01NCZO4J", "pina_·JFLYQ978LJGA"),
    Rule::token("twitch-chat-token", "Twitch chat tokens", &["oauth:"], r"oauth:[a-z0-9]{30}")
        .examples("oauth:·mou9bkb3m17ltqn02h3qjpd9rwv8k8", "oauth:·92ohq6itp"),
    Rule::token("matrix-access-token", "Matrix access and refresh tokens of Synapse", &["syt_", "syr_"], r"sy[tr]_[A-Za-z0-9+/_-]{2,120}_[A-Za-z]{20}_[A-Za-z0-9]{6}")
        .examples("syt_·hspcJZQrYOD_gNIZNwVlVokJFShPMiWr_eyFmH2", "syt_·v537PhaVHsH_QslwtcZOa"),
    Rule::token("vk-access-token", "VK access tokens", &["vk1.a."], r"vk1\.a\.[A-Za-z0-9_-]{150,250}")
        .with_dashes().examples("vk1.a.·hCREO-x-Lf5aWH6pCpvioWnwQtPvLPj1R86fzLTwUf7rMyDR68tp_tLJBTPLNyCu5pvd2KTXiUprKOR7gECDvpvE5EiQulGWxcsGBMh14qYU14xmXsDwHEMyFbATcjLJRa5TaCvdKXrZ058KhAR4lHUbfkC3jenrL4r7Gs0I65RKGxsJqvjyCu2R3BvVLRPRdh73st", "vk1.a.·mKaETrBWPabi6sne3d0bELNuUwhB1r"),
    Rule::token("nostr-private-key", "Nostr private keys", &["nsec1"], r"nsec1[02-9ac-hj-np-z]{58}")
        .examples("nsec1·43y9ujfvy8dvyp9qg8y8dp8xrel4tah59387rw4csfe24xa4kwdtz35sn5", "nsec1·2jyrlt3dqks69f5qh52h"),
    Rule::token("fcm-server-key", "Firebase Cloud Messaging server keys", &[":APA91b"], r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{134}")
        .with_dashes().with_offset(11, 11).examples("AAAA3G20r3z:APA91b·JozIt6Cg-TwHMEz13qljcR-qSjokFNrXKtRTCJSt6YzUqMFVJ3s1bcDSBaN0J3NR3O8xkQCvVT4VWaLbw2YgjhOscmDUle5dKxgmOvl1NrFA7A1na6ETElHTsn0d2gI1wTvkwG", "AAAAsVnNalz:APA91b·lriDFrnf8VegmtsF9e_Vd8j8hNiOG9"),
];
