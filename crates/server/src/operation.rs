//! What the description says of one operation, and what follows from who calls it and what it takes.

use schemars::{Schema, SchemaGenerator};
use wire::ErrorCode;

/// The schema of a type of `wire`: `SchemaGenerator::subschema_for::<T>`.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A method on a path.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// In capitals.
    pub method: &'static str,
    /// As `routes.rs` has it, with `{…}` for what varies.
    pub path: &'static str,
    /// Its handler's name, and its file's.
    pub id: &'static str,
    /// In a few words.
    pub summary: &'static str,
    /// What a developer should know before calling it.
    pub description: &'static str,
    /// Who may call it.
    pub caller: Caller,
    /// Headers and query parameters.
    pub parameters: &'static [Parameter],
    /// The JSON body.
    pub request: Option<SchemaOf>,
    /// What it answers when all is well, or when a card is declined.
    pub answers: &'static [DescribedAnswer],
    /// The error codes that are its own; [`Operation::error_codes`] adds the others.
    pub errors: &'static [ErrorCode],
}

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A merchant's server, with its secret key.
    Merchant,
    /// A shopper's page, with its client secret. It may name its partner.
    Shopper,
    /// A shopper's page that pays: it must name its partner.
    PayingShopper,
    /// Whoever has the address.
    Anyone,
}

/// A header or a query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// `header` or `query`.
    pub place: &'static str,
    /// Its name, headers in small letters.
    pub name: &'static str,
    /// Whether it must be there.
    pub is_required: bool,
    /// What it means.
    pub description: &'static str,
    /// What it may be.
    pub value: ParameterValue,
}

/// What a parameter may be.
#[derive(Debug, Clone, Copy)]
pub enum ParameterValue {
    /// 1 to 255 visible ASCII characters.
    Token,
    /// A charge's payload.
    Payload,
    /// Whatever a frame was opened with; an unusable one is told, not refused.
    FramePayload,
    /// A cookie id.
    CookieId,
    /// A number of `1..=max`, and the one that is meant when there is none.
    Number {
        /// The largest.
        max: u32,
        /// When left out.
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
    /// What is in it.
    pub content: Content,
}

/// What an answer holds.
#[derive(Clone, Copy)]
pub enum Content {
    /// JSON of this type.
    Json(SchemaOf),
    /// Text for people or programs, of this media type.
    Text(&'static str),
    /// Nothing.
    Nothing,
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Json(_) => "Json",
            Self::Text(kind) => kind,
            Self::Nothing => "Nothing",
        })
    }
}

impl Operation {
    /// Every error code that the operation answers with.
    pub fn error_codes(&self) -> Vec<ErrorCode> {
        let mut codes = self.errors.to_vec();
        codes.extend(self.caller.error_codes());
        if !self.path_parameters().is_empty() {
            // What cannot be an id is not a path of ours.
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

    /// The names in the path's braces.
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
