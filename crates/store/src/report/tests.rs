//! What is counted before gives the same figures as the charges and visits themselves, whatever happens to them and when.

mod statements;

use futures_util::future::join_all;
use harness::random::Random;
use model::charge_state::ChargeEvent;
use uuid::Uuid;
use wire::{ChargeStatus, DeclineCode, PaidCard, VisitStep};

use super::super::report_change::{CountedKind, MINUTE_MS};
use super::super::sql::query;
use super::super::test_database::{TestDatabase, creation, partner};
use super::super::{Attempt, AttemptOutcome, BeginOutcome, Charge, ChargeTerms, NewAttempt, Store, Visit};
use super::{CountedTimes, ReportRange, VisitTopic};

const BEGIN: i64 = 1_800_000_000_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
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
            card: PaidCard {
                brand: "visa".into(),
                last_four: "4242".into(),
            },
            charge_limit: None,
            counts: vec![],
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
            AttemptOutcome::Declined(DeclineCode::GenericDecline)
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
        self.store.put_visits(&[(id, visit)], self.now).await.unwrap();
    }

    async fn count_all(&self) {
        while self.store.count_for_report(self.now).await.unwrap() {}
    }

    /// Every figure of the time until now from `from` on, in pieces of this length, and of a piece before.
    async fn figures(&self, times: &CountedTimes, from: i64, piece_ms: i64) -> Vec<String> {
        let to = self.now + 1;
        let begins = (0..).map(|piece| from + piece * piece_ms);
        let begins = begins.take_while(|begin| *begin < to);
        let pieces: Vec<(i64, i64)> = begins.map(|begin| (begin, (begin + piece_ms).min(to))).collect();
        let before = (from - piece_ms, from);
        let made = self.store.charges_over_time(times, before, &pieces).await;
        let mut figures = vec![format!("{:?}", made.unwrap())];
        let range = ReportRange {
            from,
            to,
            locale: None,
        };
        let visits = self.store.visit_counts(times, range, None).await.unwrap();
        for topic in [VisitTopic::All, VisitTopic::Locale, VisitTopic::Field] {
            figures.push(format!("{:?}", visits.words(topic)));
        }
        let mut seen = visits.variations().unwrap();
        seen.sort_unstable_by_key(|seen| (seen.experiment_id.clone(), seen.variation_id));
        figures.push(format!("{seen:?}"));
        let mut steps = std::collections::BTreeMap::<_, i64>::new();
        for (step, visits) in self.store.visits_by_step(times, range).await.unwrap() {
            *steps.entry(step).or_default() += visits;
        }
        figures.push(format!("{steps:?}"));
        figures
    }

    /// What is counted gives the same figures as the charges and the visits themselves.
    async fn assert_true(&self, from: i64, piece_ms: i64) {
        let times = self.store.counted_times(from - piece_ms, self.now + 1).await;
        let times = times.unwrap();
        assert_eq!(
            self.figures(&times, from, piece_ms).await,
            self.figures(&CountedTimes::default(), from, piece_ms).await,
        );
    }

    async fn rows(&self, table: &str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        query(sql).fetch_one(&self.store.readers).await.unwrap()
    }
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

/// Shoppers come, pay, leave and come back, minutes, hours and days later, while the service counts now and then.
#[tokio::test]
async fn counted_figures_are_those_of_the_rows_whatever_happens() {
    for seed in 0..3 {
        let mut random = Random::new(seed);
        let mut books = ShopBooks::new().await;
        let mut under_way = Vec::new();
        for step in 0..200 {
            let pause = *random.one_of(&[1, 700, 5_000, 40_000, 170_000, HOUR_MS, 9 * HOUR_MS + 123]);
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
                5 => {
                    let id = format!("ch_{charge}");
                    books
                        .store
                        .end_charge(&id, ChargeEvent::Expired, books.now)
                        .await
                        .unwrap();
                }
                6 => {
                    let reached = *random.one_of(&VisitStep::ALL);
                    books.visit(visit, reached, &mut random).await;
                }
                // Two nodes at the same time.
                7 => {
                    let counts = (0..2).map(|_| books.store.count_for_report(books.now));
                    assert!(join_all(counts).await.iter().all(Result::is_ok));
                }
                _ => books.count_all().await,
            }
            let from = BEGIN - 77
                + i64::try_from(random.between(0, (books.now - BEGIN + 1).unsigned_abs())).unwrap();
            let pieces = (books.now - from) / 40 + 1;
            books
                .assert_true(from, pieces.max(*random.one_of(&[1, MINUTE_MS, HOUR_MS])))
                .await;
        }
        books.now += DAY_MS;
        books.count_all().await;
        books.assert_true(BEGIN - DAY_MS, DAY_MS / 4).await;
        assert_eq!(books.rows("report_notes").await, 0);
    }
}

