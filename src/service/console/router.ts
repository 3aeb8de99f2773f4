// Routes of the console. They require a session; API keys work only for /v1, which accepts no sessions.
import Router from '@koa/router';
import { admit } from '../http/checks/admission.js';
import { postCheck } from '../http/routes/check.js';
import { refuseScans, requireScanPlan } from '../http/routes/scans.js';
import type { Next, RequestState } from '../http/state.js';
import { type ConsoleDeps, paramOf, type ConsoleContext, type ConsoleState } from './state.js';
import { CALLBACK_PATH } from './openid.js';
import { requireSameOrigin, chargeAccount, countWrite, requireMember } from './session.js';
import { loadPages, PAGES } from './pages.js';
import {
  deleteCheck,
  deleteClaim,
  getCheck,
  getChecks,
  getImage,
  getRecord,
  getThumbnail,
  putClaim,
  putNote,
  putReport,
  deleteReport,
  postPreview,
} from './routes/checks.js';
import { getChoice, postChoice, getOpenIdCallback, getOpenIdStart, getSignInWays } from './routes/openid.js';
import { getAllAppeals, postDecision } from './routes/appeals.js';
import { getAudit, getWholeAudit } from './routes/audit.js';
import { deleteKey, getKeys, postKey, postRoll } from './routes/keys.js';
import { deleteInvitation, deleteMember, getMembers, postInvitation } from './routes/members.js';
import {
  deleteAccount,
  deleteAnyKey,
  getAccounts,
  getAllKeys,
  getContents,
  deleteKnown,
  getHealth,
  getKnown,
  postAccount,
  postKnown,
  putPlan,
  putPrefix,
  putSeen,
} from './routes/operator.js';
import { postRecordPage, postVerification } from './routes/records.js';
import {
  deleteMembersScan,
  getFailures,
  getMembersScan,
  getMembersScans,
  postMembersScan,
  putItem,
} from './routes/scans.js';
import {
  deleteSession,
  deleteSessions,
  postLinkVisit,
  getMe,
  postLinkLook,
  postSession,
} from './routes/session.js';
import {
  deleteOneThresholds,
  getJudged,
  getThresholds,
  postThresholds,
  putActiveThresholds,
} from './routes/thresholds.js';
import { getConsoleUsage, getNotices } from './routes/usage.js';
import {
  deleteWebhook,
  getDeliveries,
  getWebhooks,
  postEnabling,
  postRedelivery,
  postRotation,
  postTest,
  postWebhook,
  putEvents,
} from './routes/webhooks.js';

