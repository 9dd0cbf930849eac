// The views that are shown only after something was sent or loaded, in a script of their own (`late.ts`). The card page uses
// some of them, too.

import "../card/late-steps.ts";

export { News } from "./announcer.tsx";
export { Challenge } from "./challenge.tsx";
export { ClearButton } from "./clear-button.tsx";
export { NetworkLogos, NetworkNote } from "./network-choice.tsx";
export { Outcome, OutcomeNews } from "./outcome.tsx";
export { PageFoot, PageMenus } from "./page-foot.tsx";
export { spokenCard } from "./receipt.tsx";
export { RemovalDialog, RemoveCardDialog } from "./remove-card-dialog.tsx";
export { expiryText, SavedCardList } from "./saved-card-list.tsx";
export { Snackbar } from "./snackbar.tsx";
