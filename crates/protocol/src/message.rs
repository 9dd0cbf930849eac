//! The messages between the form and the parent page (docs/messages.md). Only TypeScript sends and reads them.
//!
//! Each is sent in an envelope `{source: "cardform", version: 1, frame, type, …}`.

use std::collections::BTreeMap;

use ts_rs::TS;

use crate::{ChargeStatus, ShopperAction};

/// `source` of every message.
pub const MESSAGE_SOURCE: &str = "cardform";
/// `version` of every message; another version is ignored.
pub const MESSAGE_VERSION: u32 = 1;

/// `source` of the message at the end of a challenge. The challenge's return page posts it to the page that opened it.
pub const CHALLENGE_SOURCE: &str = "cardform-challenge";

/// A message from the form to the parent.
#[derive(Debug, TS)]
#[ts(tag = "type", rename_all = "kebab-case", optional_fields)]
pub enum FromForm {
    /// Whether the form can be submitted now; sent on every change.
    FormReadyState {
        /// Whether all fields are complete and valid.
        ready: bool,
    },
    /// How a submission ended.
    ProcessingResult {
        /// Whether the charge is paid.
        success: bool,
        /// The text for the shopper, in the shopper's language; empty on success.
        message: String,
        /// Why the card was declined.
        decline_code: Option<String>,
        /// Set if nothing was sent, because the form was not ready when `submit-ready` arrived. The form shows the
        /// missing fields.
        not_ready: Option<bool>,
        /// The status of a charge that was not paid, if the server named it. While the outcome is unknown, the form
        /// sends `charge-changed`, and the result later.
        status: Option<ChargeStatus>,
        /// Why no card was tried, if the shopper cannot correct the cause; for programs.
        error_code: Option<FormErrorCode>,
    },
    /// The form cannot be used: the page was refused, or its script failed.
    LoadError {
        /// The reason.
        code: LoadErrorCode,
    },
    /// The form has read its charge intent and can be used.
    UserLoaded {
        /// The name of the form's frame for screen readers, in the shopper's language.
        title: Option<String>,
    },
    /// The charge waits for the shopper, or its outcome is not known yet.
    ChargeChanged {
        /// The charge's status.
        status: ChargeStatus,
        /// The action that the charge waits for.
        #[ts(optional = false)]
        shopper_action: Option<ShopperAction>,
        /// Texts for the parent's dialog around a challenge, in the shopper's language.
        labels: Option<ChallengeLabels>,
    },
    /// The form's height in CSS pixels.
    Resize {
        /// The height.
        height: f64,
    },
    /// The form needs a client secret; `client-secret-response` answers.
    RequestClientSecret,
    /// The shopper pressed Enter in a form that is ready. The parent, which has the pay button, may submit now.
    SubmitRequested,
    /// The form's content has changed. The message has no typed text.
    Change {
        /// The card's brand: "visa". Empty while the brand is unknown.
        brand: String,
        /// Whether every field is complete and valid.
        complete: bool,
        /// Whether every field is empty.
        empty: bool,
        /// The errors that are shown: each field's identifier and error id.
        errors: BTreeMap<String, String>,
        /// The fields of the form, by their identifiers.
        fields: BTreeMap<String, FieldSummary>,
    },
    /// The answer to `page-change`.
    PageChanged {
        /// Whether the form shows the change. If not, the form is unchanged.
        success: bool,
    },
    /// The shopper added, changed or removed a card on the card page.
    CardsChanged,
    /// The card page's session has expired. Another session can open the page again.
    CardSessionExpired,
    /// The shopper used a field. The message has no typed text.
    FieldAction {
        /// The kind of use.
        action: FieldAction,
        /// The field's identifier: `card-number`.
        field: String,
    },
}

