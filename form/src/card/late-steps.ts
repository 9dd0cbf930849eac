// The machine's steps that no event asks for before the late views have loaded. A script of theirs brings them.

import { afterAnswer } from "./answers.ts";
import { addLateSteps } from "./form.ts";
import { savedCardListChanged } from "./saved-card-list.ts";

addLateSteps(
  (config, state, event, today) =>
    afterAnswer(config, state, event) ?? savedCardListChanged(config, state, event, today),
);
