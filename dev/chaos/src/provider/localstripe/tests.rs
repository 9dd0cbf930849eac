use super::*;

#[test]
fn the_port_is_read_once_its_line_is_whole() {
    let line = "======== Running on http://[::]:37849 ========\n(Press CTRL+C to quit)\n";
    assert_eq!(port_of(line), Some(37849));
    assert_eq!(port_of("======== Running on http://[::]:378"), None);
    assert_eq!(port_of(""), None);
}