#[tokio::test]
async fn a_minute_is_counted_when_it_is_over_for_two_and_a_half() {
    let mut books = ShopBooks::new().await;
    books.now -= books.now % MINUTE_MS;
    books.charge().await;
    for (later, rows) in [(MINUTE_MS + 149_999, 0), (1, 1)] {
        books.now += later;
        books.count_all().await;
        let of_minutes = "report_cases WHERE place < 2000000000000000";
        assert_eq!(books.rows(of_minutes).await, rows);
    }
}

/// A report ends at a moment, not with a minute.
#[tokio::test]
async fn a_part_of_a_counted_minute_is_known_without_its_rows() {
    let mut random = Random::new(1);
    let mut books = ShopBooks::new().await;
    books.now -= books.now % MINUTE_MS;
    for number in 0..6 {
        books.charge().await;
        books.visit(number, VisitStep::Started, &mut random).await;
        let attempt = books.press(books.charges - 1).await.unwrap();
        books.finish(&attempt, number % 2 == 0).await;
        books.now += 9_000;
    }
    books.now += HOUR_MS;
    books.count_all().await;
    let (from, piece_ms) = (books.now - HOUR_MS - 40_000, 17_000);
    let times = books.store.counted_times(from, books.now).await.unwrap();
    let counted = books.figures(&times, from, piece_ms).await;
    assert_eq!(
        counted,
        books.figures(&CountedTimes::default(), from, piece_ms).await
    );
    // Nobody notes these changes, so that only who reads the rows sees them.
    let write = async |sql: &'static str| {
        query(sql).write(&books.store.writer).await.unwrap();
    };
    write("UPDATE charges SET status = 'expired' WHERE created_at > 0").await;
    write("UPDATE visits SET locale = 'de-DE' WHERE first_at > 0").await;
    write("UPDATE visit_experiments SET variation_id = 9 WHERE first_at > 0").await;
    assert_eq!(books.figures(&times, from, piece_ms).await, counted);
    // As where they are too many.
    write("DELETE FROM report_cases WHERE place > 0").await;
    let read = books.figures(&CountedTimes::default(), from, piece_ms).await;
    let without = books.figures(&times, from, piece_ms).await;
    assert_ne!(read, counted);
    assert_eq!(without.first(), read.first(), "it begins within a minute");
}

/// Nodes of the release before leave no notes, but change the version of their own count.
#[tokio::test]
async fn after_a_node_of_the_release_before_all_is_counted_again() {
    const CHANGED_BY_IT: &str = "UPDATE charges SET status = 'expired' WHERE id = $1";
    const COUNTED_BY_IT: &str = "UPDATE report_spans SET counted_until = $1, version = version + 1";
    let mut books = ShopBooks::new().await;
    for _ in 0..2 {
        books.charge().await;
    }
    books.now += HOUR_MS;
    books.count_all().await;
    let expired = async |books: &ShopBooks| {
        let times = books.store.counted_times(BEGIN, books.now).await.unwrap();
        let pieces = [(BEGIN, books.now)];
        let made = books
            .store
            .charges_over_time(&times, (BEGIN, BEGIN), &pieces)
            .await
            .unwrap();
        let mut statuses = made.pieces[0].each();
        let found = statuses.find(|(status, _)| *status == ChargeStatus::Expired);
        found.map_or(0, |(_, charges)| charges)
    };
    let write = async |books: &ShopBooks, sql: &'static str, value: &str| {
        query(sql).bind(value).write(&books.store.writer).await.unwrap();
    };
    write(&books, CHANGED_BY_IT, "ch_0").await;
    assert_eq!(expired(&books).await, 0);
    query(COUNTED_BY_IT)
        .bind(books.now)
        .write(&books.store.writer)
        .await
        .unwrap();
    books.count_all().await;
    assert_eq!(expired(&books).await, 1);
    // It may have changed something after that, and was stopped.
    write(&books, CHANGED_BY_IT, "ch_1").await;
    books.now += HOUR_MS / 2;
    books.count_all().await;
    assert_eq!(expired(&books).await, 2);
}

#[tokio::test]
async fn the_release_before_is_told_what_it_must_count_again() {
    let mut books = ShopBooks::new().await;
    for _ in 0..3 {
        books.charge().await;
    }
    books.now += HOUR_MS;
    books.count_all().await;
    let end = async |books: &ShopBooks, id: &str| {
        books
            .store
            .end_charge(id, ChargeEvent::Expired, books.now)
            .await
            .unwrap();
    };
    end(&books, "ch_0").await;
    books.count_all().await;
    assert_eq!(books.rows("report_changes").await, 0, "it has never counted");
    query("UPDATE report_spans SET counted_until = $1")
        .bind(books.now)
        .write(&books.store.writer)
        .await
        .unwrap();
    for id in ["ch_1", "ch_2"] {
        end(&books, id).await;
        books.count_all().await;
    }
    let told: Vec<(String, i64)> = query("SELECT kind, at FROM report_changes")
        .fetch_all(&books.store.readers)
        .await
        .unwrap();
    let quarter = BEGIN - BEGIN % (15 * MINUTE_MS);
    assert_eq!(told, [(CountedKind::Charges.as_str().to_owned(), quarter)]);
}
