use serde::Deserialize;

#[derive(Deserialize)]
struct Depth {
    #[serde(deserialize_with = "super::whole_number")]
    depth: u32,
}

fn read(number: &str) -> Option<u32> {
    let depth: Result<Depth, _> = serde_json::from_str(&format!(r#"{{"depth":{number}}}"#));
    depth.ok().map(|depth| depth.depth)
}

#[test]
fn a_whole_number_is_the_same_however_it_is_written() {
    for same in ["24", "24.0", "2.4e1", "240e-1"] {
        assert_eq!(read(same), Some(24), "{same}");
    }
    assert_eq!(read("4294967295"), Some(u32::MAX));
}

#[test]
fn fractions_and_numbers_out_of_range_are_refused() {
    for wrong in [
        "24.5",
        "-1",
        "4294967296",
        "1e300",
        "18446744073709551615",
        "\"24\"",
        "null",
        "true",
        "[24]",
    ] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}
