//! What the doctor finds, each with a stable code.

use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Shoppers cannot pay, or cards and keys are at risk.
    Error,
    /// It works, and should be put right.
    Warning,
}

impl Severity {
    /// As it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// Its kind, which never changes its meaning.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// What was found. It has no secret, and of addresses neither query nor password.
    pub what: String,
    /// Why that is wrong.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

/// What was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedCheck {
    /// What was not looked at.
    pub what: &'static str,
    /// Why not.
    pub why: &'static str,
}

/// Everything that was found.
#[derive(Debug, Default, Serialize)]
pub struct Diagnosis {
    /// What is wrong.
    pub findings: Vec<DoctorFinding>,
    /// What was not looked at.
    pub skipped: Vec<SkippedCheck>,
}

impl Diagnosis {
    pub(super) fn add(&mut self, code: FindingCode, what: impl Into<String>) {
        let (severity, why, fix) = code.explained();
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

    pub(super) fn skip(&mut self, what: &'static str, why: &'static str) {
        self.skipped.push(SkippedCheck { what, why });
    }

    /// Adds that the settings cannot be used.
    pub fn add_broken_settings(&mut self, why: String) {
        self.add(FindingCode::SettingsInvalid, why);
    }

    /// How many findings are errors.
    pub fn errors(&self) -> usize {
        let is_error = |finding: &&DoctorFinding| finding.severity == Severity::Error;
        self.findings.iter().filter(is_error).count()
    }
}

/// Makes the enum of codes, with severity, reason and remedy of each.
macro_rules! codes {
    ($($name:ident, $text:literal, $severity:ident, $why:literal, $fix:literal;)+) => {
        /// The kinds of findings.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[allow(missing_docs, reason = "each code's reason and remedy are below")]
        pub enum FindingCode {
            $($name,)+
        }

        impl FindingCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            fn explained(self) -> (Severity, &'static str, &'static str) {
                match self { $(Self::$name => (Severity::$severity, $why, $fix)),+ }
            }
        }
    };
}

