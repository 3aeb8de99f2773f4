// From what one picture costs to what so many a day need: arithmetic, no measurement.
import { show } from '../report/numbers.js';
import type { Table } from '../report/section.js';

/** What one picture of a scan costs, as measured. */
export interface PictureCost {
  /** Checks a second of the engine for each core. */
  readonly checksPerCore: number;
  readonly transactions: number;
  /** Processor milliseconds of PostgreSQL. */
  readonly databaseMs: number;
  /** Of tables and indexes. */
  readonly bytesKept: number;
  /** Of the write-ahead log. */
  readonly logBytes: number;
  /** Of the picture. */
  readonly pictureBytes: number;
}

const PICTURES_A_DAY = [10_000, 1_000_000, 100_000_000];
const DAY_SECONDS = 86_400;
/** Share of a core's time that is planned with. Chosen: leaves room for everything but the engine. */
const BUSY = 0.7;
/** Chosen: the default of TELLTALE_SCAN_DAYS. */
const DAYS_KEPT = 30;

/** What the machines must do where the pictures come evenly over the day. */
export function tableOfDays(cost: PictureCost): Table {
  return {
    title: `Pictures a day, evenly (cores ${BUSY * 100}% busy, answers kept for ${DAYS_KEPT} days): arithmetic on the above`,
    head: [
      'pictures a day',
      'a second',
      'cores',
      'transactions/s',
      "PostgreSQL's cores",
      'database, GB',
      'log, GB a day',
      'pictures, GB a day',
    ],
    rows: PICTURES_A_DAY.map((pictures) => {
      const perSecond = pictures / DAY_SECONDS;
      return [
        String(pictures),
        ...[
          perSecond,
          perSecond / cost.checksPerCore / BUSY,
          perSecond * cost.transactions,
          (perSecond * cost.databaseMs) / 1000,
          (pictures * DAYS_KEPT * cost.bytesKept) / 1e9,
          (pictures * cost.logBytes) / 1e9,
          (pictures * cost.pictureBytes) / 1e9,
        ].map(show),
      ];
    }),
  };
}
