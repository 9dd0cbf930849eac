//! The parameters of operations: headers and the query.

use wire::{SAVED_CARDS_PAGE_SIZE, SAVED_CARDS_PAGE_SIZE_MAX};

use super::operation::{Parameter, Value};
use crate::saved_cards::list_payment_methods::PAGE_NUMBER_MAX;

pub(super) const SHOPPER_COOKIE_ID: Parameter = Parameter {
    place: "query",
    name: "cookie_id",
    is_required: false,
    description: "The shopper's cookie id. Without it the cookie's, which other sites' pages do not send, or a new one.",
    value: Value::CookieId,
};

pub(super) const PAYLOAD: Parameter = Parameter {
    place: "query",
    name: "payload",
    is_required: false,
    description: "The charge that the shopper is to pay, for experiments that look at the charge.",
    value: Value::Payload,
};

pub(super) const FRAME_PAYLOAD: Parameter = Parameter {
    place: "query",
    name: "payload",
    is_required: false,
    description: "What the frame was opened with.",
    value: Value::FramePayload,
};

pub(super) const IDEMPOTENCY_KEY: Parameter = Parameter {
    place: "header",
    name: "idempotency-key",
    is_required: false,
    description: "Your own name of this request, for 24 hours. With another body it is refused.",
    value: Value::Token,
};

pub(super) const PRESS_KEY: Parameter = Parameter {
    place: "header",
    name: "idempotency-key",
    is_required: false,
    description: "One per press of the pay button: a repeated request gets the outcome of the first one. Without it each \
        request is a press of its own.",
    value: Value::Token,
};

pub(super) const COOKIE_ID: Parameter = Parameter {
    place: "header",
    name: "cookie-id",
    is_required: false,
    description: "The id of the experiments' context.",
    value: Value::Token,
};

pub(super) const PAGE_SIZE: Parameter = Parameter {
    place: "query",
    name: "page_size",
    is_required: false,
    description: "How many cards.",
    value: Value::Number {
        max: SAVED_CARDS_PAGE_SIZE_MAX,
        default: SAVED_CARDS_PAGE_SIZE,
    },
};

pub(super) const PAGE_NUMBER: Parameter = Parameter {
    place: "query",
    name: "page_number",
    is_required: false,
    description: "Which page, from 1.",
    value: Value::Number {
        max: PAGE_NUMBER_MAX,
        default: 1,
    },
};
