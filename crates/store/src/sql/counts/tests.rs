use super::*;

#[test]
fn an_error_is_counted_by_its_kind() {
    let count = || {
        database_errors()
            .find(|(kind, _)| *kind == "no_connection")
            .unwrap()
            .1
    };
    let before = count();
    count_error(&SqlError::Pool("every connection to the database is in use"));
    // Other tests of this process may count, too.
    assert!(count() > before);
}
