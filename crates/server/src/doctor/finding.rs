//! The findings of the doctor, each with a stable code.

use serde::{Deserialize, Serialize};

use crate::evidence::SkippedCheck;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Shoppers cannot pay, or cards and keys are at risk.
    Error,
    /// It works, and should be corrected.
    Warning,
}

impl Severity {
    /// The word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// Its kind, which never changes its meaning.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// The fact. It has no secret, and of addresses neither query nor password.
    pub what: String,
    /// Why it is wrong.
    pub why: &'static str,
    /// The remedy.
    pub fix: &'static str,
}

/// The doctor's result.
#[derive(Debug, Default, Serialize)]
pub struct Diagnosis {
    /// The mistakes.
    pub findings: Vec<DoctorFinding>,
    /// The checks that were not made.
    pub skipped: Vec<SkippedCheck>,
}

impl Diagnosis {
    /// Adds a finding, once.
    pub(crate) fn add(&mut self, code: FindingCode, what: impl Into<String>) {
        let (severity, why, fix) = code.explained().unwrap_or((Severity::Error, "", ""));
        let finding = DoctorFinding {
            code,
            severity,
            what: what.into(),
            why,
            fix,
        };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    pub(super) fn skip(&mut self, what: &'static str, why: &str) {
        let why = why.to_owned();
        self.skipped.push(SkippedCheck { what, why });
    }

    /// How many findings are errors.
    pub fn errors(&self) -> usize {
        let is_error = |finding: &&DoctorFinding| finding.severity == Severity::Error;
        self.findings.iter().filter(is_error).count()
    }
}

/// The findings' severities, reasons and remedies, one row of a table per code.
const DOCS: &str = include_str!("../../../../docs/doctor.md");
/// The heading after the table. The next table has the codes of the script for merchants' pages.
const NEXT_TABLE: &str = "## In your page";

/// The kinds of findings. docs/doctor.md has a row for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs/doctor.md explains each")]
pub enum FindingCode {
    SettingsInvalid,
    TestMode,
    ProviderMissing,
    ProviderUnreachable,
    ProviderPlain,
    ClockSkew,
    DatabaseUnreachable,
    DatabaseMissing,
    DatabasePlain,
    DatabaseUnverified,
    TablesOlder,
    TablesNewer,
    TablesTooNew,
    KeyFileOpen,
    KafkaPlain,
    ClientIpUnknown,
    PublicUrlNotHttps,
    PublicUrlDiffers,
    CertificateUnusable,
    CertificateEnds,
    CertificateRefused,
    ServiceUnreachable,
    NotCardform,
    NotReady,
    OtherVersion,
    PolicyMissing,
    HeaderChanged,
    PageCached,
    PageRewritten,
    AuthorizationDropped,
    IdempotencyKeyDropped,
    PartnerIdDropped,
    CookieIdDropped,
    PayloadRefused,
    ClientSecretExpired,
    ClientSecretRefused,
    PageUnreachable,
    PageNotHttps,
    MixedContent,
    OriginNotAllowed,
    PageSandboxed,
    FrameSandboxed,
    FrameBlocked,
}

impl FindingCode {
    /// The code in the output.
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        name.as_str().unwrap_or_default().to_owned()
    }

    /// Severity, reason and remedy, from the docs.
    fn explained(self) -> Option<(Severity, &'static str, &'static str)> {
        let (table, _) = DOCS.split_once(NEXT_TABLE)?;
        let start = format!("| `{}` | ", self.name());
        let row = table.lines().find_map(|line| line.strip_prefix(&start))?;
        let mut cells = row.trim_end_matches(" |").split(" | ");
        let severity = match cells.next()? {
            "error" => Severity::Error,
            _ => Severity::Warning,
        };
        Some((severity, cells.next()?, cells.next()?))
    }
}

#[cfg(test)]
mod tests;
