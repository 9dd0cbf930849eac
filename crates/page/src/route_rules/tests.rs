//! Route rules: which are accepted, and where they lead.

use super::*;

fn rule(redirect: &str) -> RouteRule {
    RouteRule {
        redirect: redirect.into(),
        status: 302,
        external: false,
    }
}

fn rules(given: &[(&str, RouteRule)]) -> Result<RouteRules, RuleError> {
    RouteRules::checked(
        given
            .iter()
            .map(|(pattern, rule)| ((*pattern).to_owned(), rule.clone()))
            .collect(),
    )
}

fn leads_to(rules: &RouteRules, path: &str) -> Option<String> {
    rules.redirect(path).map(|redirect| redirect.to)
}

#[test]
fn the_most_specific_redirect_rule_is_used() {
    let rules = rules(&[
        ("/old", rule("/exact")),
        ("/old/*", rule("/part")),
        ("/old/**", rule("/below")),
        ("/old/deep/**", rule("/new/**")),
    ])
    .unwrap();
    for (path, to) in [
        ("/old", Some("/exact")),
        ("/old/", Some("/exact")),
        ("/old/a", Some("/part")),
        ("/old/a/b", Some("/below")),
        ("/old/deep/a/b", Some("/new/a/b")),
        ("/older", None),
        ("/", None),
        ("", None),
    ] {
        assert_eq!(leads_to(&rules, path).as_deref(), to, "{path}");
    }
}

#[test]
fn the_rest_of_a_path_leads_to_no_other_site() {
    let rules = rules(&[("/old/**", rule("/**")), ("/deep/**", rule("/new/**"))]).unwrap();
    for (path, to) in [
        ("/old//evil.example", "/evil.example"),
        ("/old/\\evil.example", "/evil.example"),
        ("/old/\\//\\evil.example", "/evil.example"),
        ("/old", "/"),
        ("/deep", "/new"),
        ("/deep/a//b", "/new/a//b"),
    ] {
        assert_eq!(leads_to(&rules, path).as_deref(), Some(to), "{path}");
    }
}

#[test]
fn a_redirect_to_another_site_needs_external() {
    let elsewhere = RouteRule {
        external: true,
        ..rule("https://help.example/cards")
    };
    let outside = rules(&[("/help", elsewhere.clone())]).unwrap();
    assert_eq!(
        outside.redirect("/help"),
        Some(PathRedirect {
            to: "https://help.example/cards".into(),
            status: StatusCode::FOUND,
            external: true
        })
    );
    let unsaid = RouteRule {
        external: false,
        ..elsewhere
    };
    assert_eq!(rules(&[("/help", unsaid)]), Err(RuleError::External));
    for target in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "//evil.example",
        "/\\evil.example",
        "java\nscript:x",
        "nowhere",
        "",
    ] {
        let rule = RouteRule {
            external: true,
            ..rule(target)
        };
        assert_eq!(rules(&[("/help", rule)]), Err(RuleError::Target), "{target}");
    }
}

#[test]
fn patterns_and_statuses_are_checked() {
    for pattern in ["old", "/old/**/x", "/*/x", ""] {
        assert_eq!(
            rules(&[(pattern, rule("/"))]),
            Err(RuleError::Pattern),
            "{pattern}"
        );
    }
    let not_a_redirect = RouteRule {
        status: 200,
        ..rule("/")
    };
    assert_eq!(rules(&[("/old", not_a_redirect)]), Err(RuleError::Status));
}

#[test]
fn the_manifest_groups_rules_by_their_kind_of_pattern() {
    let rules = rules(&[("/a", rule("/")), ("/b/*", rule("/")), ("/c/**", rule("/"))]).unwrap();
    let told = serde_json::to_value(rules.matcher()).unwrap();
    assert_eq!(told["static"]["/a"]["redirect"], "/");
    assert_eq!(told["dynamic"]["/b"]["status"], 302);
    assert_eq!(told["wildcard"]["/c"]["external"], false);
}
