// A scan as the console shows it.
import { presentScan } from '../scans/scan.js';
import type { NamedScan } from '../scans/read-scans.js';
import type { ShownScan } from './scan-shapes.js';

/** As of `now`. */
export function presentShownScan(row: NamedScan, now: Date): ShownScan {
  return {
    ...presentScan(row, now),
    name: row.name,
    by: row.member_email ?? row.key_name,
    is_uploaded: row.is_uploaded === 1,
    profile: row.profile,
  };
}
