//! `form/generated/wire.ts`: the shapes of the `protocol` crate.

use std::fmt::Write;

use ts_rs::{Config, TS};

macro_rules! declare {
    ($out:ident, $config:ident, $($ty:ty),* $(,)?) => {
        $(declare_one::<$ty>($out, $config);)*
    };
}

/// The whole file.
pub(super) fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let mut out = String::from("import type { BrandName, ErrorId } from \"./rules.ts\";\n");
    declare_charges(&mut out, &config);
    let (rest, config) = (&mut out, &config);
    declare!(
        rest,
        config,
        protocol::CardSettings,
        protocol::Tax,
        protocol::PaymentMethod,
        protocol::PaymentMethodType,
        protocol::Card,
        protocol::CardKey,
        protocol::Shopper,
        protocol::PartnerCustomData,
        protocol::DirectChargeAnswer,
        protocol::DeclineBody,
        protocol::SavedCardList,
        protocol::SavedCardItem,
        protocol::SavedCard,
        protocol::RemoveSavedCard,
        protocol::DeviceDataSession,
        protocol::ClientSecretClaims,
        protocol::OperatorRole,
        protocol::OperatorView,
        protocol::OperatorCharge,
        protocol::OperatorChargeList,
        protocol::OperatorAct,
        protocol::OperatorStory,
        protocol::AttemptInStory,
        protocol::OperationInStory,
        protocol::WebhookInStory,
        protocol::StoryMoment,
        protocol::OperatorActRequest,
        protocol::AuditPage,
        protocol::AuditEntry,
        protocol::ErrorBody,
        protocol::ErrorDetail,
        protocol::ErrorCode,
        protocol::FromForm,
        protocol::FromParent,
        protocol::FormErrorCode,
        protocol::LoadErrorCode,
        protocol::Embedding,
        protocol::Embeds,
        protocol::ChallengeLabels,
        protocol::FieldAction,
        protocol::FieldSummary,
        protocol::EventBatch,
        protocol::EventRecord,
        protocol::Event,
        protocol::EventKind,
        protocol::EventValue,
        protocol::EventNamespace,
        protocol::EventMetadata,
        protocol::Tracking,
        protocol::ExperimentationMode,
        protocol::Page,
        protocol::PageContext,
        protocol::LocaleStrategy,
        protocol::ServiceAddress,
        protocol::FormPage,
        protocol::PageUpdate,
        protocol::Payee,
        protocol::ErrorPage,
        protocol::ByCountry,
        protocol::ShowPostalCode,
        protocol::FormOptions,
        protocol::Variant,
        protocol::Contrast,
        protocol::ColorMode,
        protocol::ThemeReport,
        protocol::RepairedColor,
        protocol::Features,
        protocol::VisitStep,
        protocol::Report,
        protocol::VisitReport,
        protocol::Funnel,
        protocol::NamedCount,
        protocol::NamedFunnel,
        protocol::ExperimentReport,
        protocol::VariationReport,
        protocol::Conversion,
        protocol::ChargeReport,
        protocol::ReportSource,
        protocol::ReportDatabase,
        protocol::PeriodBefore,
        protocol::Money,
        protocol::ChargeBucket,
        protocol::ChargeOutcomes,
        protocol::NamedCharges,
        protocol::QueueLengths,
        protocol::Assignment,
        protocol::FraudScript,
    );
    write_constants(&mut out);
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
}

/// Charges, and what happens to their money.
fn declare_charges(out: &mut String, config: &Config) {
    declare!(
        out,
        config,
        protocol::ChargeIntent,
        protocol::ChargeStatus,
        protocol::ShopperAction,
        protocol::ShopperCharge,
        protocol::PaidCard,
        protocol::CreateCharge,
        protocol::CreatedCharge,
        protocol::ChargeMode,
        protocol::CaptureMethod,
        protocol::ThreeDsRequest,
        protocol::ScaExemption,
        protocol::SaveCardUsage,
        protocol::NetworkLookup,
        protocol::NumberNetworks,
        protocol::NetworkRange,
        protocol::ShownAgreement,
        protocol::OperationKind,
        protocol::OperationStatus,
        protocol::DisputeStatus,
        protocol::CardChecks,
        protocol::ThreeDsResult,
        protocol::PaidWith,
        protocol::ProviderView,
        protocol::DeclineView,
        protocol::RefundSummary,
        protocol::DisputeView,
        protocol::ChargeView,
        protocol::Sensitive,
        protocol::DirectCharge,
        protocol::ShopperAgent,
        protocol::FraudMetadata,
        protocol::DeviceMetadata,
        protocol::Setting,
    );
}

