use super::*;

#[test]
fn a_logos_type_is_read_from_its_first_bytes() {
    for (file, ending) in [
        (&b"\x89PNG\r\n\x1a\nrest"[..], "png"),
        (b"\xff\xd8\xff\xe0rest", "jpg"),
        (b"RIFF\x04\0\0\0WEBPrest", "webp"),
    ] {
        let logo = read_logo(file).unwrap();
        let (hash, end) = logo.name.split_once('.').unwrap();
        assert_eq!((hash.len(), end), (64, ending));
        assert_eq!(STANDARD.decode(logo.body).unwrap(), file);
    }
}

#[test]
fn other_file_types_and_large_files_are_no_logos() {
    for file in [
        &b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>"[..],
        b"GIF89a",
        b"RIFF\x04\0\0\0WAVE",
        b"",
    ] {
        assert_eq!(read_logo(file), Err(LogoError::Kind));
    }
    let mut large = b"\xff\xd8\xff".to_vec();
    large.resize(LOGO_BYTES_MAX + 1, 0);
    assert_eq!(read_logo(&large), Err(LogoError::TooLarge));
}
