// JSON shapes that the console's own API answers with; the pages in console/ are typed by these. Moments are RFC 3339.
import type { Scope } from '../../accounts/keys.js';
import type { CheckResult, PresentedBand } from '../../check/result-schema.js';
import type { TrustDescription } from '../../check/credentials/trust.js';
import type { Attention, Medium, ProfileName } from '../../check/types.js';
import type { EngineStats } from '../../engine/types.js';
import type { Label } from '../../accounts/history/remarks.js';
import type { Status } from '../../accounts/history/filter.js';
import type { Purpose } from '../../accounts/members/links.js';
import type { Role } from '../../accounts/members/members.js';
import type { Finding } from '../../record/verify/repeat.js';
import type { EventType } from '../webhooks/event-types.js';
import type { PresentedDelivery, PresentedEndpoint } from '../webhooks/present.js';
import type { VerdictCounts } from '../../accounts/history/tally.js';
import type { PresentedScan } from '../scans/scan.js';
import type { DayUsage } from '../../accounts/usage/usage.js';

/** A page of a list. */
interface Page {
  /** What to ask for the next one by, such as the last identifier; null at the end. */
  readonly next: string | null;
}

/** The thresholds of a profile. */
export interface ShownProfile {
  readonly full_image_specialist: Readonly<Record<Medium, PresentedBand>>;
  readonly face_specialist: PresentedBand;
}

/** GET /console/api/me (204 if nobody is): who is signed in, and what the pages need to know of the service. */
export interface Me {
  readonly member: { readonly id: string; readonly email: string; readonly role: Role };
  readonly account: { readonly id: string; readonly name: string; readonly plan: string | null };
  readonly service: {
    readonly version: string;
    readonly model: string;
    readonly bands_version: string;
    readonly profile: ProfileName;
    readonly profiles: Readonly<Record<ProfileName, ShownProfile>>;
    readonly history_days: number;
    readonly store_days: number;
    /** Whether the history keeps the names of files. */
    readonly history_names: boolean;
  };
  /** What the account's plan allows; null where the service has no scans, as it is not on PostgreSQL. */
  readonly scans: { readonly items: number; readonly at_once: number } | null;
}

/** GET /console/api/sign-in: how people may sign in, beside a password. */
export interface SignInWays {
  readonly openid: boolean;
}

/** POST /console/api/links/look: what a one-time link is for. */
export interface ShownLink {
  readonly purpose: Purpose;
  readonly email: string;
  readonly account: string;
  /** Whether it is followed by signing in at the organisation's provider, not with a password. */
  readonly openid: boolean;
}

/** An account to choose. */
export interface ShownChoice {
  readonly id: string;
  readonly name: string;
}

/** POST /console/api/session if the password is that of several accounts: one of them is to be named. */
export interface PasswordChoice {
  readonly accounts: readonly ShownChoice[];
}

/** GET /console/api/choice: the accounts that are open to who has signed in at the organisation. */
export interface Choice {
  readonly email: string;
  /** `is_member` is false if the account invites only. */
  readonly accounts: readonly (ShownChoice & { readonly is_member: boolean })[];
}

/** A check of the history: of its result what is kept. */
export interface ShownCheck extends Pick<
  CheckResult,
  'id' | 'is_ai' | 'fired' | 'profile' | 'model' | 'bands_version' | 'scores' | 'latency_ms' | 'image_stored'
> {
  readonly at: string;
  readonly reason: string | null;
  /** Null for a check by hand. */
  readonly key: { readonly id: string; readonly name: string } | null;
  /** Who made a check by hand; null if the member is gone, and for one by key. */
  readonly member: string | null;
  readonly report: { readonly label: Label; readonly note: string; readonly at: string } | null;
  /** The caller's own reference; null if it gave none. */
  readonly ref: string | null;
  /** The scan that it is of; null where it is of none. */
  readonly scan: string | null;
  /** Colours that the image mostly has, such as `#aabbcc`; empty where they are not known. */
  readonly colours: readonly string[];
  /** What people call the image; null where none is kept. */
  readonly name: string | null;
  /** Why eyes are needed though nothing fired. */
  readonly attention: Attention | null;
  /** `by` is null where the member is gone. */
  readonly note: {
    readonly text: string;
    readonly status: Status | null;
    readonly at: string;
    readonly by: string | null;
  } | null;
}

/** GET /console/api/checks: newest first. */
export interface CheckPage extends Page {
  readonly checks: readonly ShownCheck[];
}

/** POST /console/api/records/verify: what holds of a record, each finding resting on those before it. */
export interface Verification {
  /** Whether nothing of it was found wrong. */
  readonly holds: boolean;
  readonly findings: readonly Finding[];
}

