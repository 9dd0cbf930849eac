use super::*;

#[test]
fn an_answer_is_as_long_as_its_headers_say() {
    let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nx: 1\r\n\r\nbody";
    assert_eq!(answer_bytes(whole).unwrap(), Some(whole.len()));
    assert_eq!(answer_bytes(&whole[..30]).unwrap(), None);
    assert!(answer_bytes(b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\n").is_err());
    assert!(answer_bytes(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
}
