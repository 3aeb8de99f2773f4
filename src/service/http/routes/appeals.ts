// Routes /v1/checks/ID/appeals: objecting to a verdict with the original file, by API key or by link.
import { noSuchCheck } from '../../../accounts/history/remarks.js';
import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import { countAttempts, insertAppeal, listAppeals } from '../../../accounts/appeals/appeals.js';
import { withdrawAppeal } from '../../../accounts/appeals/decide.js';
import {
  createAppealLink,
  listAppealLinks,
  revokeAppealLink,
  stateOfLink,
} from '../../../accounts/appeals/links.js';
import { addressOfLink, presentAppeal, presentAppealLink } from '../../../accounts/appeals/present.js';
import { findCheck, type AnsweredCheck } from '../../../accounts/history/checks.js';
import { isKeyInUse } from '../../../accounts/usage/idempotency-locks.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import type { Database } from '../../../storage/db/database.js';
import { originOf } from '../../console/session.js';
import { makeAppeal, openAppeal, drawKeptPreview } from '../../check-original.js';
import { within } from '../../traces/span.js';
import { keyActor, visitorActor } from '../actor.js';
import { receiveFile } from '../body/image-input.js';
import { requireValid } from '../body/small-input.js';
import { disconnectSignal } from '../errors/answer-errors.js';
import {
  AppealForm,
  type AppealLinkJson,
  type AppealSchema,
  type AppealLink as AppealLinkSchema,
  type ListedAppealLink as ListedAppealLinkSchema,
  type AppealLinkList as AppealLinkListSchema,
  type AppealList as AppealListSchema,
} from '../openapi/appeal-schemas.js';
import { answerOnce, ownerOfKey, readIdempotencyKey } from '../checks/idempotency.js';
import type { Handler } from '../route.js';
import type { Services } from '../../services.js';
import { callerOf, paramOf, sendJson, type Context } from '../state.js';

/**
 * Handles POST /v1/checks/{id}/appeals: compares an original with the checked image, without a charge. Throws
 * CheckError not_found, image_not_kept, too_many_appeals, invalid_request, idempotency_mismatch, and errors
 * of a check's image.
 */
export function postAppeal(deps: Services): Handler {
  return async (ctx) => {
    const open = () => openAppeal(deps, accountOf(ctx), paramOf(ctx, 'id'), linkOf(ctx));
    const key = readIdempotencyKey(ctx);
    const isDuplicate = key !== null && (await isKeyInUse(deps.database, ownerOfKey(ctx, key)));
    // Checked before the body arrives: an original that can't be compared need not be sent.
    const target = isDuplicate ? null : await open();
    const { file, fields } = await receiveFile(ctx, ['remark']);
    const { remark = '' } = requireValid(AppealForm, fields, 'the form');
    const fingerprint = async (): Promise<string> => {
      const fingerprintParts = [ctx.path, await digestBytes(file), remark];
      return createHash('sha256').update(JSON.stringify(fingerprintParts)).digest('hex');
    };
    const json = await answerOnce(ctx, deps, fingerprint, async (attempt) => {
      const opened = target ?? (await open());
      const appeal = await within(ctx.state.stages.span.begin('appeal'), (span) =>
        makeAppeal(deps, opened, {
          bytes: file,
          remark,
          requestId: ctx.state.requestId,
          signal: disconnectSignal(ctx),
          span,
        }),
      );
      const body = JSON.stringify(presentAppeal({ ...appeal, decision: null, withdrawnAt: null }));
      const stored = attempt.lock && { lock: attempt.lock, body };
      await insertAppeal(asSender(ctx, deps), appeal, stored, deps.onAppeal);
      attempt.settle();
      return body;
    });
    sendJson(ctx, json);
  };
}

/**
 * Handles GET /v1/checks/{id}/appeals: returns the verdict and its appeals. A link gets only its own appeals. Throws
 * CheckError not_found.
 */
