//! The page's data as JSON. It is what serde writes, field by field; written here, because serde looks at every byte of
//! every field's name, which takes most of the time of a page's data.

use serde::Serialize;
use serde::ser::Error;

use crate::{ChargeIntent, FormOptions, FormPage, Page, ServiceAddress, SharedJson};

/// What the data of most pages takes, so that its text does not have to grow.
const DATA_BYTES: usize = 4 * 1_024;

impl Page {
    /// The same JSON as serde writes.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        match self {
            Self::Form(form) => {
                let mut object = ObjectWriter(Vec::with_capacity(DATA_BYTES));
                object.open();
                object.text("page", "form")?;
                write_form(&mut object, form)?;
                object.close();
                String::from_utf8(object.0).map_err(serde_json::Error::custom)
            }
            Self::Error(_) => serde_json::to_string(self),
        }
    }
}

fn write_form(object: &mut ObjectWriter, form: &FormPage) -> Result<(), serde_json::Error> {
    // Every field is named, so that a new one cannot be forgotten.
    let FormPage {
        context,
        intent,
        standalone,
        locale_is_unknown,
        payee,
        amount_text,
        options,
        features,
        experiments,
        cookie_id,
        available_brands,
        fraud_script,
        ip_lookup_url,
        allowed_origins,
        saved_cards_count,
        theme,
        floating_labels,
        device_data_timeout_ms,
        tracking,
        service,
        card_key,
        accepts_plain_cards,
        init_time_ms,
    } = form;
    object.shared("context", context)?;
    object.name("intent");
    write_intent(object, intent)?;
    object.flag("standalone", *standalone);
    object.flag("locale_is_unknown", *locale_is_unknown);
    object.shared_if("payee", payee.as_ref())?;
    object.text("amount_text", amount_text)?;
    object.usual("options", options, FormOptions::usual())?;
    object.shared("features", features.written())?;
    object.value("experiments", experiments)?;
    object.text("cookie_id", cookie_id)?;
    object.value("available_brands", available_brands)?;
    object.value("fraud_script", fraud_script)?;
    object.text("ip_lookup_url", ip_lookup_url)?;
    object.value("allowed_origins", allowed_origins)?;
    object.value("saved_cards_count", saved_cards_count)?;
    object.shared("theme", theme)?;
    object.flag("floating_labels", *floating_labels);
    object.value("device_data_timeout_ms", device_data_timeout_ms)?;
    object.shared_if("tracking", tracking.as_ref())?;
    object.usual("service", service, ServiceAddress::usual())?;
    object.shared_if("card_key", card_key.as_ref())?;
    object.flag("accepts_plain_cards", *accepts_plain_cards);
    object.value("init_time_ms", init_time_ms)
}

fn write_intent(object: &mut ObjectWriter, intent: &ChargeIntent) -> Result<(), serde_json::Error> {
    let ChargeIntent {
        item_code,
        item_name,
        amount_value,
        amount_currency,
        partner_reference,
        partner_shopper_id,
        payment_method_country_code,
        charge_id,
        partner_custom_data,
        shopper_email,
        zip_code,
        enable_save_payment_method,
        shopper_id,
        user_initiated,
        display_saved_payment_method_list,
        eligible_save_payment_methods,
        partner_id,
    } = intent;
    object.open();
    object.text("itemCode", item_code)?;
    object.text("itemName", item_name)?;
    object.text("amountValue", amount_value)?;
    object.text("amountCurrency", amount_currency)?;
    object.text("partnerReference", partner_reference)?;
    object.text("partnerShopperId", partner_shopper_id)?;
    object.text("paymentMethodCountryCode", payment_method_country_code)?;
    object.text("chargeId", charge_id)?;
    object.text("partnerCustomData", partner_custom_data)?;
    object.text("shopperEmail", shopper_email)?;
    object.value("zipCode", zip_code)?;
    object.value("enableSavePaymentMethod", enable_save_payment_method)?;
    object.text("shopperId", shopper_id)?;
    object.flag("userInitiated", *user_initiated);
    object.flag(
        "displaySavedPaymentMethodList",
        *display_saved_payment_method_list,
    );
    object.flag("eligibleSavePaymentMethods", *eligible_save_payment_methods);
    object.text("partnerId", partner_id)?;
    object.close();
    Ok(())
}

/// JSON that grows field by field. Names are ours and need no escapes. It has bytes, because serde writes into bytes only.
struct ObjectWriter(Vec<u8>);

impl ObjectWriter {
    fn open(&mut self) {
        self.0.push(b'{');
    }

    fn close(&mut self) {
        self.0.push(b'}');
    }