/** Creates the router of the console's pages and API. Throws StartError if the pages are not built. */
export function createConsole(deps: ConsoleDeps): Router<RequestState> {
  const pages = loadPages();
  const router = new Router<ConsoleState>();
  const as = requireMember(deps.database);
  const [member, owner, operator] = [as('member'), as('owner'), as('operator')];
  const pays = chargeAccount(deps.database, deps.plans);
  const counts = countWrite(deps.database, deps.plans);
  const admitOne = admit(deps.semaphore, deps.deadlineMs);
  const admitKept = admit(deps.keptSemaphore, deps.deadlineMs);

  for (const path of PAGES) router.get(path, (ctx) => pages.sendPage(ctx));
  router.get('/docs', (ctx) => pages.sendDocs(ctx));
  router.get('/console/assets/:name', (ctx) => pages.sendAsset(ctx, paramOf(ctx, 'name')));

  if (deps.openId) {
    router.get('/console/oidc/start', getOpenIdStart(deps, deps.openId));
    router.get(CALLBACK_PATH, getOpenIdCallback(deps, deps.openId));
  }

  router.use('/console/api', requireSameOrigin(deps.publicUrl));
  router.get('/console/api/sign-in', getSignInWays(deps));
  router.get('/console/api/choice', getChoice(deps));
  router.post('/console/api/choice', postChoice(deps));
  router.get('/console/api/me', getMe(deps));
  router.post('/console/api/session', postSession(deps));
  router.delete('/console/api/session', deleteSession(deps));
  router.delete('/console/api/sessions', member, counts, deleteSessions(deps));
  router.post('/console/api/links/look', postLinkLook(deps));
  router.post('/console/api/links/follow', postLinkVisit(deps));

  router.post('/console/api/checks', member, pays, admitOne, postCheck(deps));
  router.post('/console/api/preview', member, pays, admitOne, postPreview(deps));
  router.get('/console/api/checks', member, getChecks(deps));
  router.get('/console/api/checks/:id', member, getCheck(deps));
  router.delete('/console/api/checks/:id', owner, counts, deleteCheck(deps));
  router.get('/console/api/checks/:id/image', member, pays, admitKept, getImage(deps));
  router.get('/console/api/checks/:id/thumbnail', member, admitKept, getThumbnail(deps));
  router.get('/console/api/checks/:id/record', member, pays, admitOne, getRecord(deps));
  router.put('/console/api/checks/:id/claim', member, counts, putClaim(deps));
  router.delete('/console/api/checks/:id/claim', member, counts, deleteClaim(deps));
  router.put('/console/api/checks/:id/note', member, counts, putNote(deps));
  router.put('/console/api/checks/:id/report', member, counts, putReport(deps));
  router.delete('/console/api/checks/:id/report', member, counts, deleteReport(deps));
  router.post('/console/api/records/page', member, pays, admitOne, postRecordPage(deps));
  router.post('/console/api/records/verify', member, pays, admitOne, postVerification(deps));
  addScans(router, deps, { member, pays, counts, admitOne });
  router.get('/console/api/usage', member, getConsoleUsage(deps));
  router.get('/console/api/notices', member, getNotices(deps));

  router.get('/console/api/keys', owner, getKeys(deps));
  router.post('/console/api/keys', owner, counts, postKey(deps));
  router.post('/console/api/keys/:id/roll', owner, counts, postRoll(deps));
  router.delete('/console/api/keys/:id', owner, counts, deleteKey(deps));
  router.get('/console/api/members', owner, getMembers(deps));
  router.delete('/console/api/members/:id', owner, counts, deleteMember(deps));
  router.post('/console/api/invitations', owner, counts, postInvitation(deps));
  router.delete('/console/api/invitations/:id', owner, counts, deleteInvitation(deps));
  router.get('/console/api/audit', owner, getAudit(deps));
  router.get('/console/api/webhooks', owner, getWebhooks(deps));
  router.post('/console/api/webhooks', owner, counts, postWebhook(deps));
  router.put('/console/api/webhooks/:id/events', owner, counts, putEvents(deps));
  router.delete('/console/api/webhooks/:id', owner, counts, deleteWebhook(deps));
  router.post('/console/api/webhooks/:id/rotate', owner, counts, postRotation(deps));
  router.post('/console/api/webhooks/:id/enable', owner, counts, postEnabling(deps));
  router.post('/console/api/webhooks/:id/test', owner, pays, postTest(deps));
  router.get('/console/api/webhooks/:id/deliveries', owner, getDeliveries(deps));
  router.post('/console/api/webhooks/:id/deliveries/:delivery/redeliver', owner, pays, postRedelivery(deps));

  router.get('/console/api/operator/accounts', operator, getAccounts(deps));
  router.post('/console/api/operator/accounts', operator, counts, postAccount(deps));
  router.put('/console/api/operator/accounts/:id/plan', operator, counts, putPlan(deps));
  router.put('/console/api/operator/accounts/:id/prefix', operator, counts, putPrefix(deps));
  router.put('/console/api/operator/accounts/:id/seen', operator, counts, putSeen(deps));
  router.get('/console/api/operator/accounts/:id/contents', operator, getContents(deps));
  router.delete('/console/api/operator/accounts/:id', operator, counts, deleteAccount(deps));
  router.get('/console/api/operator/keys', operator, getAllKeys(deps));
  router.delete('/console/api/operator/keys/:id', operator, counts, deleteAnyKey(deps));
  router.get('/console/api/operator/known', operator, getKnown(deps));
  router.post('/console/api/operator/known', operator, counts, admitOne, postKnown(deps));
  router.delete('/console/api/operator/known/:id', operator, counts, deleteKnown(deps));
  router.get('/console/api/operator/appeals', operator, getAllAppeals(deps));
  router.post('/console/api/operator/appeals/:id/decision', operator, counts, postDecision(deps));
  router.get('/console/api/operator/judged', operator, getJudged(deps));
  router.get('/console/api/operator/thresholds', operator, getThresholds(deps));
  router.post('/console/api/operator/thresholds', operator, counts, postThresholds(deps));
  router.put('/console/api/operator/thresholds/active', operator, counts, putActiveThresholds(deps));
  router.delete('/console/api/operator/thresholds/:id', operator, counts, deleteOneThresholds(deps));
  router.get('/console/api/operator/audit', operator, getWholeAudit(deps));
  router.get('/console/api/operator/health', operator, getHealth(deps));
  return router;
}

type Door = (ctx: ConsoleContext, next: Next) => Promise<void>;

/** Adds the routes of scans, or routes that report that scans are not configured. */
function addScans(
  router: Router<ConsoleState>,
  deps: ConsoleDeps,
  doors: Readonly<Record<'member' | 'pays' | 'counts' | 'admitOne', Door>>,
): void {
  const { member, pays, counts, admitOne } = doors;
  const { scans } = deps;
  if (scans === null) {
    const paths = ['', '/:id', '/:id/failures', '/:id/items/:position'];
    router.all(
      paths.map((path) => `/console/api/scans${path}`),
      member,
      counts,
      refuseScans,
    );
    return;
  }
  const admitList = admit(deps.listSemaphore, deps.deadlineMs);
  const begins = [member, pays, requireScanPlan, admitList] as const;
  router.get('/console/api/scans', member, getMembersScans(deps));
  router.post('/console/api/scans', ...begins, postMembersScan(deps, scans, false));
  router.post('/console/api/scans/folder', ...begins, postMembersScan(deps, scans, true));
  router.get('/console/api/scans/:id', member, getMembersScan(deps));
  router.delete('/console/api/scans/:id', member, counts, deleteMembersScan(scans));
  router.get('/console/api/scans/:id/failures', member, getFailures(deps));
  router.put('/console/api/scans/:id/items/:position', member, pays, admitOne, putItem(deps, scans));
}
