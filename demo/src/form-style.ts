// The form's look in this shop, so that it sits in the page as if it were part of it.

import type { CustomStyle, PlaceholderPartStyle } from "@cardform/react";

/** The light colours of `look/ground.css`. */
const field: PlaceholderPartStyle = {
  backgroundColor: "#FFFFFF",
  labelColor: "#5B5772",
  borderColor: "#8C88A3",
  focusBorderColor: "#4F3FD8",
  textColor: "#1E1B2E",
  placeholderColor: "#716D88",
};

/** Light also on a dark page, where the form stands on a white card of its own (`.card-form-place`). */
export const FORM_STYLE: CustomStyle = {
  padding: "0",
  children: {
    cardForm: {
      borderRadius: "0.625rem",
      titleColor: "#1E1B2E",
      children: {
        cardNumber: field,
        cardExpiry: field,
        cardSecurityCode: field,
        cardHolderName: field,
        cardHolderEmail: field,
      },
    },
  },
};
