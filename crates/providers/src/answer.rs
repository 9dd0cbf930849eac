//! Reads a provider's answer, up to a limit.

use reqwest::Response;

/// The largest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The answer's body; empty if the connection breaks or the answer is too large.
pub(super) async fn read(mut answer: Response) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= ANSWER_BYTES_MAX => body.extend_from_slice(&chunk),
            Ok(None) => return body,
            Ok(Some(_)) | Err(_) => return Vec::new(),
        }
    }
}
