//! Tokens of payment and commerce services, and keys of wallets.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("stripe-secret-key-live", "Stripe live secret keys", &["sk_live_"], r"sk_live_[A-Za-z0-9]{20,250}")
        .examples("sk_live_·515g1EQki4l31hDlvtVDkstPrPxMZvxSjB0Xf5MdwXK79UG9OpiaqgiZB3iC9vumFoARE5wnfB7qPYJ6fO5FPQWdp18JM7c08sq", "sk_live_·vr8CgkqGC"),
    Rule::token("stripe-secret-key-test", "Stripe test secret keys", &["sk_test_"], r"sk_test_[A-Za-z0-9]{20,250}")
        .examples("sk_test_·51YbFMQVEIpd6iszlWpwD6ZeWme7qtFhqvPquQgBqQ6wbJdJGezwGcqgbUTUf2rLTalCiGtDwxwRk7IyJoYDEVvOaEhsXYIfjZj", "sk_test_·4oqHceLug"),
    Rule::token("stripe-restricted-key-live", "Stripe live restricted keys", &["rk_live_"], r"rk_live_[A-Za-z0-9]{20,250}")
        .examples("rk_live_·51nDIbNzYmaH7UEFyaxK8WNLQPBWFNxogzHtZlMu9TY9mMiQbrJlSDZuJm76GRnekRa8dxOh3z4nYZ8IiebsDNQG1MuH02o2z3N", "rk_live_·comNu6SMt"),
    Rule::token("stripe-restricted-key-test", "Stripe test restricted keys", &["rk_test_"], r"rk_test_[A-Za-z0-9]{20,250}")
        .examples("rk_test_·51249xrPAdJBS2GN4pOQWLF0eieZaIvuK1GEeMa4RDUDE2CqJLJHW6R5Gpn9K5xF5WqezubHgOkbzbsbEzWPCTlOlmPInfqSsTE", "rk_test_·x6rXMe9cH"),
    Rule::token("stripe-organization-key", "Stripe organization keys", &["sk_org_"], r"sk_org_(?:live_|test_)?[A-Za-z0-9]{20,250}")
        .examples("sk_org_live_·LKXAQVqgnd8hqbeOEUTIjoXTt8XAq0ZIdQhFgPOiFM7CirqwmD696cST6NlZPCTi", "sk_org_·F7ZBJYuM9"),
    Rule::token("stripe-ephemeral-key", "Stripe ephemeral keys", &["ek_live_", "ek_test_"], r"ek_(?:live|test)_[A-Za-z0-9]{20,250}(?:,[A-Za-z0-9_]{10,60})?")
        .examples("ek_live_·89VvdFJygnZxeoD4Z2lMO19wZB4GwjiSUN1mRLwUPkdOP2hE1onLoUadClLcmU5GVwmHLsOY", "ek_live_·GFON2gP1d"),
    Rule::token("stripe-client-secret", "Stripe payment client secrets", &["_secret_"], r"(?:pi|seti)_[A-Za-z0-9]{14,30}_secret_[A-Za-z0-9]{20,40}")
        .with_offset(17, 35).examples("pi_3PWlP1HXYiFPTQuQKUqYxkYL_secret_·dla8mB5YBYwg0LnAnLXTKsezB", "pi_3KUN3Jv4HA9nhr34olPMdhsV_secret_·tk6zG"),
    Rule::token("stripe-webhook-secret", "Stripe and Svix webhook secrets", &["whsec_"], r"whsec_[A-Za-z0-9+/]{24,64}={0,2}")
        .examples("whsec_·rGIOw9uYP2WZAclXWynvxAFt7ME8tbYQ", "whsec_·MLKjLtIeY"),
    Rule::token("braintree-access-token", "PayPal Braintree access tokens", &["access_token$pro", "access_token$san"], r"access_token\$(?:production|sandbox)\$([a-z0-9]{16}\$[0-9a-f]{32})")
        .examples("access_token$production$·31f25avo6pcxrx30$ea03c2e72a828dbe0c341df7ca93752a", "access_token$production$·xst1u14"),
    Rule::token("paypal-access-token", "PayPal access tokens", &["A21AA"], r"A21AA[A-Za-z0-9_-]{80,120}")
        .with_dashes().examples("A21AA·4khzf6PgSuq6MvWcw25zbITGyEGMvpZuRoGfo_q6zcz5wt5juVLiWu2Pd2koXLVa6x9DtQUSwD5rNRx4FOChnj6lXWxV", "A21AA·43c7BDk34red7HG1xWZv"),
    Rule::token("square-access-token", "Square access tokens", &["EAAA"], r"EAAA[A-Za-z0-9_-]{60}")
        .with_dashes().examples("EAAA·dApXw6BwfQibMRKpsF0A-PXstHQR7ULBeP2lqQmApN4P2kDZ_Ssub3RuE6t5", "EAAA·WZysc7S0xl7c4hZAOu38"),
    Rule::token("square-legacy-token", "Square personal access tokens", &["sq0atp-"], r"sq0atp-[A-Za-z0-9_-]{22}")
        .with_dashes().examples("sq0atp-·j36MJzCEd6W1ix8FrGdiBV", "sq0atp-·g1T2NsC9X"),
    Rule::token("square-application-secret", "Square application secrets", &["sq0csp-"], r"sq0csp-[A-Za-z0-9_-]{43}")
        .with_dashes().examples("sq0csp-·J47mIzXJhZbB2mnHBGjnm1UFcLlvrfhK9sguFijqbRp", "sq0csp-·ckgUKmlnb"),
    Rule::token("square-sandbox-secret", "Square sandbox application secrets", &["sandbox-sq0csb-"], r"sandbox-sq0csb-[A-Za-z0-9_-]{43}")
        .with_dashes().examples("sandbox-sq0csb-·rY0GJUAcq0Ey4picVGPOI65G7HorRnVoNQeuqZQipr4", "sandbox-sq0csb-·6Sq0YAMV7"),
    Rule::token("plaid-access-token", "Plaid access tokens", &["access-productio", "access-sandbox-", "access-developme"], r"access-(?:production|sandbox|development)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("access-production-·f0827c40-6b3e-b5c3-0ed0-efcd1018d0bf", "access-production-·4db6502e"),
    Rule::token("plaid-public-token", "Plaid public tokens", &["public-productio", "public-sandbox-", "public-developme"], r"public-(?:production|sandbox|development)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("public-sandbox-·de5ac349-5e7e-9728-f5b9-086431847c03", "public-sandbox-·e12a9b39"),
    Rule::token("plaid-link-token", "Plaid link tokens", &["link-production-", "link-sandbox-", "link-development"], r"link-(?:production|sandbox|development)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("link-production-·d67fb893-a023-bd01-d876-9bcada6a923c", "link-production-·61e5de47"),
    Rule::token("plaid-processor-token", "Plaid processor tokens", &["processor-produc", "processor-sandbo", "processor-develo"], r"processor-(?:production|sandbox|development)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("processor-production-·8f7c9d43-f796-3287-9ed2-2c5b59af0b8b", "processor-production-·eba3b1af"),
    Rule::token("shopify-access-token", "Shopify access tokens", &["shpat_"], r"shpat_[0-9a-fA-F]{32}")
        .examples("shpat_·e42ae040b3c6be70941e43c2036f6ef8", "shpat_·139ed43195a1"),
    Rule::token("shopify-custom-app-token", "Shopify custom app tokens", &["shpca_"], r"shpca_[0-9a-fA-F]{32}")
        .examples("shpca_·3de1c0f4df2da250a2c6824371dec7b4", "shpca_·cbe2e353d3e0"),
    Rule::token("shopify-private-app-token", "Shopify private app passwords", &["shppa_"], r"shppa_[0-9a-fA-F]{32}")
        .examples("shppa_·a2bf7d46da4b64db1ab5284c7f4c637b", "shppa_·2bac34e6f7c4"),
    Rule::token("shopify-shared-secret", "Shopify app shared secrets", &["shpss_"], r"shpss_[0-9a-fA-F]{32}")
        .examples("shpss_·5f6a821c89b04c3fe9ed6ac3621bfc16", "shpss_·324d9309f58a"),
    Rule::token("shopify-user-token", "Shopify user access tokens", &["shpua_"], r"shpua_[0-9a-fA-F]{32}")
        .examples("shpua_·5c3bd2309527e36af5e67431357058e8", "shpua_·cd1b92b68ec6"),
    Rule::token("shopify-theme-token", "Shopify Theme Access passwords", &["shptka_"], r"shptka_[0-9a-fA-F]{32}")
        .examples("shptka_·3d16c7f3d653183e76b04f3570bf85e7", "shptka_·a262e2751c78"),
    Rule::token("shopify-partner-token", "Shopify Partner API tokens", &["prtapi_"], r"prtapi_[0-9a-fA-F]{32}")
        .examples("prtapi_·6d41d5e3031fb12b1a4e1bf3d147fc2d", "prtapi_·d8b20c0c6cf3"),
    Rule::token("razorpay-live-key", "Razorpay live keys", &["rzp_live_"], r"rzp_live_[A-Za-z0-9]{14}")
        .examples("rzp_live_·yCr0InBT4Oqu36", "rzp_live_·T7YcN"),
    Rule::token("flutterwave-secret-key", "Flutterwave secret keys", &["FLWSECK-"], r"FLWSECK-[0-9a-f]{32}-(?:[0-9a-z]{8,16}-)?X")
        .with_dashes().examples("FLWSECK-·a192a3f391e947c9efe95c3c78aef6d3-8yntl4pj9divt-X", "FLWSECK-·540907b82517-X"),
    Rule::token("flutterwave-test-key", "Flutterwave test keys", &["FLWSECK_TEST-"], r"FLWSECK_TEST-[0-9a-f]{32}-X")
        .with_dashes().examples("FLWSECK_TEST-·eb4390e6de51c8e49daf7f29e03bd96a-X", "FLWSECK_TEST-·6aeb81d3c-X"),
    Rule::token("adyen-api-key", "Adyen API keys", &["AQE"], r"AQE[A-Za-z0-9]hm[A-Za-z0-9+/]{60,200}={0,2}-[A-Za-z0-9+/]{43}=-[!#-&(-\[\]-_a-~]{8,24}")
        .examples("AQEyhm·iJhWSoGtGDxmkNA9Wycecb/zjmYn6FDMGEvC2S3OCLiWKNtrzcmgkl6D+qejvao4xQ1RO3asR5p6zj3QfQTb==-FTDKj6HOtoDhegC4P64EA9LHUZOLphHzBuIAixfjaHr=-0ZuMAn(5PWc~XzEK", "AQEyhm·3feoLaKXKEu8mKcbHsgjD8lYyH5Yr8"),
    Rule::token("lob-api-key", "Lob API keys", &["live_", "test_"], r"(?:live|test)_[0-9a-f]{35}")
        .examples("live_·9d958fbac9c504a5ae3bc813b3f79b23895", "live_·e3ab50c091ed"),
    Rule::token("mollie-live-key", "Mollie live keys", &["live_"], r"live_[A-Za-z0-9]{30}")
        .examples("live_·GiD9pjJVYrxiPET9eILf7hYb0RlLsg", "live_·MUQJcAoQPSAN"),
    Rule::token("easypost-api-key", "EasyPost API keys", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}")
        .examples("EZAK·Gg3gEZIkCFKrTGvgBDMDPZwON3Ojm0sOfF1EVu8rMEq7iz98EzZ5SI", "EZAK·EKNkAUVWhELH"),
    Rule::token("shippo-token", "Shippo tokens", &["shippo_live_", "shippo_test_"], r"shippo_(?:live|test)_[0-9a-f]{40}")
        .examples("shippo_live_·8db8a0a9c96038d32c7538ac9e627abf5d5b90de", "shippo_live_·0b21f42cf563"),
    Rule::token("duffel-access-token", "Duffel access tokens", &["duffel_live_", "duffel_test_"], r"duffel_(?:live|test)_[A-Za-z0-9_-]{43}")
        .with_dashes().examples("duffel_live_·HrAOwmzQf4P0wPUVPQ5OT5FJ-ol3DYgVcBOxmOZuBL7", "duffel_live_·93YZPIq491Ov"),
    Rule::token("mercury-api-token", "Mercury API tokens", &["mercury_producti"], r"mercury_production_[a-z]{2,5}_[A-Za-z0-9]{30,64}(?:_yrucrem)?")
        .examples("secret-token:mercury_production_·wma_CyEsHlXqS27Ezak0cBir0ufSUJX4sAXGQLbI8xwOex4N_yrucrem", "mercury_production_·wma_fbNPcng3i"),
    Rule::token("brex-api-token", "Brex API tokens", &["bxt_"], r"bxt_[A-Za-z0-9]{24,64}")
        .examples("bxt_·vG09ebO8zEegsZbkrvEriEuLC0TBfVETS6ybU2mW", "bxt_·4M8clqzYV"),
    Rule::token("persona-api-key", "Persona API keys", &["persona_producti", "persona_sandbox_"], r"persona_(?:production|sandbox)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("persona_production_·9ecd9e36-e62f-e202-5c10-d3a6d94eb1ca", "persona_production_·2bc4d536"),
    Rule::token("onfido-api-token", "Onfido API tokens", &["api_live", "api_sandbox"], r"api_(?:live|sandbox)(?:_us|_ca)?\.[A-Za-z0-9_-]{8,16}\.[A-Za-z0-9_-]{24,48}")
        .with_dashes().examples("api_live.·iEPuJzq5i72.AaIzxNQm5aqHUqZtMgkTxcgE8zxahxls", "api_live.·9tfhxzOwa8N"),
    Rule::token("bip32-private-key", "extended private keys of wallets", &["xprv", "yprv", "zprv", "tprv", "uprv", "vprv"], r"[t-vx-z]prv[1-9A-HJ-NP-Za-km-z]{107}")
        .examples("xprv·9s21ZrQH143KnRNfeLUTt2sjEujSKGpSKmyTmMQxe8nxWrLYmM7KoCqTkShnPDdvDKdhHBQwWQErZ2oBYrTFaiFkAV2FQXD2NSARypVaZxd", "xprv·9s21ZrQH143K"),
    Rule::token("paddle-api-key", "Paddle API keys", &["pdl_live_apikey_", "pdl_sdbx_apikey_"], r"pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}")
        .examples("pdl_live_apikey_·01ndbyne4gskw7trq4zh1j7d1n_0pW3JPytli48upnD8RAIDN_cep", "pdl_live_apikey_·01mw345b460pmrn2oreykgakrz"),
    Rule::token("paddle-webhook-secret", "Paddle webhook secrets", &["pdl_ntfset_"], r"pdl_ntfset_[a-z0-9]{26}_[A-Za-z0-9+/]{32}")
        .examples("pdl_ntfset_·01cjpym0idaj4rb59qyxu065nt_21qYMpXV21T1RGOVCIdRCKON1gSUMVS3", "pdl_ntfset_·01o6rs0tfrwqmim3m6atb8vhbf"),
    Rule::token("polar-access-token", "Polar tokens", &["polar_oat_", "polar_pat_", "polar_at_", "polar_rt_"], r"polar_(?:oat|pat|at_[uo]|rt_[uo])_[A-Za-z0-9]{30,60}")
        .examples("polar_oat_·IDuxH5kU3aTp3LwMwLtLaUEZKUHYVwShAJIHQRSdrXj", "polar_oat_·umZoUBVSpC0G"),
    Rule::token("xendit-secret-key", "Xendit secret keys", &["xnd_production_", "xnd_development_"], r"xnd_(?:production|development)_[A-Za-z0-9+/]{40,120}={0,2}")
        .examples("xnd_production_·2R54p9xZV1EUVoMkyST5wSBDwL6U1QokM2FyzflxFJoHlO4YyU06xE8nfALx", "xnd_production_·6XBpzNbmtHKE"),
    Rule::token("midtrans-server-key", "Midtrans server keys", &["Mid-server-", "SB-Mid-server-"], r"(?:SB-)?Mid-server-[A-Za-z0-9_-]{20,32}")
        .with_dashes().examples("SB-Mid-server-·yx53bF6yucjJXWvtkPleECaK", "SB-Mid-server-·qyQKcr3y"),
    Rule::token("sumup-secret-key", "SumUp secret keys", &["sup_sk_"], r"sup_sk_[A-Za-z0-9]{28,64}")
        .examples("sup_sk_·nVjZLpTITqx7J275z0HiUCpuPKus03S1", "sup_sk_·zURVTj3OmzQB"),
    Rule::token("sui-private-key", "Sui private keys", &["suiprivkey1"], r"suiprivkey1[02-9ac-hj-np-z]{59}")
        .examples("suiprivkey1·dtz4wus8valgvlesx0ja97pel2fgcukvgsmlpxnaumk8hvkqlmxn8dx620h", "suiprivkey1·npt0ajf3h8ngc4zpu8c5"),
    Rule::token("aptos-private-key", "Aptos private keys", &["ed25519-priv-0x", "secp256k1-priv-0"], r"(?:ed25519|secp256k1)-priv-0x[0-9a-fA-F]{64}")
        .with_dashes().examples("ed25519-priv-0x·d91a82e31719c2dc706124e6a5148a21c7d7170859a053b7cba0741aca61ec80", "ed25519-priv-0x·95c63548f879"),
    Rule::token("cardano-extended-key", "Cardano extended signing keys", &["root_xsk1", "acct_xsk1", "addr_xsk1", "stake_xsk1"], r"(?:root|acct|addr|stake)_xsk1[02-9ac-hj-np-z]{100,240}")
        .examples("addr_xsk1·9tk3f2nrzme47rwhds3ran5es8vus2z9e3hutucdfp9autxk98yc6gmxhtvh90w2jg7farmvych0sx8rn4vk3cr8qm98dcnsjynm08kc4qyjyr620pvs3wymsdrkyq6rxd9uaq694u3j9l7vl5r0a6zrxneqmlyv", "addr_xsk1·l9hytk2nhryn6s0835gw"),
    Rule::token("zcash-spending-key", "Zcash Sapling spending keys", &["secret-extended-"], r"secret-extended-key-(?:main|test)1[02-9ac-hj-np-z]{250,300}")
        .with_dashes().examples("secret-extended-key-main1·ch0ek5lz4ag6j9lurkd0skamn60svxzetzuc7ftqg4pgshqa4dyeycu0l6fevnqdfyhpm2phystfzflc24caq7pfu5d4e56km3fuykfwf0zxky0p2ed8hcwp47ygyxdxs5h0cgjtd83cae545eyngsef2r8fxj34tz7gewnhlz8vlafeqhp9ekf0z7fy8mzv5vwunfpfzsn89ehs62czkwt7qju3cyz0e67uf56vrsvhayzswkprg5qg0f74k5agvugq3dtw56f0skrtah2rzs", "secret-extended-key-main1·juzf7vhsmp9p7swsuea4"),
    Rule::token("lnd-macaroon", "Lightning node macaroons", &["0201036c6e64", "AgEDbG5k"], r"(?:0201036[cC]6[eE]64[0-9a-fA-F]{100,400}[0-9a-fA-F]{0,400}[0-9a-fA-F]{0,400}|AgEDbG5k[A-Za-z0-9+/_-]{80,400}[A-Za-z0-9+/_-]{0,400}={0,2})")
        .with_dashes().examples("0201036c6e64·98450d3c50f0c895a3df5d5dad986ad7957bd6df74d51f26b813514d080a109f2e85ca245a989c45e693d9c04e1f6b9e21649a2c6b1e6b3f9c78281fe29fd616152e19136c9824edb5829e4385bdcd1da56f6ae35c295e29b90e", "0201036c6e64·f27c3e835726f1e41a6d"),
    Rule::token("nostr-wallet-connect", "Nostr Wallet Connect secrets", &["nostr+walletconn"], r"nostr\+walletconnect:(?://)?[0-9a-f]{64}\?[A-Za-z0-9%=&;:._/-]{0,240}secret=([0-9a-f]{64})")
        .examples("nostr+walletconnect://3aca635c0d80c5df3fe7cbfdcd67692513670d6975f272df1e520be4dfcb9429?relay=wss%3A%2F%2Frelay.example&secret=·63f37a9d5808e6b1543c96bd7c4f18376b24c8506a89af7f4e9a96d09236a16e", "nostr+walletconnect://·bdc237fc2a0368d7a308"),
    Rule::token("ebay-user-token", "eBay OAuth tokens", &["v^1.1#i^1#"], r"v\^1\.1#i\^1#[A-Za-z0-9+/=#^]{60,400}[A-Za-z0-9+/=#^]{0,400}[A-Za-z0-9+/=#^]{0,400}[A-Za-z0-9+/=#^]{0,400}")
        .examples("v^1.1#i^1#·r^0#p^3#f^0#I^3#t^H4sI0dykyQ/DYJX2XJD70h6bi4KtFJSO683jf41h2okCvr1nYUR5tzIqKP4V29rhOCtlTLbryksgE789u/Y7Y9zWnyvr5+UXswIhEu7JMqKNDG5MT8Sw0ILREODV06CBXxmoQLPYnNyBaScH", "v^1.1#i^1#·r^0"),
    Rule::token("amazon-mws-token", "Amazon marketplace tokens", &["amzn.mws."], r"amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        .with_dashes().examples("amzn.mws.·4b9794b5-4245-f217-0fa2-d98c2d5ca7a9", "amzn.mws.·3c386292"),
    Rule::token("amazon-lwa-secret", "Login with Amazon client secrets", &["amzn1.oa2-cs.v1."], r"amzn1\.oa2-cs\.v1\.[0-9a-f]{64}")
        .with_dashes().examples("amzn1.oa2-cs.v1.·9cd4127af21427d26b2c7430d13f6e283f2b73e064d08d8f97143b3b85e9d7fc", "amzn1.oa2-cs.v1.·92d098132"),
    Rule::token("amazon-lwa-token", "Login with Amazon access and refresh tokens", &["Atza|", "Atzr|"], r"Atz[ar]\|[A-Za-z0-9_-]{100,400}[A-Za-z0-9_-]{0,400}")
        .with_dashes().examples("Atza|·fULfD6V2VFSC8YyQ8mnFWixc6_5TCKBpTZQZRspYtYvc80KcgnS8rWciy1rgl_do0xHSYs-M49ok5OcFJTLvMKNOcn3ZKvqnrAQAQf_PIaoeRHj3xEcARFKeilukubVxVAOXZlmXE02wWJtrg2cMV_oP72ZNliCGoTVyqHL1JWJna7VXrveVZCOBTBR0HcdHh5o0RK0vdjEC1KyEK9B4h5nyqY3A6hakVBhLhkxVXcivxYJC", "Atza|·7Q4CoKMHxTfrTrjec5DJ"),
];
