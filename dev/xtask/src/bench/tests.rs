use super::*;

#[test]
fn measurements_are_asked_for_by_their_names() {
    let names = |words: &[&str]| {
        let found = named(&words.iter().map(OsString::from).collect::<Vec<_>>())?;
        Ok::<_, Failure>(found.into_iter().map(|(name, _)| name).collect::<Vec<_>>())
    };
    assert_eq!(
        names(&[]).unwrap(),
        [
            "sizes",
            "document",
            "typing",
            "waiting",
            "lighthouse",
            "charges",
            "pages"
        ]
    );
    assert_eq!(names(&["typing", "sizes"]).unwrap(), ["typing", "sizes"]);
    assert!(names(&["speed"]).is_err());
}
