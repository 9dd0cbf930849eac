// The form inside a merchant's page. The parent has the pay button; Enter tells it.

import { CardForm } from "./card-form.tsx";
import { useStore } from "./store.ts";

export function Embedded() {
  const store = useStore();
  return (
    <main className="embedded">
      <CardForm heading="h1" onPay={() => store.send({ type: "enter-pressed" })} />
    </main>
  );
}
