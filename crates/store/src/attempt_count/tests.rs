use super::*;

#[test]
fn attempts_are_spread_evenly_over_the_rows_of_a_subject() {
    const PARTS: u8 = 64;
    const ATTEMPTS: u32 = 6_400;
    let mut in_part = [0_u32; PARTS as usize];
    for number in 0..ATTEMPTS {
        let id = protocol::ids::new_id_at(protocol::ids::IdKind::Attempt, i64::from(number));
        in_part[usize::from(part(&id, PARTS))] += 1;
    }
    let (least, most) = (in_part.iter().min().unwrap(), in_part.iter().max().unwrap());
    assert!(*least > 40 && *most < 180, "{in_part:?}");
}
