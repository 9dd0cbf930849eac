//! One operation of the API description (`GET /openapi.json`), and the error codes that follow from its caller and
//! parameters.

use protocol::ErrorCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// The schema of a type of `protocol`: `SchemaGenerator::subschema_for::<T>`.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A method on a path.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// In capitals: `POST`.
    pub method: &'static str,
    /// As in `routes.rs`, with parameters in braces: `{id}`.
    pub path: &'static str,
    /// The name of its handler, and of the handler's file.
    pub id: &'static str,
    /// In a few words.
    pub summary: &'static str,
    /// More for the developer who calls it.
    pub description: &'static str,
    /// Its callers.
    pub caller: Caller,
    /// Headers and query parameters.
    pub parameters: &'static [Parameter],
    /// The JSON body.
    pub request: Option<SchemaOf>,
    /// The answers to success and to a declined card.
    pub answers: &'static [DescribedAnswer],
    /// The error codes of this operation alone; [`Operation::error_codes`] adds those that it shares with others.
    pub errors: &'static [ErrorCode],
}

/// The callers of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A merchant's server, with its secret key.
    Merchant,
    /// A shopper's page, with its client secret. The `partner-id` header is optional.
    Shopper,
    /// A shopper's page that pays. The `partner-id` header is required.
    PayingShopper,
    /// Any client; no token is needed.
    Anyone,
}

/// A header or a query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// `header` or `query`.
    pub place: &'static str,
    /// Its name; a header's is in lower case.
    pub name: &'static str,
    /// Whether it is required.
    pub is_required: bool,
    /// What it means.
    pub description: &'static str,
    /// The allowed values.
    pub value: ParameterValue,
}

/// The allowed values of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum ParameterValue {
    /// 1 to 255 visible ASCII characters.
    Token,
    /// A charge's payload.
    Payload,
    /// Any payload. An invalid one is not refused; the answer says why it is invalid.
    FramePayload,
    /// A cookie id.
    CookieId,
    /// 1 to 255 characters, none of them a control character.
    Text,
    /// One of these texts.
    OneOf(fn() -> Vec<String>),
    /// A time, RFC 3339.
    Time,
    /// The `next` of a page of a list.
    Position,
    /// The last four digits of a card number.
    LastFour,
    /// A number from 1 to `max`.
    Number {
        /// The largest value.
        max: u32,
        /// The value when the parameter is left out.
        default: u32,
    },
}

/// An answer that is not an error.
#[derive(Debug, Clone, Copy)]
pub struct DescribedAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What it means.
    pub description: &'static str,
    /// The body.
    pub content: Content,
}

/// The body of an answer.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// JSON of this type.
    Json(SchemaOf),
    /// JSON of this type, or a table if the request accepts `text/csv`.
    JsonOrCsv(SchemaOf),
    /// Text of this media type.
    Text(&'static str),
    /// Nothing.
    Nothing,
}

/// The JSON body of this type, for [`Operation::request`].
pub const fn json_body<T: JsonSchema>() -> Option<SchemaOf> {
    Some(SchemaGenerator::subschema_for::<T>)
}

impl Parameter {
    /// An optional parameter of the query.
    pub const fn query(name: &'static str, description: &'static str, value: ParameterValue) -> Self {
        Self {
            place: "query",
            name,
            is_required: false,
            description,
            value,
        }
    }

    /// An optional header with a token.
    pub const fn header(name: &'static str, description: &'static str) -> Self {
        Self {
            place: "header",
            ..Self::query(name, description, ParameterValue::Token)
        }
    }
}

impl DescribedAnswer {
    /// An answer with JSON of this type.
    pub const fn json<T: JsonSchema>(status: u16, description: &'static str) -> Self {
        Self {
            status,
            description,
            content: Content::Json(SchemaGenerator::subschema_for::<T>),
        }
    }

    /// An answer without a body.
    pub const fn nothing(status: u16, description: &'static str) -> Self {
        Self {
            status,
            description,
            content: Content::Nothing,
        }
    }
}

impl Operation {
    /// A merchant's call with no parameters, body or errors of its own. Operations take from it what they leave out.
    pub const OF_MERCHANT: Self = Self {
        method: "GET",
        path: "",
        id: "",
        summary: "",
        description: "",
        caller: Caller::Merchant,
        parameters: &[],
        request: None,
        answers: &[],
        errors: &[],
    };

    /// Every error code that the operation can answer with, ordered by status.
    pub fn error_codes(&self) -> Vec<ErrorCode> {
        let mut codes = self.errors.to_vec();
        codes.extend(self.caller.error_codes());
        if !self.path_parameters().is_empty() {
            // The answer to a text that cannot be an id.
            codes.push(ErrorCode::NotFound);
        }
        if self.request.is_some() {
            codes.extend([
                ErrorCode::InvalidRequest,
                ErrorCode::PayloadTooLarge,
                ErrorCode::UnsupportedMediaType,
            ]);
        }
        if !self.parameters.is_empty() {
            codes.push(ErrorCode::InvalidRequest);
        }
        codes.push(ErrorCode::Internal);
        codes.sort_by_key(|code| (code.status(), *code as usize));
        codes.dedup();
        codes
    }

    /// The names in the path's braces, in order.
    pub fn path_parameters(&self) -> Vec<&'static str> {
        let parts = self.path.split('/');
        parts
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .collect()
    }
}

impl Caller {
    fn error_codes(self) -> &'static [ErrorCode] {
        match self {
            Self::Merchant => &[ErrorCode::SecretKeyInvalid],
            Self::Shopper | Self::PayingShopper => &[
                ErrorCode::ClientSecretMissing,
                ErrorCode::ClientSecretInvalid,
                ErrorCode::ClientSecretExpired,
                ErrorCode::PartnerMismatch,
            ],
            Self::Anyone => &[],
        }
    }
}
