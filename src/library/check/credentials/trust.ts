// The trust lists: a folder of PEM files, read into anchors that say whom they may vouch for.
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { TrustTier } from '../types.js';

/** The official list of signers' anchors. Source: C2PA conformance programme. */
export const SIGNER_LIST = 'C2PA-TRUST-LIST.pem';
/** The official list of time-stamp authorities' anchors. Source: C2PA conformance programme. */
export const TIME_STAMP_LIST = 'C2PA-TSA-TRUST-LIST.pem';
/** Folder, within the trust folder, of the interim list: told apart in the findings, never `verified`. */
const INTERIM_FOLDER = 'interim';

/** What an anchor may vouch for: a signer's certificate or a time stamp, never both. */
type TrustPurpose = 'signing' | 'time_stamp';

/** One certificate that ends a chain. */
interface TrustAnchor {
  /** Organisation and common name, as in `Example Ltd, Example Root CA`. */
  readonly subject: string;
  /** End of the certificate's own validity; an anchor counts beyond it, as trust lists decide, not dates. */
  readonly expires: Date;
  readonly pem: string;
}

/** One PEM file of the trust folder. */
interface TrustFile {
  /** Path within the trust folder. */
  readonly name: string;
  readonly tier: TrustTier;
  readonly purpose: TrustPurpose;
  /** True for a list that came with the package, false for one of the trust folder. */
  readonly shipped: boolean;
  /** When the file was last written; of a shipped list, the day that it is known to be of. */
  readonly updated: Date;
  readonly anchors: readonly TrustAnchor[];
  /** Certificates of the file that can't be parsed and are left out. */
  readonly unreadable: number;
}

