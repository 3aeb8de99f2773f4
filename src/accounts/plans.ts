// The plans an operator offers: one JSON file, checked once when the program starts.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Type, type Static } from '@sinclair/typebox';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { exactly, requireShape } from 'telltale-engine/internal/base/shape.js';

/** The package's own plans. */
const DEFAULT_PLANS_FILE = fileURLToPath(new URL('../../plans.json', import.meta.url));

/** Items of the longest scan that any plan may allow. Chosen: what a database holds without partitions. */
export const MAX_SCAN_ITEMS = 1_000_000;

const PlanFile = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_-]{0,31}$' }),
  exactly({
    checks_per_month: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      expected: 'a whole number from 0, or null,',
    }),
    requests_per_second: Type.Number({ exclusiveMinimum: 0 }),
    burst: Type.Integer({ minimum: 1 }),
    batch: Type.Boolean({ expected: 'true or false' }),
    scan_items: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SCAN_ITEMS })),
    scans_at_once: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  { minProperties: 1, additionalProperties: false, expected: 'one plan or more' },
);

/** What a plan allows. */
export interface Plan {
  readonly name: string;
  /** Checks in a calendar month (UTC); null: no limit. */
  readonly checksPerMonth: number | null;
  readonly requestsPerSecond: number;
  /** Requests that may come at once after a pause. */
  readonly burst: number;
  /** Whether POST /v1/check/batch is allowed. */
  readonly batch: boolean;
  /** Items of a scan; 0, as in a file that does not say: no scans. */
  readonly scanItems: number;
  /** Scans of an account that may be queued or run at the same time. */
  readonly scansAtOnce: number;
  /** Set if these are the limits of a key that is narrower than its account: `from` is the account's plan. */
  readonly narrowed?: { readonly to: string; readonly from: Plan };
}

/**
 * What a key that is narrowed to the plan `to` may do in an account on `plan`: of each limit the smaller one. The quota
 * of checks is not a key's: all keys of an account draw on one.
 */
export function narrowPlan(plan: Plan, to: Plan): Plan {
  return {
    ...plan,
    requestsPerSecond: Math.min(plan.requestsPerSecond, to.requestsPerSecond),
    burst: Math.min(plan.burst, to.burst),
    batch: plan.batch && to.batch,
    scanItems: Math.min(plan.scanItems, to.scanItems),
    scansAtOnce: Math.min(plan.scansAtOnce, to.scansAtOnce),
    narrowed: { to: to.name, from: plan },
  };
}

/** Whether `plan` gives a key nothing that the account's plan does not give. */
export function isWithin(plan: Plan, account: Plan): boolean {
  const narrowed = narrowPlan(account, plan);
  return (
    narrowed.requestsPerSecond === plan.requestsPerSecond &&
    narrowed.burst === plan.burst &&
    narrowed.batch === plan.batch &&
    narrowed.scanItems === plan.scanItems &&
    narrowed.scansAtOnce === plan.scansAtOnce
  );
}

/** How messages name the plan of the caller. */
export function nameOfPlan({ name, narrowed }: Plan): string {
  return narrowed ? `the plan ${narrowed.to}, to which this key is narrowed,` : `the plan ${name}`;
}

/** What `plan` allows, in the form of the plans file. */
export function presentLimits(plan: Plan): Required<Static<typeof PlanFile>[string]> {
  return {
    checks_per_month: plan.checksPerMonth,
    requests_per_second: plan.requestsPerSecond,
    burst: plan.burst,
    batch: plan.batch,
    scan_items: plan.scanItems,
    scans_at_once: plan.scansAtOnce,
  };
}

/** Every plan by its name, in the file's order. */
export type Plans = ReadonlyMap<string, Plan>;

/** Reads and checks the plans file at `path`. Throws StartError `config_invalid` that names the first fault. */
export function loadPlans(path: string = DEFAULT_PLANS_FILE): Plans {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new StartError('config_invalid', `the plans file ${path} can't be read as JSON`, { cause });
  }
  const plans = requireShape(
    PlanFile,
    content,
    ({ text }) => new StartError('config_invalid', `the plans file ${path}: ${text}`),
  );
  return new Map(Object.entries(plans).map(([name, plan]) => [name, readPlan(name, plan)]));
}

function readPlan(name: string, plan: Static<typeof PlanFile>[string]): Plan {
  return {
    name,
    checksPerMonth: plan.checks_per_month,
    requestsPerSecond: plan.requests_per_second,
    burst: plan.burst,
    batch: plan.batch,
    scanItems: plan.scan_items ?? 0,
    scansAtOnce: plan.scans_at_once ?? 0,
  };
}