/** A key, without its text. */
export interface ShownKey {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly plan: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** GET /console/api/keys, and operator/keys: newest first, at most 100. */
export interface KeyPage extends Page {
  readonly keys: readonly ShownKey[];
}

/** POST /console/api/keys: the one answer that holds the key's text. */
export interface NewKey extends ShownKey {
  readonly key: string;
}

/** What a plan allows. */
export interface ShownPlan {
  readonly name: string;
  readonly checks_per_month: number | null;
  readonly requests_per_second: number;
  readonly burst: number;
  readonly batch: boolean;
  /** Items of a scan; 0: no scans. */
  readonly scan_items: number;
  readonly scans_at_once: number;
}

/** A member. */
export interface ShownMember {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly created_at: string;
  /**
   * Whether the organisation's provider does not open it, because it was made with a password; false without a
   * provider.
   */
  readonly is_unverified: boolean;
}

/** An invitation that nobody followed yet. */
export interface ShownInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: string;
}

/** POST /console/api/invitations: the one answer that holds the link. */
export interface NewInvitation extends ShownInvitation {
  readonly url: string;
}

/** GET /console/api/members: oldest first, at most 100, and all invitations. */
export interface Members extends Page {
  readonly members: readonly ShownMember[];
  readonly invitations: readonly ShownInvitation[];
}

/** POST /console/api/webhooks, and .../rotate: the two answers that hold the secret. */
export interface NewWebhook extends PresentedEndpoint {
  readonly secret: string;
}

/** GET /console/api/webhooks. */
export interface Webhooks {
  readonly webhooks: readonly PresentedEndpoint[];
  /** What may be chosen. */
  readonly event_types: readonly EventType[];
  /** How many an account may have. */
  readonly most: number;
}

/** GET /console/api/webhooks/ID/deliveries: newest first. */
export interface DeliveryPage extends Page {
  readonly deliveries: readonly PresentedDelivery[];
}

/** GET /console/api/operator/accounts: one account. */
export interface ShownAccount {
  readonly id: string;
  readonly name: string;
  readonly plan: string | null;
  /** What of the operator's bucket its scans may read; null for nothing, `/` for all of it. */
  readonly scan_prefix: string | null;
  readonly created_at: string;
  readonly members: number;
  readonly keys: number;
  /** Checks of this period, on all plans. */
  readonly used: number;
}

/** GET /console/api/operator/accounts: oldest first, at most 100. */
export interface Accounts extends Page {
  readonly accounts: readonly ShownAccount[];
  readonly plans: readonly ShownPlan[];
}

/** GET /console/api/operator/health: of the process that answers. */
export interface Health {
  readonly version: string;
  readonly model: string;
  readonly bands_version: string;
  readonly profiles: Readonly<Record<ProfileName, ShownProfile>>;
  readonly engine: EngineStats;
  /** Images of its requests since the start, with those that were refused before the engine. */
  readonly pictures: { readonly checked: number; readonly refused: number };
  readonly requests: { readonly inside: number; readonly waiting: number };
  readonly uptime_s: number;
  readonly memory_mb: number;
  readonly database: string;
  readonly trust: TrustDescription;
}

/** A scan. */
export interface ShownScan extends PresentedScan {
  /** What its list is called; null where it has no name, or none is kept. */
  readonly name: string | null;
  /** Address of the member, or name of the key, that began it; null if the member is gone. */
  readonly by: string | null;
  /** Whether a page sends its images one by one. */
  readonly is_uploaded: boolean;
  readonly profile: string;
}

/** GET /console/api/scans: newest first, at most 50. */
export interface ScanPage extends Page {
  readonly scans: readonly ShownScan[];
}

/** GET /console/api/scans/ID. */
export interface ShownScanDetail extends ShownScan {
  /** Whether who asks began it in the console. */
  readonly is_mine: boolean;
  /** From the history: those that it no longer has, or never kept, are missing. */
  readonly verdicts: VerdictCounts;
}

/** GET /console/api/scans/ID/failures: in the order of the answers, at most 100. */
export interface FailurePage extends Page {
  readonly failures: readonly {
    /** Where the item stands in the list, from 1. */
    readonly line: number;
    readonly ref: string | null;
    readonly code: string;
    readonly message: string;
  }[];
}

/** GET /console/api/usage. */
export interface Usage {
  readonly period: { readonly start: string; readonly end: string };
  /** The account's plan and every other one with checks this period. */
  readonly plans: readonly (ShownPlan & { readonly used: number })[];
  readonly days: readonly DayUsage[];
  /** From the history: this period's checks by key, null standing for those by hand; empty if none is kept. */
  readonly by_key: readonly {
    readonly key: { readonly id: string; readonly name: string } | null;
    readonly ai: number;
    readonly no_ai: number;
  }[];
}
