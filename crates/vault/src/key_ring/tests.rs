use super::*;

fn line(id: &str) -> String {
    generate_key(id).unwrap().to_string()
}

fn refused(text: &str) -> KeyRingError {
    KeyRing::parse(text).map(|_| ()).unwrap_err()
}

#[test]
fn the_first_key_is_active_and_all_are_known() {
    let ring = KeyRing::parse(&format!(
        "# ours\n{}\n\n  {} {}\n",
        line("b"),
        line("a"),
        line("c")
    ))
    .unwrap();
    assert_eq!(ring.active_id(), "b");
    assert!(ring.knows("a") && ring.knows("b") && ring.knows("c") && !ring.knows("d"));
    assert_eq!(
        format!("{ring:?}"),
        r#"KeyRing { active: "b", others: ["a", "c"] }"#
    );
}

#[test]
fn an_invalid_key_ring_is_refused_and_not_repeated() {
    let good = line("a");
    assert_eq!(refused(""), KeyRingError::Empty);
    assert_eq!(refused("# nothing\n"), KeyRingError::Empty);
    assert_eq!(refused(&format!("{good}\n{good}")), KeyRingError::Twice(2));
    for wrong in [
        "a".to_owned(),
        ":".to_owned(),
        "a:".to_owned(),
        "a:c2hvcnQ=".to_owned(),
        good.replace("a:", ":"),
        good.replace("a:", "ä:"),
        good.replace("a:", &format!("{}:", "a".repeat(33))),
        format!("{good}AAAA"),
        format!("a:{}", STANDARD.encode([7_u8; 33])),
        format!("a:{}", STANDARD.encode([7_u8; 36])),
        format!("a:{}", STANDARD.encode([7_u8; 3_000])),
    ] {
        assert_eq!(refused(&wrong), KeyRingError::Malformed(1), "{wrong}");
    }
    let many: Vec<_> = (0..=KEYS_MAX).map(|n| line(&format!("k{n}"))).collect();
    assert_eq!(refused(&many.join("\n")), KeyRingError::TooMany);
}

#[test]
fn generated_keys_differ() {
    assert_ne!(line("a"), line("a"));
}
