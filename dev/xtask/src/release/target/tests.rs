use super::*;

#[test]
fn a_target_without_its_standard_library_gets_the_remedy() {
    let target = Target {
        triple: "s390x-unknown-linux-gnu",
        machine: "s390x",
        ..TARGETS[1]
    };
    assert_eq!(
        target.can_be_built(&crate::root()).unwrap_err().to_string(),
        "the compiler's standard library for the target is missing: `rustup target add s390x-unknown-linux-gnu`"
    );
}

#[test]
fn versions_of_glibc_are_numbers() {
    assert_eq!(glibc_version("GLIBC_2.34"), Some((2, 34)));
    assert_eq!(glibc_version("GLIBC_2.2.5"), Some((2, 2)));
    for other in ["GLIBC_PRIVATE", "GCC_3.0", "GLIBC_2.x"] {
        assert_eq!(glibc_version(other), None, "{other}");
    }
    assert!(glibc_version("GLIBC_2.9") < glibc_version("GLIBC_2.34"));
}
