// The chart of charges over time: a bar per bucket, its outcomes stacked.

import { AxisBottom, AxisLeft } from "@visx/axis";
import { scaleBand, scaleLinear } from "@visx/scale";
import { BarStack } from "@visx/shape";
import type { PointerEvent } from "react";
import type { ChargeBucket, ChargeOutcomes, ChargeReport } from "../../form/generated/wire.ts";
import { tickTime } from "./times.ts";
import { useWidth } from "./use-width.ts";
import { count, OUTCOMES } from "./words.ts";

const HEIGHT = 240;
const RIGHT = 4;
/** The size of the axes' text, in parts of the page's (`look/charts.css`). */
const LABEL_EM = 0.75;
/** How wide a character is at most, in parts of the text's size. */
const CHARACTER_EM = 0.62;
/** How far the highest number of an axis reaches above its line, in parts of the text's size. */
const ABOVE_EM = 1;
/** Between an axis and its text, in pixels. */
const LABEL_GAP = 8;
/** Fewer ticks than this show no scale. */
const TICKS = 4;
/** The gap in a stack, in pixels, so that color is not the only difference. */
const GAP = 1;
const KEYS = OUTCOMES.map(({ outcome }) => outcome);

interface ChargesChartProps {
  readonly charges: ChargeReport;
  /** The beginning of the bucket that is pointed at. */
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
  // As wide as the longest number: none is ever cut off.
  const left = Math.ceil(Math.max(...levels.map((level) => widthOf(count(level)))) + 2 * LABEL_GAP);
  const top = Math.ceil(ABOVE_EM * textSize);
  const bottom = Math.ceil(textSize) + 2 * LABEL_GAP;
  const x = scaleBand({
    domain: buckets.map(({ at }) => at),
    range: [left, Math.max(left, width - RIGHT)],
    paddingInner: 0.25,
    paddingOuter: 0.1,
  });
  const y = scaleLinear({ domain: [0, highest], range: [HEIGHT - bottom, top], nice: TICKS });
  // As many times as fit, evenly, each fully inside the chart.
  const labelWidth = Math.max(0, ...buckets.map(({ at }) => widthOf(tickTime(at, bucketMs))));
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
            tickFormat={(value) => count(Number(value))}
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
            tickFormat={(at) => tickTime(Number(at), bucketMs)}
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

/** The size of the page's text, in pixels: a reader may have made it larger. */
function rootTextSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The beginnings of so many buckets, or fewer. */
function ticks(buckets: readonly ChargeBucket[], room: number): number[] {
  const every = Math.ceil(buckets.length / Math.max(1, room));
  return buckets.filter((_, index) => index % every === Math.floor(every / 2)).map(({ at }) => at);
}

function summary(total: ChargeOutcomes): string {
  const parts = OUTCOMES.map(({ outcome, name }) => `${name.toLowerCase()} ${count(total[outcome])}`);
  return `Charges over time as stacked bars. In all: ${parts.join(", ")}. The table below has each bar's figures.`;
}
