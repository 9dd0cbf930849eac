use super::*;

/// The key is the bytes 0 to 31.
const RING: &str = "golden:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECRET: &str = "whsec_plJ3nmyCDGBKInavdOK15jsl";

fn ring(text: &str) -> KeyRing {
    KeyRing::parse(text).unwrap()
}

fn wrapped(partner_id: &str) -> StoredWebhookSecret {
    stored(Some(&ring(RING)), partner_id, &Sensitive::new(SECRET.to_owned())).unwrap()
}

#[test]
fn a_secret_wrapped_by_an_earlier_version_opens() {
    // This text must never change: with another layout, purpose or cipher, stored secrets could not be opened, and
    // merchants would get no events.
    let before = StoredWebhookSecret {
        text: "AYnT4kHVcNpryFxzf0wWNImTubIJeaH/P3cIVtVwcpXkMfpteJRrRem1fXBj5c/O3qlGVYPxj1I61OI=".to_owned(),
        wrapped_by: Some("golden".to_owned()),
    };
    let secret = opened(Some(&ring(RING)), "partner_1", &before).unwrap();
    assert_eq!(secret.expose(), SECRET);
}

#[test]
fn a_wrapped_secret_opens_only_for_its_own_merchant() {
    let ring = ring(RING);
    let mine = wrapped("partner_1");
    assert!(!mine.text.contains("whsec_"));
    assert_eq!(opened(Some(&ring), "partner_1", &mine).unwrap().expose(), SECRET);
    let moved = opened(Some(&ring), "partner_2", &mine).map(|_| ());
    assert_eq!(moved, Err(WebhookSecretError::WrongKey("golden".to_owned())));
}

#[test]
fn a_secret_without_its_key_names_the_missing_key() {
    let other = vault::generate_key("other").unwrap();
    for ring in [None, Some(&ring(&other))] {
        let unavailable = opened(ring, "partner_1", &wrapped("partner_1")).map(|_| ());
        assert_eq!(unavailable, Err(WebhookSecretError::NoKey("golden".to_owned())));
    }
    let changed = vault::generate_key("golden").unwrap();
    let unavailable = opened(Some(&ring(&changed)), "partner_1", &wrapped("partner_1")).map(|_| ());
    assert_eq!(
        unavailable,
        Err(WebhookSecretError::WrongKey("golden".to_owned()))
    );
}

#[test]
fn a_plain_secret_opens_only_without_a_vault() {
    let plain = stored(None, "partner_1", &Sensitive::new(SECRET.to_owned())).unwrap();
    assert_eq!(plain, StoredWebhookSecret::plain(SECRET));
    assert_eq!(opened(None, "partner_1", &plain).unwrap().expose(), SECRET);
    let refused = opened(Some(&ring(RING)), "partner_1", &plain).map(|_| ());
    assert_eq!(refused, Err(WebhookSecretError::Plain));
}
