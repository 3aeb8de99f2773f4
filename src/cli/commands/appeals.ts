// `telltale appeals`: listing objections to verdicts, and recording the operator's decisions.
import { parseArgs } from 'node:util';
import { DECISIONS } from '../../accounts/appeals/appeals.js';
import { decideAppeal, type SignDecision } from '../../accounts/appeals/decide.js';
import { listAppealLinks, revokeAppealLink, type AppealLink } from '../../accounts/appeals/links.js';
import { presentAppealLink, presentShownAppeal } from '../../accounts/appeals/present.js';
import { pageAppeals, type ShownAppeal } from '../../accounts/appeals/shown.js';
import { dayOf } from '../../accounts/usage/period.js';
import { AskerFault, CheckError } from 'telltale-engine/internal/base/errors.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { loadConfig, type Config } from '../../config.js';
import { signDecision } from '../../record/content/recorder.js';
import { openRecordKeys } from '../../service/record-keys/open-keys.js';
import { createAppealNotifier } from '../../service/webhooks/warnings.js';
import { withQueue } from './webhooks.js';
import { print, readChoice, tableLines, UsageError, type Command } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale appeals list [--all] [--json]
       telltale appeals decide ID verdict_confirmed|verdict_overturned
                               [--remark TEXT] [--json]
       telltale appeals links CHECK [--json]
       telltale appeals revoke LINK [--json]

Lists and decides appeals against verdicts (docs/appeals.md). In an appeal, an
original is compared with the checked image. 'list' shows the newest open
appeals, at most 100. 'links' shows the links by which people without an API key
can appeal against a check. 'revoke' ends a link at once.

'decide' is final. It signs the appeal's record again with the decision, and
reports an overturned verdict as wrong in the history.

  --all           also list decided and withdrawn appeals
  --remark TEXT   explanation for the person who appealed

Exit status: 0 done, 1 failed, 2 wrong usage.`;

const OPTIONS = {
  all: { type: 'boolean', default: false },
  remark: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

export const appealsCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [action, id, outcome, ...rest] = positionals;
    const { all, remark, json } = values;
    const config = loadConfig();
    if (action === 'list' && id === undefined && remark === undefined) {
      const { rows } = await withDatabase(config, (database) => pageAppeals(database, { isOpen: !all }));
      return print(terminal, json, rows.map(presentShownAppeal), describe(rows));
    }
    if (action === 'decide' && id !== undefined && outcome !== undefined && rest.length === 0 && !all) {
      const decision = { outcome: readChoice('decide', outcome, DECISIONS), remark: remark ?? '' };
      await decide(config, id, decision);
      const { outcome: decided } = decision;
      return print(terminal, json, { id, outcome: decided }, [`${visibleText(id)}: ${decided}`]);
    }
    if (id === undefined || outcome !== undefined || all || remark !== undefined)
      throw new UsageError(
        "Expected 'list', 'decide ID verdict_confirmed|verdict_overturned', 'links CHECK' or 'revoke LINK'",
      );
    if (action === 'links') {
      const links = await withDatabase(config, (database) => listAppealLinks(database, id));
      return print(terminal, json, links.map(presentAppealLink), describeLinks(links));
    }
    if (action !== 'revoke') throw new UsageError("Expected 'list', 'decide', 'links' or 'revoke'");
    const link = await withDatabase(config, (database) => revokeAppealLink(database, id)).catch(asUsage);
    return print(terminal, json, presentAppealLink(link), [`${link.id}: revoked`]);
  },
};

async function decide(
  config: Config,
  id: string,
  { outcome, remark }: Parameters<SignDecision>[1],
): Promise<void> {
  await withDatabase(config, async (database) => {
    const signer = await openRecordKeys(config, database).signer();
    const sign: SignDecision = (record, decision) => Promise.resolve(signDecision(record, decision, signer));
    const decision = { id, outcome, remark, memberId: null };
    if (config.database.kind !== 'postgres') return decideAppeal(database, decision, sign);
    return withQueue(config.database.url, (queue) =>
      decideAppeal(database, decision, sign, createAppealNotifier(queue)),
    );
  }).catch(asUsage);
}

/** Reports an unknown identifier or an impossible decision like wrong usage. Rethrows other errors. */
function asUsage(error: unknown): never {
  const isUsage = error instanceof CheckError && ['not_found', 'invalid_request'].includes(error.code);
  throw isUsage ? new AskerFault(error.message) : error;
}

function describe(appeals: readonly ShownAppeal[]): string[] {
  return tableLines(
    ['id', 'since', 'verdict', 'same scene', 'original', 'decision', 'account', 'remark'],
    appeals.map(({ id, createdAt, check, findings, decision, withdrawnAt, accountName, remark }) => [
      id,
      dayOf(createdAt),
      check.isAi ? 'AI' : 'no AI',
      findings.same_scene ? 'yes' : 'no',
      findings.original.is_ai ? 'AI' : 'no AI',
      decision?.outcome ?? (withdrawnAt ? 'withdrawn' : 'open'),
      visibleText(accountName),
      visibleText(remark),
    ]),
  );
}

function describeLinks(links: readonly AppealLink[]): string[] {
  return tableLines(
    ['id', 'since', 'until', 'state', 'attempts left'],
    links
      .map(presentAppealLink)
      .map(({ id, created_at, expires_at, state, attempts_left }) => [
        id,
        created_at.slice(0, 10),
        expires_at.slice(0, 10),
        state,
        String(attempts_left),
      ]),
  );
}
