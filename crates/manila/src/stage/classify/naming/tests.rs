use super::code_from_text;
use crate::catalogue::Code;

#[test]
fn finds_phrases_anywhere_in_a_large_message() {
    for n_before in [0, 65_526, 65_530, 65_536, 65_540, 200_000] {
        let message = format!("{}Rate Limit", "x".repeat(n_before));
        assert_eq!(code_from_text(&message), Code::RateLimited, "{n_before}");
        let earlier = format!("{message}{} No such FILE", "x".repeat(100_000));
        assert_eq!(code_from_text(&earlier), Code::NotFound, "{n_before}");
    }
    assert_eq!(code_from_text(&"x".repeat(200_000)), Code::ToolFailed);
    assert_eq!(code_from_text(""), Code::ToolFailed);
}
