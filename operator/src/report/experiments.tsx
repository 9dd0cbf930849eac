// Compares the variations of each experiment: their conversion with its confidence interval.

import { scaleLinear } from "@visx/scale";
import type { ExperimentReport, VariationReport } from "../../../form/generated/wire.ts";
import { formatCount, formatPercent } from "../number-format.ts";
import { Panel } from "../panel.tsx";
import { FigureTable } from "./figure-table.tsx";
import { useWidth } from "./use-width.ts";

const ROW_HEIGHT = 28;
/** The space left of the scale and right of it, in pixels. */
const INSET = 6;

export function Experiments({ experiments }: { readonly experiments: readonly ExperimentReport[] }) {
  return (
    <Panel title="Experiments" hint="Paid of the visits that saw a variation, with its 95 % interval">
      {experiments.length === 0 ? (
        <p className="empty">No visit of this range saw an experiment.</p>
      ) : (
        <div className="experiments">
          {experiments.map((experiment) => (
            <Experiment key={experiment.experiment_id} experiment={experiment} />
          ))}
        </div>
      )}
    </Panel>
  );
}

function Experiment({ experiment }: { readonly experiment: ExperimentReport }) {
  const { experiment_id: id, variations } = experiment;
  const domain = [
    Math.min(...variations.map(({ conversion }) => conversion.low)),
    Math.max(...variations.map(({ conversion }) => conversion.high)),
  ] as const;
  return (
    <article className="experiment">
      <h3>{id}</h3>
      <FigureTable
        className="plain stacks-late"
        of="Variation"
        rows={variations}
        rowKey={(variation) => variation.variation_id}
        rowHead={(variation) => variationName(variation.variation_id)}
        columns={[
          { name: "Visits", value: ({ funnel }) => formatCount(funnel.viewed) },
          { name: "Paid", value: ({ funnel }) => formatCount(funnel.paid) },
          {
            name: "Conversion",
            className: "number strong",
            value: ({ conversion }) => formatPercent(conversion.rate),
          },
          {
            name: "Interval",
            className: "interval",
            head: (
              <>
                Interval{" "}
                <span className="soft small">{`${formatPercent(domain[0])} to ${formatPercent(domain[1])}`}</span>
              </>
            ),
            value: (variation) => <ConfidenceInterval variation={variation} domain={domain} />,
          },
        ]}
      />
      <p className="small soft">{conclusion(variations)}</p>
    </article>
  );
}

interface ConfidenceIntervalProps {
  readonly variation: VariationReport;
  /** The lowest and the highest end of the experiment's intervals. */
  readonly domain: readonly [number, number];
}

function ConfidenceInterval({ variation, domain }: ConfidenceIntervalProps) {
  const { element, width } = useWidth<HTMLDivElement>();
  const { low, high, rate } = variation.conversion;
  const x = scaleLinear({ domain: [...domain], range: [INSET, Math.max(INSET, width - INSET)] });
  const middle = ROW_HEIGHT / 2;
  const kind = variation.variation_id === 0 ? "control" : "treatment";
  return (
    <div ref={element} className="interval-chart">
      {width > 0 && (
        <svg
          width={width}
          height={ROW_HEIGHT}
          role="img"
          aria-label={`${formatPercent(low)} to ${formatPercent(high)}`}
          className={kind}
        >
          <line className="grid" x1={0} x2={width} y1={middle} y2={middle} />
          <line className="reach" x1={x(low)} x2={x(high)} y1={middle} y2={middle} />
          <line className="reach-end" x1={x(low)} x2={x(low)} y1={middle - 5} y2={middle + 5} />
          <line className="reach-end" x1={x(high)} x2={x(high)} y1={middle - 5} y2={middle + 5} />
          <circle className="rate" cx={x(rate)} cy={middle} r={4.5} />
        </svg>
      )}
      <span className="small soft">{`${formatPercent(low)} – ${formatPercent(high)}`}</span>
    </div>
  );
}

/** The first variation is the control: the form as it was before the experiment. */
function variationName(id: number): string {
  return id === 0 ? "0 · control" : String(id);
}

/** The conclusion that the intervals allow. */
function conclusion(variations: readonly VariationReport[]): string {
  if (variations.length < 2) {
    return "Visits saw only one variation, so there is nothing to compare.";
  }
  const [best, ...others] = variations.toSorted((one, other) => other.conversion.rate - one.conversion.rate);
  return best !== undefined && others.every((other) => best.conversion.low > other.conversion.high)
    ? `Variation ${best.variation_id} converts better: its interval is above the others.`
    : "The intervals overlap: there is no proven difference yet.";
}