export function getAppeals({ database }: Services): Handler {
  return async (ctx) => {
    const { appealLink: link } = ctx.state;
    const check = await requireCheck(database, ctx);
    const [appeals, attemptsLeft] = await Promise.all([
      listAppeals(database, check.accountId, check.id, link?.id),
      database.run((queries) => countAttempts(queries, check.id, link?.id ?? null)),
    ]);
    ctx.body = {
      check: {
        id: check.id,
        created_at: check.createdAt.toISOString(),
        is_ai: check.isAi,
        assessment: check.assessment,
        reason: check.reason,
        model: check.model,
        bands_version: check.bandsVersion,
        image_stored: check.image !== null,
        appeal: check.appeal,
      },
      link: link
        ? {
            id: link.id,
            account: link.accountName,
            expires_at: link.expiresAt.toISOString(),
            state: stateOfLink(link),
          }
        : null,
      attempts_left: attemptsLeft,
      appeals: appeals.map(presentAppeal),
    } satisfies Static<typeof AppealListSchema>;
  };
}

/**
 * Handles GET /v1/checks/{id}/appeals/image: sends a reduced copy of the checked image. Throws CheckError not_found,
 * also if the image is not stored, and errors of decoding an image.
 */
export function getAppealImage(deps: Services): Handler {
  return async (ctx) => {
    const check = await requireCheck(deps.database, ctx);
    const jpeg = await drawKeptPreview(deps, check, disconnectSignal(ctx));
    ctx.type = 'image/jpeg';
    ctx.body = jpeg;
  };
}

/**
 * Handles DELETE /v1/checks/{id}/appeals/{appeal}: withdraws an appeal of the sender before its decision. Throws
 * CheckError not_found, and invalid_request after the decision.
 */
export function deleteAppeal(deps: Services): Handler {
  return async (ctx) => {
    const [accountId, checkId, linkId] = [accountOf(ctx), paramOf(ctx, 'id'), linkOf(ctx)];
    const id = paramOf(ctx, 'appeal');
    await withdrawAppeal(asSender(ctx, deps), { id, accountId, checkId, linkId });
    const appeals = await listAppeals(deps.database, accountId, checkId);
    const withdrawn = appeals.find((appeal) => appeal.id === id);
    if (!withdrawn) throw noSuchCheck();
    ctx.body = presentAppeal(withdrawn) satisfies Static<typeof AppealSchema>;
  };
}

/**
 * Handles POST /v1/checks/{id}/appeal-links: creates a link by which a person can appeal without an API key.
 * Throws CheckError not_found, too_many_appeals.
 */
export function postAppealLink(deps: Services): Handler<Static<typeof AppealLinkJson>> {
  return async (ctx, { days }) => {
    const database = asSender(ctx, deps);
    const { link, token } = await createAppealLink(
      database,
      callerOf(ctx).accountId,
      paramOf(ctx, 'id'),
      days,
    );
    ctx.body = {
      ...presentAppealLink(link),
      url: addressOfLink(originOf(ctx, deps.publicUrl), link, token),
      token,
    } satisfies Static<typeof AppealLinkSchema>;
  };
}

/** Handles GET /v1/checks/{id}/appeal-links: lists the links of a check. Throws CheckError not_found. */
export function getAppealLinks({ database }: Services): Handler {
  return async (ctx) => {
    const { accountId, id } = await requireCheck(database, ctx);
    const links = await listAppealLinks(database, id, accountId);
    ctx.body = { links: links.map(presentAppealLink) } satisfies Static<typeof AppealLinkListSchema>;
  };
}

/** Handles DELETE /v1/checks/{id}/appeal-links/{link}: revokes a link. Throws CheckError not_found. */
export function deleteAppealLink(deps: Services): Handler {
  return async (ctx) => {
    const owner = { accountId: accountOf(ctx), checkId: paramOf(ctx, 'id') };
    const link = await revokeAppealLink(asSender(ctx, deps), paramOf(ctx, 'link'), owner);
    ctx.body = presentAppealLink(link) satisfies Static<typeof ListedAppealLinkSchema>;
  };
}

/** Returns a database whose audit log names the sender: the API key, or the link of a visitor and their address. */
function asSender(ctx: Context, { database, proxies }: Services): Database {
  const { appealLink: link } = ctx.state;
  return database.by(
    link ? { ...visitorActor(ctx, proxies), name: link.id } : keyActor(ctx, callerOf(ctx), proxies),
  );
}

async function requireCheck(database: Database, ctx: Context): Promise<AnsweredCheck> {
  const check = await findCheck(database, accountOf(ctx), paramOf(ctx, 'id'));
  if (!check) throw noSuchCheck();
  return check;
}

function accountOf(ctx: Context): string {
  return ctx.state.appealLink?.accountId ?? callerOf(ctx).accountId;
}

function linkOf(ctx: Context): string | null {
  return ctx.state.appealLink?.id ?? null;
}
