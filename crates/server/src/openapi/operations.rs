//! Every operation below `/v1`; each is defined in its handler's file. A test compares the list with `routes.rs`.

use crate::callers::client_ip;
use crate::charges::cancel_charge;
use crate::charges::cancel_shopper_action;
use crate::charges::card_key;
use crate::charges::change_charge;
use crate::charges::create_charge;
use crate::charges::create_client_secret;
use crate::charges::direct_charge;
use crate::charges::get_charge;
use crate::charges::initiate_device_data;
use crate::charges::shopper_charge;
use crate::experiments::experiment_token;
use crate::experiments::features;
use crate::operation::Operation;
use crate::pages::embedding;
use crate::pages::return_from_challenge;
use crate::saved_cards::list_payment_methods;
use crate::saved_cards::remove_payment_method;

/// First the operations for merchants' servers, then those for the page.
pub static OPERATIONS: &[Operation] = &[
    create_charge::OPERATION,
    get_charge::OPERATION,
    change_charge::OPERATION,
    create_client_secret::OPERATION,
    cancel_charge::OPERATION,
    direct_charge::OPERATION,
    shopper_charge::OPERATION,
    cancel_shopper_action::OPERATION,
    return_from_challenge::OPERATION,
    return_from_challenge::OPERATION_BY_POST,
    list_payment_methods::OPERATION,
    remove_payment_method::OPERATION,
    initiate_device_data::OPERATION,
    card_key::OPERATION,
    client_ip::OPERATION,
    embedding::OPERATION,
    features::OPERATION,
    experiment_token::OPERATION,
];
