// What was learned on the machine, corrections and thresholds: for operators alone.
import {
  deleteCorrection,
  pageCorrections,
  putInForce,
  readNamedInForce,
  requestCorrection,
} from '../../corrections/corrections.js';
import { loadCorrection } from '../../corrections/load.js';
import { CheckError, StartError } from '../../../base/errors.js';
import { countReported } from '../../../accounts/history/reported.js';
import { PAGE_ROWS } from '../../../accounts/page.js';
import { type ConsoleDeps, memberOf, paramOf, type Handler } from '../state.js';
import { readQuery } from '../../http/body/query.js';
import { readJson } from '../../http/body/read-json.js';
import { CorrectionBody, InForceBody, PlaceQuery } from '../schemas.js';
import type { Corrections } from '../learned-shapes.js';

/** Handles GET operator/corrections. Errors: invalid_request. */
export function getCorrections({ database, calibration, fixedBy }: ConsoleDeps): Handler {
  return async (ctx) => {
    const [corrections, inForce, reported] = await Promise.all([
      pageCorrections(database, readQuery(ctx, PlaceQuery).before),
      readNamedInForce(database),
      countReported(database),
    ]);
    const total = (name: 'ai' | 'genuine' | 'withoutPicture'): number =>
      reported.reduce((sum, of) => sum + of[name], 0);
    ctx.body = {
      corrections: corrections.rows.map(({ madeBy, createdAt, ...others }) => ({
        ...others,
        made_by: madeBy,
        created_at: createdAt.toISOString(),
      })),
      next: corrections.next,
      in_force: inForce,
      model: calibration.current.bands.model,
      bands_version: calibration.current.bands.version,
      fixed_by: fixedBy,
      reported: {
        ai: total('ai'),
        genuine: total('genuine'),
        without_picture: total('withoutPicture'),
        accounts: reported
          .slice(0, PAGE_ROWS)
          .map(({ account, ai, genuine }) => ({ name: account, ai, genuine })),
      },
    } satisfies Corrections;
  };
}

/** Handles POST operator/corrections: begins to learn one. Errors: invalid_request. */
export function postCorrection(deps: ConsoleDeps): Handler {
  return async (ctx) => {
    const { name } = await readJson(ctx, CorrectionBody);
    requireFree(deps);
    const id = await requestCorrection(deps.database, name, memberOf(ctx).email);
    ctx.status = 201;
    ctx.body = { id };
  };
}

/** Handles PUT operator/corrections/in-force: all processes follow within seconds. Errors: invalid_request. */
export function putCorrectionInForce(deps: ConsoleDeps): Handler {
  const { database, engine } = deps;
  return async (ctx) => {
    const { id } = await readJson(ctx, InForceBody);
    requireFree(deps);
    if (id !== null) await loadCorrection(database, engine.networks, id).catch(refuse);
    await putInForce(database, id);
    ctx.state.log.info({ correction: id, member: memberOf(ctx).id }, 'a correction was put in force');
    ctx.status = 204;
  };
}

/** Handles DELETE operator/corrections/ID. Errors: invalid_request. */
export function deleteOneCorrection({ database }: ConsoleDeps): Handler {
  return async (ctx) => {
    await deleteCorrection(database, paramOf(ctx, 'id'));
    ctx.status = 204;
  };
}

/** What no process could take. */
function refuse(error: unknown): never {
  if (error instanceof StartError) throw new CheckError('invalid_request', error.message);
  throw error;
}

/** Throws CheckError invalid_request if this process keeps what it has for good. */
export function requireFree({ fixedBy }: ConsoleDeps): void {
  if (fixedBy === null) return;
  throw new CheckError('invalid_request', `corrections of the console are off: ${fixedBy}`);
}
