//! Charges: their states, their endpoints, and the payment with a card, which takes money at most once. Each endpoint
//! has a file with its name.

pub mod cancel_charge;
pub mod cancel_shopper_action;
pub mod card_key;
pub mod change_charge;
pub mod create_charge;
pub mod create_client_secret;
pub mod direct_charge;
pub mod get_charge;
pub mod initiate_device_data;
pub mod list_charges;
pub mod list_events;
pub mod look_up_networks;
pub mod open_link;
pub mod pay_charge;
pub mod resend_event;
pub mod shopper_charge;

pub mod attempt_limits;
pub mod authentication;
mod call_limit;
pub mod charge_rules;
pub(crate) mod charges_csv;
pub mod counts;
pub mod direct_charge_limits;
pub(crate) mod list_query;
pub mod outcome;
pub mod press;
pub(crate) mod provider_call;
pub mod reconciler;
pub mod recovery;
mod retry_limit;
mod sealed_card;
pub mod settings;
pub mod shopper_action;
mod state;
mod steps;

pub use call_limit::CallLimit;
pub use state::Charges;
