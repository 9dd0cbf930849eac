// Pictures of the products, drawn as SVG so that they are sharp at every size and follow the color scheme.

import { type ReactNode, useId } from "react";

/** The picture of the product with this id, or the gems for an unknown id. Screen readers skip it and read the name. */
export function ProductPicture({ product }: { product: string }) {
  const id = useId();
  const draw = PICTURES[product] ?? gems;
  return (
    <svg className="picture" viewBox="0 20 320 200" aria-hidden="true" preserveAspectRatio="xMidYMid slice">
      {draw((name) => `${id}${name}`)}
    </svg>
  );
}

type DrawPicture = (unique: (name: string) => string) => ReactNode;

const PICTURES: Readonly<Record<string, DrawPicture>> = {
  "gems-100": gems,
  "season-pass": seasonPass,
  "aurora-lantern": auroraLantern,
};

/** The colors of a gem's facets, from the lightest to the darkest. */
type FacetColors = readonly [string, string, string, string, string];

const VIOLET: FacetColors = ["#D9D2FF", "#AFA0FF", "#8571F5", "#634DE0", "#4733B5"];
const TEAL: FacetColors = ["#C9FBF1", "#86E9D8", "#45CDB9", "#1FA896", "#137C70"];
const ROSE: FacetColors = ["#FFD9E4", "#FFA9C1", "#F77BA0", "#DD5280", "#A93660"];

function gems(unique: (name: string) => string) {
  return (
    <>
      <defs>
        <radialGradient id={unique("glow")} cx="50%" cy="52%" r="50%">
          <stop offset="0" stopColor="#8571F5" stopOpacity=".38" />
          <stop offset="1" stopColor="#8571F5" stopOpacity="0" />
        </radialGradient>
      </defs>
      <rect className="picture-ground" width="320" height="240" />
      <ellipse cx="160" cy="126" rx="150" ry="112" fill={`url(#${unique("glow")})`} />
      <ellipse className="picture-shadow" cx="160" cy="196" rx="104" ry="12" />
      <Gem x={86} y={120} scale={0.72} turn={-16} facets={TEAL} />
      <Gem x={236} y={126} scale={0.66} turn={15} facets={ROSE} />
      <Gem x={160} y={102} scale={1.22} turn={0} facets={VIOLET} />
      <Sparkle x={66} y={62} size={11} />
      <Sparkle x={256} y={58} size={15} />
      <Sparkle x={222} y={30} size={7} />
      <Sparkle x={110} y={34} size={6} />
    </>
  );
}

function Gem({
  x,
  y,
  scale,
  turn,
  facets,
}: {
  x: number;
  y: number;
  scale: number;
  turn: number;
  facets: FacetColors;
}) {
  const [lightest, light, middle, dark, darkest] = facets;
  return (
    <g transform={`translate(${x} ${y}) rotate(${turn}) scale(${scale})`} strokeLinejoin="round">
      <path d="M-64 0-40-32-22 0z" fill={light} />
      <path d="M-40-32 0-32-22 0z" fill={lightest} />
      <path d="M0-32 22 0-22 0z" fill={light} />
      <path d="M0-32 40-32 22 0z" fill={middle} />
      <path d="M40-32 64 0 22 0z" fill={dark} />
      <path d="M-64 0-22 0 0 74z" fill={middle} />
      <path d="M-22 0 22 0 0 74z" fill={dark} />
      <path d="M22 0 64 0 0 74z" fill={darkest} />
      <path d="M-58-2-39-28-31-28-46-2z" fill="#FFF" opacity=".45" />
    </g>
  );
}

function seasonPass(unique: (name: string) => string) {
  return (
    <>
      <defs>
        <linearGradient id={unique("sky")} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#FF9E7A" />
          <stop offset=".55" stopColor="#FFC987" />
          <stop offset="1" stopColor="#FFE9B8" />
        </linearGradient>
        <clipPath id={unique("ticket")}>
          <path d="M14 0h192a14 14 0 0 1 14 14v36a15 15 0 0 0 0 30v36a14 14 0 0 1-14 14H14a14 14 0 0 1-14-14V80a15 15 0 0 0 0-30V14A14 14 0 0 1 14 0z" />
        </clipPath>
      </defs>
      <rect className="picture-ground picture-ground-warm" width="320" height="240" />
      <ellipse className="picture-shadow" cx="162" cy="206" rx="112" ry="11" />
      <g transform="rotate(-7 160 120) translate(64 62)" opacity=".5">
        <path
          d="M14 0h192a14 14 0 0 1 14 14v36a15 15 0 0 0 0 30v36a14 14 0 0 1-14 14H14a14 14 0 0 1-14-14V80a15 15 0 0 0 0-30V14A14 14 0 0 1 14 0z"
          fill="#C8553D"
        />
      </g>
      <g transform="rotate(4 160 120) translate(50 54)">
        <g clipPath={`url(#${unique("ticket")})`}>
          <rect width="220" height="130" fill={`url(#${unique("sky")})`} />
          <circle cx="86" cy="62" r="25" fill="#FFF6DF" />
          <path d="M-6 130V92l38-30 30 24 32-40 44 50 22-18 26 22v30z" fill="#E8744F" />
          <path d="M-6 130v-20l46-22 36 18 40-28 38 32 32-10v30z" fill="#B9482F" />
          <rect x="160" width="60" height="130" fill="#7E2C22" />
          <path
            d="M160 4v122"
            stroke="#FFE9B8"
            strokeWidth="2.5"
            strokeDasharray="1 7"
            strokeLinecap="round"
          />
          <path
            d="M190 38l6.5 13.2 14.5 2.1-10.5 10.2 2.5 14.5-13-6.9-13 6.9 2.5-14.5L169 53.3l14.5-2.1z"
            fill="#FFD27A"
          />
          <path d="M176 94h28M181 103h18" stroke="#FFE9B8" strokeWidth="3" strokeLinecap="round" />
        </g>
      </g>
      <Sparkle x={52} y={52} size={10} />
      <Sparkle x={274} y={46} size={13} />
    </>
  );
}

