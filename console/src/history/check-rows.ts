// Converts the history to a table that can be saved as CSV.
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { chipOfCheck } from '../chip-words.js';

const HEAD = [
  'id',
  'time',
  'name',
  'ref',
  'result',
  'flagged',
  'why',
  'reason',
  'fired',
  'whole_picture',
  'face',
  'profile',
  'model',
  'bands_version',
  'by',
  'scan',
  'picture_kept',
  'status',
  'note',
  'noted_by',
  'noted_at',
  'reported',
  'appeal',
  'taken_by',
  'link',
];

/** Returns the column names and one row per check. */
export function rowsOf(checks: readonly ShownCheck[]): (string | number)[][] {
  return [HEAD, ...checks.map(rowOf)];
}

function rowOf(check: ShownCheck): (string | number)[] {
  const { word, because } = chipOfCheck(check);
  const { note, scores } = check;
  return [
    check.id,
    check.at,
    check.name ?? '',
    check.ref ?? '',
    word,
    check.is_ai ? 'yes' : 'no',
    because ?? '',
    check.reason ?? '',
    check.fired.join(' '),
    scores.full_image_specialist ?? '',
    scores.face_specialist ?? '',
    check.profile,
    check.model,
    check.bands_version,
    check.key?.name ?? check.member ?? '',
    check.scan ?? '',
    check.image_stored ? 'yes' : 'no',
    note?.status ?? '',
    note?.text ?? '',
    note?.by ?? '',
    note?.at ?? '',
    check.report?.label ?? '',
    check.appeal ?? '',
    check.claim?.by ?? '',
    `${window.location.origin}/checks/${check.id}`,
  ];
}
