//! The shapes that the merchant's page, the form, the service and the merchant's server exchange. Also the types that
//! the service's crates share: ids, the clock, the states of a charge, and the events that merchants get. No I/O.
//! `cargo xtask generate` writes the shapes in TypeScript to `form/generated/`.

mod intent;
mod payload;

mod operation;

mod card_networks;
mod card_session;
mod charge;
mod charge_list;
mod decline;
mod device_data;
mod direct_charge;
mod embedding;
mod saved_card;
mod shopper_action;
mod strong_authentication;

mod client_secret;
mod event;
mod experiment;
mod merchant_payment;
mod message;
mod page;
mod theme;
mod topics;

mod operator;
mod report;

mod error;
mod names;
mod sensitive;
mod whole_number;

pub mod limits;
mod patterns;

mod attempt_limit;
pub mod charge_state;
pub mod clock;
pub mod ids;
mod provider_payment;
mod secret_source;

mod webhook_endpoint;
pub mod webhook_event;
pub mod webhook_schedule;

pub use attempt_limit::AttemptLimit;
pub use card_networks::{NetworkLookup, NetworkRange, NumberNetworks};
pub use card_session::{CardSession, CardSessionClaims, CreateCardSession, SESSION_SETUPS_MAX};
pub use charge::{
    CardChecks, ChangeCharge, ChargeMode, ChargeStatus, ChargeView, CreateCharge, CreatedCharge, DeclineView,
    DisputeView, Metadata, OpenedLink, PaidCard, PaidWith, ProviderView, RefundSummary, SETUP_AMOUNT,
    ShopperCharge, ThreeDsResult,
};
pub use charge_list::{ChargeList, EventDelivery, EventList, EventView};
pub use client_secret::ClientSecretClaims;
pub use decline::{Decline, DeclineCode, NextStep};
pub use device_data::DeviceDataSession;
pub use direct_charge::{
    Card, CardKey, CardSettings, DeclineBody, DeviceMetadata, DirectCharge, DirectChargeAnswer,
    FraudMetadata, PartnerCustomData, PaymentMethod, PaymentMethodType, Setting, Shopper, ShopperAgent, Tax,
};
pub use embedding::{Embedding, Embeds};
pub use error::{ErrorBody, ErrorCode, ErrorDetail};
pub use event::{
    EVENT_BATCH_BYTES_MAX, EVENT_DATA_ENTRIES_MAX, EVENT_NAME_CHARACTERS_MAX, EVENT_TEXT_CHARACTERS_MAX,
    EVENT_URL_CHARACTERS_MAX, EVENTS_CONTENT_TYPE, EVENTS_PER_BATCH_MAX, Event, EventBatch, EventData,
    EventKind, EventMetadata, EventNamespace, EventRecord, EventValue, ExperimentationMode, Tracking,
};
pub use experiment::{Assignment, ExperimentToken, ExperimentTokenClaims, Features};
pub use intent::{ChargeIntent, DEFAULT_COUNTRY};
pub use merchant_payment::{MerchantPaymentReason, PayCharge, PaymentInitiator};
pub use message::{
    CHALLENGE_SOURCE, ChallengeLabels, FieldAction, FieldSummary, FormErrorCode, FromForm, FromParent,
    LoadErrorCode, MESSAGE_SOURCE, MESSAGE_VERSION,
};
pub use operation::{
    CaptureCharge, CreateRefund, Dispute, DisputeList, DisputeStatus, OperationKind, OperationStatus,
    ProviderDispute, RefundList, RefundView,
};
pub use operator::{
    AttemptInStory, AuditEntry, AuditPage, OperationInStory, OperatorAct, OperatorActRequest, OperatorCharge,
    OperatorChargeList, OperatorRole, OperatorStory, OperatorView, StoryMoment, WebhookInStory,
};
pub use page::{
    ByCountry, Contrast, ErrorPage, FRAUD_SCRIPT_POLICY, FormOptions, FormPage, FraudScript, LANGUAGE_COOKIE,
    LocaleStrategy, PAGE_UPDATE_HEADER, Page, PageContext, PageUpdate, Payee, ServiceAddress, ShowPostalCode,
    Variant, is_own_text,
};
pub use payload::{PAYLOAD_BYTES_MAX, Payload, PayloadError, PayloadSignature};
pub use provider_payment::{
    Approval, AttemptOutcome, CaptureMethod, ChargeDescription, DeclineReason, Hold, KeptCard, ListedPayment,
    PaymentFacts,
};
pub use report::{
    ChargeBucket, ChargeOutcomes, ChargeReport, Conversion, ExperimentReport, Funnel, Money, NamedCharges,
    NamedCount, NamedFunnel, PeriodBefore, QueueLengths, Report, ReportDatabase, ReportSource,
    VariationReport, VisitReport, VisitStep,
};
pub use saved_card::{
    AgreementView, ChangeSavedCard, ErasedShopper, MerchantCard, MerchantCardList, RemoveSavedCard,
    SAVED_CARDS_PAGE_SIZE, SAVED_CARDS_PAGE_SIZE_MAX, SaveCardUsage, SavedCard, SavedCardItem, SavedCardList,
    ShownAgreement,
};
pub use secret_source::SecretSource;
pub use sensitive::Sensitive;
pub use shopper_action::ShopperAction;
pub use strong_authentication::{ScaExemption, ThreeDsRequest};
pub use theme::{ColorMode, RepairedColor, ThemeReport};
pub use topics::{ProduceAnswer, ProduceError, RecordErrorCode, RecordOffset};
pub use webhook_endpoint::{
    ChangeWebhookEndpoint, CreateWebhookEndpoint, WEBHOOK_ENDPOINTS_MAX, WebhookEndpointView,
    WebhookEndpoints,
};
