//! The names that values have outside of this program: on the wire, in the database and in the page.

use crate::{
    CaptureMethod, ChargeStatus, ColorMode, DeclineCode, DisputeStatus, MerchantPaymentReason, OperationKind,
    OperationStatus, SaveCardUsage, ScaExemption, ThreeDsRequest,
};

macro_rules! named {
    ($($value:ty),*) => {
        $(impl $value {
            /// The name on the wire, in the database and in the page.
            pub fn as_str(self) -> &'static str {
                self.into()
            }
        })*
    };
}

named!(
    CaptureMethod,
    ChargeStatus,
    ColorMode,
    DeclineCode,
    DisputeStatus,
    MerchantPaymentReason,
    OperationKind,
    OperationStatus,
    SaveCardUsage,
    ScaExemption,
    ThreeDsRequest
);
