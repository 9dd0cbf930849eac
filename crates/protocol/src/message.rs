//! The messages between the form and the parent page (docs/messages.md).
//!
//! Each is sent in an envelope `{source: "cardform", version: 1, frame, type, …}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ChargeStatus, ShopperAction};

/// `source` of every message.
pub const MESSAGE_SOURCE: &str = "cardform";
/// `version` of every message; another version is ignored.
pub const MESSAGE_VERSION: u32 = 1;

/// `source` of the message that the page to which a challenge returns posts to the page that opened it.
pub const CHALLENGE_SOURCE: &str = "cardform-challenge";

/// What the form tells the parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromForm {
    /// Whether the form could be submitted now; sent on every change.
    FormReadyState {
        /// All fields complete and valid.
        ready: bool,
    },
    /// How a submission ended.
    ProcessingResult {
        /// Paid.
        success: bool,
        /// In the shopper's language, to be shown; empty on success.
        message: String,
        /// Why the card was declined.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        decline_code: Option<String>,
        /// Set if nothing was sent, because the form was not ready when `submit-ready` arrived; the form shows what is
        /// missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        not_ready: Option<bool>,
        /// The status of a charge that was not paid, if the server has said it. A charge whose outcome is not known has
        /// no result yet: `charge-changed` is sent, and the result follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        status: Option<ChargeStatus>,
        /// Why no card was tried, if the shopper cannot correct it; for programs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        error_code: Option<FormErrorCode>,
    },
    /// The form cannot be used: the page was refused, or its script failed.
    LoadError {
        /// Which of them.
        code: LoadErrorCode,
    },
    /// The form has read its charge intent and can be used.
    UserLoaded,
    /// The charge waits for the shopper, or its outcome is not known yet.
    ChargeChanged {
        /// Where it stands.
        status: ChargeStatus,
        /// What the shopper must do.
        shopper_action: Option<ShopperAction>,
        /// Texts for the dialog that the parent shows a challenge in, in the shopper's language.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        labels: Option<ChallengeLabels>,
    },
    /// The form's height in CSS pixels.
    Resize {
        /// The height.
        height: f64,
    },
    /// The form needs a client secret; `client-secret-response` answers.
    RequestClientSecret,
    /// The shopper pressed Enter in a form that is ready: the parent, whose pay button it is, may submit now.
    SubmitRequested,
    /// What the form holds has changed; no digit of it is in here.
    Change {
        /// The card's brand: "visa". Empty while it is not known.
        brand: String,
        /// Whether every field is complete and valid.
        complete: bool,
        /// Whether nothing is filled in.
        empty: bool,
        /// The errors that are shown: field identifiers and error ids.
        errors: BTreeMap<String, String>,
        /// The fields that the form asks for, by their identifiers.
        fields: BTreeMap<String, FieldSummary>,
    },
    /// The answer to `page-change`.
    PageChanged {
        /// Whether the form shows the change. If not, it is as it was before.
        success: bool,
    },
    /// Something happened at a field; never contains what was typed.
    FieldAction {
        /// What happened, with the fields of its kind.
        action: FieldAction,
        /// The field's identifier: `card-number`.
        field: String,
    },
}

/// Why a submission ended without a card being tried; stable, for programs. What to do about each stands with the SDK's
/// `CardformErrorCode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum FormErrorCode {
    /// The parent was asked for a client secret and gave none.
    ClientSecretUnavailable,
    /// The client secret was good and has expired.
    ClientSecretExpired,
    /// The client secret is malformed, or not signed by this service.
    ClientSecretInvalid,
    /// The client secret is of another charge, shopper or merchant than the payload.
    ClientSecretForeign,
    /// The merchant canceled the charge.
    ChargeCanceled,
    /// The charge's time ran out.
    ChargeExpired,
    /// The saved card has expired or was removed.
    PaymentMethodNotFound,
    /// Too many cards were tried in a short time.
    TooManyTries,
    /// The browser has no connection; nothing was sent.
    Offline,
    /// The answer was lost, and the server has since said that no card was tried.
    ConnectionLost,
    /// The server refused the request for another reason.
    RequestRefused,
}

/// Why the page inside the frame cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum LoadErrorCode {
    /// The server answered with an error page because of what the address holds: the payload, or the path.
    PayloadRefused,
    /// The server could not make the page now.
    PageUnavailable,
    /// The page's script failed while it took the page over.
    ScriptFailed,
}

/// Texts for the dialog of a 3-D Secure challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChallengeLabels {
    /// The dialog's title.
    pub title: String,
    /// Its close button.
    pub close: String,
    /// The button that opens the challenge in a window of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub new_window: Option<String>,
}

/// A field without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldSummary {
    /// Whether it is complete and valid.
    pub complete: bool,
    /// Whether it is empty.
    pub empty: bool,
}

/// What can happen at a field (docs/messages.md#field-actions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
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

/// What the parent tells the form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromParent {
    /// Pay now. The form decides at this moment whether it is ready, and says so if it is not.
    SubmitReady {
        /// The bearer token to pay with; without one the form asks for it.
        client_secret: Option<String>,
    },
    /// The shopper tried to pay while the form was not ready: show what is missing.
    SubmitNotReady,
    /// Change the language.
    LanguageChange {
        /// One of the locales: `fr-FR`.
        locale: String,
    },
    /// Collect device data now.
    DeviceDataInitiate {
        /// The bearer token to do it with.
        client_secret: String,
    },
    /// The answer to `request-client-secret`.
    ClientSecretResponse {
        /// The bearer token.
        client_secret: String,
    },
    /// Change the page in place; what is typed stays. `page-changed` answers. The charge is read again, too: its merchant
    /// may have changed it.
    PageChange {
        /// A new payload of the same charge, instead of the address's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        payload: Option<String>,
        /// JSON of all options, as in the page's address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        options: Option<String>,
        /// JSON of the theme, as in the page's address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        custom_style: Option<String>,
    },
    /// Move the focus to a field.
    FieldFocus {
        /// The field's identifier: `card-number`.
        field: String,
    },
    /// Empty the fields. Prefilled texts come back.
    FieldsClear,
    /// Disable the form, or enable it again.
    FormDisable {
        /// Whether it is disabled.
        disabled: bool,
    },
    /// The shopper has come back from what `shopper_action` asked for: ask how it ended.
    ShopperActionReturned,
    /// The shopper closed what `shopper_action` asked for, without finishing it.
    ShopperActionClosed,
}
