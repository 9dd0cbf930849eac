use super::*;

fn read(size: Option<&str>, number: Option<&str>) -> Option<(i64, i64)> {
    let query = PageQuery {
        page_size: size.map(str::to_owned),
        page_number: number.map(str::to_owned),
    };
    page(&query).ok().map(|page| (page.skip, page.take))
}

#[test]
fn a_page_has_five_entries_by_default() {
    assert_eq!(read(None, None), Some((0, 5)));
    assert_eq!(read(Some("50"), Some("3")), Some((100, 50)));
    assert_eq!(read(Some("1"), Some("1000")), Some((999, 1)));
}

#[test]
fn an_invalid_page_number_or_size_is_refused() {
    for wrong in ["0", "-1", "+5", "", " 5", "1.5", "five", "99999999999999999999"] {
        assert_eq!(read(Some(wrong), None), None, "{wrong}");
        assert_eq!(read(None, Some(wrong)), None, "{wrong}");
    }
    assert_eq!(read(Some("51"), None), None);
    assert_eq!(read(None, Some("1001")), None);
}
