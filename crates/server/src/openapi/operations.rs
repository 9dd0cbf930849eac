//! Every operation below `/v1`; each is defined in its handler's file. A test compares the list with `routes.rs`.

use crate::pages::embedding;
use crate::pages::return_from_challenge;
use experiments::experiment_token;
use experiments::features;
use merchants::callers::client_ip;
use payments::charges::cancel_charge;
use payments::charges::cancel_shopper_action;
use payments::charges::card_key;
use payments::charges::change_charge;
use payments::charges::create_charge;
use payments::charges::create_client_secret;
use payments::charges::direct_charge;
use payments::charges::get_charge;
use payments::charges::initiate_device_data;
use payments::charges::list_charges;
use payments::charges::list_events;
use payments::charges::look_up_networks;
use payments::charges::open_link;
use payments::charges::pay_charge;
use payments::charges::resend_event;
use payments::charges::shopper_charge;
use payments::operations::{capture_charge, create_refund, get_refund, list_disputes, list_refunds};
use payments::saved_cards::add_card;
use payments::saved_cards::change_payment_method;
use payments::saved_cards::create_card_session;
use payments::saved_cards::list_payment_methods;
use payments::saved_cards::remove_payment_method;
use payments::saved_cards::{erase_shopper, merchant_cards};
use web::Operation;
use webhooks::endpoints::change_webhook_endpoint;
use webhooks::endpoints::create_webhook_endpoint;
use webhooks::endpoints::get_webhook_endpoint;
use webhooks::endpoints::list_webhook_endpoints;
use webhooks::endpoints::remove_webhook_endpoint;

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
