use super::{JSON, LINES, Place, place};

#[test]
fn parses_the_place_in_a_source() {
    for (source, expected) in [
        ("artifact:a", Ok(Place::Other)),
        ("artifact:a#page:3", Ok(Place::Other)),
        ("artifact:a#json:/", Ok(Place::Json)),
        ("artifact:a#json:/fix/1", Ok(Place::Json)),
        ("artifact:a#json:/a~1b/c~0d/#text:line:x", Ok(Place::Json)),
        ("artifact:sha256:00#x#json:/a", Ok(Place::Json)),
        ("artifact:a#json:", Err(JSON)),
        ("artifact:a#json:fix", Err(JSON)),
        ("artifact:a#json:/a~2", Err(JSON)),
        ("artifact:a#json:/a~", Err(JSON)),
        ("artifact:a#text:line:12", Ok(Place::Lines)),
        ("artifact:a#text:line:12-14", Ok(Place::Lines)),
        ("artifact:a#text:line:12-12", Ok(Place::Lines)),
        ("artifact:a#text:line:0099-100000000000000000000000000", Ok(Place::Lines)),
        ("artifact:a#text:line:", Err(LINES)),
        ("artifact:a#text:line:0", Err(LINES)),
        ("artifact:a#text:line:0-3", Err(LINES)),
        ("artifact:a#text:line:x", Err(LINES)),
        ("artifact:a#text:line:1-", Err(LINES)),
        ("artifact:a#text:line:-1", Err(LINES)),
        ("artifact:a#text:line:1-2-3", Err(LINES)),
        ("artifact:a#text:line:14-12", Err(LINES)),
        ("artifact:a#text:line:100-99", Err(LINES)),
        ("artifact:a#text:line:1#json:/a", Err(LINES)),
    ] {
        assert_eq!(place(source), expected, "{source}");
    }
}
