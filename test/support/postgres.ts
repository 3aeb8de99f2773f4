// Starts a real PostgreSQL server of Debian's package in a temporary folder, on a free port of the loopback address.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable of the environment that tells a run's processes the port of the server that they share. */
export const SHARED_PORT = 'SHARED_POSTGRES_PORT';

const VERSIONS = '/usr/lib/postgresql';

/** A running server, as those see it who don't own it. */
export interface PostgresDatabases {
  readonly port: number;
  /** `postgres://...` of a fresh database on it: a copy of the database `template`; by default an empty one. */
  createDatabase(template?: string): string;
}

/** A running server. */
export interface PostgresServer extends PostgresDatabases {
  /** Ends every connection and the server at once, as a failing machine would. */
  stop(): void;
  /** Starts it again on the same port and data. */
  start(): void;
  /** Stops it and deletes its folder. */
  close(): void;
}

/** The folder of the newest installed server's programs; null if none is installed. */
export function findPostgres(): string | null {
  if (!existsSync(VERSIONS)) return null;
  const folders = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a));
  return (
    folders.map((name) => join(VERSIONS, name, 'bin')).find((bin) => existsSync(join(bin, 'pg_ctl'))) ?? null
  );
}

/** The server on `port` of this machine, which somebody else started and closes. */
export function usePostgres(bin: string, port: number): PostgresDatabases {
  return {
    port,
    // The server's first template is the one that nobody can be connected to.
    createDatabase(template = 'template0') {
      // Several processes use one server, and each may load this module twice.
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'telltale', '-T', template, name];
      execFileSync(join(bin, 'createdb'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
      return `postgres://telltale@127.0.0.1:${port}/${name}`;
    },
  };
}

/**
 * Makes and starts a server; as root it runs as the user `postgres`, whom the package made, since it refuses root.
 * `isDurable`: every commit reaches the disk, as in a server that is measured; else none need to.
 */
export async function startPostgres(bin: string, { isDurable = false } = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    chownSync(
      folder,
      Number(execFileSync('id', ['-u', 'postgres'])),
      Number(execFileSync('id', ['-g', 'postgres'])),
    );
  const data = join(folder, 'data');
  const port = await findFreePort();
  const run = (program: string, ...args: string[]): void => {
    const [command, prefix] = isRoot
      ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups']]
      : ['env', []];
    // Output goes nowhere: the server keeps its starter's streams open, and reading them would never end.
    execFileSync(command, [...prefix, join(bin, program), ...args], { cwd: folder, stdio: 'ignore' });
  };
  const start = (): void => {
    const options = `-p ${port} -h 127.0.0.1 -k ${folder} -c max_connections=120${isDurable ? '' : ' -c fsync=off'}`;
    run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start');
  };
  const stop = (): void => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
  run('initdb', '-D', data, '-U', 'telltale', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync');
  start();
  return {
    ...usePostgres(bin, port),
    stop,
    start,
    close() {
      // A test that failed may have left it stopped.
      if (existsSync(join(data, 'postmaster.pid'))) stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
