use super::*;

/// Writes a new certificate. The function that it returns writes the key.
fn renew(files: &TlsFiles) -> impl FnOnce() + '_ {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&files.certificate, made.cert.pem()).unwrap();
    move || std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap()
}

#[test]
fn a_renewal_that_was_read_half_finished_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let files = TlsFiles {
        certificate: dir.path().join("certificate.pem"),
        key: dir.path().join("key.pem"),
    };
    renew(&files)();
    let reloaded = ReloadedCertificate::open(files.clone()).unwrap();
    let used_a_minute_later = || {
        reloaded.state.lock().unwrap().checked_at -= CHECK_INTERVAL;
        reloaded.current().cert.clone()
    };
    let first = used_a_minute_later();
    // The clock of the file system may be too coarse for two changes.
    reloaded.state.lock().unwrap().changed = None;
    let finish = renew(&files);
    assert_eq!(used_a_minute_later(), first, "its key is missing");
    finish();
    let second = used_a_minute_later();
    assert_ne!(second, first);
    assert_eq!(used_a_minute_later(), second);
}
