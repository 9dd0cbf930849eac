//! Reads a provider's answer, up to a limit.

use reqwest::Response;

/// The largest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The largest list that is read, in bytes.
const LIST_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The answer's body; empty if the connection breaks or the answer is too large.
pub(super) async fn read(answer: Response) -> Vec<u8> {
    read_up_to(ANSWER_BYTES_MAX, answer).await
}

/// The same for a page of a list.
pub(super) async fn read_list(answer: Response) -> Vec<u8> {
    read_up_to(LIST_BYTES_MAX, answer).await
}

async fn read_up_to(bytes_max: usize, mut answer: Response) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= bytes_max => body.extend_from_slice(&chunk),
            Ok(None) => return body,
            Ok(Some(_)) | Err(_) => return Vec::new(),
        }
    }
}
