use super::*;

#[test]
fn device_data_need_a_valid_token_and_six_digits() {
    let sessions = Sessions::default();
    let token = sessions.begin("ch_1".into(), 1_000);
    assert_eq!(sessions.collect(&token, "42424", 1_000), None);
    assert_eq!(sessions.collect(&token, "42424x", 1_000), None);
    assert_eq!(sessions.collect("not.a.token", "424242", 1_000), None);
    assert_eq!(
        sessions.collect(&token, "424242", 1_000 + TOKEN_SECONDS + 1),
        None
    );
    let foreign = Sessions::default().begin("ch_1".into(), 1_000);
    assert_eq!(sessions.collect(&foreign, "424242", 1_000), None);
    let id = sessions.collect(&token, "424242", 1_000).unwrap();
    sessions.paid(&id, "pay_1");
    assert_eq!(
        sessions.all(),
        [Session {
            session_id: id,
            charge_id: "ch_1".into(),
            first_six: Some("424242".into()),
            paid_with: Some("pay_1".into()),
        }]
    );
}
