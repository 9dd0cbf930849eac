use super::*;

fn page(times: &[i64], next: Option<i64>) -> ChargePage {
    let id = |at: i64| format!("ch_{at:03}");
    ChargePage {
        charges: times
            .iter()
            .map(|at| Charge::unknown(id(*at), "partner-1".into(), *at))
            .collect(),
        next: next.map(|at| ListPosition {
            created_at: at,
            id: id(at),
        }),
    }
}

fn times(page: &ChargePage) -> Vec<i64> {
    page.charges.iter().map(|charge| charge.created_at).collect()
}

#[test]
fn lists_are_merged_up_to_where_all_are_read() {
    let found = merged(vec![page(&[90, 70], Some(70)), page(&[80, 60, 10], None)], 3);
    assert_eq!(times(&found), [90, 80, 70]);
    assert_eq!(found.next.unwrap().created_at, 70);
    // A list that found nothing in all that it looked at.
    let found = merged(vec![page(&[], Some(85)), page(&[90, 80], None)], 3);
    assert_eq!((times(&found), found.next.unwrap().created_at), (vec![90], 85));
}

#[test]
fn a_charge_of_two_lists_is_found_once() {
    let found = merged(vec![page(&[90, 80], None), page(&[90, 70], None)], 3);
    assert_eq!((times(&found), found.next), (vec![90, 80, 70], None));
}

#[test]
fn a_full_page_goes_on_behind_its_last_charge() {
    let found = merged(vec![page(&[90, 80], None), page(&[85, 70], None)], 3);
    assert_eq!(
        (times(&found), found.next.unwrap().created_at),
        (vec![90, 85, 80], 80)
    );
}
