use super::*;

#[test]
fn every_line_is_a_chapter_or_a_page() {
    let pages = chapters().iter().map(|chapter| 1 + chapter.pages.len());
    assert_eq!(pages.sum::<usize>(), CONTENTS.lines().count());
}
