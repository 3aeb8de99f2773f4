// Routes of the console. They require a session; API keys work only for /v1, which accepts no sessions.
import Router from '@koa/router';
import type { TSchema } from '@sinclair/typebox';
import type { Role } from '../../accounts/members/members.js';
import { admitKept, admitList, admitOne } from '../http/checks/admission.js';
import { AppealLinkJson } from '../http/openapi/appeal-schemas.js';
import { UsageQuery } from '../http/openapi/schemas.js';
import { addRoute, type AnyRoute, type Middleware, type Route } from '../http/route.js';
import { postCheck, postSeen } from '../http/routes/checks.js';
import { requireScanPlan } from '../http/routes/scans.js';
import { paramOf, type RequestState } from '../http/state.js';
import type { Services } from '../services.js';
import { CALLBACK_PATH } from './openid.js';
import { loadPages, PAGES } from './pages.js';
import * as appeals from './routes/appeals.js';
import * as audit from './routes/audit.js';
import * as checks from './routes/checks.js';
import * as keys from './routes/keys.js';
import * as members from './routes/members.js';
import * as openId from './routes/openid.js';
import * as operator from './routes/operator.js';
import * as records from './routes/records.js';
import * as review from './routes/review.js';
import * as scans from './routes/scans.js';
import * as session from './routes/session.js';
import * as thresholds from './routes/thresholds.js';
import * as usage from './routes/usage.js';
import * as webhooks from './routes/webhooks.js';
import * as schemas from './schemas.js';
import {
  chargeAccount as charge,
  limitChanges,
  requireRole,
  requireSameOrigin,
  type ConsoleContext,
  type ConsoleState,
} from './session.js';

const API = '/console/api';

type Row = AnyRoute<ConsoleContext>;

/** Returns a row of the table, after comparing the types of its schema and its handler. */
function route<Input extends TSchema>(
  method: Row['method'],
  path: string,
  handle: Route<Input, ConsoleContext>['handle'],
  options: Omit<Route<Input, ConsoleContext>, 'method' | 'path' | 'handle'> = {},
): Row {
  return { method, path, handle, ...options };
}

/** Options of routes that decode an image. */
const IMAGE = { before: [charge, admitOne] };
/** Options of routes that start a scan. */
const SCAN = { before: [charge, requireScanPlan, admitList], query: schemas.ScanNameQuery, status: 202 };

