use super::*;

#[test]
fn two_processes_have_two_hosts_and_neither_is_the_usual_one() {
    assert_eq!(host_of(1), Ipv4Addr::new(127, 128, 0, 1));
    assert_eq!(host_of(0x3f_ffff), Ipv4Addr::new(127, 191, 255, 255));
}

#[test]
fn every_address_of_a_process_can_be_listened_at() {
    let addresses = [own_address().unwrap(), own_address().unwrap()];
    // A program that another test starts has our sockets, too, until it runs.
    let listens = |address| (0..10_000).find_map(|_| TcpListener::bind(address).ok());
    let open = addresses.map(|address| listens(address).unwrap());
    assert_ne!(open[0].local_addr().unwrap(), open[1].local_addr().unwrap());
}
