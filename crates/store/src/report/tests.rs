//! Tallies give the figures of the charges and visits themselves, after every kind of change at any time.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use harness::random::Random;
use protocol::charge_state::ChargeEvent;
use protocol::{Approval, ChargeStatus, DeclineCode, Hold, VisitStep};
use uuid::Uuid;

use super::super::sql::query;
use super::super::{
    Attempt, AttemptOutcome, BeginOutcome, Charge, ChargeTerms, EndOutcome, NewAttempt, Store, UsedCard,
    Visit,
};
use super::{HOUR_MS, ReportRange, TalliedTime, Tally, amount_text};
use crate::tests::database::{TestDatabase, creation, partner};

const BEGIN: i64 = 1_800_000_000_000;
/// How long a charge can be paid.
const LIFETIME_MS: i64 = 24 * HOUR_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A merchant with charges `ch_0`, `ch_1` …, and visits to its form.
struct ShopBooks {
    store: Store,
    now: i64,
    charges: i64,
    visits: Vec<i64>,
    _database: TestDatabase,
}

impl ShopBooks {
    async fn new() -> Self {
        let database = TestDatabase::new();
        let store = database.connect().await;
        let partner = partner("partner_1");
        store.put_partner(&partner, "key").await.unwrap();
        Self {
            store,
            now: BEGIN,
            charges: 0,
            visits: Vec::new(),
            _database: database,
        }
    }

    /// Makes a charge now. Returns its number.
    async fn charge(&mut self) -> i64 {
        let number = self.charges;
        self.charges += 1;
        let charge = terms_of(number, self.now);
        let creation = creation(&charge.id);
        self.store.add_charge(&charge, &creation, None).await.unwrap();
        number
    }

    /// A card is sent for the charge with this number, if it takes one.
    async fn press(&self, number: i64) -> Option<Attempt> {
        let charge = terms_of(number, self.now);
        let press = NewAttempt {
            id: format!("att_{}", Uuid::now_v7()),
            press_key: Uuid::now_v7().to_string(),
            provider_key: Uuid::now_v7().to_string(),
            now_ms: self.now,
            owner_until: self.now + 10_000,
            terms: ChargeTerms::from(&charge),
            charge_id: charge.id,
            card: UsedCard::new("visa", "4242", "424242", (12, 2030), None),
            charge_limit: None,
            counts: vec![],
            opens_card: None,
        };
        match self.store.begin_attempt(&press).await {
            Ok(BeginOutcome::Started(attempt)) => Some(attempt),
            _ => None,
        }
    }

    async fn finish(&self, attempt: &Attempt, is_paid: bool) {
        let outcome = if is_paid {
            AttemptOutcome::Succeeded("ref".into())
        } else {
            AttemptOutcome::Declined(DeclineCode::GenericDecline.into())
        };
        let finished = self.store.finish_attempt(attempt, &outcome, &[], self.now).await;
        finished.unwrap();
    }

    /// The visit with this number goes as far as this step.
    async fn visit(&mut self, number: usize, step: VisitStep, random: &mut Random) {
        if number == self.visits.len() {
            self.visits.push(self.now);
        }
        let mut visit = Visit::new(self.visits[number]);
        visit.step = step;
        visit.locale.word = *random.one_of(&["en-US", "th-TH", "ja-JP"]);
        visit.locale.at = self.now;
        visit.field.word = *random.one_of(&["card-number", "expiry"]);
        visit.field.at = self.now;
        let experiment = *random.one_of(&["enable-ddc", "odd: 3,4;name"]);
        visit
            .variations
            .insert(experiment.into(), i64::from(number % 2 == 1));
        let id = Uuid::from_u128(number as u128);
        self.store.put_visits(&[(id, visit)]).await.unwrap();
    }

