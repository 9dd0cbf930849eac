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
        wire::ChallengeLabels,
        wire::FieldAction,
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
        wire::FormPage,
        wire::ErrorPage,
        wire::FormOptions,
        wire::Variant,
        wire::ColorMode,
        wire::ThemeReport,
        wire::RepairedColor,
        wire::Features,
    );
    write!(
        out,
        "\n/** `source` of every message. */\nexport const MESSAGE_SOURCE = \"{}\";\n\
         \n/** `version` of every message. */\nexport const MESSAGE_VERSION = {};\n",
        wire::MESSAGE_SOURCE,
        wire::MESSAGE_VERSION
    )
    .expect("writing to a string");
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
}

fn declare_one<T: TS + 'static>(out: &mut String, config: &Config) {
    let docs = T::docs().unwrap_or_default();
    writeln!(out, "\n{docs}export {}", T::decl(config)).expect("writing to a string");
}
