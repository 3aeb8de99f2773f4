// Types of the JSON that console routes return, derived from the routes for the pages in console/.
import type { presentPastCheck, presentProfiles, presentShownScan } from './present.js';
import type { getAllAppeals, getCheckLinks, postCheckLink, presentForPage } from './routes/appeals.js';
import type { getAudit, getWholeAudit } from './routes/audit.js';
import type { getChecks } from './routes/checks.js';
import type { getFindings } from './routes/review.js';
import type { getKeys, postKey, postRoll } from './routes/keys.js';
import type { getMembers, postInvitation } from './routes/members.js';
import type { getChoice, getSignInWays } from './routes/openid.js';
import type { getAccounts, getHealth, getKnown } from './routes/operator.js';
import type { postVerification } from './routes/records.js';
import type { getFailures, getMembersScan, getMembersScans } from './routes/scans.js';
import type { getMe, postLinkPreview, postSession } from './routes/session.js';
import type { getJudged, getThresholds } from './routes/thresholds.js';
import type { getConsoleUsage, getNotices } from './routes/usage.js';
import type { getDeliveries, getWebhooks, postWebhook } from './routes/webhooks.js';

/** Type of the body that a route's handler sends. `Make` is the function that creates the handler. */
type Answer<Make extends (...deps: never[]) => (ctx: never, input: never) => Promise<unknown>> = NonNullable<
  Awaited<ReturnType<ReturnType<Make>>>
>;

export type ShownProfile = ReturnType<typeof presentProfiles>['balanced'];
export type Me = Answer<typeof getMe>;
export type SignInWays = Answer<typeof getSignInWays>;
export type ShownLink = Answer<typeof postLinkPreview>;
export type PasswordChoice = Answer<typeof postSession>;
export type ShownChoice = PasswordChoice['accounts'][number];
export type Choice = Answer<typeof getChoice>;
export type ShownCheck = ReturnType<typeof presentPastCheck>;
export type CheckPage = Answer<typeof getChecks>;
export type CheckFindings = Answer<typeof getFindings>;
export type Verification = Answer<typeof postVerification>;
export type { PresentedKey as ShownKey } from '../../accounts/keys.js';
export type KeyPage = Answer<typeof getKeys>;
export type AuditPage = Answer<typeof getAudit> | Answer<typeof getWholeAudit>;
export type NewKey = Answer<typeof postKey>;
export type RolledKey = Answer<typeof postRoll>;
export type Members = Answer<typeof getMembers>;
export type ShownMember = Members['members'][number];
export type NewInvitation = Answer<typeof postInvitation>;
export type NewWebhook = Answer<typeof postWebhook>;
export type Webhooks = Answer<typeof getWebhooks>;
export type DeliveryPage = Answer<typeof getDeliveries>;
export type Accounts = Answer<typeof getAccounts>;
export type ShownAccount = Accounts['accounts'][number];
export type AppealPage = Answer<typeof getAllAppeals>;
export type ShownAppeal = ReturnType<typeof presentForPage>;
export type CheckLinks = Answer<typeof getCheckLinks>;
export type NewCheckLink = Answer<typeof postCheckLink>;
export type KnownList = Answer<typeof getKnown>;
export type Health = Answer<typeof getHealth>;
export type ShownScan = ReturnType<typeof presentShownScan>;
export type ScanPage = Answer<typeof getMembersScans>;
export type ShownScanDetail = Answer<typeof getMembersScan>;
export type FailurePage = Answer<typeof getFailures>;
export type Notices = Answer<typeof getNotices>;
export type Usage = Answer<typeof getConsoleUsage>;
export type ThresholdsPage = Answer<typeof getThresholds>;
export type ShownThresholds = ThresholdsPage['thresholds'][number];
export type Judged = Answer<typeof getJudged>;
