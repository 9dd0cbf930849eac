use super::*;
use crate::ErrorId;

#[test]
fn each_field_has_its_own_row() {
    assert_eq!(Field::ALL.map(|field| field.names().field), Field::ALL);
}

#[test]
fn each_error_id_belongs_to_one_field() {
    for id in ErrorId::ALL {
        let owners = TABLE.iter().filter(|row| id.as_str().starts_with(row.errors));
        assert_eq!(owners.count(), 1, "{}", id.as_str());
    }
}