/// Constants that each have a file of their own, with the file's name, because a script loads only those that it uses.
pub(super) fn single_constants() -> [(&'static str, String); 4] {
    [
        (
            "challenge.ts",
            "`source` of the message of the page to which a challenge returns.",
            "CHALLENGE_SOURCE",
            protocol::CHALLENGE_SOURCE,
        ),
        (
            "language-cookie.ts",
            "The cookie with the language that the shopper chose.",
            "LANGUAGE_COOKIE",
            protocol::LANGUAGE_COOKIE,
        ),
        (
            "page-update.ts",
            "The header with which the form asks for its page anew.",
            "PAGE_UPDATE_HEADER",
            protocol::PAGE_UPDATE_HEADER,
        ),
        (
            "fraud-script.ts",
            "The only Trusted Types policy that the page allows.",
            "FRAUD_SCRIPT_POLICY",
            protocol::FRAUD_SCRIPT_POLICY,
        ),
    ]
    .map(|(file, doc, name, value)| {
        let content = format!("/** {doc} */\nexport const {name} = \"{value}\";\n");
        (file, content)
    })
}

/// Constants that Rust and TypeScript share.
fn write_constants(out: &mut String) {
    write!(
        out,
        "\n/** `source` of every message. */\nexport const MESSAGE_SOURCE = \"{}\";\n\
         \n/** `version` of every message. */\nexport const MESSAGE_VERSION = {};\n\
         \n/** The amount of a charge that saves a card without a payment. */\nexport const SETUP_AMOUNT = \"{}\";\n\
         \n/** The longest nickname of a saved card, in characters. */\nexport const NICKNAME_CHARACTERS_MAX = {};\n",
        protocol::MESSAGE_SOURCE,
        protocol::MESSAGE_VERSION,
        protocol::SETUP_AMOUNT,
        protocol::limits::NICKNAME_CHARACTERS_MAX
    )
    .expect("writing to a string");
}

/// The constants of events, in a file of their own, because only the script that tracks uses them.
pub(super) fn event_constants() -> String {
    format!(
        "/** `Content-Type` of a batch of events. */\nexport const EVENTS_CONTENT_TYPE = \"{}\";\n\
         \n/** The most events in one batch. */\nexport const EVENTS_PER_BATCH_MAX = {};\n\
         \n/** The longest batch, in bytes: the direct charge must find room beside it. */\n\
         export const EVENT_BATCH_BYTES_MAX = {};\n\
         \n/** The longest text of an event, in characters. */\nexport const EVENT_TEXT_CHARACTERS_MAX = {};\n\
         \n/** The longest address in an event, in characters. */\nexport const EVENT_URL_CHARACTERS_MAX = {};\n\
         \n/** The longest name of a custom event, in characters. */\nexport const EVENT_NAME_CHARACTERS_MAX = {};\n\
         \n/** The most entries in an event's `data`. */\nexport const EVENT_DATA_ENTRIES_MAX = {};\n",
        protocol::EVENTS_CONTENT_TYPE,
        protocol::EVENTS_PER_BATCH_MAX,
        protocol::EVENT_BATCH_BYTES_MAX,
        protocol::EVENT_TEXT_CHARACTERS_MAX,
        protocol::EVENT_URL_CHARACTERS_MAX,
        protocol::EVENT_NAME_CHARACTERS_MAX,
        protocol::EVENT_DATA_ENTRIES_MAX,
    )
}

fn declare_one<T: TS + 'static>(out: &mut String, config: &Config) {
    let docs = T::docs().unwrap_or_default();
    writeln!(out, "\n{docs}export {}", T::decl(config)).expect("writing to a string");
}
