// Filters of the history. They are stored in the page's address, so that a link shows the same list.
import { OUTCOME_NAMES } from '../chip-words.js';
import { SIGNAL_NAMES } from '../format.js';

/** Values to choose from for each filter, with the texts that the form shows. */
export const CHOICES = {
  verdict: {
    '': 'Every result',
    ...OUTCOME_NAMES,
    reported: 'Reported as wrong',
  },
  fired: { '': 'Every detector', ...SIGNAL_NAMES },
  status: {
    '': 'Every status',
    none: 'No status',
    open: 'Open',
    confirmed: 'Confirmed',
    cleared: 'Cleared',
  },
  claimed: {
    '': 'Taken or not',
    nobody: 'Not taken',
    me: 'Taken by me',
    anybody: 'Taken by anybody',
  },
} as const;

const NAMES = [
  'text',
  'verdict',
  'fired',
  'status',
  'claimed',
  'person',
  'from',
  'to',
  'scan',
  'order',
] as const;
/** Name of a filter. */
export type FilterName = (typeof NAMES)[number];
/** Values of all filters; an empty string selects everything. Days are YYYY-MM-DD in the reader's time zone. */
export type Filter = Readonly<Record<FilterName, string>>;

/** Reads the filters from the query of an address. */
export function readFilter(query: string): Filter {
  const fields = new URLSearchParams(query);
  return Object.fromEntries(NAMES.map((name) => [name, fields.get(name) ?? ''])) as Filter;
}

/** Returns the filters as a query with `?`; an empty string if no filter is set. */
export function writeFilter(filter: Filter): string {
  const set = NAMES.filter((name) => filter[name] !== '').map((name) => [name, filter[name]]);
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`;
}

/** Returns the filters as a query for the service, with days as times in UTC and identifiers as `id`. */
export function queryOfFilter(filter: Filter, extraFields: Readonly<Record<string, string>>): string {
  const { text, from, to, ...otherFields } = filter;
  const queryFields = {
    ...otherFields,
    ...(/^chk_[0-9A-Z]{0,26}$/.test(text) ? { id: text } : { text }),
    from: momentOf(from, 0),
    to: momentOf(to, 1),
    ...extraFields,
  };
  return new URLSearchParams(Object.entries(queryFields).filter(([, value]) => value !== '')).toString();
}

/** Returns the time of midnight `extraDays` days after `day`; an empty string for an invalid day. */
function momentOf(day: string, extraDays: number): string {
  const moment = new Date(`${day}T00:00:00`);
  if (Number.isNaN(moment.getTime())) return '';
  moment.setDate(moment.getDate() + extraDays);
  return moment.toISOString();
}
