// The machine's steps that no event asks for before the late views have loaded. A script of theirs brings them.

import { afterAnswer } from "./answers.ts";
import {
  addLateSteps,
  type FormEvent,
  type FormState,
  isDisabled,
  type Step,
  selectedCard,
  stay,
} from "./form.ts";
import { savedCardListChanged } from "./saved-card-list.ts";

addLateSteps(
  (config, state, event, today) =>
    afterAnswer(config, state, event) ??
    networksChanged(state, event) ??
    savedCardListChanged(config, state, event, today),
);

function networksChanged(state: FormState, event: FormEvent): Step | null {
  if (event.type === "networks-found") {
    return stay({ ...state, networks: { ...state.networks, [event.prefix]: event.ranges } });
  }
  if (event.type !== "network-chosen") {
    return null;
  }
  if (isDisabled(state)) {
    return stay(state);
  }
  const { network } = event;
  const { saved } = state;
  const card = selectedCard(state);
  const cards = saved.cards.map((one) => (one === card ? { ...one, network } : one));
  return stay({ ...state, failure: null, ...(card ? { saved: { ...saved, cards } } : { network }) });
}
