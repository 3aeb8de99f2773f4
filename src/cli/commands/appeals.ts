// `telltale appeals`: listing objections to verdicts, recording the operator's decisions, and links for people without
// an API key.
import { parseArgs } from 'node:util';
import { DECISIONS, MAX_REMARK } from '../../accounts/appeals/appeals.js';
import { decideAppeal, type SignDecision } from '../../accounts/appeals/decide.js';
import {
  createAppealLink,
  listAppealLinks,
  MAX_LINK_DAYS,
  revokeAppealLink,
  type AppealLink,
} from '../../accounts/appeals/links.js';
import { addressOfLink, presentAppealLink, presentShownAppeal } from '../../accounts/appeals/present.js';
import { pageAppeals, type ShownAppeal } from '../../accounts/appeals/shown.js';
import { dayOf } from '../../accounts/usage/period.js';
import { assessmentOf, HEADLINES } from 'telltale-engine/internal/check/verdict/assessment.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { loadConfig } from '../../config.js';
import { signDecision } from '../../record/content/recorder.js';
import { openRecordKeys } from '../../service/record-keys/open-keys.js';
import { createAppealNotifier } from '../../service/webhooks/work.js';
import { withQueue } from './webhooks.js';
import type { Terminal } from '../terminal/terminal.js';
import { print, readChoice, tableLines, UsageError, type Command, type ExitStatus } from './command.js';
import { withDatabase } from './open-database.js';
import { findConsole, warnAssumed } from './serve/served-url.js';

const HELP = `Usage: telltale appeals list [--all] [--json]
       telltale appeals decide ID verdict_confirmed|verdict_overturned
                               [--remark TEXT] [--json]
       telltale appeals link CHECK [--days N] [--json]
       telltale appeals links CHECK [--json]
       telltale appeals revoke LINK [--json]

Lists and decides appeals against verdicts (docs/appeals.md). In an appeal, an
original is compared with the checked image. 'list' shows the newest open
appeals, at most 100. 'decide' is final. It signs the appeal's record again with
the decision, and reports an overturned verdict as wrong in the history.

'link' creates a link by which a person without an API key can appeal against a
check. It is shown once. 'links' lists a check's links. 'revoke' ends a link.

  --all           also list decided and withdrawn appeals
  --remark TEXT   note for the person who appealed, at most ${MAX_REMARK} characters
  --days N        days for which the link is valid, 1 to 90; default: 14

Exit status: 0 done, 1 failed, 2 wrong usage.`;

const OPTIONS = {
  all: { type: 'boolean' },
  remark: { type: 'string' },
  days: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

const ACTIONS =
  "'list', 'decide ID verdict_confirmed|verdict_overturned', 'link CHECK', 'links CHECK' or 'revoke LINK'";

interface Values {
  readonly all?: boolean;
  readonly remark?: string;
  readonly days?: string;
  readonly json: boolean;
}

/** An action with the options that it accepts and the number of its arguments. */
interface Action {
  readonly options: readonly (keyof Values)[];
  readonly arguments: number;
  readonly run: (args: readonly string[], values: Values, terminal: Terminal) => Promise<ExitStatus>;
}

const BY_NAME: Readonly<Record<string, Action>> = {
  list: { options: ['all'], arguments: 0, run: list },
  decide: { options: ['remark'], arguments: 2, run: decide },
  link: { options: ['days'], arguments: 1, run: createLink },
  links: { options: [], arguments: 1, run: listLinks },
  revoke: { options: [], arguments: 1, run: revoke },
};

export const appealsCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [name, ...rest] = positionals;
    const action = name !== undefined && Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
    const isFit =
      action?.arguments === rest.length &&
      Object.keys(values).every((option) => ['json', ...action.options].includes(option));
    if (!action || !isFit) throw new UsageError(`Expected ${ACTIONS}`);
    return action.run(rest, values, terminal);
  },
};

async function list(
  _args: readonly string[],
  { all, json }: Values,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { rows } = await withDatabase(loadConfig(), (database) => pageAppeals(database, { isOpen: !all }));
  return print(terminal, json, rows.map(presentShownAppeal), describe(rows));
}

async function createLink(
  [check = '']: readonly string[],
  { days, json }: Values,
  terminal: Terminal,
): Promise<ExitStatus> {
  const config = loadConfig();
  const validDays = days === undefined ? undefined : readDays(days);
  const { link, token } = await withDatabase(config, (database) =>
    createAppealLink(database, null, check, validDays),
  );
  const consoleAddress = await findConsole(config);
  const url = addressOfLink(consoleAddress.url, link, token);
  await print(terminal, json, { ...presentAppealLink(link), url, token }, [
    url,
    `${link.id}: valid until ${link.expiresAt.toISOString()}. This is the only time the link is shown. Give it only to a person who may see the verdict and the image.`,
  ]);
  await warnAssumed(terminal, consoleAddress);
  return 0;
}

function readDays(text: string): number {
  const days = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_LINK_DAYS) return days;
  throw new UsageError(
    `Expected a whole number from 1 to ${MAX_LINK_DAYS} for --days but received '${text}'`,
  );
}

async function listLinks(
  [check = '']: readonly string[],
  { json }: Values,
  terminal: Terminal,
): Promise<ExitStatus> {
  const links = await withDatabase(loadConfig(), (database) => listAppealLinks(database, check));
  return print(terminal, json, links.map(presentAppealLink), describeLinks(links));
}

async function revoke(
  [id = '']: readonly string[],
  { json }: Values,
  terminal: Terminal,
): Promise<ExitStatus> {
  const link = await withDatabase(loadConfig(), (database) => revokeAppealLink(database, id));
  return print(terminal, json, presentAppealLink(link), [`${link.id}: revoked`]);
}

async function decide(
  [id = '', text = '']: readonly string[],
  { remark = '', json }: Values,
  terminal: Terminal,
): Promise<ExitStatus> {
  const config = loadConfig();
  const outcome = readChoice('decide', text, DECISIONS);
  await withDatabase(config, async (database) => {
    const signer = await openRecordKeys(config, database).signer();
    const sign: SignDecision = (record, decision) => Promise.resolve(signDecision(record, decision, signer));
    const decision = { id, outcome, remark, memberId: null };
    if (config.database.kind !== 'postgres') return decideAppeal(database, decision, sign);
    return withQueue(config.database.url, (queue) =>
      decideAppeal(database, decision, sign, createAppealNotifier(queue)),
    );
  });
  return print(terminal, json, { id, outcome }, [`${visibleText(id)}: ${outcome}`]);
}

function describe(appeals: readonly ShownAppeal[]): string[] {
  return tableLines(
    ['id', 'since', 'result', 'same scene', 'original', 'decision', 'account', 'remark'],
    appeals.map(({ id, createdAt, check, findings, decision, withdrawnAt, accountName, remark }) => [
      id,
      dayOf(createdAt),
      HEADLINES[check.assessment],
      findings.same_scene ? 'yes' : 'no',
      HEADLINES[assessmentOf(findings.original)],
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
