use super::*;

/// The values that the Java client's own test expects.
#[test]
fn a_keys_hash_is_the_same_as_in_kafkas_producers() {
    for (key, hash) in [
        ("21", -973_932_308),
        ("foobar", -790_332_482),
        ("a-little-bit-long-string", -985_981_536),
        ("a-little-bit-longer-string", -1_486_304_829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
        ("abc", 479_470_107),
    ] {
        assert_eq!(murmur2(key.as_bytes()).cast_signed(), hash, "{key}");
    }
}

#[test]
fn records_are_split_into_requests_of_limited_size_in_order() {
    let records = (0..50).map(|place| {
        let record = rskafka::record::Record {
            key: None,
            value: Some(vec![b'x'; 60_000]),
            headers: BTreeMap::new(),
            timestamp: DateTime::default(),
        };
        (place, record)
    });
    let pieces = pieces(records.collect());
    assert!(
        pieces
            .iter()
            .all(|piece| piece.len() * 60_064 <= REQUEST_BYTES_MAX)
    );
    let places: Vec<_> = pieces.iter().flatten().map(|(place, _)| *place).collect();
    assert_eq!((pieces.len(), places), (4, (0..50).collect()));
}
