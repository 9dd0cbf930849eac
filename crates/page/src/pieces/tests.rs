use std::io::Read;

use flate2::read::GzDecoder;
use proptest::prelude::*;

use super::*;

/// The document as a browser unpacks it.
fn unpacked(gzip: &[u8]) -> String {
    let mut plain = String::new();
    GzDecoder::new(gzip).read_to_string(&mut plain).unwrap();
    plain
}

proptest! {
    #[test]
    fn a_browser_unpacks_the_written_document(
        parts in prop::collection::vec((".{0,40}", 0_usize..3_000, any::<bool>()), 0..8)
    ) {
        let mut plain = String::new();
        let mut gzip = Gzip::with_capacity(16);
        for (text, times, is_kept) in parts {
            let text = text.repeat(times);
            if is_kept {
                let part = CompressedPart::new(text);
                plain.part(&part);
                gzip.part(&part);
            } else {
                plain.text(&text);
                gzip.text(&text);
            }
        }
        prop_assert_eq!(unpacked(&gzip.finish()), plain.as_str());
    }
}

#[test]
fn the_compressed_length_does_not_depend_on_repeated_texts() {
    let part = CompressedPart::new("<label class=\"field\">Card number</label>".repeat(50));
    let length = |text: &str| {
        let mut gzip = Gzip::with_capacity(16);
        gzip.text("{\"cookie_id\":\"secret-of-a-shopper\"}");
        gzip.part(&part);
        gzip.text(text);
        gzip.finish().len()
    };
    assert!(length("") < part.bytes() / 4);
    assert_eq!(length("secret-of-a-shopper"), length("guess-of-an-onlooke"));
    assert_eq!(length("x".repeat(19).as_str()), length("guess-of-an-onlooke"));
}
