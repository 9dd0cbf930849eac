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
const MARGIN = { top: 8, right: 4, bottom: 24, left: 40 };
/** How wide a label of the time wants to be, in pixels. */
const LABEL_WIDTH = 72;
/** Between what is stacked, in pixels, so that colour is not the only thing that parts it. */
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
  const x = scaleBand({
    domain: buckets.map(({ at }) => at),
    range: [MARGIN.left, Math.max(MARGIN.left, width - MARGIN.right)],
    paddingInner: 0.25,
    paddingOuter: 0.1,
  });
  const y = scaleLinear({ domain: [0, highest], range: [HEIGHT - MARGIN.bottom, MARGIN.top], nice: 4 });
  const columns = buckets.map(({ at, outcomes }) => ({ at, ...outcomes }));

  const point = (event: PointerEvent<SVGSVGElement>) => {
    const within = event.clientX - event.currentTarget.getBoundingClientRect().left - MARGIN.left;
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
            left={MARGIN.left}
            tickValues={y.ticks(4).filter(Number.isInteger)}
            tickFormat={(value) => count(Number(value))}
            hideAxisLine
            hideTicks
            axisClassName="axis"
            tickLabelProps={{ dx: -4, dy: "0.3em", textAnchor: "end" }}
          />
          {y
            .ticks(4)
            .filter(Number.isInteger)
            .map((value) => (
              <line
                key={value}
                className="grid"
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={y(value)}
                y2={y(value)}
              />
            ))}
          {pointed !== null && (
            <rect
              className="pointed"
              x={(x(pointed) ?? 0) - (x.step() - x.bandwidth()) / 2}
              y={MARGIN.top}
              width={x.step()}
              height={HEIGHT - MARGIN.bottom - MARGIN.top}
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
            top={HEIGHT - MARGIN.bottom}
            tickValues={ticks(buckets, width).filter((at) => (x(at) ?? 0) + LABEL_WIDTH / 4 < width)}
            tickFormat={(at) => tickTime(Number(at), bucketMs)}
            hideTicks
            axisClassName="axis"
            tickLabelProps={{ textAnchor: "middle" }}
          />
        </svg>
      )}
    </div>
  );
}

function allOf({ outcomes }: ChargeBucket): number {
  return KEYS.reduce((sum, outcome) => sum + outcomes[outcome], 0);
}

/** As many times as there is room for, evenly. */
function ticks(buckets: readonly ChargeBucket[], width: number): number[] {
  const room = Math.max(1, Math.floor((width - MARGIN.left) / LABEL_WIDTH));
  const every = Math.ceil(buckets.length / room);
  return buckets.filter((_, index) => index % every === Math.floor(every / 2)).map(({ at }) => at);
}

function summary(total: ChargeOutcomes): string {
  const parts = OUTCOMES.map(({ outcome, name }) => `${name.toLowerCase()} ${count(total[outcome])}`);
  return `Charges over time as stacked bars. In all: ${parts.join(", ")}. The table below has each bar's figures.`;
}