function auroraLantern(unique: (name: string) => string) {
  return (
    <>
      <defs>
        <radialGradient id={unique("glow")} cx="50%" cy="50%" r="50%">
          <stop offset="0" stopColor="#FFF1B8" />
          <stop offset=".35" stopColor="#7FF0D0" stopOpacity=".6" />
          <stop offset="1" stopColor="#4FC3F0" stopOpacity="0" />
        </radialGradient>
        <linearGradient id={unique("glass")} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#BFF7E6" />
          <stop offset=".6" stopColor="#FFE08A" />
          <stop offset="1" stopColor="#FFB65C" />
        </linearGradient>
        <linearGradient id={unique("band")} x1="0" y1="0" x2="1" y2="0">
          <stop offset="0" stopColor="#38D6B5" stopOpacity="0" />
          <stop offset=".5" stopColor="#38D6B5" stopOpacity=".55" />
          <stop offset="1" stopColor="#7C6CF6" stopOpacity="0" />
        </linearGradient>
      </defs>
      <rect className="picture-night" width="320" height="240" />
      <path
        d="M-10 96C60 40 110 120 180 66s110-10 150-30v52c-50 10-90-14-150 34S60 84-10 148z"
        fill={`url(#${unique("band")})`}
      />
      <path
        d="M-10 60C70 20 130 84 200 40s90-4 130-24v26c-50 12-80-6-130 26S70 58-10 92z"
        fill={`url(#${unique("band")})`}
        opacity=".7"
      />
      <ellipse cx="160" cy="134" rx="128" ry="104" fill={`url(#${unique("glow")})`} opacity=".75" />
      <ellipse cx="160" cy="210" rx="62" ry="8" fill="#000" opacity=".35" />
      <g strokeLinejoin="round">
        <path
          d="M136 62a24 26 0 0 1 48 0"
          fill="none"
          stroke="#E7DBFF"
          strokeWidth="5"
          strokeLinecap="round"
        />
        <path d="M122 84l14-22h48l14 22z" fill="#6250C8" />
        <path d="M136 62h48l5 8h-58z" fill="#8D7BEF" />
        <path d="M118 84h84v9h-84z" fill="#4A3AA6" />
        <path d="M124 93h72l-8 86h-56z" fill={`url(#${unique("glass")})`} />
        <path d="M160 112c13 15 17 25 17 34a17 17 0 0 1-34 0c0-9 4-19 17-34z" fill="#FF8A3D" opacity=".85" />
        <path d="M160 132c7 8 9 13 9 18a9 9 0 0 1-18 0c0-5 2-10 9-18z" fill="#FFF6D6" />
        <path d="M146 93l2 86M174 93l-2 86" stroke="#4A3AA6" strokeWidth="4" opacity=".75" />
        <path d="M124 93h9l7 86h-8z" fill="#FFF" opacity=".35" />
        <path d="M120 179h80v9h-80z" fill="#4A3AA6" />
        <path d="M112 188h96l6 14H106z" fill="#6250C8" />
      </g>
      <g fill="#FFF">
        <circle cx="46" cy="40" r="1.8" />
        <circle cx="82" cy="24" r="1.3" />
        <circle cx="258" cy="100" r="1.6" />
        <circle cx="288" cy="66" r="1.3" />
        <circle cx="34" cy="176" r="1.4" />
        <circle cx="282" cy="164" r="1.8" />
      </g>
      <Sparkle x={238} y={38} size={9} />
      <Sparkle x={70} y={118} size={7} />
    </>
  );
}

function Sparkle({ x, y, size }: { x: number; y: number; size: number }) {
  return (
    <path
      className="picture-sparkle"
      transform={`translate(${x} ${y}) scale(${size / 10})`}
      d="M0-10C1-3 3-1 10 0 3 1 1 3 0 10-1 3-3 1-10 0-3-1-1-3 0-10z"
    />
  );
}
