//! The webhook endpoints of a merchant in the merchant API.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::limits::{TEXT_CHARACTERS_MAX, URL_BYTES_MAX};
use crate::patterns::{PLAIN, WEB, types_of_events};

/// How many endpoints a merchant can have.
pub const WEBHOOK_ENDPOINTS_MAX: i64 = 16;

/// `POST /v1/webhook-endpoints`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateWebhookEndpoint {
    /// Where events are posted: an https URL.
    #[schemars(length(max = URL_BYTES_MAX), pattern(WEB), example = &"https://shop.example/webhooks")]
    pub url: String,
    /// The types of the events that are sent. Without it, all.
    #[schemars(length(min = 1), transform = types_of_events)]
    pub events: Option<Vec<String>>,
    /// The merchant's words about it.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub description: Option<String>,
}

/// `POST /v1/webhook-endpoints/{id}`: an absent field changes nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeWebhookEndpoint {
    /// Where events are posted: an https URL.
    #[schemars(length(max = URL_BYTES_MAX), pattern(WEB))]
    pub url: Option<String>,
    /// The types of the events that are sent; null for all.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>", length(min = 1), transform = types_of_events)]
    pub events: Option<Option<Vec<String>>>,
    /// The merchant's words about it; null for none.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub description: Option<Option<String>>,
    /// True for a new secret. The former one signs each event, too, for a day.
    #[serde(default)]
    pub new_secret: bool,
}

/// A field that is there, even if it is null.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(field: D) -> Result<Option<T>, D::Error> {
    T::deserialize(field).map(Some)
}

/// A webhook endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebhookEndpointView {
    /// `we_…`.
    pub id: String,
    /// Where events are posted.
    pub url: String,
    /// The types of the events that are sent; null for all.
    pub events: Option<Vec<String>>,
    /// The merchant's words about it.
    pub description: Option<String>,
    /// Created at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// The secret that signs the events, `whsec_…`: only in the answer to the request that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// `GET /v1/webhook-endpoints`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WebhookEndpoints {
    /// The merchant's endpoints, the oldest first.
    pub items: Vec<WebhookEndpointView>,
}
