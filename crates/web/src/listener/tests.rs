use super::*;

#[tokio::test]
async fn an_accepted_connection_sends_without_waiting_for_the_client() {
    let listener = bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap());
    let (_client, accepted) = tokio::join!(client, listener.accept());
    assert!(accepted.unwrap().0.nodelay().unwrap());
}
