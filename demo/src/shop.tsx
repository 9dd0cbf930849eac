// The shop's page: the products, the checkout of the chosen one, and the test cards.

import { useCallback, useEffect, useState } from "react";
import { Checkout } from "./checkout.tsx";
import { Drawer } from "./drawer/drawer.tsx";
import { directionOf, queryOf, readSettings, type ShopSettings } from "./drawer/settings.ts";
import larkspur from "./pictures/larkspur.svg";
import { ReturnedOrder, takeReturnedOrder } from "./returned-order.tsx";
import { fetchProducts, fetchTestCards, type Product, type TestCard } from "./shop-server.ts";
import { TestCards } from "./test-cards.tsx";

/** What the page loads from the shop's server. */
interface ShopContent {
  readonly products: readonly Product[];
  readonly testCards: readonly TestCard[];
}

/** Loads both before anything is shown, so that the layout does not change in between. */
async function fetchShopContent(): Promise<ShopContent> {
  // The shop works without test cards, so no error is shown when they are missing.
  const [products, testCards] = await Promise.all([fetchProducts(), fetchTestCards().catch(() => [])]);
  if (products.length === 0) {
    throw new Error("The shop has nothing to sell.");
  }
  return { products, testCards };
}

export function Shop() {
  const [content, setContent] = useState<ShopContent | "loading" | "unavailable">("loading");

  const [settings, setSettings] = useState(() => readSettings(location.search));
  const [orderId, setOrderId] = useState<string | null>(null);

  const change = (changed: ShopSettings) => {
    history.replaceState(null, "", location.pathname + queryOf(changed));
    setSettings(changed);
  };
  const direction = directionOf(settings);
  useEffect(() => {
    document.documentElement.dir = direction;
  }, [direction]);

  const load = useCallback(() => {
    setContent("loading");
    fetchShopContent().then(setContent, () => setContent("unavailable"));
  }, []);
  useEffect(load, [load]);

  return (
    <>
      <header className="masthead">
        <div className="masthead-inner">
          <p className="brand">
            <img className="brand-mark" src={larkspur} alt="" />
            Larkspur
          </p>
          <p className="demo-note">Demo: no real money</p>
        </div>
      </header>
      <main className="page">
        {content === "loading" && (
          <p className="page-note" role="status">
            Opening the shop…
          </p>
        )}
        {content === "unavailable" && (
          <div className="page-note" role="alert">
            <p>The shop cannot be reached right now.</p>
            <button className="quiet-button" type="button" onClick={load}>
              Try again
            </button>
          </div>
        )}
        {typeof content === "object" && (
          <>
            <ProductAndCheckout products={content.products} settings={settings} onOrder={setOrderId} />
            {content.testCards.length > 0 && <TestCards cards={content.testCards} />}
          </>
        )}
      </main>
      <footer className="footer">
        <p>Larkspur is not a real shop. It shows how a merchant takes cards with Cardform.</p>
      </footer>
      <Drawer orderId={orderId} settings={settings} onChange={change} />
    </>
  );
}

interface ProductAndCheckoutProps {
  readonly products: readonly Product[];
  readonly settings: ShopSettings;
  /** Called with the id of each order. */
  readonly onOrder: (orderId: string) => void;
}

/** Read once, because reading removes the order from the address. */
const returnedOrder = takeReturnedOrder();

function ProductAndCheckout({ products, settings, onOrder }: ProductAndCheckoutProps) {
  const [returned, setReturned] = useState(returnedOrder);
  useEffect(() => {
    if (returned !== null) {
      onOrder(returned);
    }
  }, [returned, onOrder]);
  const [chosenId, setChosenId] = useState(products[0]?.id);
  const [locked, setLocked] = useState(false);
  // A new number starts a new checkout, so that the same product can be ordered again.
  const [checkoutNumber, setCheckoutNumber] = useState(1);
  const chosen = products.find(({ id }) => id === chosenId) ?? products[0];
  if (!chosen) {
    return null;
  }
  return (
    <div className="counter">
      <section id="product" className="product" aria-labelledby="product-name">
        <div className="product-picture">
          <ProductPicture product={chosen.id} />
        </div>
        <div className="product-text">
          <h1 id="product-name">
            <bdi>{chosen.name}</bdi>
          </h1>
          <p className="product-description">
            <bdi>{chosen.description}</bdi>
          </p>
          <p className="product-price">{chosen.amount_text}</p>
        </div>
        <fieldset className="choice" disabled={locked}>
          <legend>Choose your treasure</legend>
          <div className="choice-list">
            {products.map((product) => (
              <label key={product.id} className="choice-item">
                <input
                  type="radio"
                  name="product"
                  value={product.id}
                  checked={product.id === chosen.id}
                  onChange={() => setChosenId(product.id)}
                />
                <span className="choice-picture">
                  <ProductPicture product={product.id} />
                </span>
                <bdi className="choice-name">{product.name}</bdi>
                <span className="choice-price">{product.amount_text}</span>
              </label>
            ))}
          </div>
        </fieldset>
      </section>
      {returned === null ? (
        <Checkout
          key={`${chosen.id} ${checkoutNumber}`}
          product={chosen}
          settings={settings}
          onOrder={onOrder}
          onLock={setLocked}
          onBuyAgain={() => setCheckoutNumber(checkoutNumber + 1)}
        />
      ) : (
        <ReturnedOrder orderId={returned} products={products} onBuyAgain={() => setReturned(null)} />
      )}
    </div>
  );
}

/** Screen readers skip the picture and read the product's name. */
function ProductPicture({ product }: { readonly product: string }) {
  return <img className="picture" src={new URL(`./pictures/${product}.svg`, import.meta.url).href} alt="" />;
}
