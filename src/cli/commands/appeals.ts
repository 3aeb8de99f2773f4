// `telltale appeals`: listing objections to verdicts, and recording the operator's decisions.
import { parseArgs } from 'node:util';
import {
  decideAppeal,
  DECISIONS,
  findAppeal,
  pageAppeals,
  type Decision,
  type ShownAppeal,
} from '../../accounts/appeals.js';
import { dayOf } from '../../accounts/usage/period.js';
import { AskerFault } from 'telltale-engine/internal/base/errors.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { loadConfig, type Config } from '../../config.js';
import { signDecision } from '../../record/content/recorder.js';
import type { SignedRecord } from '../../record/content/schema.js';
import { writeJson } from '../../record/keys/sign.js';
import { openRecordKeys } from '../../service/record-keys/open-keys.js';
import { presentAppeal } from '../../service/http/routes/appeals.js';
import { print, readChoice, tableLines, UsageError, type Command } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale appeals list [--all] [--json]
       telltale appeals decide ID verdict_confirmed|verdict_overturned
                               [--remark TEXT] [--json]

Lists and decides appeals against verdicts (docs/appeals.md). In an appeal, an
original is compared with the checked image. 'list' shows the newest open
appeals, at most 100.

'decide' is final. It signs the appeal's record again with the decision, and
reports an overturned verdict as wrong in the history.

  --all           also list decided appeals
  --remark TEXT   explanation for the person who appealed

Exit status: 0 done, 1 failed, 2 wrong usage.`;

export const appealsCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        remark: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const [action, id, outcome, ...rest] = positionals;
    const config = loadConfig();
    if (action === 'list' && id === undefined && values.remark === undefined) {
      const { rows } = await withDatabase(config, (database) =>
        pageAppeals(database, undefined, !values.all),
      );
      return print(terminal, values.json, rows.map(present), describe(rows));
    }
    if (action !== 'decide' || id === undefined || outcome === undefined || rest.length > 0 || values.all)
      throw new UsageError("Expected 'list' or 'decide ID verdict_confirmed|verdict_overturned'");
    const decisionOutcome = readChoice('decide', outcome, DECISIONS);
    await decide(config, id, decisionOutcome, values.remark ?? '');
    return print(terminal, values.json, { id, outcome: decisionOutcome }, [
      `${visibleText(id)}: ${decisionOutcome}`,
    ]);
  },
};

function decide(config: Config, id: string, outcome: Decision, remark: string): Promise<void> {
  return withDatabase(config, async (database) => {
    const appeal = await findAppeal(database, id);
    if (!appeal) throw new AskerFault(`there is no appeal '${visibleText(id.slice(0, 40))}'`);
    const { record } = JSON.parse(appeal.record) as SignedRecord;
    const signer = await openRecordKeys(config, database).signer();
    const signed = signDecision(record, { outcome, remark }, signer);
    const decision = { outcome, remark, memberId: null, record: writeJson(signed) };
    if (!(await decideAppeal(database, appeal, decision)))
      throw new AskerFault('This appeal is already decided');
  });
}

function present(appeal: ShownAppeal): object {
  return { account: appeal.accountName, was_ai: appeal.wasAi, ...presentAppeal(appeal) };
}

function describe(appeals: readonly ShownAppeal[]): string[] {
  return tableLines(
    ['id', 'since', 'verdict', 'same scene', 'original', 'decision', 'account', 'remark'],
    appeals.map(({ id, createdAt, wasAi, findings, decision, accountName, remark }) => [
      id,
      dayOf(createdAt),
      wasAi ? 'AI' : 'no AI',
      findings.same_scene ? 'yes' : 'no',
      findings.original.is_ai ? 'AI' : 'no AI',
      decision?.outcome ?? 'open',
      visibleText(accountName),
      visibleText(remark),
    ]),
  );
}
