use super::*;

fn networks(text: &str) -> CardNetworks {
    CardNetworks::parse(text).unwrap()
}

#[test]
fn the_longest_prefix_with_the_length_counts() {
    let file = networks("# a comment\n4571,16,dankort visa\n45710000, 16, visa\n\n4,19,visa\n");
    assert_eq!(file.of("45719999", 16), [Brand::Dankort, Brand::Visa]);
    assert_eq!(file.of("45710000", 16), [Brand::Visa]);
    assert_eq!(file.of("45710000", 19), [Brand::Visa]);
    assert_eq!(file.of("45710000", 18), []);
    assert_eq!(file.of("51000000", 16), []);
    let lengths = file.of_each_length("45719999");
    assert_eq!(
        lengths,
        [
            (16, [Brand::Dankort, Brand::Visa].as_slice()),
            (19, [Brand::Visa].as_slice())
        ]
    );
}

#[test]
fn a_line_that_cannot_be_read_is_named() {
    for (line, mistake) in [
        ("4571,16", "must be a prefix"),
        ("4571,16,visa,cb", "must be a prefix"),
        ("457100001,16,visa", "1 to 8 digits"),
        (",16,visa", "1 to 8 digits"),
        ("45x1,16,visa", "1 to 8 digits"),
        ("4571,11,visa", "12 to 19"),
        ("4571,x,visa", "12 to 19"),
        ("4571,16,viza", "unknown"),
        ("4571,16,", "one network"),
        ("4571,16,visa visa", "one network"),
        ("4571,16,visa cb mada", "one network"),
        ("4,16,visa", "earlier line"),
    ] {
        let error = CardNetworks::parse(&format!("4,16,visa\n\n{line}\n")).unwrap_err();
        assert_eq!(error.line, 3, "{line}");
        assert!(error.mistake.contains(mistake), "{line}: {error}");
    }
}

#[test]
fn the_shipped_file_has_each_national_network() {
    let shipped = CardNetworks::shipped().unwrap();
    for (first_eight, length, network) in [
        ("40000025", 16, Brand::Cb),
        ("67034444", 17, Brand::Bancontact),
        ("45711234", 16, Brand::Dankort),
        ("50191234", 16, Brand::Dankort),
        ("44064712", 16, Brand::Mada),
        ("58884512", 16, Brand::Mada),
        ("40000503", 16, Brand::Eftpos),
    ] {
        assert_eq!(
            shipped.of(first_eight, length).first(),
            Some(&network),
            "{first_eight}"
        );
    }
    assert_eq!(shipped.of("42424242", 16), []);
}
