// The page's style sheets in their order. The gallery uses the same.

import "./page.css";
import "./icons.css";
import "./card-number.css";
import "./floating-labels.css";
import "./saved-cards.css";
import "./dialog.css";
import "./standalone.css";
import "./card-page.css";
import "./error-page.css";
import "./motion.css";
