use super::*;

#[test]
fn owners_of_files_count_where_root_is_the_hosts_root() {
    // On the host, and with systemd's PrivateUsers.
    assert!(has_hosts_root("         0          0 4294967295\n"));
    assert!(has_hosts_root(
        "         0          0          1\n       997        997          1\n"
    ));
    // In containers with users of their own.
    assert!(!has_hosts_root(
        "         0       1000          1\n         1     100000      65536\n"
    ));
    assert!(!has_hosts_root("         0     100000      65536\n"));
}
