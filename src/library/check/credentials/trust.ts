// The trust lists: PEM files with certificates (anchors) that signers or time stamps must lead to.
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { TrustTier } from '../types.js';

/** File name of C2PA's official list for signers. Source: C2PA conformance programme. */
export const SIGNER_LIST = 'C2PA-TRUST-LIST.pem';
/** File name of C2PA's official list for time-stamp authorities. Source: C2PA conformance programme. */
export const TIME_STAMP_LIST = 'C2PA-TSA-TRUST-LIST.pem';
/** Folder of the interim list, C2PA's frozen former list. A signer on it is reported but never `verified`. */
const INTERIM_FOLDER = 'interim';

/** Purpose of an anchor: either signers' certificates or time stamps, never both. */
type TrustPurpose = 'signing' | 'time_stamp';

/** A trusted certificate, at which a certificate chain ends. */
interface TrustAnchor {
  /** Organisation and common name, such as `Example Ltd, Example Root CA`. */
  readonly subject: string;
  /** End of validity. A listed anchor counts even later, because the lists decide who is trusted. */
  readonly expires: Date;
  readonly pem: string;
}

/** A PEM file of the trust folder. */
interface TrustFile {
  /** Path within the trust folder. */
  readonly name: string;
  readonly tier: TrustTier;
  readonly purpose: TrustPurpose;
  /** True for a list that came with the package. */
  readonly shipped: boolean;
  /** Time of the last change or, for a list of the package, the date of the list. */
  readonly updated: Date;
  readonly anchors: readonly TrustAnchor[];
  /** Number of certificates that can't be parsed, and are therefore not used. */
  readonly unreadable: number;
}

/** Trust lists that are in use. */
export interface TrustList {
  readonly dir: string | null;
  readonly files: readonly TrustFile[];
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads every `*.pem` of `dir` and of its folder `interim`. The two official names form the official list,
 * other files the operator's own. A file with `tsa` in its name applies to time stamps, other files to
 * signers. A missing folder is an empty list. Adds the package's lists in `shippedDir`; of two files with the
 * same name, the newer counts. Rejects with the file system's error if a folder is unreadable.
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
  const ownFiles = await listPemFiles(dir);
  const interim = (await listPemFiles(join(dir, INTERIM_FOLDER))).map((name) => join(INTERIM_FOLDER, name));
  return Promise.all([...ownFiles, ...interim].map((name) => loadTrustFile(dir, name)));
}

/** Takes the date from lists.json, because installing a package sets new file times. */
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

/** Description of the trust lists for operators, in `telltale trust show`, the log and /readyz. */
export interface TrustDescription {
  /** False if no certificate in use can make a signer verified. */
  readonly can_verify: boolean;
  /** True if an official list in use is older than MAX_TRUST_AGE_DAYS. */
  readonly outdated: boolean;
  /** Recommended action with its reason, or null if none is needed. */
  readonly advice: string | null;
  readonly files: readonly {
    readonly name: string;
    readonly tier: TrustTier;
    readonly purpose: TrustPurpose;
    /** Number of certificates in use. */
    readonly anchors: number;
    /** Number of certificates that can't be parsed. */
    readonly unreadable: number;
    /** True for a list that came with the package. */
    readonly shipped: boolean;
    /** Date of the list, YYYY-MM-DD. */
    readonly date: string;
    /** Age in days with one decimal. */
    readonly age_days: number;
  }[];
}

/** Number of days after which an official list counts as outdated, as in deploy/prometheus/rules.yaml. */
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

/** Advice for an operator without a list for signers. */
export const NO_LIST_ADVICE =
  "no trust list is installed, so no Content Credentials can be verified; 'telltale trust update' fetches the lists";

/** Returns a text about the age of the oldest list in `old` and how to update it, or null without one. */
function adviseUpdate(old: readonly TrustFile[]): string | null {
  const [oldest] = [...old].sort((a, b) => a.updated.getTime() - b.updated.getTime());
  if (oldest === undefined) return null;
  return (
    `the official list ${oldest.name} dates from ${dayOf(oldest)}, more than ${MAX_TRUST_AGE_DAYS} days ago: signers added since then are ` +
    "unknown, and removed signers still count. Run 'telltale trust update' once a day; without internet access, run it " +
    'on another machine and copy the files into the trust folder'
  );
}

/** Returns the date of a list, YYYY-MM-DD. */
function dayOf({ updated }: TrustFile): string {
  return updated.toISOString().slice(0, 10);
}

/** Returns the certificates of the files for which `isSelected` returns true, in PEM, one text each. */
export function pickAnchors(list: TrustList, isSelected: (file: TrustFile) => boolean): readonly string[] {
  return list.files.filter(isSelected).flatMap(({ anchors }) => anchors.map(({ pem }) => pem));
}

/** Parses the certificates of a PEM file and counts invalid ones. */
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
    // Accepts symbolic links, because Kubernetes mounts configuration files as links.
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
    // The certificate is encoded again, so that the C2PA library parses the same bytes as this code.
    return { subject, expires: new Date(certificate.validTo), pem: certificate.toString() };
  } catch {
    return null;
  }
}

/** Node returns a name that occurs repeatedly as an array; the last one is the most specific. */
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
