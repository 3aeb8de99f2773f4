// Console routes for operators: all accounts and API keys, known images, and the health of the service.
import type { Static } from '@sinclair/typebox';
import { findHashing, keepHashes } from '../../../accounts/seen/seen.js';
import {
  addKnown,
  listKnown,
  presentKnown,
  readKnownThumbnail,
  removeKnown,
} from '../../../accounts/seen/known.js';
import {
  createAccount,
  pageAccounts,
  presentAccount,
  setPlan,
  setScanPrefix,
} from '../../../accounts/accounts.js';
import { countAccount, eraseAccount } from '../../../accounts/erase.js';
import { countKeys, pageKeys, presentKey, revokeKey } from '../../../accounts/keys.js';
import { presentPlan, requirePlan } from '../../../accounts/plans.js';
import { describeTrust } from 'telltale-engine/internal/check/credentials/trust.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { countMembers } from '../../../accounts/members/members.js';
import { readUsedByAccount } from '../../../accounts/usage/usage.js';
import { presentProfiles } from '../present.js';
import { readKnown } from '../../check-and-search.js';
import { receiveFile } from '../../http/body/image-input.js';
import { requireValid } from '../../http/body/small-input.js';
import { asMember, memberOf, type ConsoleContext, type Handler } from '../session.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import {
  KnownForm,
  type AccountBody,
  type PlanBody,
  type PrefixBody,
  type PageQuery,
  type SeenBody,
} from '../schemas.js';

/** Handles GET operator/accounts: lists all accounts. Throws CheckError invalid_request. */
export function getAccounts({ database, plans }: Services) {
  return async (_: ConsoleContext, { after }: Static<typeof PageQuery>) => {
    const { rows, next } = await pageAccounts(database, after);
    const ids = rows.map(({ id }) => id);
    const [keys, members, usedChecks, hashingAccounts] = await Promise.all([
      countKeys(database, ids),
      countMembers(database, ids),
      readUsedByAccount(database, ids, new Date()),
      findHashing(database, ids),
    ]);
    return {
      accounts: rows.map((account) => ({
        ...presentAccount(account),
        members: members.get(account.id) ?? 0,
        keys: keys.get(account.id) ?? 0,
        used: usedChecks.get(account.id) ?? 0,
        keeps_hashes: hashingAccounts.has(account.id),
      })),
      next,
      plans: [...plans.values()].map(presentPlan),
    };
  };
}

/** Handles POST operator/accounts: creates an account. Throws CheckError invalid_request. */
export function postAccount(deps: Services): Handler<Static<typeof AccountBody>> {
  return async (ctx, { name, plan }) => {
    requirePlan(deps.plans, plan);
    const { id } = await createAccount(asMember(ctx, deps), name, plan);
    return { id };
  };
}

/** Handles PUT operator/accounts/ID/plan: changes the account's plan. Throws CheckError invalid_request. */
export function putPlan(deps: Services): Handler<Static<typeof PlanBody>> {
  return async (ctx, { plan }) => {
    requirePlan(deps.plans, plan);
    await setPlan(asMember(ctx, deps), paramOf(ctx, 'id'), plan);
  };
}

/**
 * Handles PUT operator/accounts/ID/prefix: changes what the account may scan. Throws CheckError
 * invalid_request.
 */
export function putPrefix(deps: Services): Handler<Static<typeof PrefixBody>> {
  return async (ctx, { prefix }) => {
    await setScanPrefix(asMember(ctx, deps), paramOf(ctx, 'id'), prefix);
  };
}

/**
 * Handles PUT operator/accounts/ID/seen: switches the storing of image hashes on or off for an account.
 * Throws CheckError invalid_request.
 */
export function putSeen(deps: Services): Handler<Static<typeof SeenBody>> {
  return async (ctx, { on: isOn }) => {
    await keepHashes(asMember(ctx, deps), paramOf(ctx, 'id'), isOn);
  };
}

