use super::*;

#[test]
fn a_limit_is_written_as_it_is_read() {
    for text in ["off", "1/1", "20/3600", "4294967295/86400"] {
        assert_eq!(text.parse::<LimitSetting>().unwrap().to_string(), text);
    }
    for text in [
        "", "on", "0/60", "5/0", "5/86401", "-5/60", "5", "5/60/7", "5 / 60",
    ] {
        assert_eq!(text.parse::<LimitSetting>(), Err(UnusableLimit), "{text}");
    }
}
