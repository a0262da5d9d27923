//! Names that mark their values as secrets.

use crate::is_secret_name;
use crate::rules::{Demand, Finds, RULES};

#[test]
fn recognises_names_of_secrets() {
    let secret = "GITHUB_TOKEN apiKey API_KEY --api-key X-Api-Key Authorization DB_PASSWORD \
                  CLIENT_SECRET_2 MY_SECRETS GITHUB_PAT ACCESSTOKEN sessionToken KEY OPENAI_APIKEY \
                  DB_PW --pw dbPw DB_PASSCODE bindpw credential RECOVERY_CODE";
    for name in secret.split_whitespace() {
        assert!(is_secret_name(name), "{name}");
    }
    let public = "PATH HOME MAX_TOKENS KEYBOARD MONKEY KEY_FILE TOKEN_PATH URL PWD MODE SPAWN PORT \
                  COUNTRY_CODE AUTHOR ''";
    for name in public.split_whitespace() {
        assert!(!is_secret_name(name), "{name}");
    }
}

#[test]
fn follows_the_labels_of_the_rules() {
    for rule in RULES {
        let Finds::Labelled(labelled) = rule.finds() else { continue };
        let is_long = |label: &&&str| label.len() > 6 && labelled.demand == Demand::Anything;
        for label in labelled.labels.iter().filter(is_long) {
            assert!(is_secret_name(&format!("MY_{label}")), "{}: {label}", rule.name());
        }
    }
}
