//! Reads the number and the security code of a card, sealed or plain. The client secret is checked before a sealed
//! card is opened, and the card's rules after it.

use protocol::{Card, ClientSecretClaims, ErrorCode, Sensitive};
use vault::{SEALED_CARD_BYTES_MAX, SealedCard};

use super::state::Charges;
use web::ApiError;

const SEALED: &str = "payment_method.card.sealed";
const SECURITY_CODE: &str = rules::Field::SecurityCode.names().request[0];

/// Puts the number and the security code into the card as they were typed. A card that was sealed for another charge,
/// another client secret or a key that has ended is a 422; so is a plain card if only sealed ones are accepted.
pub(super) async fn open_card(
    charges: &Charges,
    claims: &ClientSecretClaims,
    card: &mut Card,
) -> Result<(), ApiError> {
    let Some(sealed) = card.sealed.take() else {
        if !charges.settings.accept_plain_cards {
            let message = "This service takes sealed cards only; see docs/sealed-cards.md.";
            return Err(ApiError::new(ErrorCode::PlainCardRefused, message).at("payment_method.card"));
        }
        if card.security_code.is_none() {
            return Err(ApiError::invalid(SECURITY_CODE, "This field is required."));
        }
        charges.counts.card("plain");
        return Ok(());
    };
    if card.number.is_some() || card.security_code.is_some() {
        let message = "Send the number and the security code sealed or plain, not both.";
        return Err(ApiError::invalid(SEALED, message));
    }
    if sealed.len() > SEALED_CARD_BYTES_MAX {
        return Err(ApiError::invalid(SEALED, "This field is too long."));
    }
    let parsed = SealedCard::parse(&sealed).map_err(|_| {
        ApiError::invalid(
            SEALED,
            "This must be a compact JWE with ECDH-ES over P-256 and A256GCM; see docs/sealed-cards.md.",
        )
    })?;
    let key = charges.signing_keys.key(parsed.key_id()).await?;
    let key = key.ok_or_else(unusable)?;
    let fields = parsed
        .open(key.cards(), &claims.charge_id, &claims.jti)
        .map_err(|_| unusable())?;
    card.number = fields.number.map(|number| Sensitive::new(number.to_string()));
    card.security_code = Some(Sensitive::new(fields.security_code.to_string()));
    charges.counts.card("sealed");
    Ok(())
}

fn unusable() -> ApiError {
    ApiError::new(
        ErrorCode::SealedCardUnusable,
        "The sealed card cannot be opened: it was sealed for another charge or client secret, or for a key that has ended. \
         Seal it anew with the key of GET /v1/pub/card-key.",
    )
    .at(SEALED)
}
