//! `form/generated/wire.ts`: the shapes of the `protocol` crate.

use std::fmt::Write;

use ts_rs::{Config, TS};

/// Writes the declarations of these shapes, in this order.
macro_rules! declare {
    ($out:ident, $config:ident, $($shape:ident)+) => {
        $(declare_one::<protocol::$shape>(&mut $out, &$config);)+
    };
}

/// The whole file.
pub(super) fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let mut out = String::from("import type { BrandName, ErrorId } from \"./rules.ts\";\n");
    declare! {
        out, config,

        ChargeIntent ChargeStatus ShopperAction ShopperCharge PaidCard CreateCharge CreatedCharge
        ChargeMode CaptureMethod ThreeDsRequest ScaExemption SaveCardUsage

        NetworkLookup NumberNetworks NetworkRange ShownAgreement OperationKind OperationStatus
        DisputeStatus CardChecks ThreeDsResult PaidWith ProviderView DeclineView RefundSummary
        DisputeView ChargeView Sensitive DirectCharge ShopperAgent FraudMetadata DeviceMetadata Setting

        CardSettings Tax PaymentMethod PaymentMethodType Card CardKey Shopper PartnerCustomData
        DirectChargeAnswer DeclineBody SavedCardList SavedCardItem SavedCard RemoveSavedCard
        DeviceDataSession ClientSecretClaims

        OperatorRole OperatorView OperatorCharge OperatorChargeList OperatorAct OperatorStory
        AttemptInStory OperationInStory WebhookInStory StoryMoment OperatorActRequest AuditPage
        AuditEntry

        ErrorBody ErrorDetail ErrorCode

        FromForm FromParent FormErrorCode LoadErrorCode Embedding Embeds ChallengeLabels FieldAction
        FieldSummary

        EventBatch EventRecord Event EventKind EventValue EventNamespace EventMetadata Tracking
        ExperimentationMode

        Page PageContext LocaleStrategy ServiceAddress FormPage PageUpdate Payee ErrorPage ByCountry
        ShowPostalCode FormOptions Variant Contrast ColorMode ThemeReport RepairedColor Features

        VisitStep Report VisitReport Funnel NamedCount NamedFunnel ExperimentReport VariationReport
        Conversion ChargeReport ReportSource ReportDatabase PeriodBefore Money ChargeBucket
        ChargeOutcomes NamedCharges QueueLengths Assignment FraudScript
    }
    write_constants(&mut out);
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
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
