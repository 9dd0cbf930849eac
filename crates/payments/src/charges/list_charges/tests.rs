use protocol::limits::TEXT_CHARACTERS_MAX;

use super::*;

#[test]
fn a_table_is_sent_only_if_it_is_asked_for() {
    let asked = |accept: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        accepts_csv(&headers)
    };
    assert!(asked("text/csv") && asked("application/json;q=0.5, Text/CSV; q=1"));
    assert!(!asked("*/*") && !asked("text/*") && !asked("application/json"));
    assert!(!accepts_csv(&HeaderMap::new()));
}

#[test]
fn a_filter_of_the_query_is_refused_by_its_name() {
    let read = |query: &str| ListQuery::read(Some(query), PARAMETERS).and_then(|query| filter_of(&query));
    let long = format!("shopper_id={}", "a".repeat(TEXT_CHARACTERS_MAX + 1));
    for query in [
        "created_from=yesterday",
        "created_to=2026-07-15T00:00:00",
        "status=paid",
        "partner_reference=",
        "partner_reference=%00",
        "provider_reference=%0a",
        "last_four=42",
        "last_four=424%CC",
        "decline_code=no",
        &long,
    ] {
        let error = read(query).err().unwrap_or_else(|| panic!("{query}"));
        let name = query.split('=').next();
        assert_eq!(error.detail().field.as_deref(), name, "{query}");
    }
    let filter = read("created_from=2026-07-15T02:00:00%2B02:00&status=failed&last_four=0042").unwrap();
    assert_eq!(filter.created_from, Some(1_784_073_600_000));
    assert_eq!(filter.status, Some(ChargeStatus::Failed));
    assert_eq!(filter.last_four.as_deref(), Some("0042"));
}
