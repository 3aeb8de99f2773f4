// The trust lists: a folder of PEM files, read into anchors with their purpose.
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { TrustTier } from '../types.js';

/** File name of the official list of signers' anchors. Source: C2PA conformance programme. */
export const SIGNER_LIST = 'C2PA-TRUST-LIST.pem';
/** File name of the official list of time-stamp authorities' anchors. Source: C2PA conformance programme. */
export const TIME_STAMP_LIST = 'C2PA-TSA-TRUST-LIST.pem';
/** Name of the folder with the interim list, which is reported separately and never makes a signer `verified`. */
const INTERIM_FOLDER = 'interim';

/** Purpose of an anchor: signers' certificates or time stamps, never both. */
type TrustPurpose = 'signing' | 'time_stamp';

/** A certificate that ends a chain. */
interface TrustAnchor {
  /** Organisation and common name, such as `Example Ltd, Example Root CA`. */
  readonly subject: string;
  /** End of the certificate's validity. An anchor counts beyond it, because trust lists decide. */
  readonly expires: Date;
  readonly pem: string;
}

/** A PEM file of the trust folder. */
interface TrustFile {
  /** Path within the trust folder. */
  readonly name: string;
  readonly tier: TrustTier;
  readonly purpose: TrustPurpose;
  /** True for a list of the package. */
  readonly shipped: boolean;
  /** Time of the last change; for a list of the package, its date. */
  readonly updated: Date;
  readonly anchors: readonly TrustAnchor[];
  /** Number of certificates that can't be parsed and are left out. */
  readonly unreadable: number;
}

/** The active trust lists. */
export interface TrustList {
  /** Trust folder, or null. */
  readonly dir: string | null;
  readonly files: readonly TrustFile[];
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads every `*.pem` of `dir` and of its folder `interim`. The two official names form the official tier, other files
 * the operator's own. A name with `tsa` has anchors of time stamps, other names anchors of signers. A missing folder
 * is an empty list. The package's lists in `shippedDir` are added; of two files with one name the newer counts.
 * Rejects with the file system's error if a folder is unreadable.
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

/** Files of an installed package have no times of their own, so lists.json has their date. */
async function loadShipped(dir: string): Promise<readonly TrustFile[]> {
  const { date } = JSON.parse(await readFile(join(dir, 'lists.json'), 'utf8')) as { date: string };
  const files = await loadFolder(dir);
  return files.map((file) => ({ ...file, shipped: true, updated: new Date(date) }));
}

/** Returns whether at least one anchor can make a signer verified. */
export function canVerify({ files }: TrustList): boolean {
  return files.some(
    (file) => file.tier !== 'interim' && file.purpose === 'signing' && file.anchors.length > 0,
  );
}

/** Description of the trust lists for operators: in `telltale trust show`, the log and /readyz. */
export interface TrustDescription {
  /** False without an active anchor of a signer, when nothing is ever verified. */
  readonly can_verify: boolean;
  /** True if an active official list is older than MAX_TRUST_AGE_DAYS. */
  readonly outdated: boolean;
  /** Recommended action with its reason, or null. */
  readonly advice: string | null;
  readonly files: readonly {
    readonly name: string;
    readonly tier: TrustTier;
    readonly purpose: TrustPurpose;
    /** Number of certificates in use. */
    readonly anchors: number;
    /** Number of certificates left out. */
    readonly unreadable: number;
    /** True for a list of the package. */
    readonly shipped: boolean;
    /** Date of the list, YYYY-MM-DD. */
    readonly date: string;
    /** Age in days with one decimal. */
    readonly age_days: number;
  }[];
}

/** Number of days after which an official list counts as outdated; deploy/prometheus/rules.yaml uses the same. */
export const MAX_TRUST_AGE_DAYS = 180;

/** Describes the files, anchors and ages of `list` at the time `now`. */
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

/** Advice without an active anchor of a signer. */
export const NO_LIST_ADVICE =
  "no trust list is installed, so no Content Credentials can be verified; 'telltale trust update' fetches the lists";

/** Explains the age of the oldest list in `old` and how to update it, or returns null. */
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

/** Returns the date of a list, YYYY-MM-DD. */
function dayOf({ updated }: TrustFile): string {
  return updated.toISOString().slice(0, 10);
}

/** Returns the certificates of the files that `wanted` selects, in PEM, one text each. */
export function pickAnchors(list: TrustList, wanted: (file: TrustFile) => boolean): readonly string[] {
  return list.files.filter(wanted).flatMap(({ anchors }) => anchors.map(({ pem }) => pem));
}

/** Parses a PEM text into anchors and counts invalid blocks. */
export function parseAnchors(text: string): {
  readonly anchors: readonly TrustAnchor[];
  readonly unreadable: number;
} {
  const blocks = text.match(PEM_BLOCK) ?? [];
  const anchors = blocks.map(parseAnchor).filter((anchor) => anchor !== null);
  return { anchors, unreadable: blocks.length - anchors.length };
}

/** Returns the organisation of a certificate's subject, else its common name, else null. */
export function nameSubject(certificate: X509Certificate): string | null {
  const { organization, commonName } = readSubject(certificate);
  return organization ?? commonName;
}

async function listPemFiles(dir: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    // Accepts links, because configuration mounts provide files as links.
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
    // Encoded again, so that the C2PA library parses what was parsed here.
    return { subject, expires: new Date(certificate.validTo), pem: certificate.toString() };
  } catch {
    return null;
  }
}

/** Node returns a repeated name as an array; the last one is the most specific. */
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