    /// Charges whose time ran out expire, as the service has it.
    async fn sweep(&self) {
        let due = self.now - LIFETIME_MS;
        for charge in self.store.overdue_charges().await.unwrap() {
            self.expire(&charge.id).await;
            let status = self.store.charge(&charge.id).await.unwrap().unwrap().status;
            if matches!(status, ChargeStatus::Succeeded | ChargeStatus::Expired) {
                self.store.forget_overdue_charge(&charge.id).await.unwrap();
            }
        }
        let mut from = self.store.begin_of_due_charges(due).await.unwrap();
        while let Some(found) = self.store.due_charges(from, due, 7).await.unwrap() {
            let mut overdue = Vec::new();
            for charge in found.open {
                if self.expire(&charge.id).await != EndOutcome::Moved {
                    overdue.push(charge.id);
                }
            }
            let settled = self.store.settle_due_charges(found.until, due, &overdue).await;
            settled.unwrap();
            from = found.until;
        }
    }

    async fn expire(&self, id: &str) -> EndOutcome {
        self.store
            .end_charge(id, ChargeEvent::Expired, self.now)
            .await
            .unwrap()
    }

    async fn tally_all(&self) {
        while self.store.tally_hours(self.now).await.unwrap() {}
    }

    /// Every figure of the time until now from `from` on.
    async fn figures(&self, time: &TalliedTime, from: i64, piece_ms: i64) -> [Vec<Tally>; 3] {
        let to = self.now + 1;
        let range = ReportRange {
            from,
            to,
            locale: None,
        };
        let in_pieces = self.store.charge_tallies(time, (from, to), Some(piece_ms)).await;
        let in_one = self.store.charge_tallies(time, (from, to), None).await;
        let visits = self.store.visit_tallies(time, range, true).await;
        [in_pieces, in_one, visits].map(|tallies| summed(tallies.unwrap()))
    }

    /// Tallies give the same figures as the charges and the visits themselves.
    async fn assert_true(&self, from: i64, piece_ms: i64) {
        let time = self.store.tallied_time().await.unwrap();
        assert_eq!(
            self.figures(&time, from, piece_ms).await,
            self.figures(&TalliedTime::default(), from, piece_ms).await,
        );
    }

    async fn rows(&self, table: &str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        query(sql).fetch_one(&self.store.readers).await.unwrap()
    }
}

/// One tally of each piece and word.
fn summed(tallies: Vec<Tally>) -> Vec<Tally> {
    let mut sums = BTreeMap::<_, Tally>::new();
    for tally in tallies {
        let key = (tally.at, tally.topic.clone(), tally.word.clone());
        if let Some(sum) = sums.get_mut(&key) {
            for (sum, more) in sum.counts.iter_mut().zip(tally.counts) {
                *sum += more;
            }
            sum.amount += tally.amount;
        } else {
            sums.insert(key, tally);
        }
    }
    sums.into_values().collect()
}

fn terms_of(number: i64, now: i64) -> Charge {
    Charge {
        item_code: "gems".into(),
        item_name: "Gems".into(),
        amount_value: format!("{}.{}0", number % 7 + 1, number % 9),
        amount_currency: ["USD", "EUR"][usize::from(number % 3 == 0)].into(),
        partner_reference: "order".into(),
        ..Charge::unknown(format!("ch_{number}"), "partner_1".into(), now)
    }
}

