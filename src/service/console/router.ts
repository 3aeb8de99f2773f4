// Routes of the console. They require a session; API keys work only for /v1, which accepts no sessions.
import Router from '@koa/router';
import { admit } from '../http/checks/admission.js';
import { postCheck } from '../http/routes/check.js';
import { postSeen } from '../http/routes/checks.js';
import { requireScanPlan } from '../http/routes/scans.js';
import { type Next, type RequestState, paramOf } from '../http/state.js';
import { type ConsoleContext, type ConsoleState } from './state.js';
import type { Services } from '../services.js';
import { CALLBACK_PATH } from './openid.js';
import { requireSameOrigin, chargeAccount, limitChanges, requireMember } from './session.js';
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
import {
  deleteCheckLink,
  getAccountAppeals,
  getAllAppeals,
  getCheckLinks,
  getContestedImage,
  postCheckLink,
  postDecision,
} from './routes/appeals.js';
import { getAudit, getWholeAudit } from './routes/audit.js';
import { getFindings, putStatuses } from './routes/review.js';
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
  getKnownThumbnail,
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
  postLinkPreview,
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
export function createConsole(deps: Services): Router<RequestState> {
  const pages = loadPages();
  const router = new Router<ConsoleState>();
  const requireRole = requireMember(deps.database);
  const [member, owner, operator] = [requireRole('member'), requireRole('owner'), requireRole('operator')];
  const charge = chargeAccount(deps.database, deps.plans);
  const countChange = limitChanges(deps.database, deps.plans);
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
  router.delete('/console/api/sessions', member, countChange, deleteSessions(deps));
  router.post('/console/api/links/look', postLinkPreview(deps));
  router.post('/console/api/links/follow', postLinkVisit(deps));

  router.post('/console/api/checks', member, charge, admitOne, postCheck(deps));
  router.post('/console/api/preview', member, charge, admitOne, postPreview(deps));
  router.post('/console/api/seen', member, charge, admitOne, postSeen(deps));
  router.get('/console/api/checks', member, getChecks(deps));
  router.put('/console/api/checks/status', member, countChange, putStatuses(deps));
  router.get('/console/api/checks/:id', member, getCheck(deps));
  router.delete('/console/api/checks/:id', owner, countChange, deleteCheck(deps));
  router.get('/console/api/checks/:id/image', member, charge, admitKept, getImage(deps));
  router.get('/console/api/checks/:id/thumbnail', member, admitKept, getThumbnail(deps));
  router.get('/console/api/checks/:id/findings', member, charge, admitOne, getFindings(deps));
  router.get('/console/api/checks/:id/record', member, charge, admitOne, getRecord(deps));
  router.get('/console/api/checks/:id/appeal-links', member, getCheckLinks(deps));
  router.post('/console/api/checks/:id/appeal-links', member, countChange, postCheckLink(deps));
  router.delete('/console/api/checks/:id/appeal-links/:link', member, countChange, deleteCheckLink(deps));
  router.get('/console/api/appeals', member, getAccountAppeals(deps));
  router.put('/console/api/checks/:id/claim', member, countChange, putClaim(deps));
  router.delete('/console/api/checks/:id/claim', member, countChange, deleteClaim(deps));
  router.put('/console/api/checks/:id/note', member, countChange, putNote(deps));
  router.put('/console/api/checks/:id/report', member, countChange, putReport(deps));
  router.delete('/console/api/checks/:id/report', member, countChange, deleteReport(deps));
  router.post('/console/api/records/page', member, charge, admitOne, postRecordPage(deps));
  router.post('/console/api/records/verify', member, charge, admitOne, postVerification(deps));
  addScans(router, deps, { member, charge, countChange, admitOne });
  router.get('/console/api/usage', member, getConsoleUsage(deps));
  router.get('/console/api/notices', member, getNotices(deps));

  router.get('/console/api/keys', owner, getKeys(deps));
  router.post('/console/api/keys', owner, countChange, postKey(deps));
  router.post('/console/api/keys/:id/roll', owner, countChange, postRoll(deps));
  router.delete('/console/api/keys/:id', owner, countChange, deleteKey(deps));
  router.get('/console/api/members', owner, getMembers(deps));
  router.delete('/console/api/members/:id', owner, countChange, deleteMember(deps));
  router.post('/console/api/invitations', owner, countChange, postInvitation(deps));
  router.delete('/console/api/invitations/:id', owner, countChange, deleteInvitation(deps));
  router.get('/console/api/audit', owner, getAudit(deps));
  router.get('/console/api/webhooks', owner, getWebhooks(deps));
  router.post('/console/api/webhooks', owner, countChange, postWebhook(deps));
  router.put('/console/api/webhooks/:id/events', owner, countChange, putEvents(deps));
  router.delete('/console/api/webhooks/:id', owner, countChange, deleteWebhook(deps));
  router.post('/console/api/webhooks/:id/rotate', owner, countChange, postRotation(deps));
  router.post('/console/api/webhooks/:id/enable', owner, countChange, postEnabling(deps));
  router.post('/console/api/webhooks/:id/test', owner, charge, postTest(deps));
  router.get('/console/api/webhooks/:id/deliveries', owner, getDeliveries(deps));
  router.post(
    '/console/api/webhooks/:id/deliveries/:delivery/redeliver',
    owner,
    charge,
    postRedelivery(deps),
  );

  router.get('/console/api/operator/accounts', operator, getAccounts(deps));
  router.post('/console/api/operator/accounts', operator, countChange, postAccount(deps));
  router.put('/console/api/operator/accounts/:id/plan', operator, countChange, putPlan(deps));
  router.put('/console/api/operator/accounts/:id/prefix', operator, countChange, putPrefix(deps));
  router.put('/console/api/operator/accounts/:id/seen', operator, countChange, putSeen(deps));
  router.get('/console/api/operator/accounts/:id/contents', operator, getContents(deps));
  router.delete('/console/api/operator/accounts/:id', operator, countChange, deleteAccount(deps));
  router.get('/console/api/operator/keys', operator, getAllKeys(deps));
  router.delete('/console/api/operator/keys/:id', operator, countChange, deleteAnyKey(deps));
  router.get('/console/api/operator/known', operator, getKnown(deps));
  router.post('/console/api/operator/known', operator, countChange, admitOne, postKnown(deps));
  router.get('/console/api/operator/known/:id/thumbnail', operator, getKnownThumbnail(deps));
  router.delete('/console/api/operator/known/:id', operator, countChange, deleteKnown(deps));
  router.get('/console/api/operator/appeals', operator, getAllAppeals(deps));
  router.get('/console/api/operator/appeals/:id/image', operator, admitKept, getContestedImage(deps));
  router.post('/console/api/operator/appeals/:id/decision', operator, countChange, postDecision(deps));
  router.get('/console/api/operator/judged', operator, getJudged(deps));
  router.get('/console/api/operator/thresholds', operator, getThresholds(deps));
  router.post('/console/api/operator/thresholds', operator, countChange, postThresholds(deps));
  router.put('/console/api/operator/thresholds/active', operator, countChange, putActiveThresholds(deps));
  router.delete('/console/api/operator/thresholds/:id', operator, countChange, deleteOneThresholds(deps));
  router.get('/console/api/operator/audit', operator, getWholeAudit(deps));
  router.get('/console/api/operator/health', operator, getHealth(deps));
  return router;
}

type ConsoleMiddleware = (ctx: ConsoleContext, next: Next) => Promise<void>;

/** Adds the routes of scans. They report not_configured without PostgreSQL. */
function addScans(
  router: Router<ConsoleState>,
  deps: Services,
  middleware: Readonly<Record<'member' | 'charge' | 'countChange' | 'admitOne', ConsoleMiddleware>>,
): void {
  const { member, charge, countChange, admitOne } = middleware;
  const admitList = admit(deps.listSemaphore, deps.deadlineMs);
  const scanStart = [member, charge, requireScanPlan(deps), admitList] as const;
  router.get('/console/api/scans', member, getMembersScans(deps));
  router.post('/console/api/scans', ...scanStart, postMembersScan(deps, { isUploaded: false }));
  router.post('/console/api/scans/folder', ...scanStart, postMembersScan(deps, { isUploaded: true }));
  router.get('/console/api/scans/:id', member, getMembersScan(deps));
  router.delete('/console/api/scans/:id', member, countChange, deleteMembersScan(deps));
  router.get('/console/api/scans/:id/failures', member, getFailures(deps));
  router.put('/console/api/scans/:id/items/:position', member, charge, admitOne, putItem(deps));
}