/** Routes of the console's API by the role that they require, with paths below /console/api. */
export const CONSOLE_ROUTES: Readonly<Record<Role | 'anybody', readonly Row[]>> = {
  anybody: [
    route('get', '/sign-in', openId.getSignInWays),
    route('get', '/choice', openId.getChoice),
    route('post', '/choice', openId.postChoice, { json: schemas.ChoiceBody }),
    route('get', '/me', session.getMe),
    route('post', '/session', session.postSession, { json: schemas.Credentials }),
    route('delete', '/session', session.deleteSession),
    route('post', '/links/look', session.postLinkPreview, { json: schemas.LinkToken }),
    route('post', '/links/follow', session.postLinkVisit, { json: schemas.LinkVisit }),
  ],
  member: [
    route('delete', '/sessions', session.deleteSessions),
    route('post', '/checks', postCheck, IMAGE),
    route('post', '/preview', checks.postPreview, IMAGE),
    route('post', '/seen', postSeen, IMAGE),
    route('get', '/checks', checks.getChecks, { query: schemas.HistoryQuery }),
    route('put', '/checks/status', review.putStatuses, { json: schemas.StatusesBody }),
    route('get', '/checks/:id', checks.getCheck),
    route('get', '/checks/:id/image', checks.getImage, { before: [charge, admitKept] }),
    route('get', '/checks/:id/thumbnail', checks.getThumbnail, { before: [admitKept] }),
    route('get', '/checks/:id/findings', review.getFindings, IMAGE),
    route('get', '/checks/:id/record', checks.getRecord, IMAGE),
    route('get', '/checks/:id/appeal-links', appeals.getCheckLinks),
    route('post', '/checks/:id/appeal-links', appeals.postCheckLink, { json: AppealLinkJson }),
    route('delete', '/checks/:id/appeal-links/:link', appeals.deleteCheckLink),
    route('get', '/appeals', appeals.getAccountAppeals, { query: schemas.AppealsQuery }),
    route('put', '/checks/:id/claim', checks.putClaim),
    route('delete', '/checks/:id/claim', checks.deleteClaim),
    route('put', '/checks/:id/note', checks.putNote, { json: schemas.NoteBody }),
    route('put', '/checks/:id/report', checks.putReport, { json: schemas.ReportBody }),
    route('delete', '/checks/:id/report', checks.deleteReport),
    route('post', '/records/page', records.postRecordPage, IMAGE),
    route('post', '/records/verify', records.postVerification, IMAGE),
    route('get', '/scans', scans.getMembersScans, { query: schemas.PageQuery }),
    route('post', '/scans', scans.postListScan, SCAN),
    route('post', '/scans/folder', scans.postFolderScan, SCAN),
    route('get', '/scans/:id', scans.getMembersScan),
    route('delete', '/scans/:id', scans.deleteMembersScan),
    route('get', '/scans/:id/failures', scans.getFailures, { query: schemas.PageQuery }),
    route('put', '/scans/:id/items/:position', scans.putItem, IMAGE),
    route('get', '/usage', usage.getConsoleUsage, { query: UsageQuery }),
    route('get', '/notices', usage.getNotices),
  ],
  owner: [
    route('delete', '/checks/:id', checks.deleteCheck),
    route('get', '/keys', keys.getKeys, { query: schemas.PageQuery }),
    route('post', '/keys', keys.postKey, { json: schemas.KeyBody, status: 201 }),
    route('post', '/keys/:id/roll', keys.postRoll, { json: schemas.RollBody, status: 201 }),
    route('delete', '/keys/:id', keys.deleteKey),
    route('get', '/members', members.getMembers, { query: schemas.PageQuery }),
    route('delete', '/members/:id', members.deleteMember),
    route('post', '/invitations', members.postInvitation, { json: schemas.InvitationBody, status: 201 }),
    route('delete', '/invitations/:id', members.deleteInvitation),
    route('get', '/audit', audit.getAudit, { query: schemas.AuditQuery }),
    route('get', '/webhooks', webhooks.getWebhooks),
    route('post', '/webhooks', webhooks.postWebhook, {
      before: [webhooks.requireQueue],
      json: schemas.WebhookBody,
      status: 201,
    }),
    route('put', '/webhooks/:id/events', webhooks.putEvents, { json: schemas.EventsBody }),
    route('delete', '/webhooks/:id', webhooks.deleteWebhook),
    route('post', '/webhooks/:id/rotate', webhooks.postRotation),
    route('post', '/webhooks/:id/enable', webhooks.postEnabling),
    route('post', '/webhooks/:id/test', webhooks.postTest, { before: [charge], status: 202 }),
    route('get', '/webhooks/:id/deliveries', webhooks.getDeliveries, { query: schemas.DeliveriesQuery }),
    route('post', '/webhooks/:id/deliveries/:delivery/redeliver', webhooks.postRedelivery, {
      before: [charge],
      status: 202,
    }),
  ],
  operator: [
    route('get', '/operator/accounts', operator.getAccounts, { query: schemas.PageQuery }),
    route('post', '/operator/accounts', operator.postAccount, { json: schemas.AccountBody, status: 201 }),
    route('put', '/operator/accounts/:id/plan', operator.putPlan, { json: schemas.PlanBody }),
    route('put', '/operator/accounts/:id/prefix', operator.putPrefix, { json: schemas.PrefixBody }),
    route('put', '/operator/accounts/:id/seen', operator.putSeen, { json: schemas.SeenBody }),
    route('get', '/operator/accounts/:id/contents', operator.getContents),
    route('delete', '/operator/accounts/:id', operator.deleteAccount),
    route('get', '/operator/keys', operator.getAllKeys, { query: schemas.PageQuery }),
    route('delete', '/operator/keys/:id', operator.deleteAnyKey),
    route('get', '/operator/known', operator.getKnown),
    route('post', '/operator/known', operator.postKnown, { before: [admitOne], status: 201 }),
    route('get', '/operator/known/:id/thumbnail', operator.getKnownThumbnail),
    route('delete', '/operator/known/:id', operator.deleteKnown),
    route('get', '/operator/appeals', appeals.getAllAppeals, { query: schemas.AppealsQuery }),
    route('get', '/operator/appeals/:id/image', appeals.getContestedImage, { before: [admitKept] }),
    route('post', '/operator/appeals/:id/decision', appeals.postDecision, { json: schemas.DecisionBody }),
    route('get', '/operator/judged', thresholds.getJudged, { query: schemas.JudgedQuery }),
    route('get', '/operator/thresholds', thresholds.getThresholds, { query: schemas.PageQuery }),
    route('post', '/operator/thresholds', thresholds.postThresholds, {
      json: schemas.ThresholdsBody,
      status: 201,
    }),
    route('put', '/operator/thresholds/active', thresholds.putActiveThresholds, { json: schemas.ActiveBody }),
    route('delete', '/operator/thresholds/:id', thresholds.deleteOneThresholds),
    route('get', '/operator/audit', audit.getWholeAudit, { query: schemas.WholeAuditQuery }),
    route('get', '/operator/health', operator.getHealth),
  ],
};

/** Creates the router of the console's pages and API. Throws StartError if the pages are not built. */
export function createConsole(services: Services): Router<RequestState> {
  const pages = loadPages();
  const router = new Router<ConsoleState>();
  for (const path of PAGES) router.get(path, (ctx) => pages.sendPage(ctx));
  router.get('/docs', (ctx) => pages.sendDocs(ctx));
  router.get('/console/assets/:name', (ctx) => pages.sendAsset(ctx, paramOf(ctx, 'name')));
  if (services.openId) {
    router.get('/console/oidc/start', openId.getOpenIdStart(services, services.openId));
    router.get(CALLBACK_PATH, openId.getOpenIdCallback(services, services.openId));
  }
  router.use(API, requireSameOrigin(services.publicUrl));
  for (const [role, rows] of Object.entries(CONSOLE_ROUTES) as [Role | 'anybody', readonly Row[]][])
    for (const row of rows)
      addRoute(router, { ...row, path: API + row.path }, services, middlewareOf(role, row, services));
  return router;
}

/** Returns the middleware that requires the role and limits the rate of changes that `charge` doesn't limit. */
function middlewareOf(
  role: Role | 'anybody',
  { method, before }: Row,
  services: Services,
): Middleware<ConsoleContext>[] {
  if (role === 'anybody') return [];
  const isLimited = method === 'get' || before?.includes(charge);
  return [requireRole(role, services), ...(isLimited ? [] : [limitChanges(services)])];
}
