//! Tokens of code hosting, package registries, build services and developer tools.

use super::Rule;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule::token("github-personal-token", "GitHub personal access tokens", &["ghp_"], r"ghp_[A-Za-z0-9]{36,255}")
        .examples("ghp_·1MmLd8DM0FD9loWGDLcxlJLw5s9SFMO9dOW60", "ghp_·XK7s4SrOjr40aAU9mvLqKpnK"),
    Rule::token("github-oauth-token", "GitHub OAuth access tokens", &["gho_"], r"gho_[A-Za-z0-9]{36,255}")
        .examples("gho_·Bf2oS3UthPJz16jzDVZkiIqp6n3LORViMQS4AE3jlhJY", "gho_·GUvxMADzOKUXwUtocYgimjfM"),
    Rule::token("github-user-token", "GitHub App user tokens", &["ghu_"], r"ghu_[A-Za-z0-9]{36,255}")
        .examples("ghu_·TmPH2tj52VZwCj7zB8mdutCWHXDqdWlLBVp8", "ghu_·GdPiOOTwD0fq0ExJodHMzI2O"),
    Rule::token("github-installation-token", "GitHub App installation tokens", &["ghs_"], r"ghs_[A-Za-z0-9]{36,255}")
        .examples("ghs_·HVkGhaKWGW8cCbvlEiIN164OnuTwApmRazqWav", "ghs_·4uw34KRNhHPky8goDAJRAjYT"),
    Rule::token("github-refresh-token", "GitHub App refresh tokens", &["ghr_"], r"ghr_[A-Za-z0-9]{36,255}")
        .examples("ghr_·1fCjh0DIt0uTmMsvQeixFZvOiXAPDJPbzIU6C", "ghr_·a1Ifm4QCmsZoU5T8ndC8tyRD"),
    Rule::token("github-fine-grained-token", "GitHub fine-grained personal tokens", &["github_pat_"], r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}")
        .examples("github_pat_·xIblHYMCyjldNpFcKWaccY_1VFT4qFhoODncKc9PFNIHjxyOaBYt7046Helj9wOfF0p5gAlVsTUXUCDwdH", "github_pat_·1hnZVT9AEWOTLCvmu3YJ9u_ZzJIQxVr3Q0iyc23Q8VHuLoqoPkFGmAA"),
    Rule::token("gitlab-personal-token", "GitLab personal, project and group access tokens", &["glpat-"], r"glpat-[A-Za-z0-9_-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?")
        .with_dashes().examples("glpat-·G3OBrgblTdDSmc9gdk3b0pI9_lLG.i7.iz06fgbyr", "glpat-·JiKJ6NopeJeDdk"),
    Rule::token("gitlab-deploy-token", "GitLab deploy tokens", &["gldt-"], r"gldt-[A-Za-z0-9_-]{20,64}")
        .with_dashes().examples("gldt-·lmk60bPTbr29vI_VE8e3", "gldt-·0lK8FjhLNOw8Qe"),
    Rule::token("gitlab-runner-token", "GitLab runner authentication tokens", &["glrt-"], r"glrt-(?:t[0-9]_)?[A-Za-z0-9_-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?")
        .with_dashes().examples("glrt-·t8_R5HcfnPtVP2zUhDx_ZTbi3qo", "glrt-·bPvl-qjwFCCpVR"),
    Rule::token("gitlab-runner-registration-token", "GitLab runner registration tokens", &["GR1348941"], r"GR1348941[A-Za-z0-9_-]{20}")
        .with_dashes().examples("GR1348941·y6-j0hX6OCRRRZd6-bQN", "GR1348941·UFocuJkyI7VJVv"),
    Rule::token("gitlab-trigger-token", "GitLab pipeline trigger tokens", &["glptt-"], r"glptt-[A-Za-z0-9_-]{20,64}")
        .with_dashes().examples("glptt-·YJwiq6n_8xKFfVOS3XGWT4kTMyfsY", "glptt-·twl9O4CYVWLBHF"),
    Rule::token("gitlab-job-token", "GitLab CI/CD job tokens", &["glcbt-"], r"glcbt-[0-9A-Za-z]{1,5}_[A-Za-z0-9_-]{20,64}")
        .with_dashes().examples("glcbt-·I_dngVH_GsH6390vNkM13blEC8sb19U", "glcbt-·J_-VrwH_ZkFy41E"),
    Rule::token("gitlab-feed-token", "GitLab feed tokens", &["glft-"], r"glft-[A-Za-z0-9_-]{20,100}")
        .with_dashes().examples("glft-·y2AFX918A9DLD-bzGqyu3vWNu", "glft-·w3HhPeUORtCpCW"),
    Rule::token("gitlab-incoming-mail-token", "GitLab incoming mail tokens", &["glimt-"], r"glimt-[A-Za-z0-9_-]{25}")
        .with_dashes().examples("glimt-·MB-we9H_jZMttaqZ7wgdsOEjw", "glimt-·AsLEIyPEMK0mt98uZ"),
    Rule::token("gitlab-agent-token", "GitLab agent tokens for Kubernetes", &["glagent-"], r"glagent-[A-Za-z0-9_-]{50}")
        .with_dashes().examples("glagent-·IRkHhsMJAaNPBEvnwdCBXYvESS3g-Gf5olcDP3Zp4x5AxMjGJP", "glagent-·YHnxx8oXp55BmoZeShDJPBvPHYmf2ZO0Jf"),
    Rule::token("gitlab-oauth-secret", "GitLab OAuth application secrets", &["gloas-"], r"gloas-[A-Za-z0-9_-]{64}")
        .with_dashes().examples("gloas-·9f12VeF3RXAf1NtLs0UrigiPmSfFYmeSOjFStx-JJG_4ukphj_nKS_G68bJ6lUbk", "gloas-·c_tkC1SmKz84E3Oh4PFb2dEW27oo3XCnk-lvJBeSX6Y"),
    Rule::token("gitlab-scim-token", "GitLab SCIM tokens", &["glsoat-"], r"glsoat-[A-Za-z0-9_-]{20}")
        .with_dashes().examples("glsoat-·2AVvuxemKlD2a11QgzYI", "glsoat-·sfT9slYf66QR86"),
    Rule::token("gitlab-feature-flag-token", "GitLab feature flags client tokens", &["glffct-"], r"glffct-[A-Za-z0-9_-]{20}")
        .with_dashes().examples("glffct-·fFDKXqpEnxv5Lj-yTJG2", "glffct-·ST0QLv_vVNq5m4"),
    Rule::token("gitlab-workspace-token", "GitLab workspace tokens", &["glwt-"], r"glwt-[A-Za-z0-9_-]{20,64}")
        .with_dashes().examples("glwt-·b0TgsxEADRWw0wN9XOH54", "glwt-·B61PeJRdtX1C7A"),
    Rule::token("bitbucket-app-password", "Bitbucket app passwords", &["ATBB"], r"ATBB[A-Za-z0-9]{32}")
        .examples("ATBB·VfoBFPdNJicJfKNrvH7gx1xZYbg10WrG", "ATBB·IrjVEBEUKm7Nap7KkgJ3Nr"),
    Rule::token("bitbucket-access-token", "Bitbucket repository, project and workspace access tokens", &["ATCTT3xFf"], r"ATCTT3xFf[A-Za-z0-9_-]{100,300}=[0-9A-F]{8}")
        .with_dashes().examples("ATCTT3xFf·gUmiOW-nKUdJdaBk9MGnrzgWusZR3TpYMUmauKivdpxAskP0lUjitDImmvJFdGpYval-9GUYJPk46ykwWvEZiwiIdrCfpeTOyWmcCN=84EED384", "ATCTT3xFf·XIansejoTW-qZoRrYgm4ZQu7_dxGetUpbCnSB_tl5akEETEPnN_yDcyHpcYLo7vVsf5ff7G72"),
    Rule::token("npm-access-token", "npm access tokens", &["npm_"], r"npm_[A-Za-z0-9]{36}")
        .examples("npm_·T1H2JXXifgziqfVzXgNpwDVAC4I5xrCHNCf1", "npm_·o1OncMJlm8DKoQQH4PB7tsq6"),
    Rule::token("pypi-token", "PyPI upload tokens", &["pypi-AgEIcHlwaS5"], r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,400}")
        .with_dashes().examples("pypi-AgEIcHlwaS5·vcmcwjgzxjyTMLHcDvQ5q-4m8pf1vVJfuuwzGulQrnbHKH_7rDUMfCtN_F", "pypi-AgEIcHlwaS5·vcmcF62UB-vq8b3zioPTLJ71AWVQG5KMqjXw"),
    Rule::token("pypi-test-token", "TestPyPI upload tokens", &["pypi-AgENdGVzdC5"], r"pypi-AgENdGVzdC5weXBpLm9yZw[A-Za-z0-9_-]{50,400}")
        .with_dashes().examples("pypi-AgENdGVzdC5·weXBpLm9yZw011jZnoWojZd72hbxFeJ1re8X9yRZkNuHmZ5DVOwJFEcjsaqA4RTr", "pypi-AgENdGVzdC5·weXBpLm9yZwr6wM5YbVShR0rd4MSqRvzeL9FKDyks"),
    Rule::token("crates-io-token", "crates.io API tokens", &["cio"], r"cio[A-Za-z0-9]{32}")
        .examples("cio·L00daigrIr2jD7X1jgRIyDmw8BlP6Rlu", "cio·djRCx1zH3uK4WAIfidQkw0"),
    Rule::token("nuget-api-key", "NuGet API keys", &["oy2"], r"oy2[a-z0-9]{43}")
        .examples("oy2·nplqov5lflczp9efvubn4obwphnz54i42rgmvldy8eb", "oy2·z8sg22cmmumch66klf176vi0xths1"),
    Rule::token("rubygems-api-key", "RubyGems API keys", &["rubygems_"], r"rubygems_[0-9a-f]{48}")
        .examples("rubygems_·8ba98f3e770c46f21f460cea1bcd1cb45b9744883643bcc2", "rubygems_·c2cac718da25bdec1583ed43bd3738b3"),
    Rule::token("clojars-deploy-token", "Clojars deploy tokens", &["CLOJARS_"], r"CLOJARS_[a-z0-9]{60}")
        .examples("CLOJARS_·u3lirkq9356g44s5llb5yxp6kfplhjgs0rc2wqc1pm14nsmc7e4egetc9x69", "CLOJARS_·7estms3xoc081qf669p7zmolcukxnq0mjkzpz8n4"),
    Rule::token("packagist-token", "Private Packagist tokens", &["packagist_"], r"packagist_[a-z]{3,4}_[0-9a-f]{68}")
        .examples("packagist_·vql_52d5f0bcb347c2417e261b63d92629b43f2563d852458d003bb174921d6722792f07", "packagist_·vvw_0f00c610da6b2a7d9f74d0c0653eedd77eec10e2784e"),
    Rule::token("docker-personal-token", "Docker Hub personal access tokens", &["dckr_pat_"], r"dckr_pat_[A-Za-z0-9_-]{27}")
        .with_dashes().examples("dckr_pat_·yCAzdcQQNiBgn_Z9VzchdQeJbOi", "dckr_pat_·rpIFlryyljv8kOeEdf"),
    Rule::token("docker-organization-token", "Docker Hub organization access tokens", &["dckr_oat_"], r"dckr_oat_[A-Za-z0-9_-]{27,40}")
        .with_dashes().examples("dckr_oat_·xO1EQAvhqydwWX6AH78Et2o2gq7uucsY", "dckr_oat_·O7god1XNthS06GGX13"),
    Rule::token("jfrog-api-key", "JFrog API keys", &["AKCp"], r"AKCp[A-Za-z0-9]{66,70}")
        .examples("AKCp·sBUTr8xUlFNSSSU0Sruq5QrJ7ppNHxQtkbzm9SZYvSnaGDZ5XL8klFkjyqUbRf2a33T", "AKCp·MOkn23X6hYmop8WxapZpUjgT61TTo25ueYl4uMstJMpU"),
    Rule::token("jfrog-reference-token", "JFrog reference tokens", &["cmVmdGtu"], r"cmVmdGtu[A-Za-z0-9]{56}")
        .examples("cmVmdGtu·kFqCHnfVmDSH1m7uIDok2O4kPm3UN7h35WEhSLbwIdmzzzIk6rx1ZOIv", "cmVmdGtu·JvIJRsgD0welDJEBtkZuJtCc5Kp8o4VAWpV1ek"),
    Rule::token("circleci-personal-token", "CircleCI personal tokens", &["CCIPAT_"], r"CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}")
        .examples("CCIPAT_·U1yEHUmXA36yjiHjkr5mnl_c1246c5788f03d27d9cf40e67eb27887b19f4522", "CCIPAT_·w04AAXRq8I6p39jLMp2jmD_80c6190360160f1793d"),
    Rule::token("circleci-project-token", "CircleCI project tokens", &["CCIPRJ_"], r"CCIPRJ_[A-Za-z0-9]{22}_[0-9a-f]{40}")
        .examples("CCIPRJ_·qmvO36rNhsxzBD2oTrUFwc_f001bab509dd748540635f28f4bda848a1ec59bb", "CCIPRJ_·RNz8nDVWhzo1E2KdyhiiRi_f4c051119a822d00e7d"),
    Rule::token("buildkite-api-token", "Buildkite API access tokens", &["bkua_"], r"bkua_[A-Za-z0-9]{40,64}")
        .examples("bkua_·f0TeVyjVDo2ooIRHrQLizvpgHyQnyJg1v4mw7Oe4", "bkua_·tTFHVYSBvsprzpzdiy0lojg0lW3"),
    Rule::token("buildkite-agent-token", "Buildkite agent session and job tokens", &["bkaa_", "bkaj_"], r"bka[aj]_[A-Za-z0-9_.-]{40,400}")
        .with_dashes().examples("bkaj_·ln02775ZrsHd-bnyYhH7.VPWhTO8S007l1GLy.eSag5Zjy", "bkaa_·Tt3L9m4aOEjxK0iifTb5fV-TVfI"),
    Rule::token("sonarqube-project-token", "SonarQube project analysis tokens", &["sqp_"], r"sqp_[0-9a-f]{40}")
        .examples("sqp_·96236a4f0dcbd0bd7533efdc7c9621a85461a783", "sqp_·0588fdcbe65eaff13bb18a54fa9"),
    Rule::token("sonarqube-global-token", "SonarQube global analysis tokens", &["sqa_"], r"sqa_[0-9a-f]{40}")
        .examples("sqa_·52637efa0e79fdd0cc7b4322c4bc545692859933", "sqa_·81691f1a66a60fd2be84cb39088"),
    Rule::token("sonarqube-user-token", "SonarQube user tokens", &["squ_"], r"squ_[0-9a-f]{40}")
        .examples("squ_·9b71767404adb8d0092af64a12e951e82d520c0f", "squ_·6d44c0d0c8d92db2a1cfd881519"),
    Rule::token("sourcegraph-access-token", "Sourcegraph access tokens", &["sgp_"], r"sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}")
        .examples("sgp_·local_b2251aff0d1478f9ceee7e9d88e04105557be0c2", "sgp_·b46158fef3f18f4324964e8429a"),
    Rule::token("sourcegraph-license-token", "Sourcegraph license key tokens", &["slk_"], r"slk_[0-9a-f]{64}")
        .examples("slk_·99613f08fd05949432aaf1780799f4dd7eaac964d8e461780d31c0bfbb7543bc", "slk_·3fc7a17de80f7d2d36dc586b30fea68e156651d5cb1"),
    Rule::token("sourcegraph-gateway-token", "Sourcegraph gateway tokens", &["sgd_"], r"sgd_[0-9a-f]{64}")
        .examples("sgd_·e55d1c5a49b20b9fd04b14c72fa58d84e316334d8838c27672c65832a457cac2", "sgd_·23eb5180a681761df794dd1419662e5d3710750c9f4"),
    Rule::token("octopus-api-key", "Octopus Deploy API keys", &["API-"], r"API-[A-Z0-9]{25,36}")
        .with_dashes().examples("API-·20HVG6KPHDDMOEUSUL1VL97TDE78PGBC", "API-·S628YOMET5186XFHN"),
    Rule::token("harness-personal-token", "Harness personal and service account tokens", &["pat.", "sat."], r"[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}")
        .with_dashes().examples("pat.·u-OGOmxlsVlv_C8x8u8YIz.d0174e8a8a0aa6c112c8aed6.9vZdmUzO91LH2OOBaYxB", "pat.·7EDsFdQhwdWpTFjoTvpm_X.dcd2e2065605ae79e2686f1"),
    Rule::token("prefect-user-key", "Prefect user API keys", &["pnu_"], r"pnu_[A-Za-z0-9]{36}")
        .examples("pnu_·yLNSg1xvuAEy7kNVbac1aTTAxJYRHnFp9EER", "pnu_·9lOiv0EZwrevjucGFj0QlPaG"),
    Rule::token("prefect-service-key", "Prefect service account keys", &["pnb_"], r"pnb_[A-Za-z0-9]{36}")
        .examples("pnb_·35N6kdK5cuUFTWpUvw6srge6uwcBaF44kjxg", "pnb_·wx7iIGQ0bVyugzSuXclOpuNb"),
    Rule::token("postman-api-key", "Postman API keys", &["PMAK-"], r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}")
        .with_dashes().examples("PMAK-·861b93ef0a6156f586dd8e2c-ae18668c48e9b4be4742bbe23e10cb44ab", "PMAK-·e2d780344e49820328405b2c-140f8031778350c"),
    Rule::token("postman-collection-key", "Postman collection access keys", &["PMAT-"], r"PMAT-[0-9A-Z]{26}")
        .with_dashes().examples("PMAT-·PJDEFU2Z7M6DEHT8IRZH317KOB", "PMAT-·1YP76HYBI60KAX8S83"),
    Rule::token("readme-api-key", "ReadMe API keys", &["rdme_"], r"rdme_[a-z0-9]{70}")
        .examples("rdme_·qwkqgvic9rwwppsnr3i6rpr2lhjhub0x291abfti642vsc9trua28xzj35m061fz1lpjf4", "rdme_·lntw6onceva4ll1cwhtlu242z4y0hoobyegxuua3uzrmwjr"),
    Rule::token("zuplo-consumer-key", "Zuplo consumer API keys", &["zpka_"], r"zpka_[0-9a-z]{32}_[0-9a-f]{8}")
        .examples("zpka_·j5f1ms0vlgc96cagz3wwyobatdbvxf92_4cd9d8ba", "zpka_·vo9o196xxa2zi389itx4du3pat4j"),
    Rule::token("launchdarkly-sdk-key", "LaunchDarkly server-side SDK keys", &["sdk-"], r"sdk-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .with_dashes().examples("sdk-·a7a0b98e-b85f-c5df-380c-f7fc66c1dddb", "sdk-·61ff1050-11e9-4593-9514"),
    Rule::token("launchdarkly-api-token", "LaunchDarkly API access tokens", &["api-"], r"api-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .with_dashes().examples("api-·5d7c245c-0f2d-22cc-bd3f-1eb173137905", "api-·839b4a44-be7a-6e15-16d1"),
    Rule::token("chromatic-project-token", "Chromatic project tokens", &["chpt_"], r"chpt_[0-9a-f]{12,16}")
        .examples("chpt_·9951cd7d2d0d", "chpt_·fd1ba116"),
    Rule::token("jetbrains-permanent-token", "permanent tokens of JetBrains Hub, YouTrack and Space", &["perm:", "perm-"], r"perm[:-][A-Za-z0-9+/=_-]{4,64}\.[A-Za-z0-9+/=_-]{2,64}\.[A-Za-z0-9]{30}")
        .with_dashes().examples("perm-·3PqrtB.g=M.R8tZwqlKtrgC4KCyKQz2mXK52D7wmj", "perm-·C943.4j.VAwbwT09Ic1duDSrjL"),
    Rule::token("rapidapi-key", "RapidAPI keys", &["msh"], r"[0-9a-f]{10}msh[0-9a-f]{14,16}p1[0-9a-f]{5,7}jsn[0-9a-f]{12}")
        .with_offset(10, 10).examples("df9902d0d9msh·5cd7fe1cf6d4cadp1cbf46jsn2d7bfa462efd", "97adcd12a5msh·45f64704a0f890p11f927jsn"),
    Rule::token("trigger-dev-secret-key", "Trigger.dev environment keys", &["tr_dev_", "tr_prod_", "tr_stg_", "tr_preview_"], r"tr_(?:dev|prod|stg|preview)_[A-Za-z0-9]{20,24}")
        .examples("tr_prod_·vrFaHAzuu2jaODxUIjVcrk", "tr_stg_N·w5tSpMuDU5Ewy"),
    Rule::token("trigger-dev-personal-token", "Trigger.dev personal access tokens", &["tr_pat_"], r"tr_pat_[a-z0-9]{40}")
        .examples("tr_pat_·zk6d2cqi8gzw7v45cdxswd9fy4atsq3oa4e0thf1", "tr_pat_·quexavtqpm1magin49u4jf68udm"),
    Rule::token("inngest-signing-key", "Inngest signing keys", &["signkey-"], r"signkey-(?:prod|test|branch|staging)-[0-9a-f]{32,64}")
        .with_dashes().examples("signkey-·staging-7568993b818e1bbcfb3db54d7c3ccc7a53a3e76f", "signkey-·staging-35bd3675928323883a6"),
    Rule::token("liveblocks-secret-key", "Liveblocks secret keys", &["sk_dev_", "sk_prod_"], r"sk_(?:dev|prod)_[A-Za-z0-9_-]{40,90}")
        .with_dashes().examples("sk_dev_·GYe4qSPDHjqqqM0ugEt2Pe0ecgGws2zVvBLXmpVbMD60", "sk_prod·_bUsrv54D4pRurnsUDVHuyEf2nl4"),
    Rule::token("apify-api-token", "Apify API tokens", &["apify_api_"], r"apify_api_[A-Za-z0-9]{36}")
        .examples("apify_api_·BttUh0uAPyToQDEUyFnubCGygya3XE2eJxCA", "apify_api_·zA6rM5QcGst1vETPgreosrTj"),
];
