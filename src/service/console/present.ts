// Converts objects to the JSON that several console routes return.
import { presentBand } from 'telltale-engine/internal/check/present-details.js';
import { roundScore } from 'telltale-engine/internal/base/numbers.js';
import type { Bands, ProfileBands } from 'telltale-engine/internal/check/types.js';
import type { PastCheck } from '../../accounts/history/checks.js';
import { presentScan } from '../scans/scan.js';
import type { NamedScan } from '../scans/read-scans.js';

/** Returns the thresholds of every profile as JSON. */
export function presentProfiles({ profiles }: Bands) {
  const present = ({ fullImage, face }: ProfileBands) => ({
    full_image_specialist: {
      photographed: presentBand(fullImage.photographed),
      drawn: presentBand(fullImage.drawn),
    },
    face_specialist: presentBand(face),
  });
  const { strict, balanced, sensitive } = profiles;
  return { strict: present(strict), balanced: present(balanced), sensitive: present(sensitive) };
}

/** Returns a check from the history as JSON. */
export function presentPastCheck(check: PastCheck) {
  return {
    id: check.id,
    at: check.createdAt.toISOString(),
    is_ai: check.isAi,
    fired: check.fired,
    /** Value of the headline. */
    assessment: check.assessment,
    reason: check.reason,
    profile: check.profile,
    model: check.model,
    bands_version: check.bandsVersion,
    // Rounded without regard to a threshold, because the threshold may have changed since the check.
    scores: {
      full_image_specialist: roundScore(check.fullImageScore, 0),
      face_specialist: roundScore(check.faceScore, 0),
    },
    latency_ms: check.latencyMs,
    /** API key that made the check, or null for a check in the console. */
    key: check.key,
    /** Member who made the check; null for a check by API key and for a removed member. */
    member: check.memberEmail,
    image_stored: check.image !== null,
    report: check.report && {
      label: check.report.label,
      note: check.report.note,
      at: check.report.at.toISOString(),
    },
    ref: check.ref,
    /** State of the appeals against the check; null without an appeal. */
    appeal: check.appeal,
    scan: check.requestId.startsWith('scn_') ? check.requestId : null,
    colours: check.colours,
    name: check.name,
    /** Reason to look at an image more closely although it was not flagged. */
    attention: check.attention,
    note: check.note && {
      text: check.note.text,
      status: check.note.status,
      at: check.note.at.toISOString(),
      /** Author of the note, or null for a removed member. */
      by: check.note.memberEmail,
    },
    /** Member who is reviewing the check. */
    claim: check.claim && {
      member_id: check.claim.memberId,
      by: check.claim.memberEmail,
      at: check.claim.at.toISOString(),
    },
  };
}

/** Returns a scan at the time `now` as JSON. */
export function presentShownScan(row: NamedScan, now: Date) {
  return {
    ...presentScan(row, now),
    name: row.name,
    /** Member or key that started the scan; null for a removed member. */
    by: row.member_email ?? row.key_name,
    /** True if a browser page uploads the images one by one. */
    is_uploaded: row.is_uploaded === 1,
    profile: row.profile,
  };
}
