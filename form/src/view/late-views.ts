// The views that are shown only after something was sent or loaded, in a script of their own (`late.ts`).

import "../card/late-steps.ts";

export { News } from "./announcer.tsx";
export { Challenge } from "./challenge.tsx";
export { NetworkLogos, NetworkNote } from "./network-choice.tsx";
export { Outcome, OutcomeNews } from "./outcome.tsx";
export { PageFoot } from "./page-foot.tsx";
export { RemoveCardDialog } from "./remove-card-dialog.tsx";
export { SavedCardList } from "./saved-card-list.tsx";
export { Snackbar } from "./snackbar.tsx";
