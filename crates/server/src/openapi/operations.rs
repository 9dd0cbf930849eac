//! The table of operations: every method of every path below `/v1`, as `routes.rs` serves them. A test holds the two
//! together.

use schemars::SchemaGenerator;
use wire::{
    CardKey, ChargeView, CreateCharge, CreatedCharge, DeclineBody, DeviceDataSession, DirectCharge,
    DirectChargeAnswer, Embedding, ErrorCode, ExperimentToken, RemoveSavedCard, SavedCardList, ShopperCharge,
};

use super::operation::{Answer, Caller, Content, Operation};
use super::parameters::{
    COOKIE_ID, FRAME_PAYLOAD, IDEMPOTENCY_KEY, PAGE_NUMBER, PAGE_SIZE, PAYLOAD, PRESS_KEY, SHOPPER_COOKIE_ID,
};

/// Merchants' operations first, then the page's.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        method: "POST",
        path: "/v1/charges",
        id: "create_charge",
        summary: "Create a charge",
        description: "The answer has what your page needs, `payload` and `client_secret`, and `url`, the payment page of \
            its own. Send an `Idempotency-Key`: a repeated request with the same key and body gets the same answer for \
            24 hours.",
        caller: Caller::Merchant,
        parameters: &[IDEMPOTENCY_KEY],
        request: Some(SchemaGenerator::subschema_for::<CreateCharge>),
        answers: &[Answer {
            status: 201,
            description: "The charge.",
            content: Content::Json(SchemaGenerator::subschema_for::<CreatedCharge>),
        }],
        errors: &[
            ErrorCode::InvalidAmount,
            ErrorCode::IdempotencyConflict,
            ErrorCode::MerchantInactive,
        ],
    },
    Operation {
        method: "GET",
        path: "/v1/charges/{id}",
        id: "get_charge",
        summary: "Get a charge",
        description: "The truth about a charge. Deliver when its `status` is `succeeded`, not because a page says so.",
        caller: Caller::Merchant,
        parameters: &[],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "The charge.",
            content: Content::Json(SchemaGenerator::subschema_for::<ChargeView>),
        }],
        errors: &[ErrorCode::ChargeNotFound],
    },
    Operation {
        method: "POST",
        path: "/v1/charges/{id}/client-secret",
        id: "create_client_secret",
        summary: "Get a new client secret",
        description: "For a shopper who comes back after the first one expired. Earlier ones stay good until they expire.",
        caller: Caller::Merchant,
        parameters: &[],
        request: None,
        answers: &[Answer {
            status: 201,
            description: "The charge, with its present status and a new client secret.",
            content: Content::Json(SchemaGenerator::subschema_for::<CreatedCharge>),
        }],
        errors: &[ErrorCode::ChargeNotFound, ErrorCode::MerchantInactive],
    },
    Operation {
        method: "POST",
        path: "/v1/charges/{id}/cancel",
        id: "cancel_charge",
        summary: "Cancel a charge",
        description: "Nobody can pay the charge from then on. Canceling it again answers the same. A charge that is paid or \
            expired stays as it is, and so does one whose card is with the provider at this moment: ask again.",
        caller: Caller::Merchant,
        parameters: &[],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "The canceled charge.",
            content: Content::Json(SchemaGenerator::subschema_for::<ChargeView>),
        }],
        errors: &[ErrorCode::ChargeNotFound, ErrorCode::ChargeNotCancelable],
    },
    Operation {
        method: "POST",
        path: "/v1/pub/direct/charges",
        id: "direct_charge",
        summary: "Pay a charge",
        description: "For the form's page. With a new card, or with a saved one and its security code. A charge is paid at \
            most once, however often this is called.",
        caller: Caller::PayingShopper,
        parameters: &[COOKIE_ID, PRESS_KEY],
        request: Some(SchemaGenerator::subschema_for::<DirectCharge>),
        answers: &[
            Answer {
                status: 201,
                description: "The card was taken: paid, or on its way, or waiting for the shopper.",
                content: Content::Json(SchemaGenerator::subschema_for::<DirectChargeAnswer>),
            },
            Answer {
                status: 402,
                description: "The card was declined. Another one can be tried.",
                content: Content::Json(SchemaGenerator::subschema_for::<DeclineBody>),
            },
        ],
        errors: &[
            ErrorCode::ChargeMismatch,
            ErrorCode::MerchantInactive,
            ErrorCode::ChargeNotFound,
            ErrorCode::PaymentMethodNotFound,
            ErrorCode::ChargeNotPayable,
            ErrorCode::InvalidCard,
            ErrorCode::SealedCardUnusable,
            ErrorCode::PlainCardRefused,
            ErrorCode::TooManyRequests,
            ErrorCode::Unavailable,
        ],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/charges/{charge_id}",
        id: "shopper_charge",
        summary: "See where a charge stands",
        description: "For the form's page, after the shopper did what was asked.",
        caller: Caller::Shopper,
        parameters: &[],
        request: None,
        answers: &[SHOPPER_CHARGE],
        errors: &[ErrorCode::ChargeMismatch, ErrorCode::ChargeNotFound],
    },
    Operation {
        method: "POST",
        path: "/v1/pub/charges/{charge_id}/cancel-shopper-action",
        id: "cancel_shopper_action",
        summary: "Give up a challenge",
        description: "For the form's page: the shopper closed the challenge, and may try another card. The charge that is \
            answered can be paid all the same, when the challenge was passed just before.",
        caller: Caller::Shopper,
        parameters: &[],
        request: None,
        answers: &[SHOPPER_CHARGE],
        errors: &[
            ErrorCode::ChargeMismatch,
            ErrorCode::ChargeNotFound,
            ErrorCode::Unavailable,
        ],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/charges/{charge_id}/return",
        id: "return_from_challenge",
        summary: "Come back from a challenge",
        description: "Banks lead the shopper here. Nothing that the address says is believed.",
        caller: Caller::Anyone,
        parameters: &[],
        request: None,
        answers: &[RETURN_PAGE],
        errors: &[ErrorCode::ChargeNotFound],
    },
    Operation {
        method: "POST",
        path: "/v1/pub/charges/{charge_id}/return",
        id: "return_from_challenge_by_post",
        summary: "Come back from a challenge by POST",
        description: "As with GET; what is posted is not read.",
        caller: Caller::Anyone,
        parameters: &[],
        request: None,
        answers: &[RETURN_PAGE],
        errors: &[ErrorCode::ChargeNotFound],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/shoppers/{shopper_id}/payment-methods",
        id: "list_payment_methods",
        summary: "List saved cards",
        description: "For the form's page: the cards of the client secret's own shopper, the newest first.",
        caller: Caller::Shopper,
        parameters: &[PAGE_SIZE, PAGE_NUMBER],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "A page of the list, empty after the last card.",
            content: Content::Json(SchemaGenerator::subschema_for::<SavedCardList>),
        }],
        errors: &[
            ErrorCode::ChargeMismatch,
            ErrorCode::SavedCardsNotOffered,
            ErrorCode::ChargeNotFound,
        ],
    },
    Operation {
        method: "DELETE",
        path: "/v1/pub/payment-methods/{payment_method_id}",
        id: "remove_payment_method",
        summary: "Remove a saved card",
        description: "For the form's page. The key of the card's number is destroyed with it.",
        caller: Caller::Shopper,
        parameters: &[],
        request: Some(SchemaGenerator::subschema_for::<RemoveSavedCard>),
        answers: &[Answer {
            status: 204,
            description: "The card is gone.",
            content: Content::Nothing,
        }],
        errors: &[
            ErrorCode::ChargeMismatch,
            ErrorCode::SavedCardsNotOffered,
            ErrorCode::ChargeNotFound,
            ErrorCode::PaymentMethodNotFound,
        ],
    },
    Operation {
        method: "POST",
        path: "/v1/pub/device-data/initiate",
        id: "initiate_device_data",
        summary: "Start collecting device data",
        description: "For the form's page. Without device data to be had the answer is `{}`, and the charge goes on.",
        caller: Caller::Shopper,
        parameters: &[],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "Where to collect, and with what; or neither.",
            content: Content::Json(SchemaGenerator::subschema_for::<DeviceDataSession>),
        }],
        errors: &[],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/card-key",
        id: "card_key",
        summary: "Get the key that cards are sealed for",
        description: "For whoever sends cards without the form's page: number and security code sealed for this key are what \
            `payment_method.card.sealed` takes. The key turns; ask for it before each charge.",
        caller: Caller::Anyone,
        parameters: &[],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "A public key as a JSON Web Key.",
            content: Content::Json(SchemaGenerator::subschema_for::<CardKey>),
        }],
        errors: &[],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/ip",
        id: "client_ip",
        summary: "Get one's own address",
        description: "For the form's page: the address that the request came from.",
        caller: Caller::Anyone,
        parameters: &[],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "An IPv4 or IPv6 address.",
            content: Content::Text("text/plain; charset=utf-8"),
        }],
        errors: &[],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/embedding",
        id: "embedding",
        summary: "Find out why a form does not show itself",
        description: "For the SDK, when its frame stays silent: whether a page of the origin that asks may show the form of \
            this payload. It says no more than `frame-ancestors` does.",
        caller: Caller::Anyone,
        parameters: &[FRAME_PAYLOAD],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "What the browser does with the frame.",
            content: Content::Json(SchemaGenerator::subschema_for::<Embedding>),
        }],
        errors: &[],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/features",
        id: "features",
        summary: "Get the features document",
        description: "For pages hosted elsewhere: what decides the form's experiments, as GrowthBook's SDKs read it. An \
            encrypted document stays encrypted. Send `if-none-match`.",
        caller: Caller::Anyone,
        parameters: &[],
        request: None,
        answers: &[
            Answer {
                status: 200,
                description: "`status`, `features` or `encryptedFeatures`, and what they need.",
                content: Content::Json(
                    SchemaGenerator::subschema_for::<serde_json::Map<String, serde_json::Value>>,
                ),
            },
            Answer {
                status: 304,
                description: "It is the one that you have.",
                content: Content::Nothing,
            },
        ],
        errors: &[],
    },
    Operation {
        method: "GET",
        path: "/v1/pub/experiment-token",
        id: "experiment_token",
        summary: "Get what the form assigns to a shopper, signed",
        description: "For pages hosted elsewhere. The claims of `token` are `sub`, the shopper's cookie id, `features` and \
            `experiments`. For 15 minutes it can be handed to the form as its option `experiment_token`, which then goes on \
            as the same shopper. It opens nothing.",
        caller: Caller::Anyone,
        parameters: &[SHOPPER_COOKIE_ID, PAYLOAD],
        request: None,
        answers: &[Answer {
            status: 200,
            description: "The token.",
            content: Content::Json(SchemaGenerator::subschema_for::<ExperimentToken>),
        }],
        errors: &[],
    },
];

const SHOPPER_CHARGE: Answer = Answer {
    status: 200,
    description: "The charge, as its shopper may see it.",
    content: Content::Json(SchemaGenerator::subschema_for::<ShopperCharge>),
};

const RETURN_PAGE: Answer = Answer {
    status: 200,
    description: "A page that tells the one that shows it that the challenge is over.",
    content: Content::Text("text/html; charset=utf-8"),
};
