//! `form/generated/wire.ts`: the shapes of the `wire` crate.

use std::fmt::Write;

use ts_rs::{Config, TS};

macro_rules! declare {
    ($out:ident, $config:ident, $($ty:ty),* $(,)?) => {
        $(declare_one::<$ty>(&mut $out, &$config);)*
    };
}

/// The whole file.
pub(super) fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let mut out = String::from("import type { BrandName, ErrorId } from \"./rules.ts\";\n");
    declare!(
        out,
        config,
        wire::ChargeIntent,
        wire::ChargeStatus,
        wire::ShopperAction,
        wire::ShopperCharge,
        wire::PaidCard,
        wire::CreateCharge,
        wire::CreatedCharge,
        wire::ChargeView,
        wire::Sensitive,
        wire::DirectCharge,
        wire::ShopperAgent,
        wire::FraudMetadata,
        wire::DeviceMetadata,
        wire::Setting,
        wire::CardSettings,
        wire::Tax,
        wire::PaymentMethod,
        wire::PaymentMethodType,
        wire::Card,
        wire::CardKey,
        wire::Shopper,
        wire::PartnerCustomData,
        wire::DirectChargeAnswer,
        wire::DeclineBody,
        wire::SavedCardList,
        wire::SavedCardItem,
        wire::SavedCard,
        wire::RemoveSavedCard,
        wire::DeviceDataSession,
        wire::ClientSecretClaims,
        wire::ErrorBody,
        wire::ErrorDetail,
        wire::ErrorCode,
        wire::FromForm,
        wire::FromParent,
        wire::FormErrorCode,
        wire::LoadErrorCode,
        wire::Embedding,
        wire::Embeds,
        wire::ChallengeLabels,
        wire::FieldAction,
        wire::FieldSummary,
        wire::EventBatch,
        wire::EventRecord,
        wire::Event,
        wire::EventKind,
        wire::EventValue,
        wire::EventNamespace,
        wire::EventMetadata,
        wire::Tracking,
        wire::ExperimentationMode,
        wire::Page,
        wire::PageContext,
        wire::LocaleStrategy,
        wire::ServiceAddress,
        wire::FormPage,
        wire::PageUpdate,
        wire::Payee,
        wire::ErrorPage,
        wire::FormOptions,
        wire::Variant,
        wire::ColorMode,
        wire::ThemeReport,
        wire::RepairedColor,
        wire::Features,
        wire::VisitStep,
        wire::Report,
        wire::VisitReport,
        wire::Funnel,
        wire::NamedCount,
        wire::NamedFunnel,
        wire::ExperimentReport,
        wire::VariationReport,
        wire::Conversion,
        wire::ChargeReport,
        wire::ReportSource,
        wire::ReportDatabase,
        wire::PeriodBefore,
        wire::Money,
        wire::ChargeBucket,
        wire::ChargeOutcomes,
        wire::NamedCharges,
        wire::QueueLengths,
        wire::Assignment,
        wire::FraudScript,
    );
    write_constants(&mut out);
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
}

/// Constants of which each has a file of its own, with the file's name: a script loads only those that it uses.
pub(super) fn single_constants() -> [(&'static str, String); 4] {
    let constant = |doc, name, value| format!("/** {doc} */\nexport const {name} = \"{value}\";\n");
    [
        (
            "challenge.ts",
            constant(
                "`source` of the message of the page to which a challenge returns.",
                "CHALLENGE_SOURCE",
                wire::CHALLENGE_SOURCE,
            ),
        ),
        (
            "language-cookie.ts",
            constant(
                "The cookie with the language that the shopper chose.",
                "LANGUAGE_COOKIE",
                wire::LANGUAGE_COOKIE,
            ),
        ),
        (
            "page-update.ts",
            constant(
                "The header with which the form asks for its page anew.",
                "PAGE_UPDATE_HEADER",
                wire::PAGE_UPDATE_HEADER,
            ),
        ),
        (
            "fraud-script.ts",
            constant(
                "The only Trusted Types policy that the page allows.",
                "FRAUD_SCRIPT_POLICY",
                wire::FRAUD_SCRIPT_POLICY,
            ),
        ),
    ]
}

/// Constants that both sides must agree on.
fn write_constants(out: &mut String) {
    write!(
        out,
        "\n/** `source` of every message. */\nexport const MESSAGE_SOURCE = \"{}\";\n\
         \n/** `version` of every message. */\nexport const MESSAGE_VERSION = {};\n",
        wire::MESSAGE_SOURCE,
        wire::MESSAGE_VERSION
    )
    .expect("writing to a string");
    write!(
        out,
        "\n/** `Content-Type` of a batch of events. */\nexport const EVENTS_CONTENT_TYPE = \"{}\";\n\
         \n/** The most events in one batch. */\nexport const EVENTS_PER_BATCH_MAX = {};\n\
         \n/** The longest batch, in bytes: the direct charge must find room beside it. */\n\
         export const EVENT_BATCH_BYTES_MAX = {};\n\
         \n/** The longest text of an event, in characters. */\nexport const EVENT_TEXT_CHARACTERS_MAX = {};\n\
         \n/** The longest address in an event, in characters. */\nexport const EVENT_URL_CHARACTERS_MAX = {};\n\
         \n/** The longest name of a custom event, in characters. */\nexport const EVENT_NAME_CHARACTERS_MAX = {};\n\
         \n/** The most entries in an event's `data`. */\nexport const EVENT_DATA_ENTRIES_MAX = {};\n",
        wire::EVENTS_CONTENT_TYPE,
        wire::EVENTS_PER_BATCH_MAX,
        wire::EVENT_BATCH_BYTES_MAX,
        wire::EVENT_TEXT_CHARACTERS_MAX,
        wire::EVENT_URL_CHARACTERS_MAX,
        wire::EVENT_NAME_CHARACTERS_MAX,
        wire::EVENT_DATA_ENTRIES_MAX,
    )
    .expect("writing to a string");
}

fn declare_one<T: TS + 'static>(out: &mut String, config: &Config) {
    let docs = T::docs().unwrap_or_default();
    writeln!(out, "\n{docs}export {}", T::decl(config)).expect("writing to a string");
}