/** Handles GET operator/known: lists the images that are known as fake or genuine. */
export function getKnown({ database }: Services) {
  return async () => ({ known: (await listKnown(database)).map(presentKnown) });
}

/**
 * Handles POST operator/known: adds an image that is known as fake or genuine, from a form with the image in
 * `file`. Throws CheckError invalid_request, and errors of an image.
 */
export function postKnown(deps: Services): Handler {
  return async (ctx) => {
    const { file, fields } = await receiveFile(ctx, ['label', 'note', 'source']);
    const { label, note = '', source = '' } = requireValid(KnownForm, fields, 'the form');
    const limits = { accountId: memberOf(ctx).accountId, deadlineMs: deps.deadlineMs };
    const known = await readKnown(deps.engine, file, limits);
    const facts = { label, note, source: source === '' ? null : source };
    return presentKnown(await addKnown(asMember(ctx, deps), facts, known));
  };
}

/** Handles GET operator/known/ID/thumbnail: sends the JPEG of a known image. Throws CheckError not_found. */
export function getKnownThumbnail({ database }: Services): Handler {
  return async (ctx) => {
    const jpeg = await readKnownThumbnail(database, paramOf(ctx, 'id'));
    if (!jpeg) throw new CheckError('not_found', 'No thumbnail is stored for this image');
    ctx.set('Cache-Control', 'private, max-age=3600');
    ctx.type = 'image/jpeg';
    ctx.body = jpeg;
  };
}

/** Handles DELETE operator/known/ID: removes a known image. Throws CheckError invalid_request. */
export function deleteKnown(deps: Services): Handler {
  return async (ctx) => {
    await removeKnown(asMember(ctx, deps), paramOf(ctx, 'id'));
  };
}

/**
 * Handles GET operator/accounts/ID/contents: counts what erasing the account would delete. Throws CheckError
 * invalid_request.
 */
export function getContents({ database }: Services): Handler {
  return (ctx) => countAccount(database, paramOf(ctx, 'id'));
}

/**
 * Handles DELETE operator/accounts/ID: erases an account. Operators can't erase their own account. Throws
 * CheckError invalid_request, unavailable.
 */
export function deleteAccount(deps: Services): Handler {
  return async (ctx) => {
    const id = paramOf(ctx, 'id');
    if (id === memberOf(ctx).accountId)
      throw invalidRequest('Expected another account. Erasing your own account would sign you out');
    return eraseAccount(asMember(ctx, deps), deps.retention, id);
  };
}

/** Handles GET operator/keys: lists the keys of all accounts. Throws CheckError invalid_request. */
export function getAllKeys({ database }: Services) {
  return async (_: ConsoleContext, { before }: Static<typeof PageQuery>) => {
    const { rows, next } = await pageKeys(database, null, before);
    return { keys: rows.map(presentKey), next };
  };
}

/** Handles DELETE operator/keys/ID: revokes a key of any account. Throws CheckError not_found. */
export function deleteAnyKey(deps: Services) {
  return async (ctx: ConsoleContext) => presentKey(await revokeKey(asMember(ctx, deps), paramOf(ctx, 'id')));
}

/** Handles GET operator/health: returns the health of this process. */
export function getHealth(deps: Services) {
  const { engine, calibration, semaphore, database, loadTrust, metrics, version } = deps;
  return async () => {
    const bands = calibration.current;
    return {
      version,
      model: bands.model,
      bands_version: bands.version,
      profiles: presentProfiles(bands),
      engine: engine.stats(),
      /** Number of images since this process started, by outcome, including images that were refused. */
      pictures: metrics.outcomes,
      requests: { inside: semaphore.inUse, waiting: semaphore.waiting },
      uptime_s: Math.round(process.uptime()),
      memory_mb: Math.round(process.memoryUsage.rss() / 1_000_000),
      database: database.dialect,
      trust: describeTrust(await loadTrust(), new Date()),
    };
  };
}