/// Shoppers come, pay, leave and come back, minutes, hours and days later, while two nodes tally now and then.
#[tokio::test]
async fn tallied_figures_are_those_of_the_rows() {
    for seed in 0..3 {
        let mut random = Random::new(seed);
        let mut books = ShopBooks::new().await;
        let mut under_way = Vec::new();
        for step in 0..200 {
            let pause = *random.one_of(&[1, 700, 40_000, 170_000, HOUR_MS, 9 * HOUR_MS + 123]);
            books.now += i64::try_from(random.between(0, pause.unsigned_abs())).unwrap();
            let of_now = if step == 0 { 0 } else { random.between(0, 9) };
            let charge = i64::try_from(random.between(0, books.charges.unsigned_abs())).unwrap();
            let visit = usize::try_from(random.between(0, books.visits.len() as u64)).unwrap();
            match of_now {
                0 | 1 => {
                    books.charge().await;
                    books
                        .visit(books.visits.len(), VisitStep::Viewed, &mut random)
                        .await;
                }
                2 => under_way.extend(books.press(charge).await),
                3 | 4 => {
                    for attempt in under_way.drain(..) {
                        books.finish(&attempt, of_now == 3).await;
                    }
                }
                5 => books.sweep().await,
                6 => {
                    let reached = *random.one_of(VisitStep::ALL);
                    let is_new = visit == books.visits.len();
                    if is_new || books.now - books.visits[visit] < DAY_MS {
                        books.visit(visit, reached, &mut random).await;
                    }
                }
                _ => {
                    let nodes = (0..2).map(|_| books.store.tally_hours(books.now));
                    assert!(join_all(nodes).await.iter().all(Result::is_ok));
                    books.tally_all().await;
                    let since = (books.now - BEGIN + 1).unsigned_abs();
                    let from = BEGIN - 77 + i64::try_from(random.between(0, since)).unwrap();
                    books
                        .assert_true(from, *random.one_of(&[HOUR_MS, 300_000, 6 * HOUR_MS]))
                        .await;
                }
            }
        }
        for attempt in under_way {
            books.finish(&attempt, true).await;
        }
        books.now += 2 * DAY_MS;
        books.sweep().await;
        books.sweep().await;
        books.tally_all().await;
        books.assert_true(BEGIN - DAY_MS, HOUR_MS).await;
        assert_eq!(books.rows("report_open_hours").await, 0);
    }
}

#[tokio::test]
async fn an_hour_is_tallied_an_hour_after_its_end() {
    let mut books = ShopBooks::new().await;
    books.now -= books.now % HOUR_MS;
    books.charge().await;
    for (later, rows) in [(2 * HOUR_MS - 1, 0), (1, 1)] {
        books.now += later;
        books.tally_all().await;
        assert_eq!(books.rows("report_tally WHERE kind = 'charges'").await, rows);
    }
}

/// One node's clock runs ahead by nine hours, and is set right again.
#[tokio::test]
async fn hours_that_were_tallied_before_they_began_are_tallied_again() {
    let mut books = ShopBooks::new().await;
    books.charge().await;
    books.tally_all().await;
    for by in [9 * HOUR_MS, -9 * HOUR_MS] {
        books.now += by;
        books.tally_all().await;
    }
    for _ in 0..12 {
        books.now += HOUR_MS;
        books.charge().await;
        books.tally_all().await;
        books.assert_true(BEGIN - HOUR_MS, HOUR_MS).await;
    }
}

#[tokio::test]
async fn an_hour_stays_open_until_its_last_charge_has_ended() {
    let mut books = ShopBooks::new().await;
    books.charge().await;
    let attempt = books.press(0).await.unwrap();
    let has_open_hour = async |books: &ShopBooks| {
        books.tally_all().await;
        books.rows("report_open_hours").await == 1
    };
    books.now += 3 * HOUR_MS;
    assert!(has_open_hour(&books).await, "it can be paid");
    books.now += 3 * DAY_MS;
    books.sweep().await;
    assert!(has_open_hour(&books).await, "its card is with the provider");
    books.finish(&attempt, true).await;
    books.sweep().await;
    assert!(!has_open_hour(&books).await);
    books.assert_true(BEGIN - HOUR_MS, HOUR_MS).await;
}

/// A hold can last longer than a charge can be paid.
#[tokio::test]
async fn an_hour_stays_open_until_its_last_hold_has_ended() {
    let mut books = ShopBooks::new().await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let charge = books.charge().await;
        let attempt = books.press(charge).await.unwrap();
        let outcome = AttemptOutcome::Succeeded(Approval {
            hold: Some(Hold { ends_at: None }),
            ..Approval::default()
        });
        let finished = books.store.finish_attempt(&attempt, &outcome, &[], books.now);
        finished.await.unwrap();
        held.push(attempt);
    }
    for (attempt, captured) in held.iter().zip([Some("1.00"), None]) {
        books.now += 3 * DAY_MS;
        books.sweep().await;
        books.tally_all().await;
        let ended = books.store.record_end_of_hold(attempt, captured, books.now);
        ended.await.unwrap();
        books.tally_all().await;
        books.assert_true(BEGIN - HOUR_MS, HOUR_MS).await;
    }
    assert_eq!(books.rows("report_open_hours").await, 0);
}

