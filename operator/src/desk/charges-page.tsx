// Finds charges: one box for a reference, a shopper, an id or a card's last four digits, and filters beside it. The address
// has the whole search, so it can be shared and the browser's Back returns to it.

import { type FormEvent, useLayoutEffect, useRef, useState } from "react";
import type { OperatorCharge } from "../../../form/generated/wire.ts";
import { ErrorBanner } from "../error-banner.tsx";
import { formatCountOf } from "../number-format.ts";
import { chargeHash, searchHash } from "../route.ts";
import { call } from "../service.ts";
import { formatMoment } from "../times.ts";
import { amountText, withPoint } from "./amounts.ts";
import { CardName } from "./card-name.tsx";
import type { DeskProps } from "./desk-props.ts";
import { ShowMore, usePages } from "./pages.tsx";
import { ChargeBadge, STATUS_NAMES } from "./status.tsx";

/** How many charges are fetched at once. */
const LIMIT = 20;
const DAY_MS = 86_400_000;

/** The filters in the address. */
const FILTERS = ["text", "status", "amount", "day"] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

interface ChargesPageProps extends DeskProps {
  readonly query: URLSearchParams;
}

export function ChargesPage({ operatorKey, person, onKeyRefused, query }: ChargesPageProps) {
  const search = serviceQuery(filtersOf(query));
  const pages = usePages<OperatorCharge>(operatorKey, "charges", `${search}&limit=${LIMIT}`, "after");
  const { list, error, isLoading } = pages;
  const showsMerchant = person.merchants === null || person.merchants.length > 1;
  return (
    <main className="dashboard" aria-busy={isLoading}>
      <SearchForm address={query.toString()} />
      <ErrorBanner error={error} onRetry={pages.readMore} onKeyRefused={onKeyRefused} />
      <section className="panel found" aria-labelledby="found">
        <div className="found-head">
          <h2 id="found">Charges</h2>
          <p className="soft small" role="status">
            {foundText(list.items.length, list.next !== null, isLoading)}
          </p>
          <CsvButton operatorKey={operatorKey} search={search} isEmpty={list.items.length === 0} />
        </div>
        {list.items.length > 0 ? (
          <ChargeTable items={list.items} showsMerchant={showsMerchant} />
        ) : (
          !isLoading && error === null && <NothingFound isFiltered={search !== ""} />
        )}
        {list.items.length === 0 && isLoading && <Ghosts />}
        <ShowMore {...pages} />
      </section>
    </main>
  );
}

function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])) as unknown as Filters;
}

function foundText(count: number, hasMore: boolean, isLoading: boolean): string {
  if (isLoading && count === 0) {
    return "Looking…";
  }
  return hasMore ? `The newest ${count}` : formatCountOf(count, "charge");
}

/** The query of the service. A day is one of this browser's time zone. */
function serviceQuery({ text, status, amount, day }: Filters): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string) => value !== "" && query.set(name, value);
  put("text", text.trim());
  put("status", status);
  put("amount", withPoint(amount));
  // A day of a damaged link is none.
  if (/^\d{4}-\d\d-\d\d$/.test(day)) {
    const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
    put("created_from", new Date(year, month - 1, date).toISOString());
    put("created_to", new Date(year, month - 1, date + 1).toISOString());
  }
  return query.toString();
}

