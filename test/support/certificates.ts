// Makes certificate authorities and certificates for tests with the openssl command.
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Purpose of a certificate that signs C2PA claims. Source: C2PA specification 2.2, section 'Certificate
 * Profile'.
 */
const CLAIM_SIGNING = '1.3.6.1.4.1.62558.2.1';

/** A certificate with its key. */
export interface Identity {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  /** The certificate and its issuers' certificates, without the root, in the order of a signature. */
  readonly chain: readonly X509Certificate[];
  /** Path of the PEM file, for programs that need one. */
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** Properties of a certificate to issue. */
interface CertificateWish {
  readonly organization?: string;
  readonly commonName?: string;
  /** Extended key usage in openssl's notation. null: none. Default: C2PA claim signing. */
  readonly purpose?: string | null;
  /** True for a certificate authority. */
  readonly authority?: boolean;
  /** URL at which the certificate's status can be queried (OCSP). */
  readonly statusUrl?: string;
  /** Start of validity. Default: an hour ago. */
  readonly from?: Date;
  /** End of validity. Default: in ten years. */
  readonly until?: Date;
}

/** A folder in which certificates are made. `close` removes it. */
export interface CertificateShop {
  makeRoot(commonName: string): Identity;
  issue(issuer: Identity, wish: CertificateWish): Identity;
  close(): void;
}

const HOUR_MS = 3_600_000;

/** Opens a folder for certificates. Throws if there is no openssl command. */
export function openCertificateShop(): CertificateShop {
  const dir = mkdtempSync(join(tmpdir(), 'telltale-certificates-'));
  let count = 0;

  function make(issuer: Identity | null, wish: CertificateWish): Identity {
    const base = join(dir, String(++count));
    writeFileSync(`${base}.cnf`, configuration(base, wish));
    writeFileSync(`${base}.index`, '');
    const subject = `/O=${wish.organization ?? 'Telltale Tests'}/CN=${wish.commonName ?? 'Test'}`;
    const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${base}.key`);
    openssl(
      'req',
      '-new',
      '-key',
      `${base}.key`,
      '-subj',
      subject,
      '-config',
      `${base}.cnf`,
      '-out',
      `${base}.csr`,
    );
    const signer = issuer
      ? ['-cert', issuer.certificatePath, '-keyfile', issuer.keyPath]
      : ['-selfsign', '-keyfile', `${base}.key`];
    const now = Date.now();
    const dates = [
      '-startdate',
      asn1Time(wish.from ?? new Date(now - HOUR_MS)),
      '-enddate',
      asn1Time(wish.until ?? new Date(now + 87_600 * HOUR_MS)),
    ];
    openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      `${base}.cnf`,
      ...signer,
      ...dates,
      '-in',
      `${base}.csr`,
      '-out',
      `${base}.pem`,
    );
    const certificate = new X509Certificate(readFileSync(`${base}.pem`));
    return {
      certificate,
      key: createPrivateKey(readFileSync(`${base}.key`)),
      chain: issuer ? [certificate, ...issuer.chain] : [],
      certificatePath: `${base}.pem`,
      keyPath: `${base}.key`,
    };
  }

  return {
    makeRoot: (commonName) => make(null, { commonName, authority: true }),
    issue: (issuer, wish) => make(issuer, wish),
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function configuration(
  base: string,
  { authority = false, purpose = CLAIM_SIGNING, statusUrl }: CertificateWish,
): string {
  const usage = authority
    ? ['basicConstraints = critical,CA:TRUE', 'keyUsage = critical,keyCertSign,cRLSign']
    : [
        'basicConstraints = critical,CA:FALSE',
        'keyUsage = critical,digitalSignature',
        ...(purpose === null ? [] : [`extendedKeyUsage = ${purpose}`]),
      ];
  return [
    '[req]',
    'distinguished_name = none',
    '[none]',
    '[ca]',
    'default_ca = shop',
    '[shop]',
    `database = ${base}.index`,
    `new_certs_dir = ${join(base, '..')}`,
    'default_md = sha256',
    'policy = names',
    'rand_serial = yes',
    'x509_extensions = extensions',
    'unique_subject = no',
    '[names]',
    'organizationName = optional',
    'commonName = optional',
    '[extensions]',
    ...usage,
    ...(statusUrl === undefined ? [] : [`authorityInfoAccess = OCSP;URI:${statusUrl}`]),
    'subjectKeyIdentifier = hash',
    'authorityKeyIdentifier = keyid',
  ].join('\n');
}

/** Returns a date as `YYYYMMDDHHMMSSZ` for openssl. */
function asn1Time(date: Date): string {
  return date.toISOString().replace(/[-:T]|\.\d{3}/g, '');
}