/// Another node reads rows, and writes its tally late.
#[tokio::test]
async fn an_older_tally_does_not_replace_a_newer_one() {
    let mut books = ShopBooks::new().await;
    books.charge().await;
    books.now += 3 * HOUR_MS;
    books.tally_all().await;
    let hour = super::hour_of(BEGIN);
    let kind = super::TallyKind::Charges;
    let before = books.store.tallied_time().await.unwrap().charges;
    let attempt = books.press(0).await.unwrap();
    books.finish(&attempt, true).await;
    books.tally_all().await;
    let written = books
        .store
        .write_tallies(kind, before, before, Some((hour, false, &[])));
    written.await.unwrap();
    books.assert_true(BEGIN - HOUR_MS, HOUR_MS).await;
    assert_eq!(
        books
            .rows("report_tally WHERE kind = 'charges' AND hour > 0 AND topic = 'succeeded'")
            .await,
        1
    );
}

#[tokio::test]
async fn correct_tallies_are_not_written_again() {
    let mut books = ShopBooks::new().await;
    books.charge().await;
    books.now += 3 * HOUR_MS;
    books.tally_all().await;
    let before = books.store.tallied_time().await.unwrap();
    books.tally_all().await;
    assert_eq!(books.store.tallied_time().await.unwrap(), before);
}

#[tokio::test]
async fn deleted_visits_leave_the_tally_of_their_hour() {
    let mut random = Random::new(1);
    let mut books = ShopBooks::new().await;
    books.now -= books.now % HOUR_MS;
    for number in 0..4 {
        books.visit(number, VisitStep::Started, &mut random).await;
        books.now += 1_000;
    }
    books.now += 3 * HOUR_MS;
    books.tally_all().await;
    books.store.delete_visits(books.visits[2]).await.unwrap();
    books.tally_all().await;
    books.assert_true(BEGIN - HOUR_MS, HOUR_MS).await;
    let counted: i64 =
        query("SELECT count FROM report_tally WHERE kind = 'visits' AND topic = 'all' AND hour > 0")
            .fetch_one(&books.store.readers)
            .await
            .unwrap();
    assert_eq!(counted, 2);
}

#[tokio::test]
async fn the_oldest_of_too_many_visits_are_deleted() {
    let mut random = Random::new(1);
    let mut books = ShopBooks::new().await;
    for number in 0..4 {
        books.visit(number, VisitStep::Started, &mut random).await;
        books.now += HOUR_MS;
    }
    books.now += 3 * HOUR_MS;
    books.tally_all().await;
    assert_eq!(books.store.delete_surplus_visits(4).await.unwrap(), 0);
    assert_eq!(books.store.delete_surplus_visits(2).await.unwrap(), 2);
    let newest = format!("visits WHERE first_at > {}", books.visits[1]);
    let all = "visits WHERE first_at > 0";
    assert_eq!((books.rows(all).await, books.rows(&newest).await), (2, 2));
    // The hours of the deleted visits are less than a day old, and would be tallied again.
    books.tally_all().await;
    let hours = "report_tally WHERE kind = 'visits' AND topic = 'all' AND count > 0";
    assert_eq!(books.rows(hours).await, 4);
}

#[test]
fn amounts_are_written_as_units() {
    for (amount, text) in [
        (0, "0"),
        (1, "0.0001"),
        (202_900, "20.29"),
        (70_000, "7"),
        (100_000_000_000_197_901, "10000000000019.7901"),
    ] {
        assert_eq!(amount_text(amount), text);
    }
}
