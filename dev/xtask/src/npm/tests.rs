use super::*;

#[test]
fn an_unreachable_registry_is_the_reason_given() {
    let output = "npm warn something\nnpm error code ECONNREFUSED\nnpm error syscall connect\n\
                  npm error errno ECONNREFUSED\nnpm error FetchError: request to http://registry/vite failed\n\
                  npm error     at ClientRequest.<anonymous> (index.js:130:14)\nnpm error\n\
                  npm error If you are behind a proxy, please make sure\n";
    assert_eq!(
        reason(output),
        "FetchError: request to http://registry/vite failed"
    );
    assert_eq!(reason(""), "npm gave no reason");
}
