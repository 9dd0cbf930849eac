// The chart of charges over time: one bar for each bucket, with the outcomes stacked.

import { AxisBottom, AxisLeft } from "@visx/axis";
import { scaleBand, scaleLinear } from "@visx/scale";
import { BarStack } from "@visx/shape";
import type { PointerEvent } from "react";
import type { ChargeBucket, ChargeOutcomes, ChargeReport } from "../../../form/generated/wire.ts";
import { OUTCOMES } from "../names.ts";
import { formatCount } from "../number-format.ts";
import { formatTickTime } from "../times.ts";
import { useWidth } from "./use-width.ts";

const HEIGHT = 240;
const RIGHT = 4;
/** The size of the axes' text, relative to the page's text (`look/charts.css`). */
const LABEL_EM = 0.75;
/** The greatest width of a character, relative to the text's size. */
const CHARACTER_EM = 0.62;
/** How far the topmost number of an axis reaches above its line, relative to the text's size. */
const ABOVE_EM = 1;
/** The space between an axis and its text, in pixels. */
const LABEL_GAP = 8;
/** About how many numbers the vertical axis has. */
const TICKS = 4;
/** The gap between the parts of a bar, in pixels, so that they can be told apart without their colors. */
const GAP = 1;
const KEYS = OUTCOMES.map(({ outcome }) => outcome);

interface ChargesChartProps {
  readonly charges: ChargeReport;
  /** The beginning of the bucket under the pointer. */
  readonly pointed: number | null;
  readonly onPoint: (at: number | null) => void;
}

export function ChargesChart({ charges, pointed, onPoint }: ChargesChartProps) {
  const { element, width } = useWidth<HTMLDivElement>();
  const { buckets, bucket_ms: bucketMs } = charges;
  const highest = Math.max(1, ...buckets.map(allOf));
  const textSize = LABEL_EM * rootTextSize();
  const widthOf = (label: string) => label.length * CHARACTER_EM * textSize;
  const levels = scaleLinear({ domain: [0, highest], nice: TICKS })
    .ticks(TICKS)
    .filter(Number.isInteger);
  // The space at the left fits the longest number, so that none is cut off.
  const left = Math.ceil(Math.max(...levels.map((level) => widthOf(formatCount(level)))) + 2 * LABEL_GAP);
  const top = Math.ceil(ABOVE_EM * textSize);
  const bottom = Math.ceil(textSize) + 2 * LABEL_GAP;
  const x = scaleBand({
    domain: buckets.map(({ at }) => at),
    range: [left, Math.max(left, width - RIGHT)],
    paddingInner: 0.25,
    paddingOuter: 0.1,
  });
  const y = scaleLinear({ domain: [0, highest], range: [HEIGHT - bottom, top], nice: TICKS });
  // The labels of times are evenly spaced, as many as fit, and each is fully inside the chart.
  const labelWidth = Math.max(0, ...buckets.map(({ at }) => widthOf(formatTickTime(at, bucketMs))));
  const times = ticks(buckets, Math.floor((width - left) / (labelWidth + 2 * LABEL_GAP))).filter((at) => {
    const middle = (x(at) ?? 0) + x.bandwidth() / 2;
    return middle - labelWidth / 2 >= 0 && middle + labelWidth / 2 <= width;
  });
  const columns = buckets.map(({ at, outcomes }) => ({ at, ...outcomes }));

  const point = (event: PointerEvent<SVGSVGElement>) => {
    const within = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    onPoint(buckets[Math.floor(within / x.step())]?.at ?? null);
  };

  return (
    <div ref={element} className="chart">
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={summary(charges.total)}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => onPoint(null)}
        >
          <AxisLeft
            scale={y}
            left={left}
            tickValues={levels}
            tickFormat={(value) => formatCount(Number(value))}
            hideAxisLine
            hideTicks
            axisClassName="axis"
            tickLabelProps={{ dx: -LABEL_GAP / 2, dy: "0.3em", textAnchor: "end" }}
          />
          {levels.map((value) => (
            <line key={value} className="grid" x1={left} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
          ))}
          {pointed !== null && (
            <rect
              className="pointed"
              x={(x(pointed) ?? 0) - (x.step() - x.bandwidth()) / 2}
              y={top}
              width={x.step()}
              height={HEIGHT - bottom - top}
            />
          )}
          <BarStack
            data={columns}
            keys={KEYS}
            x={({ at }) => at}
            xScale={x}
            yScale={y}
            color={(outcome) => outcome}
          >
            {(stacks) =>
              stacks.flatMap(({ key, bars }) =>
                bars
                  .filter(({ height }) => height > 0)
                  .map((bar) => (
                    <rect
                      key={`${key} ${bar.index}`}
                      className={`outcome-${key}`}
                      fill={`var(--${key})`}
                      x={bar.x}
                      y={bar.y}
                      width={bar.width}
                      height={Math.max(1, bar.height - GAP)}
                    />
                  )),
              )
            }
          </BarStack>
          <AxisBottom
            scale={x}
            top={HEIGHT - bottom}
            tickValues={times}
            tickFormat={(at) => formatTickTime(Number(at), bucketMs)}
            hideTicks
            axisClassName="axis"
            tickLabelProps={{ textAnchor: "middle", dy: "0.25em" }}
          />
        </svg>
      )}
    </div>
  );
}

function allOf({ outcomes }: ChargeBucket): number {
  return KEYS.reduce((sum, outcome) => sum + outcomes[outcome], 0);
}

/** The size of the page's text in pixels, which the browser's settings can change. */
function rootTextSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The beginnings of evenly spaced buckets, at most `countMax` of them. */
function ticks(buckets: readonly ChargeBucket[], countMax: number): number[] {
  const every = Math.ceil(buckets.length / Math.max(1, countMax));
  return buckets.filter((_, index) => index % every === Math.floor(every / 2)).map(({ at }) => at);
}

function summary(total: ChargeOutcomes): string {
  const parts = OUTCOMES.map(({ outcome, name }) => `${name.toLowerCase()} ${formatCount(total[outcome])}`);
  return `Charges over time as stacked bars. In all: ${parts.join(", ")}. The table below has each bar's figures.`;
}
