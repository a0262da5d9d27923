//! Tokens of AI model providers and the services around them.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("openai-project-key", "OpenAI project API keys", &["sk-proj-"], r"sk-proj-[A-Za-z0-9_-]{40,200}")
        .with_dashes().examples("sk-proj-·RWCCZl_83cvcaxgComLdg6hkti3yGVy7sr3-7DIO", "sk-proj-·tgQ4t0IF0cCIb8WHrchpB9ACJy3"),
    Rule::token("openai-service-account-key", "OpenAI service account keys", &["sk-svcacct-"], r"sk-svcacct-[A-Za-z0-9_-]{40,200}")
        .with_dashes().examples("sk-svcacct-·zvfgWjE5dyKDNYPFn96h_JUAYBJMZI8VaMxSKaWQeVhU3r", "sk-svcacct-·nG4vGuFvkZ1nDhfjAXYreQ4oFsW"),
    Rule::token("openai-admin-key", "OpenAI admin keys", &["sk-admin-"], r"sk-admin-[A-Za-z0-9_-]{40,200}")
        .with_dashes().examples("sk-admin-·oKENIt3BLOcVorUIzGF_ef3BV5c2tWX2BHusMbOA2", "sk-admin-·PeI02aBeKh3NtDPkUIJFSoX-61z"),
    Rule::token("openai-legacy-key", "OpenAI user API keys in the original format", &["T3BlbkFJ"], r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}")
        .with_dashes().with_offset(23, 23).examples("sk-11ODIyFkAoDqZnTTvA87T3BlbkFJ·3L1ThtrTdtBg0V9xIo2f", "sk-tCkjsiXqQ4rOADsL25CRT3BlbkFJ·C5o46d8hWuZ4IF"),
    Rule::token("anthropic-api-key", "Anthropic API keys", &["sk-ant-api"], r"sk-ant-api[0-9]{2}-[A-Za-z0-9_-]{80,120}")
        .with_dashes().examples("sk-ant-api·00-_RFUjMnq4rU5eG7XZ4KFPcdIo9SUVbUWtw3xVRTCXr_zGMJV2b6ohhWasB2yfyQBftKwuzUiUYOySXHGvkhw9i", "sk-ant-api·23-xpMz1_--_p9o5PDphPO6xekXu2Vcsq455BtYeaIer8bNaZ2I9VAWu"),
    Rule::token("anthropic-admin-key", "Anthropic admin API keys", &["sk-ant-admin"], r"sk-ant-admin[0-9]{2}-[A-Za-z0-9_-]{80,120}")
        .with_dashes().examples("sk-ant-admin·52-Hyx_MJljmot9_osyJxNtCZZiwk6ENICZOpHTmIEs9b3NuxR7emnWyAULwADjjXmGOHlKYDpP9lINbc9pzM3", "sk-ant-admin·46-5jBW5GRsHlYUSaMZD0ZDjJzgfdeJhV1eT2kZRzAwWOJga8wSPtbeH"),
    Rule::token("anthropic-oauth-access-token", "Anthropic OAuth access tokens", &["sk-ant-oat"], r"sk-ant-oat[0-9]{2}-[A-Za-z0-9_-]{80,120}")
        .with_dashes().examples("sk-ant-oat·98-rJpgM2jY2PVsGjf9yrjySBmedPlet39KkN36nLUAZ5TP3H1msff26gEjEwr-oGpNEiH0yUu50H_TSLcUk", "sk-ant-oat·52-qIHX9IaD6dbBDtKWvL-3WLNAgnm-FD_3zWejxirQuBQOBX_Gv6XyF"),
    Rule::token("anthropic-oauth-refresh-token", "Anthropic OAuth refresh tokens", &["sk-ant-ort"], r"sk-ant-ort[0-9]{2}-[A-Za-z0-9_-]{80,120}")
        .with_dashes().examples("sk-ant-ort·33-brbUj2QE_JIXXYZjv1tOfGsLow6B5mAfYvcyFF72nY_CcmC2fzcdy3w4_Yo6DuiSG2VJrMj-I5mVaJi_B", "sk-ant-ort·47-meoEaiXKZ5NFVcQjBzc0PemyEP1l9RtTdQ2bKyPbDrdBZbW0mAUbC"),
    Rule::token("anthropic-session-key", "session keys of claude.ai", &["sk-ant-sid"], r"sk-ant-sid[0-9]{2}-[A-Za-z0-9_-]{80,140}")
        .with_dashes().examples("sk-ant-sid·92-8nOPF9Vb1ZnnDytAViliRHAEab1Ody9EKifnZ_Y0QHclILZRskHeh9pBUIXR1DW7AfivP0ZiCPvRf34DNmkrr", "sk-ant-sid·17-qJASxNQlilWFsOeebJ_LTaUVhElNK6mOxcYt-qrIhbinSuei4cG4r"),
    Rule::token("huggingface-user-token", "Hugging Face user access tokens", &["hf_"], r"hf_[A-Za-z0-9]{34,40}")
        .examples("hf_·8ZraJr5P3Ag0Aw21u85UUfGlK8SBjIqsyZGdI", "hf_·rZbYg2QPqlgBcsve1p8zUR2"),
    Rule::token("huggingface-org-token", "Hugging Face organization tokens", &["api_org_"], r"api_org_[A-Za-z0-9]{34,40}")
        .examples("api_org_·TLecv7LpZC0f6bPVczCMcxYKSEzVPPlnWCSxiT2O", "api_org_·HjV18s7urRQqan1NOxHyj0O"),
    Rule::token("groq-api-key", "Groq API keys", &["gsk_"], r"gsk_[A-Za-z0-9]{52}")
        .examples("gsk_·kPHoGDnmwsnDOqMzDW1yrUWKqkHKpWIRZQfM2ZnbxjWpMTIYxiQE", "gsk_·4i775wyDaCrB0b5q6nx8x4mijYydOnUO7bS"),
    Rule::token("xai-api-key", "xAI API keys", &["xai-"], r"xai-[A-Za-z0-9]{80}")
        .with_dashes().examples("xai-·9s6WsQemxExfETPOugwFD2V3GzHzx6SxoVOCNRc72ILsmsjTlcajcBSoSNrxAulQhcRh6Wp5Tn3N96wF", "xai-·9fornDu0pg0HZ8ezu8zObX9rWhLJD3Wv6aURZFnieSL9YeKRviE9U0"),
    Rule::token("perplexity-api-key", "Perplexity API keys", &["pplx-"], r"pplx-[A-Za-z0-9]{48,56}")
        .with_dashes().examples("pplx-·2XXjY8gd6nDDZCHhHX2OVPnMjU0dZs4gf78ZaLj0Jmnt6Rw9eu", "pplx-·DwbgoODfiyDmrmZSRYRUvUvcCxJ3nSHj"),
    Rule::token("replicate-api-token", "Replicate API tokens", &["r8_"], r"r8_[A-Za-z0-9]{37}")
        .examples("r8_·1RPDFiriq83JdcmYNcPO9T9g7DBtVm4b88LiD", "r8_·Ulqvz5CDK0iubvaBaWLto2dx9"),
    Rule::token("nvidia-api-key", "NVIDIA API catalog and NGC keys", &["nvapi-"], r"nvapi-[A-Za-z0-9_-]{60,70}")
        .with_dashes().examples("nvapi-·knXjfasJihgNiNzlgJdfy-4uWPeUK75uJDLSPhdatqmc9qGtNUmIoMUv0jBUpLz1Bd", "nvapi-·q4Aexz3COMANcSjUkHVy-jvoCOFiwqA4UjBrgGLX"),
    Rule::token("openrouter-api-key", "OpenRouter API keys", &["sk-or-v1-"], r"sk-or-v1-[0-9a-f]{64}")
        .with_dashes().examples("sk-or-v1-·ed826d83b032658373efe4f96b3a0657952d4a8fdde529d351165f9c47a24478", "sk-or-v1-·e079ac5ba4d3893c2a77867d266554e3afa49739de2"),
    Rule::token("langsmith-personal-token", "LangSmith personal access tokens", &["lsv2_pt_"], r"lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}")
        .examples("lsv2_pt_·a9c134afa53ba03afd923f4f86cfcf4e_1f288f1ece", "lsv2_pt_·d8b3a17ec79470700ed84ebc76b62"),
    Rule::token("langsmith-service-key", "LangSmith service keys", &["lsv2_sk_"], r"lsv2_sk_[0-9a-f]{32}_[0-9a-f]{10}")
        .examples("lsv2_sk_·b658e1b9b6353d344642376613048c65_c225abf125", "lsv2_sk_·8b5374910d826a7ce41a0f0c5f0fa"),
    Rule::token("langsmith-legacy-key", "LangSmith API keys in the original format", &["ls__"], r"ls__[0-9a-f]{32}")
        .examples("ls__·a05bf269c3fe2414cbb190828eb061ae", "ls__·5a822206ff105d88c5f033"),
    Rule::token("langfuse-secret-key", "Langfuse secret keys", &["sk-lf-"], r"sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .with_dashes().examples("sk-lf-·6638b859-ef14-2684-bd7f-d43f1c10f264", "sk-lf-·bf884b65-e144-9816-f862"),
    Rule::token("pinecone-api-key", "Pinecone API keys", &["pcsk_"], r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{55,70}")
        .examples("pcsk_·QgsSXu6_BZOfbbffIOhq0NDBCx3N0Fpv71f5IgcGdMuBbzedpSSExB2CIhLS9OWlHSVU", "pcsk_·DGwC_u0EiHj4EMsSKzwwsYEnlvluy5tFPnwxmZeT"),
    Rule::token("tavily-api-key", "Tavily API keys", &["tvly-"], r"tvly-(?:(?:dev|prod)-)?[A-Za-z0-9_-]{32,64}")
        .with_dashes().examples("tvly-·prod-QqSlKbY4wTqZJMRXa4EDNPQldMuzA5Nga", "tvly-·_mIpZH9LcR8rho3pPo-p6o"),
    Rule::token("deepseek-api-key", "DeepSeek and DashScope API keys", &["sk-"], r"sk-[0-9a-f]{32}")
        .with_dashes().examples("sk-·3a8d25f7c22b922a375fc6926bc52172", "sk-·999e35dbc8955a585374c8"),
    Rule::token("elevenlabs-api-key", "ElevenLabs API keys", &["sk_"], r"sk_[0-9a-f]{48}")
        .examples("sk_·0f9bd82b65d79269a0a600d68d023f11420795e5293adba0", "sk_·5a91f43d0d685675ea81662a6bfa2311"),
    Rule::token("cerebras-api-key", "Cerebras API keys", &["csk-"], r"csk-[a-z0-9]{48}")
        .with_dashes().examples("csk-·ti30zxnueey7d6m7a6t6fk52d3lyeft7jlggalyim1fhf4qg", "csk-·l7rfls1hzonr8emksm2hsipwgqjl4yt1"),
    Rule::token("e2b-api-key", "E2B API keys", &["e2b_"], r"e2b_[0-9a-f]{40}")
        .examples("e2b_·20a4808e50644c5aaeae59a9ec0bc6bb91f0cf32", "e2b_·ddc7928be27f587a6c625c02288"),
    Rule::token("jina-api-key", "Jina AI API keys", &["jina_"], r"jina_[0-9a-f]{32}[A-Za-z0-9_-]{28}")
        .with_dashes().examples("jina_·f15775c43b35574f59897a30b3fb71bbHPO69hTeMDsAzRU1RxYvoNOGuZOV", "jina_·c0effb99c0b9d9a38de44c64c68b660d98u89qNK"),
    Rule::token("helicone-api-key", "Helicone API keys", &["sk-helicone-", "pk-helicone-"], r"[sp]k-helicone-(?:(?:eu|us)-)?[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}")
        .with_dashes().examples("sk-helicone-·jrw65kc-f9u3d98-55qle49-5puxvl1", "sk-helicone-·ghrzw4b-uzneduo-7gj2d"),
    Rule::token("together-api-key", "Together AI API keys", &["tgp_v1_"], r"tgp_v1_[A-Za-z0-9_-]{40,50}")
        .with_dashes().examples("tgp_v1_·MHwDGe_MSE6chel4HPHSjWQMG9SX0YbptHT2bD24yDWt7FzgW", "tgp_v1_·v1oKLir-J9jJtJPoh8kl35f3_VB"),
    Rule::token("llamaindex-api-key", "LlamaCloud API keys", &["llx-"], r"llx-[A-Za-z0-9]{48}")
        .with_dashes().examples("llx-·4RZ2E2kZwVs2Zlda5yQLKuXhrLQtD1swNa1xJyEMA5mgBDri", "llx-·qZrT56mpkiws4uSW5gvVg90aEMbMr4TG"),
    Rule::token("wandb-api-key", "Weights & Biases API keys", &["wandb_v1_"], r"wandb_v1_[A-Za-z0-9]{27}_[A-Za-z0-9]{49}")
        .examples("wandb_v1_·vBqqEFfQlIGxzgyrZy2IGMfTyPP_b6rS6goVcpvYOUwgpEtp0JRkXsQd6xc9jv4CjIwcHYqj6CuMT", "wandb_v1_·uP60zCZhiv9qNo1UHH25HRrOO0v_TWuPTYXmheMguRBnJcsdgcPh"),
    Rule::token("kaggle-api-token", "Kaggle API tokens", &["KGAT_"], r"KGAT_[0-9a-f]{32}")
        .examples("KGAT_·c0ee8e4eaf4d370f2c1ca1af60422df3", "KGAT_·f7fa4b5eb754e0b5a7e5bd"),
    Rule::token("context7-api-key", "Context7 API keys", &["ctx7sk-"], r"ctx7sk-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .with_dashes().examples("ctx7sk-·cabd0713-2a66-62d3-66fc-33aa2f8b5c6d", "ctx7sk-·ba3bc5fe-ab56-31d7-6ee2"),
    Rule::token("moonshot-api-key", "Moonshot, Stability and SiliconFlow API keys", &["sk-"], r"sk-[A-Za-z0-9]{48}")
        .with_dashes().examples("sk-·txfWkxhDsE7FQswzesRe5FJGInuDh4YZZc2PyX1Mqt947oM6", "sk-·uH0OUmDjdT1MWMO7hAjfu8fYbPAz1AJv"),
];
