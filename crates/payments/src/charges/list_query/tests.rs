use super::*;

fn read(query: &str) -> Result<ListQuery, ApiError> {
    ListQuery::read(Some(query), &[LIMIT_PARAMETER, AFTER_PARAMETER])
}

fn field(error: &ApiError) -> &str {
    error.detail().field.as_deref().unwrap_or_default()
}

#[test]
fn a_parameter_that_is_unknown_or_sent_twice_is_refused_by_its_name() {
    for (query, name) in [
        ("limits=5", "limits"),
        ("limit=5&after=1.a&limit=5", "limit"),
        ("a%22b=1", "query"),
        ("=1", "query"),
    ] {
        let error = read(query).err().unwrap();
        assert_eq!(field(&error), name, "{query}");
    }
}

#[test]
fn a_position_is_read_as_it_was_written() {
    let position = ListPosition {
        created_at: 1_784_116_800_000,
        id: "ch_0".into(),
    };
    let query = read(&format!("after={}", position_text(&position))).unwrap();
    assert_eq!(query.after().unwrap(), Some(position));
    for wrong in [
        "",
        "1",
        "1.",
        ".a",
        "-1.a",
        "+1.a",
        "1.a'b",
        "1.a%00",
        "99999999999999999999.a",
    ] {
        let error = read(&format!("after={wrong}"))
            .and_then(|query| query.after())
            .unwrap_err();
        assert_eq!(field(&error), "after", "{wrong}");
    }
}
