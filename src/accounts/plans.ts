// The plans that an operator offers, read from a JSON file when the program starts.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Type, type Static } from '@sinclair/typebox';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { exactly, requireShape } from 'telltale-engine/internal/base/shape.js';
import { AccountFault } from './accounts.js';

/** Path of the default plans file in the package. */
const DEFAULT_PLANS_FILE = fileURLToPath(new URL('../../plans.json', import.meta.url));

/** Maximum number of items in a scan, for every plan. Scans of this size were tested. */
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

export interface Plan {
  readonly name: string;
  /** Number of checks in a calendar month (UTC); null: no limit. */
  readonly checksPerMonth: number | null;
  readonly requestsPerSecond: number;
  /** Number of requests allowed immediately after a pause. */
  readonly burst: number;
  /** True if POST /v1/check/batch is allowed. */
  readonly batch: boolean;
  /** Maximum number of items in a scan; 0 (the default) allows no scans. */
  readonly scanItems: number;
  /** Number of scans of an account that may be queued or running concurrently. */
  readonly scansAtOnce: number;
  /** Set for a key with smaller limits than its account: `to` names the key's plan, `from` is the account's. */
  readonly narrowed?: { readonly to: string; readonly from: Plan };
}

/**
 * Returns the limits of a key with the smaller plan `to` in an account with the plan `plan`: the smaller value of each
 * limit. Only the monthly quota is the account's, because all its keys share it.
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

/** Returns whether no limit of `plan` is above the same limit of the account's plan. */
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

/** Throws AccountFault if the plan named `name` does not exist. */
export function requirePlan(plans: Plans, name: string): Plan {
  const plan = plans.get(name);
  if (plan) return plan;
  throw new AccountFault(`Expected one of ${[...plans.keys()].join(', ')} for the plan`);
}

/** Throws AccountFault if the plan named `name` does not exist, or allows more than the plan of the account. */
export function requireSmallerPlan(
  plans: Plans,
  name: string,
  account: { readonly name: string; readonly plan: string | null } | null,
): void {
  const plan = requirePlan(plans, name);
  const accountPlan = plans.get(account?.plan ?? '');
  if (!account || !accountPlan || plan === accountPlan || isWithin(plan, accountPlan)) return;
  throw new AccountFault(
    `The plan ${name} allows more than ${accountPlan.name}, the plan of the account; ` +
      `'telltale accounts plan ${account.name} ${name}' changes it for all of its keys`,
  );
}

/** Returns the caller's plan as error messages name it. */
export function nameOfPlan({ name, narrowed }: Plan): string {
  return narrowed ? `the plan ${narrowed.to}, to which this key is narrowed,` : `the plan ${name}`;
}

/** Returns the name and limits of a plan as JSON. */
export function presentPlan(plan: Plan): { readonly name: string } & ReturnType<typeof presentLimits> {
  return { name: plan.name, ...presentLimits(plan) };
}

/** Returns the limits of `plan` in the format of the plans file. */
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

/** All plans by name, in the order of the file. */
export type Plans = ReadonlyMap<string, Plan>;

/** Reads and validates the plans file at `path`. Throws StartError `config_invalid` with the first error. */
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
