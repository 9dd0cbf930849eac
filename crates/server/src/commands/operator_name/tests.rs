use super::*;

#[test]
fn a_users_name_is_found_by_its_number() {
    let users = "root:x:0:0:root:/root:/bin/sh\npay:x:1000:1000::/home/pay:/bin/sh\nodd\n";
    assert_eq!(named(users, 1000).as_deref(), Some("pay"));
    assert_eq!(named(users, 0).as_deref(), Some("root"));
    assert_eq!(named(users, 100), None);
}
