use super::*;

/// Every byte at every position, among bytes that are close to the special ones.
#[test]
fn many_bytes_at_a_time_agree_with_one_at_a_time() {
    fn naive(bytes: &[u8], is_end: fn(u8) -> bool) -> usize {
        bytes.iter().position(|&byte| is_end(byte)).unwrap_or(bytes.len())
    }
    let is_quoted = |byte| byte == b'"' || byte == b'\\';
    for filler in [b' ', b'!', b'#', b'[', b']', 0x7F, 0x80, 0xFF, 0x1F, b'"', b'\\'] {
        for (place, byte) in (0..16).flat_map(|place| (0..=255).map(move |it| (place, it))) {
            let mut bytes = [filler; 16];
            bytes[place] = byte;
            assert_eq!(plain_len_of_16(bytes), naive(&bytes, is_special), "{bytes:?}");
            assert_eq!(unquoted_len_of_16(bytes), naive(&bytes, is_quoted), "{bytes:?}");
            let word = *bytes.first_chunk().unwrap();
            assert_eq!(plain_len(word), naive(&word, is_special), "{word:?}");
            assert_eq!(unescaped_len(word), naive(&word, |byte| byte == b'\\'), "{word:?}");
        }
    }
}

#[test]
fn blocks_of_a_run_agree_with_one_at_a_time() {
    for len in 0..300 {
        for end in [b'"', b'\\', b'\n'] {
            let bytes = [vec![b'x'; len], vec![end], vec![b'y'; 200]].concat();
            assert_eq!(plain_blocks_end(&bytes, 0), len / 64 * 64, "{len}");
        }
    }
    assert_eq!(plain_blocks_end(&[b'x'; 100], 10), 74);
    assert_eq!(plain_blocks_end(b"", 0), 0);
}

#[test]
fn ends_of_strings_agree_with_one_at_a_time() {
    // Backslashes, quotes and letters in runs of all lengths, from a simple pseudo-random
    // sequence.
    let mut state = 1_u64;
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..192)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                [b'\\', b'\\', b'"', b'a'][(state >> 60) as usize % 4]
            })
            .collect();
        let mut is_escaped = false;
        let mut naive_escaped = false;
        for block in bytes.as_chunks::<64>().0 {
            let mut expected = 0_u64;
            for (place, byte) in block.iter().enumerate() {
                expected |= u64::from(*byte == b'"' && !naive_escaped) << place;
                naive_escaped = *byte == b'\\' && !naive_escaped;
            }
            assert_eq!(ending_quotes_of_64(block, &mut is_escaped), expected);
            assert_eq!(is_escaped, naive_escaped);
        }
    }
}

#[test]
fn spaces_and_counts_agree_with_one_at_a_time() {
    for len in 0..40 {
        let mut bytes = vec![b'a'; len];
        bytes.extend_from_slice(b"\"b\n");
        assert_eq!(count_special(&bytes), 2);
        let spaces = [vec![b' '; len], b"\n\t  x".to_vec()].concat();
        assert_eq!(space_end(&spaces, 0), len + 4, "{len}");
    }
    assert_eq!(count_special(&[b'"'; 1000]), 1000);
}