/** The lists in force. */
export interface TrustList {
  /** The trust folder; null if none is set. */
  readonly dir: string | null;
  readonly files: readonly TrustFile[];
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads every `*.pem` of `dir` and of its folder `interim`. The two official names make the official tier, every other
 * file the operator's own. A name that has `tsa` in it holds anchors of time stamps, every other one of signers. No
 * folder, or one that does not exist, is an empty list. The package's lists in `shippedDir` count beside them; of two
 * of one name the newer. Rejects with the file system's error if a folder can't be read.
 */
export async function loadTrustList(
  dir: string | null,
  shippedDir: string | null = null,
): Promise<TrustList> {
  const installed = dir === null ? [] : await loadFolder(dir);
  const shipped = shippedDir === null ? [] : await loadShipped(shippedDir);
  const isReplaced = (file: TrustFile, others: readonly TrustFile[]): boolean =>
    others.some((other) => other.name === file.name && other.updated > file.updated);
  const files = [
    ...shipped.filter((file) => !isReplaced(file, installed)),
    ...installed.filter((file) => !isReplaced(file, shipped)),
  ];
  return { dir, files };
}

async function loadFolder(dir: string): Promise<readonly TrustFile[]> {
  const own = await listPemFiles(dir);
  const interim = (await listPemFiles(join(dir, INTERIM_FOLDER))).map((name) => join(INTERIM_FOLDER, name));
  return Promise.all([...own, ...interim].map((name) => loadTrustFile(dir, name)));
}

/** An installed package's files carry no times of their own, so their day stands beside them. */
async function loadShipped(dir: string): Promise<readonly TrustFile[]> {
  const { date } = JSON.parse(await readFile(join(dir, 'lists.json'), 'utf8')) as { date: string };
  const files = await loadFolder(dir);
  return files.map((file) => ({ ...file, shipped: true, updated: new Date(date) }));
}

/** True if at least one anchor can make a signer verified: without one, nothing ever is. */
export function canVerify({ files }: TrustList): boolean {
  return files.some(
    (file) => file.tier !== 'interim' && file.purpose === 'signing' && file.anchors.length > 0,
  );
}

/** What operators are told of a trust list: by `telltale trust show`, the log and the readiness check. */
export interface TrustDescription {
  /** False: no anchor of a signer is in force, and nothing is ever verified. */
  readonly can_verify: boolean;
  /** True if an official list in force is of a day more than MAX_TRUST_AGE_DAYS ago. */
  readonly outdated: boolean;
  /** What to do about the lists, and what it costs not to; null if nothing is to be done. */
  readonly advice: string | null;
  readonly files: readonly {
    readonly name: string;
    readonly tier: TrustTier;
    readonly purpose: TrustPurpose;
    /** Certificates in use. */
    readonly anchors: number;
    /** Certificates left out. */
    readonly unreadable: number;
    /** Whether the list came with the package. */
    readonly shipped: boolean;
    /** Day of the list, YYYY-MM-DD. */
    readonly date: string;
    /** Days since then, one decimal. */
    readonly age_days: number;
  }[];
}

/** Days after which an official list is called outdated; deploy/prometheus/rules.yaml alerts on the same. */
export const MAX_TRUST_AGE_DAYS = 180;

/** Files, anchors and ages of `list` at the time `now`. */
export function describeTrust(list: TrustList, now: Date): TrustDescription {
  const ageDays = ({ updated }: TrustFile): number =>
    Math.max(0, Math.round((now.getTime() - updated.getTime()) / 8_640_000) / 10);
  const old = list.files.filter((file) => file.tier === 'official' && ageDays(file) > MAX_TRUST_AGE_DAYS);
  return {
    can_verify: canVerify(list),
    outdated: old.length > 0,
    advice: canVerify(list) ? adviseUpdate(old) : NO_LIST_ADVICE,
    files: list.files.map((file) => ({
      name: file.name,
      tier: file.tier,
      purpose: file.purpose,
      anchors: file.anchors.length,
      unreadable: file.unreadable,
      shipped: file.shipped,
      date: dayOf(file),
      age_days: ageDays(file),
    })),
  };
}

/** The advice if no anchor of a signer is in force. */
export const NO_LIST_ADVICE =
  "no trust list is installed, so no Content Credentials can be verified; 'telltale trust update' fetches the lists";

/**
 * Says of the oldest of the lists in `old` what its age means and how a newer one gets there; null if there is none.
 */
function adviseUpdate(old: readonly TrustFile[]): string | null {
  const [oldest] = [...old].sort((a, b) => a.updated.getTime() - b.updated.getTime());
  if (oldest === undefined) return null;
  return (
    `the official list ${oldest.name} is of ${dayOf(oldest)}, more than ${MAX_TRUST_AGE_DAYS} days ago: signers that came to it ` +
    'since then are unknown, and those taken off it still count. Run ' +
    "'telltale trust update' once a day if this machine can reach the internet; if not, run it on one that can and " +
    'copy the files into the trust folder'
  );
}

/** The day of a list, YYYY-MM-DD. */
function dayOf({ updated }: TrustFile): string {
  return updated.toISOString().slice(0, 10);
}

/** Certificates of the files that `wanted` picks, in PEM, one text each. */
export function pickAnchors(list: TrustList, wanted: (file: TrustFile) => boolean): readonly string[] {
  return list.files.filter(wanted).flatMap(({ anchors }) => anchors.map(({ pem }) => pem));
}

/** Parses a PEM text into anchors; counts blocks that are no certificates. */
export function parseAnchors(text: string): {
  readonly anchors: readonly TrustAnchor[];
  readonly unreadable: number;
} {
  const blocks = text.match(PEM_BLOCK) ?? [];
  const anchors = blocks.map(parseAnchor).filter((anchor) => anchor !== null);
  return { anchors, unreadable: blocks.length - anchors.length };
}

/** Organisation of a certificate's subject, else its common name, else null. */
export function nameSubject(certificate: X509Certificate): string | null {
  const { organization, commonName } = readSubject(certificate);
  return organization ?? commonName;
}

async function listPemFiles(dir: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    // A link counts: configuration mounts put files in place by links.
    return entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.pem'))
      .map(({ name }) => name)
      .sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cause;
  }
}

async function loadTrustFile(dir: string, name: string): Promise<TrustFile> {
  const path = join(dir, name);
  const [text, { mtime }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
  return {
    name,
    shipped: false,
    tier: tierOf(name),
    purpose: /tsa/i.test(name) ? 'time_stamp' : 'signing',
    updated: mtime,
    ...parseAnchors(text),
  };
}

function tierOf(name: string): TrustTier {
  if (name === SIGNER_LIST || name === TIME_STAMP_LIST) return 'official';
  return name.startsWith(join(INTERIM_FOLDER, sep)) ? 'interim' : 'operator';
}

function parseAnchor(pem: string): TrustAnchor | null {
  try {
    const certificate = new X509Certificate(pem);
    const { organization, commonName } = readSubject(certificate);
    const subject = [organization, commonName].filter((name) => name !== null).join(', ');
    // Written anew, so that what the C2PA library parses is what was parsed here.
    return { subject, expires: new Date(certificate.validTo), pem: certificate.toString() };
  } catch {
    return null;
  }
}

/** Node repeats a name that occurs twice as an array; the last is the most specific. */
function readSubject(certificate: X509Certificate): {
  organization: string | null;
  commonName: string | null;
} {
  const { subject } = certificate.toLegacyObject() as {
    subject: Readonly<Record<string, string | string[]>>;
  };
  const last = (name: string): string | null => [subject[name] ?? []].flat().at(-1) ?? null;
  return { organization: last('O'), commonName: last('CN') };
}
