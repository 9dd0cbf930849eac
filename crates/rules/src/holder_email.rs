//! The cardholder's email: a local part, an at sign, and a domain with a top-level part (docs/rules.md#email).

use crate::letters::is_letter;
use crate::limits::{HOLDER_EMAIL_LENGTH_MAX, HOLDER_EMAIL_TOP_LEVEL_LENGTH_MIN};
use crate::{ErrorId, Verdict};

/// The characters allowed before the at sign besides letters, digits and single dots: the rest of RFC 5322's `atext`.
pub const LOCAL_PUNCTUATION: &str = "!#$%&'*+/=?^_`{|}~-";

/// Checks an email. Letters of every script are valid on both sides of the at sign. Quoted local parts and IP addresses
/// are refused, because people do not have such emails.
pub fn verdict(text: &str) -> Verdict {
    if text.is_empty() {
        Verdict::Empty(ErrorId::CardHolderEmailEmpty)
    } else if text.chars().count() > HOLDER_EMAIL_LENGTH_MAX
        || text.matches('@').count() > 1
        || !text.chars().all(|c| matches!(c, '@' | '.') || is_local(c))
    {
        Verdict::Wrong(ErrorId::CardHolderEmailInvalid)
    } else if text
        .split_once('@')
        .is_some_and(|(local, domain)| is_local_part(local) && is_domain(domain))
    {
        Verdict::Valid
    } else {
        Verdict::Incomplete(ErrorId::CardHolderEmailInvalid)
    }
}

fn is_local_part(local: &str) -> bool {
    local
        .split('.')
        .all(|part| !part.is_empty() && part.chars().all(is_local))
}

fn is_domain(domain: &str) -> bool {
    domain
        .rsplit_once('.')
        .is_some_and(|(rest, top)| is_top_level(top) && rest.split('.').all(is_label))
}

/// Letters, or letters in punycode: xn--p1ai.
fn is_top_level(label: &str) -> bool {
    (label.chars().count() >= HOLDER_EMAIL_TOP_LEVEL_LENGTH_MIN && label.chars().all(is_letter))
        || (label
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
            && is_label(label))
}

fn is_label(label: &str) -> bool {
    !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .chars()
            .all(|c| is_letter(c) || c.is_ascii_digit() || c == '-')
}

fn is_local(c: char) -> bool {
    is_letter(c) || c.is_ascii_digit() || LOCAL_PUNCTUATION.contains(c)
}
