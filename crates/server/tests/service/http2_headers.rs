//! The length of an answer's headers over HTTP/2. A header in the HPACK table takes one byte or two.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::World;

/// Enough for a value that is new in each answer to push all others out of the 4,096 bytes that both sides remember.
const REQUESTS: u8 = 100;
/// The kind of a frame with headers.
const HEADERS: u8 = 1;

#[tokio::test]
async fn request_ids_do_not_evict_headers_from_the_hpack_table() {
    let world = World::new().await;
    let mut connection = TcpStream::connect(world.service.address).await.unwrap();
    // The preface and empty settings (RFC 9113, 3.4).
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    connection.write_all(preface).await.unwrap();
    let mut lengths = Vec::new();
    for number in 0..REQUESTS {
        // `HEAD /` as stream 1, 3, 5 and so on (RFC 9113, 6.2; RFC 7541, A).
        let mut asked = b"\0\0\x0b\x01\x05\0\0\0".to_vec();
        asked.push(2 * number + 1);
        asked.extend(b"\x02\x04HEAD\x86\x84\x41\x01x");
        connection.write_all(&asked).await.unwrap();
        lengths.push(headers_length(&mut connection).await);
    }
    // The first answer has all headers in full. In later answers only the date may change.
    let longest = lengths[1..].iter().max().unwrap();
    assert!(longest * 3 < lengths[0], "{lengths:?}");
}

/// The bytes of the next frame with headers.
async fn headers_length(connection: &mut TcpStream) -> usize {
    loop {
        let mut head = [0; 9];
        connection.read_exact(&mut head).await.unwrap();
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        connection.read_exact(&mut vec![0; length]).await.unwrap();
        if head[3] == HEADERS {
            return length;
        }
    }
}
