//! The index of the search: every section of every page.

use serde_json::{Value, json};

use crate::article::Article;

/// Words that readers search for, and the section that answers them, if its heading has other words.
const SYNONYMS: &str = "\
/docs/quick-start | getting started, tutorial, example, demo, hello world
/docs/embedding | iframe, embed, integrate, checkout
/docs/embedding#the-payment-page | hosted page, payment link, redirect, checkout page, webview, mobile app, react native, android, ios
/docs/embedding#what-your-pages-policy-must-allow | csp, content security policy, frame-src, blocked
/docs/embedding#change-the-open-form | update, cart
/docs/testing | sandbox, test mode
/docs/testing#test-cards | test card numbers, fake cards
/docs/going-live | production, launch, deploy
/docs/providers#go-live-with-stripe | stripe, psp, acquirer, production
/docs/merchants | multiple merchants, multi-tenant, marketplace, platform, accounts
/docs/merchant-api | rest, http api, openapi, swagger, postman
/docs/merchant-api#errors | error codes, 400, 401, 404, 409, 422, status codes
/docs/merchant-api#declines | decline codes, declined card, error codes
/docs/merchant-api#change-a-charge | update amount, cart
/docs/merchant-api#the-way-back | return_url, redirect, success url
/docs/merchant-api#know-the-outcome | polling, get a charge
/docs/charge-fields | parameters, metadata, request body, post /v1/charges
/docs/charge-fields#the-shopper | billing address, postal code, zip, avs
/docs/charge-fields#idempotency-key | double charge, duplicate payment, retry
/docs/charge-states | status, lifecycle, state machine
/docs/webhooks | notifications, events, callback, ipn, webhook signature, verify
/docs/saving-cards | card on file, vault, tokenization, recurring, one-click
/docs/saving-cards#a-saved-cards-life | delete a card, expired card, lifecycle
/docs/card-page | manage cards, customer portal, my cards, default card, card session
/docs/three-d-secure | 3ds, 3ds2, sca, psd2, authentication, challenge
/docs/sdk | javascript, npm, typescript, install, yarn, pnpm, package
/docs/sdk#errors | error codes, errorcode
/docs/sdk#embed-it | cdn, script tag, sri, angular
/docs/options | settings, configuration, cardholder name, email field, prefill
/docs/options#look | dark mode
/docs/form#light-and-dark | dark mode
/docs/form | accessibility, a11y, wcag, screen reader, keyboard
/docs/theming | css, style, appearance, colors, fonts, customstyle, branding
/docs/languages | translations, i18n, localization, l10n, locale, rtl, arabic
/docs/texts | translations, wording, labels, copy, placeholder
/docs/limits | limits, rate limits, quota, maximum, timeout, 429
/docs/limits#browsers | safari, chrome, firefox, edge, internet explorer, ie11, compatibility, supported
/docs/limits#refunds | partial refund, chargeback, dispute, money back, authorize, capture, hold, void
/docs/limits#apple-pay-and-google-pay | wallet, applepay, googlepay, paypal, sepa, ideal, bank transfer
/docs/currencies | currency, jpy, zero-decimal, minor unit, amount too small
/docs/express | node, raw body, webhook signature, express.js, expressjs
/docs/next-js | nextjs, app router, server components, vercel, ssr
/docs/vue | nuxt, vue.js, vuejs
/docs/svelte | sveltekit
/docs/react | hooks, jsx
/docs/browser-tests | playwright, cypress, selenium, e2e
/docs/security | pci dss, saq, compliance
/docs/doctor | troubleshooting, debug, form does not appear
/docs/tracking | analytics, privacy, gdpr, cookies, do not track
/docs/experiments | a/b test, growthbook, feature flags
/docs/rules | validation, luhn, card brands, visa, amex, mastercard";

/// The index: a list of sections, each with its address, its page, its title, its other names, the names that it
/// explains, and its text. Adds to `mistakes` each synonym whose section does not exist.
pub(crate) fn index(articles: &[Article], mistakes: &mut Vec<String>) -> String {
    let mut sections = Vec::new();
    let mut synonyms: Vec<_> = SYNONYMS
        .lines()
        .filter_map(|line| line.split_once(" | "))
        .collect();
    for article in articles {
        for (position, section) in article.sections.iter().enumerate() {
            let name = article.listed.name;
            let address = if position == 0 {
                format!("/docs/{name}")
            } else {
                format!("/docs/{name}#{}", section.anchor)
            };
            let also = synonyms.extract_if(.., |(known, _)| *known == address);
            let also: String = also.map(|(_, words)| words).collect();
            let text = section.text.split_whitespace().collect::<Vec<_>>().join(" ");
            sections.push(json!({
                "address": address, "page": article.listed.title, "title": section.title,
                "also": also, "terms": section.terms.join(" "), "text": text,
            }));
        }
    }
    mistakes.extend(
        synonyms
            .iter()
            .map(|(address, _)| format!("the search: there is no {address}")),
    );
    Value::from(sections).to_string()
}
