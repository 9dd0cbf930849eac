use super::*;
use serde_json::json;

#[test]
fn an_item_has_the_names_that_the_page_reads() {
    let card = SavedCard {
        id: "card_1".into(),
        payment_method_id: "pm_1".into(),
        first_six: "378282".into(),
        last_four: "0005".into(),
        brand: Some(Brand::AmericanExpress),
        networks: Vec::new(),
        network: None,
        expiration_month: "01".into(),
        expiration_year: "2030".into(),
        nickname: Some("Company".into()),
        default: true,
    };
    let list = SavedCardList {
        items: vec![SavedCardItem { card }],
    };
    assert_eq!(
        serde_json::to_value(list).unwrap(),
        json!({"items": [{"card": {
            "id": "card_1", "payment_method_id": "pm_1", "first_six": "378282", "last_four": "0005",
            "brand": "american-express", "networks": [], "network": null,
            "expiration_month": "01", "expiration_year": "2030", "nickname": "Company", "default": true,
        }}]})
    );
}
