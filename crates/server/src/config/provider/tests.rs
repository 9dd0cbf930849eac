use protocol::Sensitive;

use super::*;

fn stripe(change: impl FnOnce(&mut Settings)) -> Result<ProviderChoice, String> {
    let mut settings = Settings {
        provider: Some("stripe".into()),
        provider_key: Some(Sensitive::new("sk_test_1".into())),
        ..Settings::default()
    };
    change(&mut settings);
    let config = settings.resolve().map_err(|error| error.to_string())?;
    Ok(config.provider)
}

#[test]
fn stripe_needs_a_key_and_nothing_else() {
    let choice = stripe(|_| ()).unwrap();
    assert!(matches!(choice.key, Some(SecretSource::Setting(_))));
    assert_eq!(choice.url.unwrap().as_str(), "https://api.stripe.com/");
    let file = stripe(|settings| {
        settings.provider_key = None;
        settings.provider_key_file = Some("key".into());
    });
    assert!(matches!(file.unwrap().key, Some(SecretSource::File(_))));
    let message = stripe(|settings| settings.provider_key = None).unwrap_err();
    assert!(message.starts_with("the setting provider_key_file"), "{message}");
}

#[test]
fn an_unencrypted_card_is_only_sent_on_this_machine() {
    for here in [
        "http://127.0.0.1:8420",
        "http://[::1]:8420",
        "http://localhost:8420/",
    ] {
        assert!(
            stripe(|settings| settings.provider_url = Some(here.into())).is_ok(),
            "{here}"
        );
    }
    for wrong in [
        "http://api.stripe.com",
        "api.stripe.com",
        "https://api.stripe.com/?a=b",
    ] {
        let message = stripe(|settings| settings.provider_url = Some(wrong.into())).unwrap_err();
        assert!(
            message.starts_with("the setting provider_url"),
            "{wrong}: {message}"
        );
    }
    let message = stripe(|settings| settings.provider = Some("strype".into())).unwrap_err();
    assert_eq!(message, "the setting provider must be test, simulator or stripe");
}
