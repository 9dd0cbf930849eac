//! The manifests for Kubernetes, and the compose files.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Operations;
use crate::failure::Failure;
use crate::{files, process};

const KUBERNETES: &str = "ops/kubernetes";
/// The compose files, with their services of Cardform.
const COMPOSE: [(&str, [&str; 2]); 3] = [
    ("ops/compose/compose.yaml", ["migrate", "cardform"]),
    ("ops/compose/try.yaml", ["init", "cardform"]),
    ("ops/compose/try-postgresql.yaml", ["init", "cardform"]),
];
const UNIT: &str = "ops/systemd/cardform.service";
/// The oldest Kubernetes that is still maintained, and a new one.
const VERSIONS: [&str; 2] = ["1.30", "1.37"];
/// How long a node ends its payments after `drain_ms`: the default timeout of a provider, and five seconds.
const LAST_PAYMENT_MS: u64 = 35_000;
/// Reads YAML, and writes JSON.
const AS_JSON: &str = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";

pub(super) fn kubernetes_takes_them(operations: &Operations<'_>) -> Result<(), Failure> {
    let manifests = files::list(operations.root, &[KUBERNETES])?;
    if manifests.is_empty() {
        return Err(Failure::unusable(KUBERNETES, "there is no manifest"));
    }
    for version in VERSIONS {
        let mut validate = Command::new(operations.kubernetes_validate);
        validate.current_dir(operations.root);
        validate.args(["--strict", "--kubernetes-version", version]);
        process::run_quietly(validate.args(&manifests))?;
    }
    for name in ["deployment.yaml", "migrate.yaml"] {
        let name = format!("{KUBERNETES}/{name}");
        let pod = &yaml(operations, &name)?["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        for (what, holds) in [
            ("runs as root", pod["securityContext"]["runAsNonRoot"] == true),
            (
                "can write into its image",
                container["securityContext"]["readOnlyRootFilesystem"] == true,
            ),
            (
                "can get more rights",
                container["securityContext"]["allowPrivilegeEscalation"] == false,
            ),
            (
                "has capabilities",
                container["securityContext"]["capabilities"]["drop"][0] == "ALL",
            ),
            (
                "has the cluster's token",
                pod["automountServiceAccountToken"] == false,
            ),
            ("has secrets in its environment", container["env"].is_null()),
        ] {
            if !holds {
                return Err(Failure::unusable(name, what));
            }
        }
    }
    Ok(())
}

pub(super) fn compose_takes_them(operations: &Operations<'_>) -> Result<(), Failure> {
    for (file, names) in COMPOSE {
        let mut compose = Command::new("docker-compose");
        compose.current_dir(operations.root);
        compose.args(["--file", file, "config", "--quiet"]);
        process::run_quietly(&mut compose)?;
        let services = &yaml(operations, file)?["services"];
        for name in names {
            let service = &services[name];
            let is_held = service["read_only"] == true && service["cap_drop"][0] == "ALL";
            if !is_held || service["user"] != "65532:65532" {
                return Err(Failure::unusable(file, format!("{name} may do too much")));
            }
        }
        // PostgreSQL without passwords must be out of reach.
        let postgres = &services["postgres"];
        let trusts = postgres["environment"]["POSTGRES_HOST_AUTH_METHOD"] == "trust";
        let is_out_of_reach =
            postgres["ports"].is_null() && postgres["command"][2] == "listen_addresses=127.0.0.1";
        if trusts && !is_out_of_reach {
            return Err(Failure::unusable(
                file,
                "others reach a PostgreSQL without passwords",
            ));
        }
    }
    Ok(())
}

/// A node that is killed earlier leaves charges whose outcomes another node must find.
pub(super) fn wait_for_payments(operations: &Operations<'_>) -> Result<(), Failure> {
    let settings = read(operations, "ops/cardform.toml")?;
    let drain_ms: u64 = after(&settings, "drain_ms = ")
        .ok_or_else(|| Failure::unusable("ops/cardform.toml", "it has no drain_ms"))?;
    let needed = drain_ms + LAST_PAYMENT_MS;
    let pod = &yaml(operations, "ops/kubernetes/deployment.yaml")?["spec"]["template"]["spec"];
    let compose = yaml(operations, COMPOSE[0].0)?;
    let compose = compose["services"]["cardform"]["stop_grace_period"].as_str();
    let probe = &pod["containers"][0]["readinessProbe"];
    let noticed =
        probe["periodSeconds"].as_u64().unwrap_or(10) * probe["failureThreshold"].as_u64().unwrap_or(3);
    for (who, seconds) in [
        ("Kubernetes", pod["terminationGracePeriodSeconds"].as_u64()),
        (
            "compose",
            compose.and_then(|text| text.strip_suffix('s')?.parse().ok()),
        ),
        ("systemd", after(&read(operations, UNIT)?, "TimeoutStopSec=")),
    ] {
        if seconds.unwrap_or(0) * 1_000 < needed {
            let problem = format!("it waits {seconds:?} s and a node needs {needed} ms");
            return Err(Failure::unusable(who, problem));
        }
    }
    if noticed * 1_000 >= drain_ms {
        let problem = format!("the node is missed after {noticed} s, and closes after {drain_ms} ms");
        return Err(Failure::unusable("the readiness probe", problem));
    }
    Ok(())
}

fn read(operations: &Operations<'_>, name: &str) -> Result<String, Failure> {
    let path = operations.root.join(name);
    std::fs::read_to_string(&path).map_err(Failure::file(&path))
}

/// The number in the line that begins with this.
fn after(text: &str, beginning: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(beginning)?.trim().parse().ok())
}

fn yaml(operations: &Operations<'_>, name: &str) -> Result<Value, Failure> {
    let python = operations.kubernetes_validate.with_file_name("python");
    let mut reader = Command::new(python);
    reader
        .args(["-c", AS_JSON])
        .arg(operations.root.join(Path::new(name)));
    let output = process::capture(&mut reader)?;
    process::expect_success(&reader, output.status)?;
    serde_json::from_slice(&output.stdout).map_err(|cause| Failure::unusable(name, cause.to_string()))
}
