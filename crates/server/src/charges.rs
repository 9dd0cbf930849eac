//! Charges: their states, the endpoints around them, and the road of a card from the page to the provider, exactly
//! once. One file per endpoint, named as the endpoint is.

pub mod cancel_charge;
pub mod cancel_shopper_action;
pub mod card_key;
pub mod create_charge;
pub mod create_client_secret;
pub mod direct_charge;
pub mod get_charge;
pub mod initiate_device_data;
pub mod return_from_challenge;
pub mod shopper_charge;

pub(crate) mod active_partners;
pub mod attempt_limits;
pub mod authentication;
pub mod card_check;
pub mod charge_rules;
pub mod client_secret;
pub mod direct_charge_limits;
pub mod expiry;
pub mod outcome;
pub mod payload_signature;
pub mod press;
mod provider_call;
pub mod reconciler;
pub(crate) mod return_looks;
mod sealed_card;
pub mod shopper_action;