/// Why a submission ended before a card was tried; stable, for programs. The SDK's `CardformErrorCode` says what to do
/// about each code.
#[derive(Debug, TS)]
#[ts(rename_all = "kebab-case")]
pub enum FormErrorCode {
    /// The parent did not answer with a client secret.
    ClientSecretUnavailable,
    /// The client secret has expired.
    ClientSecretExpired,
    /// The client secret is malformed, or not signed by this service.
    ClientSecretInvalid,
    /// The client secret and the payload name different charges, shoppers or merchants.
    ClientSecretForeign,
    /// The merchant canceled the charge.
    ChargeCanceled,
    /// The charge has expired.
    ChargeExpired,
    /// The saved card has expired or was removed.
    PaymentMethodNotFound,
    /// Too many cards were tried in a short time.
    TooManyTries,
    /// The browser has no connection; nothing was sent.
    Offline,
    /// The answer was lost, and the server said later that no card was tried.
    ConnectionLost,
    /// The server refused the request for another reason.
    RequestRefused,
}

/// Why the page inside the frame cannot be used.
#[derive(Debug, TS)]
#[ts(rename_all = "kebab-case")]
pub enum LoadErrorCode {
    /// The server answered with an error page, because the payload or the path in the address is wrong.
    PayloadRefused,
    /// The server cannot render the page now.
    PageUnavailable,
    /// The page's script failed while it hydrated the page.
    ScriptFailed,
}

/// Texts for the dialog of a 3-D Secure challenge.
#[derive(Debug, TS)]
#[ts(optional_fields)]
pub struct ChallengeLabels {
    /// The dialog's title.
    pub title: String,
    /// Its close button.
    pub close: String,
    /// The button that opens the challenge in a window of its own.
    pub new_window: Option<String>,
    /// The language of these texts, for the dialog's `lang` attribute: "fr-FR".
    pub lang: Option<String>,
}

/// The state of a field, without its text.
#[derive(Debug, TS)]
pub struct FieldSummary {
    /// Whether it is complete and valid.
    pub complete: bool,
    /// Whether it is empty.
    pub empty: bool,
}

/// How the shopper used a field (docs/messages.md#field-actions).
#[derive(Debug, TS)]
#[ts(rename_all = "camelCase")]
pub enum FieldAction {
    /// It came into view.
    CardFormInputVisible,
    /// It got the focus.
    CardFormInputFocused,
    /// It lost the focus.
    CardFormInputBlurred,
    /// Its value changed.
    CardFormInputChanged,
    /// It shows an error.
    CardFormInputError,
}

/// A message from the parent to the form.
#[derive(Debug, TS)]
#[ts(tag = "type", rename_all = "kebab-case", optional_fields)]
pub enum FromParent {
    /// Pay now. If the form is not ready at this moment, it answers with `processing-result`.
    SubmitReady {
        /// The bearer token to pay with. If it is null, the form asks for one.
        #[ts(optional = false)]
        client_secret: Option<String>,
    },
    /// The shopper tried to pay while the form was not ready. The form shows the missing fields.
    SubmitNotReady,
    /// Change the language.
    LanguageChange {
        /// One of the locales: `fr-FR`.
        locale: String,
    },
    /// Collect device data now.
    DeviceDataInitiate {
        /// The bearer token of the call.
        client_secret: String,
    },
    /// The answer to `request-client-secret`.
    ClientSecretResponse {
        /// The bearer token.
        client_secret: String,
    },
    /// Change the page in place; typed text stays. `page-changed` answers. The charge is read again, too, because its
    /// merchant may have changed it.
    PageChange {
        /// A new payload of the same charge, instead of the one in the address.
        payload: Option<String>,
        /// JSON of all options, as in the page's address.
        options: Option<String>,
        /// JSON of the theme, as in the page's address.
        custom_style: Option<String>,
    },
    /// Move the focus to a field.
    FieldFocus {
        /// The field's identifier: `card-number`.
        field: String,
    },
    /// Empty the fields. Prefilled texts are restored.
    FieldsClear,
    /// Disable the form, or enable it again.
    FormDisable {
        /// Whether it is disabled.
        disabled: bool,
    },
    /// The shopper has returned from the action. The form asks the service for its outcome.
    ShopperActionReturned,
    /// The shopper closed the action without finishing it.
    ShopperActionClosed,
}
