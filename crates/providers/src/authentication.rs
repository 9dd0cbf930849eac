//! The data for 3-D Secure: the shopper's browser, and the size of the challenge's page.

use protocol::{ScaExemption, ThreeDsRequest};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The data for 3-D Secure: the return URL, and the shopper's browser. The simulator gets it as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    /// Whether the merchant asks for the bank's challenge.
    #[serde(default)]
    pub request: ThreeDsRequest,
    /// The exemption that the merchant asks for.
    #[serde(default)]
    pub exemption: Option<ScaExemption>,
    /// The address that the challenge returns to.
    pub return_url: String,
    /// The size of the challenge's page.
    #[serde(rename = "challenge_window_size")]
    pub challenge_window: ChallengeWindow,
    /// The id of the device data session.
    pub device_session_id: Option<String>,
    /// The shopper's IP address, which the page looked up, or empty.
    pub ip_address: String,
    /// The browser's `User-Agent`.
    pub user_agent: String,
    /// Minutes from the browser's time to UTC.
    pub timezone: i32,
    /// CSS pixels.
    pub screen_width: u32,
    /// CSS pixels.
    pub screen_height: u32,
    /// Bits per pixel.
    pub color_depth: u32,
    /// The browser's `Accept`.
    pub accept_header: String,
    /// The page's language: "en".
    pub language: String,
}

/// The size of a challenge's page in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChallengeWindow {
    /// The width.
    pub width: u32,
    /// The height.
    pub height: u32,
}

/// 390 by 400 pixels (docs/calls.md#fixed-values).
impl Default for ChallengeWindow {
    fn default() -> Self {
        Self {
            width: 390,
            height: 400,
        }
    }
}

impl ChallengeWindow {
    /// The allowed width and height of a challenge's page.
    const SIDES: std::ops::RangeInclusive<u32> = 100..=2_000;

    /// Reads "390x400".
    pub fn parse(text: &str) -> Option<Self> {
        let side = |digits: &str| {
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            let side = digits.parse().ok().filter(|_| is_number)?;
            Self::SIDES.contains(&side).then_some(side)
        };
        let (width, height) = text.split_once('x')?;
        Some(Self {
            width: side(width)?,
            height: side(height)?,
        })
    }
}

impl std::fmt::Display for ChallengeWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// As "390x400".
impl Serialize for ChallengeWindow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A text that is not valid is read as the default size.
impl<'de> Deserialize<'de> for ChallengeWindow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self::parse(&text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
