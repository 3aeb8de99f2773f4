// `telltale plans`: what each plan allows.
import { parseArgs } from 'node:util';
import { loadPlans, presentLimits } from '../../accounts/plans.js';
import { loadConfig } from '../../config.js';
import type { Command } from './command.js';

const HELP = `Usage: telltale plans [--json]

Prints the plans of the plans file: checks a month, requests a second with their
burst, whether batches are allowed, items of a scan and scans at once.
TELLTALE_PLANS_FILE names a file of your own (JSON, in the form of the package's
plans.json); a running service reads it when it starts.

  --json   the plans in the form of the file

Exit status: 0 done, 1 the file is not valid, 2 wrong usage.`;

/** The subcommand `plans`. */
export const plansCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
    const plans = loadPlans(loadConfig().plansFile ?? undefined);
    if (values.json) {
      await terminal.out.writeLine(
        JSON.stringify(Object.fromEntries([...plans].map(([name, plan]) => [name, presentLimits(plan)]))),
      );
      return 0;
    }
    await terminal.out.writeLine(
      line('PLAN', 'CHECKS A MONTH', 'REQUESTS A SECOND', 'BURST', 'BATCH', 'SCAN ITEMS', 'AT ONCE'),
    );
    for (const plan of plans.values()) {
      const { name, checksPerMonth, requestsPerSecond, burst, batch, scanItems, scansAtOnce } = plan;
      const checks = checksPerMonth === null ? 'no limit' : String(checksPerMonth);
      await terminal.out.writeLine(
        line(
          name,
          checks,
          String(requestsPerSecond),
          String(burst),
          batch ? 'yes' : 'no',
          String(scanItems),
          String(scansAtOnce),
        ),
      );
    }
    return 0;
  },
};

const WIDTHS = [16, 20, 8, 8, 12, 9];

function line(name: string, ...cells: readonly string[]): string {
  return name.padEnd(12) + cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join('');
}
