// The look that a merchant can give the form. Every key is optional (docs/form.md#theme).

/** Colors of one part of the form; any CSS color. */
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

/** The card form: lengths are CSS lengths (`0.5rem`), colors CSS colors. */
export interface CardFormStyle {
  readonly backgroundColor?: string;
  readonly verticalSpacing?: string;
  readonly horizontalSpacing?: string;
  readonly fontFamily?: string;
  readonly fontWeight?: string | number;
  readonly fontSize?: string;
  readonly borderRadius?: string;
  readonly titleColor?: string;
  /** Error texts, the borders of inputs with an error, and the danger card. */
  readonly errorColor?: string;
  /** At least 44 px on touch screens. */
  readonly inputHeight?: string;
  /** Above the inputs (the default), or inside them; floating labels move up when something is typed. */
  readonly labelStyle?: "above" | "floating";
  readonly children?: {
    readonly cardNumber?: PlaceholderPartStyle;
    readonly cardExpiry?: PlaceholderPartStyle;
    readonly cardSecurityCode?: PartStyle;
    readonly cardHolderName?: PartStyle;
    readonly cardPostalCode?: PartStyle;
    readonly cardHolderEmail?: PartStyle;
    readonly cardCheckbox?: CheckboxStyle;
    readonly savedCards?: PartStyle;
  };
}

/** The pay button of the payment page. */
export interface PayButtonStyle {
  readonly backgroundColor?: string;
  readonly textColor?: string;
}

/** A face of your font family. It is at your page's own origin and is sent with `Access-Control-Allow-Origin`. */
export interface FontFace {
  /** The name that `fontFamily` uses; the same for all faces. */
  readonly family: string;
  /** The file's address: `https://shop.example/inter.woff2`. */
  readonly src: string;
  /** 400 if absent; for a variable font its range, `"100 900"`. */
  readonly weight?: number | string;
  readonly style?: "normal" | "italic";
}

/** The page's look. A key that is absent has the default theme's value. */
export interface CustomStyle {
  readonly padding?: string;
  readonly backgroundColor?: string;
  /** Up to four faces of one family. */
  readonly fonts?: readonly FontFace[];
  readonly children?: { readonly cardForm?: CardFormStyle; readonly payButton?: PayButtonStyle };
}
