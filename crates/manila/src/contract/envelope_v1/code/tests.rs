use super::{Code, ERROR_CODES, words_for};

#[test]
fn every_spelling_is_one_of_the_eleven() {
    for code in Code::ALL {
        assert!(words_for(*code).iter().all(|(word, _)| ERROR_CODES.contains(word)), "{code}");
    }
}
