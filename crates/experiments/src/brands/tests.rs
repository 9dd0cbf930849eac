use serde_json::json;

use super::*;

#[test]
fn brands_of_a_list_or_object_are_sorted_as_in_the_table() {
    for value in [
        json!(["jcb", "visa", "jcb", "solo"]),
        json!([{"name": "jcb"}, {"name": "visa"}, {"image": "x.svg"}, 7]),
        json!({"jcb": true, "visa": {"image": "v.svg"}, "maestro": false, "elo": 0, "solo": true}),
        json!({"brands": ["visa", "jcb"], "elo": true}),
    ] {
        assert_eq!(available_brands(&value), [Brand::Visa, Brand::Jcb], "{value}");
    }
    assert_eq!(available_brands(&json!(["hipper"])), [Brand::Hipercard]);
}

#[test]
fn a_value_without_a_brand_gives_the_default_brands() {
    for value in [
        json!(true),
        json!(null),
        json!([]),
        json!({}),
        json!(["solo"]),
        json!("visa"),
        json!(3),
    ] {
        assert_eq!(available_brands(&value), DEFAULT_AVAILABLE, "{value}");
    }
}
