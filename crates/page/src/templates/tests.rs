//! A cached template gives the same HTML as rendering with every text of the language, with each request's own texts.

use std::sync::Arc;
use std::time::Duration;

use rules::locale;

use super::super::assets::Assets;
use super::super::language::Languages;
use super::super::render::RenderLimits;
use super::super::settings::PageSettings;
use super::*;

fn context(languages: &Languages, locale: &'static Locale) -> Arc<PageContext> {
    Arc::new(PageContext {
        locale: locale.code.into(),
        iso: locale.iso.into(),
        dir: locale.dir.as_str().into(),
        messages: languages.of(locale).all_texts.json.clone(),
        version: "1".into(),
        build_id: "b".into(),
        locale_strategy: protocol::LocaleStrategy::NoPrefix,
        locale_cookie: String::new(),
    })
}

/// A form page of a real merchant's charge: nothing in it is empty.
fn form(context: Arc<PageContext>, standalone: bool, shopper_id: &str, fields: bool) -> Page {
    Page::Form(Box::new(FormPage {
        context,
        intent: ChargeIntent {
            item_code: "code-1".into(),
            item_name: "<b>Larkspur & \"Co\"</b>".into(),
            amount_value: "12.50".into(),
            amount_currency: "EUR".into(),
            partner_reference: "order-1".into(),
            charge_id: "ch_1".into(),
            payment_method_country_code: "US".into(),
            shopper_email: "sam@example.com".into(),
            shopper_id: shopper_id.into(),
            enable_save_payment_method: Some(true),
            display_saved_payment_method_list: true,
            eligible_save_payment_methods: true,
            partner_id: "partner_1".into(),
            ..ChargeIntent::default()
        },
        standalone,
        notes: Vec::new(),
        payee: standalone.then(|| {
            Arc::new(protocol::Payee {
                name: "Larkspur & Sons".into(),
                logo: Some("/logos/a.png".into()),
                website: Some("https://shop.example/?a=1&b=2".into()),
            })
        }),
        amount_text: "12,50\u{a0}€".into(),
        options: FormOptions {
            cookie_id: Some("c1".into()),
            show_cardholder_name: fields,
            show_cardholder_email: fields,
            show_postal_code: if fields {
                ShowPostalCode::ByCountry(protocol::ByCountry::Auto)
            } else {
                ShowPostalCode::default()
            },
            locale: Some("de-DE".into()),
            ..FormOptions::default()
        },
        features: Features::SHIPPED,
        experiments: vec![protocol::Assignment {
            experiment_id: "e".into(),
            feature: "enable-ddc".into(),
            variation_id: 1,
            variation_key: "on".into(),
        }],
        cookie_id: "c1".into(),
        available_brands: vec![Brand::Visa, Brand::Jcb],
        fraud_script: Some(protocol::FraudScript {
            url: "https://fraud.example/s1.js".into(),
            cookie: "token".into(),
            cookie_attributes: "Path=/".into(),
        }),
        ip_lookup_url: "/v1/pub/ip".into(),
        allowed_origins: vec!["https://shop.example".into()],
        floating_labels: fields,
        saved_cards_count: Some(2),
        device_data_timeout_ms: Some(10),
        tracking: Some(Arc::new(protocol::Tracking {
            topic: "cardform-events".into(),
            mode: protocol::ExperimentationMode::Production,
            session_timeout_ms: 1,
        })),
        service: protocol::ServiceAddress::dynamic("https://a.dev.example:8092".into()),
        card_key: Some(Arc::new(protocol::CardKey {
            kid: "sig_1".into(),
            kty: "EC".into(),
            crv: "P-256".into(),
            x: "x1".into(),
            y: "y1".into(),
        })),
        accepts_plain_cards: true,
        init_time_ms: Some(1),
    }))
}

#[tokio::test]
async fn a_cached_page_is_the_same_as_a_rendered_page() {
    let assets = Assets::load().unwrap();
    let languages = Languages::load(&PageSettings::default(), "b").unwrap();
    let limits = RenderLimits {
        time: Duration::from_secs(30),
        ..RenderLimits::default()
    };
    let renderer = Renderer::start(&assets.server_script, limits);
    let templates = Templates::new(renderer.clone());
    for code in ["en-US", "ar-SA", "fr-FR"] {
        let locale = locale::by_code(code).unwrap();
        let mut pages: Vec<Page> = [404, 422, 500]
            .map(|status| {
                Page::Error(ErrorPage {
                    context: context(&languages, locale),
                    status,
                    message: (status == 404).then(|| "Page not found: /<x>".to_owned()),
                    description: (status == 422).then(|| "The payload is not <usable>.".to_owned()),
                })
            })
            .into();
        for (standalone, shopper, fields) in [
            (true, "", false),
            (true, "s", true),
            (false, "s", false),
            (false, "", true),
        ] {
            pages.push(form(context(&languages, locale), standalone, shopper, fields));
        }
        // The checkbox of a card that may also be charged without the shopper has another text.
        let mut off_session = form(context(&languages, locale), true, "s", false);
        if let Page::Form(form) = &mut off_session {
            form.intent.save_card_usage = "off_session".into();
        }
        pages.push(off_session);
        let mut setup = form(context(&languages, locale), true, "s", false);
        if let Page::Form(form) = &mut setup {
            form.intent.amount_value = "0".into();
        }
        pages.push(setup);
        for page in pages {
            let data = serde_json::to_string(&page).unwrap();
            let direct = renderer.render(data.clone()).await.unwrap();
            for _ in 0..2 {
                let body = templates.body(&page, languages.of(locale)).await.unwrap();
                let mut kept = String::new();
                body.write_to(&mut kept);
                assert!(matches!(body, RootContent::Kept(..)));
                assert_eq!(kept, direct.replace("&#x27;", "&#39;"));
            }
        }
    }
    assert_eq!(templates.kept.len(), 3 * 9);
}

#[tokio::test]
async fn requests_that_wait_for_a_failing_page_do_not_render_it_again() {
    let languages = Languages::load(&PageSettings::default(), "b").unwrap();
    let limits = RenderLimits {
        time: Duration::from_millis(50),
        ..RenderLimits::default()
    };
    let endless = "export function render() { for (;;) {} }".into();
    let templates = Templates::new(Renderer::start(&endless, limits));
    let (_, rendered) = templates.counters();
    let page = form(context(&languages, locale::default()), true, "", false);
    let language = languages.of(locale::default());
    let body = || templates.body(&page, language);
    let (first, second, third) = tokio::join!(body(), body(), body());
    assert!([first, second, third].iter().all(Result::is_err));
    assert_eq!(rendered.get(), 1);
    // The error is not cached: the next request renders again.
    assert!(body().await.is_err());
    assert_eq!(rendered.get(), 2);
}

#[test]
fn a_requests_texts_are_inserted_as_text_and_not_searched() {
    let template = Template::cut(&format!("<h1>{DESCRIPTION}</h1><p>amount</p>"));
    let page = Page::Error(ErrorPage {
        context: context(
            &Languages::load(&PageSettings::default(), "b").unwrap(),
            locale::default(),
        ),
        status: 404,
        message: None,
        description: Some(format!("<b>{ITEM}</b>")),
    });
    let mut html = String::new();
    template.fill_in(&page, &mut html);
    assert_eq!(html, format!("<h1>&lt;b&gt;{ITEM}&lt;/b&gt;</h1><p>amount</p>"));
}
