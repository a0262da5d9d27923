use super::Command;

#[test]
fn shows_no_part_of_a_secret() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for n_before in 60..125 {
        let arguments = vec!["x".repeat(n_before).into(), token.clone().into(), "and more".into()];
        let shown = Command::new("run".into(), arguments).to_string();
        let is_whole = shown.contains(&token);
        assert!(is_whole || !shown.contains(&token[..8]), "{n_before}: {shown}");
    }
}
