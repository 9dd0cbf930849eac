use super::*;

#[test]
fn sets_of_system_calls_are_opened() {
    let sets = sets_in("@io\n    # Reading and writing\n    read\n    @more\n\n@more\n    writev\n");
    let names: Vec<_> = calls_in(&sets, "@io").into_iter().collect();
    assert_eq!(names, ["read", "writev"]);
    assert_eq!(calls_in(&sets, "prctl"), BTreeSet::from(["prctl".to_owned()]));
}

#[test]
fn the_names_of_system_calls_are_the_last_column() {
    let summary = "% time     seconds  usecs/call     calls    errors syscall\n------ --- --- --- --- ---\n \
                   50.00    0.1     3     9     2 futex\n  1.00    0.1     3     9       read\n100.00  0.2  3  9  2 total\n";
    let names: Vec<_> = names_in(summary).into_iter().collect();
    assert_eq!(names, ["futex", "read"]);
}