    fn put(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    /// The name of the next field.
    fn name(&mut self, name: &str) {
        self.put(if self.0.ends_with(b"{") { "\"" } else { ",\"" });
        self.put(name);
        self.put("\":");
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        self.name(name);
        self.put(if is_set { "true" } else { "false" });
    }

    fn text(&mut self, name: &str, text: &str) -> Result<(), serde_json::Error> {
        let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        if !text.bytes().all(is_plain) {
            return self.value(name, text);
        }
        self.name(name);
        self.put("\"");
        self.put(text);
        self.put("\"");
        Ok(())
    }

    fn shared<T: Serialize>(&mut self, name: &str, shared: &SharedJson<T>) -> Result<(), serde_json::Error> {
        let Some(json) = shared.json() else {
            return self.value(name, shared);
        };
        self.name(name);
        self.put(json);
        Ok(())
    }

    fn shared_if<T: Serialize>(
        &mut self,
        name: &str,
        shared: Option<&SharedJson<T>>,
    ) -> Result<(), serde_json::Error> {
        match shared {
            Some(shared) => self.shared(name, shared),
            None => self.value(name, &()),
        }
    }

    /// A value that mostly is the usual one.
    fn usual<T: Serialize + PartialEq>(
        &mut self,
        name: &str,
        value: &T,
        usual: &SharedJson<T>,
    ) -> Result<(), serde_json::Error> {
        if *value == **usual {
            self.shared(name, usual)
        } else {
            self.value(name, value)
        }
    }

    /// Any other value, as serde writes it.
    fn value(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), serde_json::Error> {
        self.name(name);
        serde_json::to_writer(&mut self.0, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assignment, FraudScript, LocaleStrategy, PageContext, Payee};

    fn page() -> FormPage {
        FormPage {
            context: PageContext {
                locale: "fr-FR".to_owned(),
                iso: "fr-FR".to_owned(),
                dir: "ltr".to_owned(),
                messages: serde_json::value::to_raw_value(&0).unwrap(),
                version: "1".to_owned(),
                build_id: "b".to_owned(),
                locale_strategy: LocaleStrategy::Prefix,
                locale_cookie: "Path=/".to_owned(),
            }
            .into(),
            intent: ChargeIntent::default(),
            standalone: false,
            locale_is_unknown: false,
            payee: None,
            amount_text: String::new(),
            options: FormOptions::default(),
            features: crate::Features::default(),
            experiments: Vec::new(),
            cookie_id: String::new(),
            available_brands: Vec::new(),
            fraud_script: None,
            ip_lookup_url: String::new(),
            allowed_origins: Vec::new(),
            saved_cards_count: None,
            theme: SharedJson::default(),
            floating_labels: false,
            device_data_timeout_ms: None,
            tracking: None,
            service: ServiceAddress::own(),
            card_key: None,
            accepts_plain_cards: false,
            init_time_ms: None,
        }
    }

    /// Every field differs from [`page`], and every text needs escapes.
    fn filled_page() -> FormPage {
        let text = || "\" \\ \n </script> \u{7f} é\u{2028}".to_owned();
        FormPage {
            intent: ChargeIntent {
                item_code: text(),
                item_name: "plain".to_owned(),
                amount_value: "12.50".to_owned(),
                amount_currency: "USD".to_owned(),
                partner_reference: text(),
                partner_shopper_id: text(),
                payment_method_country_code: "US".to_owned(),
                charge_id: text(),
                partner_custom_data: "{\"a\":1}".to_owned(),
                shopper_email: "sam@example.com".to_owned(),
                zip_code: Some(text()),
                enable_save_payment_method: Some(true),
                shopper_id: text(),
                user_initiated: true,
                display_saved_payment_method_list: true,
                eligible_save_payment_methods: true,
                partner_id: "partner".to_owned(),
            },
            standalone: true,
            locale_is_unknown: true,
            payee: Some(
                Payee {
                    name: text(),
                    logo: None,
                    website: Some(text()),
                }
                .into(),
            ),
            amount_text: text(),
            options: FormOptions {
                show_cardholder_name: true,
                site_id: Some(text()),
                ..FormOptions::default()
            },
            features: crate::Features::SHIPPED,
            experiments: vec![Assignment {
                experiment_id: text(),
                feature: text(),
                variation_id: 1,
                variation_key: text(),
            }],
            cookie_id: text(),
            available_brands: vec![rules::Brand::Visa],
            fraud_script: Some(FraudScript {
                url: text(),
                cookie: text(),
                cookie_attributes: text(),
            }),
            ip_lookup_url: text(),
            allowed_origins: vec![text()],
            saved_cards_count: Some(3),
            floating_labels: true,
            device_data_timeout_ms: Some(5),
            service: ServiceAddress::dynamic("https://a.example:8092".to_owned()),
            accepts_plain_cards: true,
            init_time_ms: Some(7),
            ..page()
        }
    }

    #[test]
    fn a_page_is_written_as_serde_writes_it() {
        for page in [page(), filled_page()] {
            let page = Page::Form(Box::new(page));
            assert_eq!(page.to_json().unwrap(), serde_json::to_string(&page).unwrap());
        }
    }
}
