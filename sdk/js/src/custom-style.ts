// The look a merchant can give the form: the theme of the specification's point 3, every part of it optional.

/** Colours of one part of the form; any CSS colour. */
export interface PartStyle {
  readonly backgroundColor?: string;
  readonly labelColor?: string;
  readonly borderColor?: string;
  readonly focusBorderColor?: string;
  readonly textColor?: string;
}

/** A part whose input shows a placeholder. */
export interface PlaceholderPartStyle extends PartStyle {
  readonly placeholderColor?: string;
}

/** The checkbox that saves the card. */
export interface CheckboxStyle extends PartStyle {
  readonly activeBackgroundColor?: string;
  readonly deActiveBackgroundColor?: string;
  readonly checkMarkColor?: string;
  /** A CSS length: `1px`. */
  readonly checkBoxBorderWidth?: string;
}

/** The card form: lengths are CSS lengths (`0.5rem`), colours CSS colours. */
export interface CardFormStyle {
  readonly backgroundColor?: string;
  readonly verticalSpacing?: string;
  readonly horizontalSpacing?: string;
  readonly fontFamily?: string;
  readonly fontWeight?: string | number;
  readonly fontSize?: string;
  readonly borderRadius?: string;
  readonly titleColor?: string;
  readonly children?: {
    readonly cardNumber?: PlaceholderPartStyle;
    readonly cardExpiry?: PlaceholderPartStyle;
    readonly cardSecurityCode?: PartStyle;
    readonly cardHolderName?: PartStyle;
    readonly cardHolderEmail?: PartStyle;
    readonly cardCheckbox?: CheckboxStyle;
    readonly savedCards?: PartStyle;
  };
}

/** The page's look; what is left out keeps the default theme's value. */
export interface CustomStyle {
  readonly padding?: string;
  readonly backgroundColor?: string;
  readonly children?: { readonly cardForm?: CardFormStyle };
}
