//! The chart for Helm. Its templates are the manifests of `ops/kubernetes` with some values replaced, so that both say the
//! same; `ops/helm/values.yaml` has the defaults.

use std::path::Path;

use super::VERSION;
use super::archive::Entry;
use crate::failure::Failure;

/// What is replaced in each manifest. A text that is not there is an error, because the manifest has changed.
const TEMPLATES: [(&str, &[(&str, &str)]); 4] = [
    (
        "deployment.yaml",
        &[
            ("replicas: 3", "replicas: {{ .Values.replicas }}"),
            IMAGE,
            SECRET,
            ("cpu: 500m", "cpu: {{ .Values.cpu }}"),
            ("memory: 192Mi", "memory: {{ .Values.memory }}"),
            ("memory: 512Mi", "memory: {{ .Values.memoryLimit }}"),
        ],
    ),
    ("disruption-budget.yaml", &[]),
    (
        "migrate.yaml",
        &[
            IMAGE,
            SECRET,
            // The database is migrated before the first node of this version starts.
            (
                "  name: cardform-migrate\n",
                "  name: cardform-migrate\n  annotations:\n    helm.sh/hook: pre-install,pre-upgrade\n    \
                 helm.sh/hook-delete-policy: before-hook-creation\n",
            ),
        ],
    ),
    ("service.yaml", &[]),
];
const IMAGE: (&str, &str) = (
    concat!("registry.example/cardform:", env!("CARGO_PKG_VERSION")),
    "{{ .Values.image }}:{{ .Chart.AppVersion }}",
);
const SECRET: (&str, &str) = ("secretName: cardform", "secretName: {{ .Values.secretName }}");

/// The chart's files.
pub(super) fn entries(root: &Path) -> Result<Vec<Entry>, Failure> {
    let text = |path: &str| {
        let path = root.join(path);
        std::fs::read_to_string(&path).map_err(Failure::file(path))
    };
    let mut entries = vec![
        Entry::file("cardform/Chart.yaml", chart()),
        Entry::file("cardform/values.yaml", text("ops/helm/values.yaml")?),
    ];
    for (name, replacements) in TEMPLATES {
        let path = format!("ops/kubernetes/{name}");
        let template = template(&path, text(&path)?, replacements)?;
        entries.push(Entry::file(format!("cardform/templates/{name}"), template));
    }
    Ok(entries)
}

fn chart() -> String {
    format!(
        "apiVersion: v2\nname: cardform\ndescription: Card payment form that you host yourself\ntype: application\n\
         version: {VERSION}\nappVersion: \"{VERSION}\"\n"
    )
}

/// This manifest with replaced values.
pub(super) fn template(
    path: &str,
    mut text: String,
    replacements: &[(&str, &str)],
) -> Result<String, Failure> {
    for (from, to) in replacements {
        if !text.contains(from) {
            return Err(Failure::unusable(path, format!("it has no `{}`", from.trim())));
        }
        text = text.replace(from, to);
    }
    Ok(text)
}