codes! {
    SettingsInvalid, "settings_invalid", Error,
        "The service does not start with these settings.",
        "Correct the setting that is named.";
    ProviderMissing, "provider_missing", Error,
        "The service does not start without a provider.",
        "Set provider_url (--provider-url URL, CARDFORM_PROVIDER_URL).";
    ProviderUnreachable, "provider_unreachable", Error,
        "Nobody can pay while the provider does not answer.",
        "Check provider_url, the name's addresses and the firewall from this machine.";
    ProviderPlain, "provider_plain", Error,
        "Card numbers would cross a network without encryption.",
        "Use an https URL as provider_url.";
    ClockSkew, "clock_skew", Error,
        "Client secrets, signatures of webhooks and certificates are valid for a time; with a wrong clock they are refused.",
        "Let the clocks follow a time server (systemd-timesyncd, chrony), on the machine that is wrong.";
    DatabaseUnreachable, "database_unreachable", Error,
        "Without the database nobody can pay.",
        "Check the database's URL, that its server runs, and the firewall from this machine.";
    DatabaseMissing, "database_missing", Error,
        "There is no database of Cardform at this place.",
        "Run `cardform migrate` to make one, or name another with --database.";
    DatabasePlain, "database_plain", Error,
        "The connection to PostgreSQL on another machine may be plain TCP, and everybody on the way reads charges and emails.",
        "End the database's URL with ?sslmode=verify-full (and &sslrootcert=FILE for a root of your own).";
    DatabaseUnverified, "database_unverified", Warning,
        "The connection to PostgreSQL is encrypted, but nobody checks that it is the right server.",
        "End the database's URL with ?sslmode=verify-full (and &sslrootcert=FILE for a root of your own).";
    TablesOlder, "tables_older", Warning,
        "This version has tables or columns that the database does not have yet.",
        "Run `cardform migrate`; a node of this version does it, too, when it starts.";
    TablesNewer, "tables_newer", Warning,
        "A newer version has changed the tables. This one still serves them, but the next one may not.",
        "Bring all nodes to the newer version.";
    TablesTooNew, "tables_too_new", Error,
        "A newer version has changed the tables, or another program made them; this version does not start on them.",
        "Use the version that changed them.";
    KeyFileOpen, "key_file_open", Error,
        "Other users of this machine can read or replace the key.",
        "chmod 600, and give the file to the service's user.";
    KafkaPlain, "kafka_plain", Warning,
        "Events go to Kafka on another machine over plain TCP.",
        "Set kafka_tls.";
    ClientIpUnknown, "client_ip_unknown", Warning,
        "A proxy stands before the service, and every shopper seems to come from the proxy: no limit per address counts.",
        "Set client_ip_header, and client_ip_proxies.";
    PublicUrlNotHttps, "public_url_not_https", Error,
        "Cards would be typed into a page that anybody on the way can change.",
        "Serve it over https, and set public_url to the https address.";
    PublicUrlDiffers, "public_url_differs", Error,
        "The addresses in charges and in the way back from banks lead to public_url, not here.",
        "Set public_url to the origin at which shoppers reach the service.";
    CertificateUnusable, "certificate_unusable", Error,
        "The service cannot speak https with these files.",
        "Check tls_certificate and tls_key: PEM, the server's certificate first, and its own key.";
    CertificateEnds, "certificate_ends", Warning,
        "When the certificate ends, browsers show a warning instead of the form.",
        "Renew it now, and let a program renew it from then on.";
    CertificateRefused, "certificate_refused", Error,
        "Browsers show a warning instead of the form: the certificate is over, is for another name, or its issuer is not known.",
        "Install a certificate for this name, with the certificates up to its root.";
    ServiceUnreachable, "service_unreachable", Error,
        "Shoppers do not reach it either, if they use the same way.",
        "Check that the service runs, its address, and what stands before it.";
    NotCardform, "not_cardform", Error,
        "Something else answers at this address, or a proxy sends the request elsewhere.",
        "Let the proxy hand all paths of this host to the service, unchanged.";
    NotReady, "not_ready", Error,
        "The service runs and cannot take payments.",
        "Do what the reason asks for; the service's log has more.";
    OtherVersion, "other_version", Warning,
        "This program knows another version's settings, tables and files, so the rest may be judged wrongly.",
        "Use the doctor of the version that runs.";
    PolicyMissing, "policy_missing", Error,
        "Without its own policy, every page may put the form into a frame, and any script may run in it.",
        "Let the proxy pass content-security-policy as it comes, with frame-ancestors.";
    HeaderChanged, "header_changed", Error,
        "These headers protect the page and keep caches from storing it.",
        "Let the proxy neither remove nor set headers of the service's answers.";
    PageCached, "page_cached", Error,
        "A cache between here and the service stores pages: one shopper may get another one's.",
        "Switch the cache off for the service's host, or let it follow cache-control.";
    PageRewritten, "page_rewritten", Error,
        "What arrives is not what the service serves, so scripts are refused by the browser, or are not ours.",
        "Switch off what changes pages and scripts: minifying, adding scripts, replacing addresses.";
    AuthorizationDropped, "authorization_dropped", Error,
        "The service cannot see who pays, and refuses every payment.",
        "Let the proxy pass the header Authorization.";
    IdempotencyKeyDropped, "idempotency_key_dropped", Error,
        "A request that is sent again after a lost answer makes a second charge.",
        "Let the proxy pass the header Idempotency-Key.";
    PartnerIdDropped, "partner_id_dropped", Error,
        "The form names its merchant with it; without it the service refuses every payment.",
        "Let the proxy pass the header partner-id.";
    CookieIdDropped, "cookie_id_dropped", Warning,
        "A payment is not counted for the shopper who saw an experiment, so its figures are wrong.",
        "Let the proxy pass the header cookie-id.";
    PayloadRefused, "payload_refused", Error,
        "The form does not show for it: it was cut off, changed, or is of another installation.",
        "Use the payload of POST /v1/charges of this service, unchanged and encoded for a URL.";
    ClientSecretExpired, "client_secret_expired", Error,
        "Nobody can pay with it any more.",
        "Get a new one: POST /v1/charges/{id}/client-secret.";
    ClientSecretRefused, "client_secret_refused", Error,
        "It is not a client secret of this service.",
        "Use the one that this service answered; test and live systems each have their own.";
    PageUnreachable, "page_unreachable", Error,
        "What is in the page cannot be looked at.",
        "Give the address of a page that this machine can fetch without a login.";
    PageNotHttps, "page_not_https", Error,
        "Anybody on the way can change the page, and put another form in place of ours.",
        "Serve the page over https.";
    MixedContent, "mixed_content", Error,
        "Browsers load nothing over http into a page that came over https.",
        "Use the https address of Cardform in the page.";
    OriginNotAllowed, "origin_not_allowed", Error,
        "The merchant has a list of origins, and the page's is not on it: the browser does not show the frame.",
        "Ask the operator: cardform merchant set --partner-id ID --allowed-origin ORIGIN.";
    PageBlocksFrame, "page_blocks_frame", Error,
        "The page's own policy forbids the form's frame.",
        "Add the origin of Cardform to frame-src (or child-src, default-src) of the page's content-security-policy.";
    PageBlocksScript, "page_blocks_script", Error,
        "The page's own policy forbids the SDK's script.",
        "Add the origin of Cardform to script-src of the page's content-security-policy, or a nonce.";
    PageBlocksConnect, "page_blocks_connect", Warning,
        "The SDK cannot ask why a form does not appear, so its message to the shopper and to you is less exact.",
        "Add the origin of Cardform to connect-src of the page's content-security-policy.";
    FrameBlocked, "frame_blocked", Error,
        "x-frame-options keeps every merchant's page from showing the form. Cardform does not send it: something in between does.",
        "Take x-frame-options out of the proxy's answers; frame-ancestors of the policy says who may embed the form.";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/doctor.md has a row for each code, with its severity.
    #[test]
    fn every_code_is_in_the_docs() {
        let docs = include_str!("../../../../docs/doctor.md");
        for code in FindingCode::ALL {
            let (severity, ..) = code.explained();
            let row = format!("| `{}` | {} |", code.as_str(), severity.as_str());
            assert!(docs.contains(&row), "{row}");
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
