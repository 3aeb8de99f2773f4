// The shapes of usage, as JSON Schema.
import { Type } from '@sinclair/typebox';
import { nullable } from '../../../base/shape.js';

/** Query of GET /v1/usage. */
export const UsageQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({ description: 'first day, YYYY-MM-DD (UTC); default: the first day of the period' }),
    ),
    to: Type.Optional(Type.String({ description: 'last day, included; default: today. At most 366 days' })),
  },
  { additionalProperties: false },
);

/** The usage record, section 2.3. */
export const UsageRecord = Type.Object(
  {
    plan: Type.String(),
    period: Type.Object({ start: Type.String(), end: Type.String() }),
    checks: Type.Object({
      used: Type.Integer({ minimum: 0 }),
      reserved: Type.Integer({ minimum: 0, description: 'set aside for scans that run' }),
      quota: nullable(Type.Integer({ minimum: 0 })),
      remaining: nullable(Type.Integer({ minimum: 0 })),
    }),
    days: Type.Array(Type.Object({ date: Type.String(), checks: Type.Integer({ minimum: 0 }) })),
  },
  { $id: 'UsageRecord' },
);
