//! Every operation below `/v1`; each is defined in its handler's file. A test compares the list with `routes.rs`.

use crate::pages::embedding;
use crate::pages::return_from_challenge;
use experiments::{experiment_token, features};
use merchants::callers::client_ip;
use payments::charges::{
    cancel_charge, cancel_shopper_action, card_key, change_charge, create_charge, create_client_secret,
    direct_charge, get_charge, initiate_device_data, list_charges, list_events, look_up_networks, open_link,
    pay_charge, resend_event, shopper_charge,
};
use payments::operations::{capture_charge, create_refund, get_refund, list_disputes, list_refunds};
use payments::saved_cards::{
    add_card, change_payment_method, create_card_session, erase_shopper, list_payment_methods,
    merchant_cards, remove_payment_method,
};
use web::Operation;
use webhooks::endpoints::{
    change_webhook_endpoint, create_webhook_endpoint, get_webhook_endpoint, list_webhook_endpoints,
    remove_webhook_endpoint,
};

/// First the operations for merchants' servers, then those for the page.
pub static OPERATIONS: &[Operation] = &[
    create_charge::OPERATION,
    list_charges::OPERATION,
    get_charge::OPERATION,
    change_charge::OPERATION,
    create_client_secret::OPERATION,
    cancel_charge::OPERATION,
    pay_charge::OPERATION,
    capture_charge::OPERATION,
    create_refund::OPERATION,
    list_refunds::OPERATION,
    get_refund::OPERATION,
    list_disputes::OPERATION,
    list_events::OPERATION,
    resend_event::OPERATION,
    create_webhook_endpoint::OPERATION,
    list_webhook_endpoints::OPERATION,
    get_webhook_endpoint::OPERATION,
    change_webhook_endpoint::OPERATION,
    remove_webhook_endpoint::OPERATION,
    merchant_cards::LIST,
    merchant_cards::GET,
    merchant_cards::CHANGE,
    merchant_cards::REMOVE,
    erase_shopper::OPERATION,
    create_card_session::OPERATION,
    direct_charge::OPERATION,
    shopper_charge::OPERATION,
    open_link::OPERATION,
    cancel_shopper_action::OPERATION,
    return_from_challenge::OPERATION,
    return_from_challenge::OPERATION_BY_POST,
    list_payment_methods::OPERATION,
    change_payment_method::OPERATION,
    remove_payment_method::OPERATION,
    add_card::OPERATION,
    initiate_device_data::OPERATION,
    look_up_networks::OPERATION,
    card_key::OPERATION,
    client_ip::OPERATION,
    embedding::OPERATION,
    features::OPERATION,
    experiment_token::OPERATION,
];