function SearchForm({ address }: { readonly address: string }) {
  const form = useRef<HTMLFormElement>(null);
  // The form stays when the address changes, so it keeps the focus. A day that is typed in part is not emptied.
  useLayoutEffect(() => {
    for (const [name, value] of Object.entries(filtersOf(new URLSearchParams(address)))) {
      const input = form.current?.elements.namedItem(name) as HTMLInputElement;
      if (input.value !== value) {
        input.value = value;
      }
    }
  }, [address]);
  const search = () => {
    const data = new FormData(form.current ?? undefined);
    const text = (name: string) => String(data.get(name) ?? "").trim();
    location.hash = searchHash(Object.fromEntries(FILTERS.map((name) => [name, text(name)])));
  };
  const clear = () => {
    location.hash = searchHash({});
    form.current?.querySelector("input")?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search();
  };
  return (
    <search className="panel">
      <form ref={form} className="search" onSubmit={submit}>
        <label className="search-text">
          <span>Search</span>
          <input
            name="text"
            type="search"
            placeholder="Reference, shopper, id or last four"
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <label>
          <span>Status</span>
          <select name="status" onChange={search}>
            <option value="">All</option>
            {STATUS_NAMES.map(({ status, name }) => (
              <option key={status} value={status}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Day</span>
          <input name="day" type="date" max={today()} onChange={dayChanged(search)} />
        </label>
        <label>
          <span>Amount</span>
          <input
            name="amount"
            inputMode="decimal"
            placeholder="12.50"
            autoComplete="off"
            pattern="[0-9]+([.][0-9]+|,(?![0-9]{3}$)[0-9]+)?"
            title="A number such as 12.50"
          />
        </label>
        <div className="search-end">
          <button type="submit" className="primary">
            Search
          </button>
          {address !== "" && (
            <button type="button" onClick={clear}>
              Clear
            </button>
          )}
        </div>
      </form>
    </search>
  );
}

/** Searches once the day is complete or empty. */
const dayChanged = (search: () => void) => (event: { currentTarget: HTMLInputElement }) => {
  if (event.currentTarget.value === "" || event.currentTarget.valueAsNumber > 10 * 365 * DAY_MS) {
    search();
  }
};

function today(): string {
  const now = new Date();
  const two = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

interface ChargeTableProps {
  readonly items: readonly OperatorCharge[];
  readonly showsMerchant: boolean;
}

/** A row for each charge. On a phone each row is a card. */
function ChargeTable({ items, showsMerchant }: ChargeTableProps) {
  return (
    <table className="charges">
      <thead>
        <tr>
          <th scope="col">Reference</th>
          <th scope="col">Status</th>
          <th scope="col" className="number">
            Amount
          </th>
          <th scope="col">Card</th>
          <th scope="col">Shopper</th>
          {showsMerchant && <th scope="col">Merchant</th>}
          <th scope="col">Created</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ partner_id, charge }) => (
          <tr key={charge.id}>
            <th scope="row">
              <a href={chargeHash(charge.id)} aria-describedby={`of-${charge.id}`}>
                {charge.partner_reference}
              </a>
              <span className="soft small item" id={`of-${charge.id}`}>
                {charge.item_name}
              </span>
            </th>
            <td className="charge-status">
              <ChargeBadge charge={charge} />
            </td>
            <td className="number strong charge-amount">
              {amountText(charge.amount_value, charge.amount_currency)}
            </td>
            <td data-label="Card" data-empty={charge.paid_with === null}>
              <CardName card={charge.paid_with} />
            </td>
            <td data-label="Shopper" data-empty={charge.shopper_id === null}>
              {charge.shopper_id ?? <span className="soft">Guest</span>}
            </td>
            {showsMerchant && <td data-label="Merchant">{partner_id}</td>}
            <td data-label="Created" className="soft charge-time">
              <time dateTime={charge.created_at}>{formatMoment(charge.created_at)}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NothingFound({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <div className="nothing">
      <h3>{isFiltered ? "No charge fits" : "There is no charge yet"}</h3>
      <p className="soft">
        {isFiltered
          ? "References, shoppers and ids must be whole. A card is found by its last four digits."
          : "Charges appear here as soon as a merchant makes them."}
      </p>
    </div>
  );
}

function Ghosts() {
  return (
    <div className="ghost-rows" aria-hidden="true">
      {["a", "b", "c", "d", "e"].map((row) => (
        <div key={row} className="ghost ghost-row" />
      ))}
    </div>
  );
}

interface CsvButtonProps {
  readonly operatorKey: string;
  readonly search: string;
  readonly isEmpty: boolean;
}

/** How long the table of a large merchant may take: the service sends it while it reads it. */
const TABLE_TIMEOUT_MS = 3_600_000;

/** Saves all charges of the search, not only those that are shown. */
function CsvButton({ operatorKey, search, isEmpty }: CsvButtonProps) {
  const [state, setState] = useState<"ready" | "loading" | "failed">("ready");
  const isIdle = !isEmpty && state !== "loading";
  const save = async () => {
    setState("loading");
    const answer = await call(operatorKey, `charges?${search}`, (response) => response.blob(), {
      accept: "text/csv",
      timeoutMs: TABLE_TIMEOUT_MS,
    });
    setState(answer.error === null ? "ready" : "failed");
    if (answer.value !== null) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(answer.value);
      link.download = "charges.csv";
      link.click();
      URL.revokeObjectURL(link.href);
    }
  };
  return (
    <span className="csv">
      {state === "failed" && (
        <span className="small bad" role="alert">
          The table could not be read.
        </span>
      )}
      <button type="button" onClick={() => isIdle && save()} aria-disabled={!isIdle}>
        {state === "loading" ? "Saving…" : "Save as CSV"}
      </button>
    </span>
  );
}
