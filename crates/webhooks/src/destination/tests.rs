use super::*;

#[test]
fn a_destination_must_be_public_and_https_by_default() {
    use DestinationError::{Malformed, NotHttps, Private};
    for (text, refused) in [
        ("https://shop.example/webhooks?of=cardform", None),
        ("https://1.1.1.1/", None),
        ("http://shop.example/", Some(NotHttps)),
        ("https://127.0.0.1/", Some(Private)),
        ("https://[::ffff:10.0.0.1]/", Some(Private)),
        // Browsers and libraries read these two as 127.0.0.1.
        ("https://2130706433/", Some(Private)),
        ("https://0x7f.1/", Some(Private)),
        ("https://localhost/", Some(Private)),
        ("https://localhost./", Some(Private)),
        ("https://shop.localhost./", Some(Private)),
        ("https://shop.example./webhooks", None),
        ("https://intranet/", Some(Private)),
    ] {
        assert_eq!(parse(text, false).err(), refused, "{text}");
        assert!(parse(text, true).is_ok(), "{text}");
    }
    for text in [
        "shop.example",
        "ftp://shop.example/",
        "https://a:b@shop.example/",
        "https://shop.example/#x",
    ] {
        assert_eq!(parse(text, false).err(), Some(Malformed), "{text}");
        assert_eq!(parse(text, true).err(), Some(Malformed), "{text}");
    }
}

#[tokio::test]
async fn a_name_with_only_private_addresses_is_not_resolved() {
    let name = "localhost".parse().unwrap();
    assert!(PublicAddresses.resolve(name).await.is_err());
}
