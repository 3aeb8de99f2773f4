// Runs a real PostgreSQL server (Debian's package) in a temporary folder, on a free port of this machine.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable with the port of the server that all processes of a run share. */
export const SHARED_PORT = 'SHARED_POSTGRES_PORT';

const VERSIONS = '/usr/lib/postgresql';

/** Access to a running server that somebody else started. */
export interface PostgresDatabases {
  readonly port: number;
  /**
   * Creates a database and returns its `postgres://...` address. It is a copy of the database `template`, by
   * default empty.
   */
  createDatabase(template?: string): string;
}

/** A running server. */
export interface PostgresServer extends PostgresDatabases {
  /** Ends every connection and the server immediately, like a failing machine. */
  stop(): void;
  /** Starts the server again with the same port and data. */
  start(): void;
  /** Stops the server and deletes its folder. */
  close(): void;
}

/** Returns the program folder of the newest installed server, or null if none is installed. */
export function findPostgres(): string | null {
  if (!existsSync(VERSIONS)) return null;
  const folders = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a));
  return (
    folders.map((name) => join(VERSIONS, name, 'bin')).find((bin) => existsSync(join(bin, 'pg_ctl'))) ?? null
  );
}

/** Returns access to a server on `port` of this machine that another process starts and closes. */
export function usePostgres(bin: string, port: number): PostgresDatabases {
  return {
    port,
    // Copying requires that nobody is connected to the template. The server's template0 never has
    // connections.
    createDatabase(template = 'template0') {
      // Random name, because several processes use one server, and each may load this module twice.
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'telltale', '-T', template, name];
      execFileSync(join(bin, 'createdb'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
      return `postgres://telltale@127.0.0.1:${port}/${name}`;
    },
  };
}

/**
 * Creates and starts a server. For root it runs as the package's user `postgres`, because the server refuses
 * root. With `isDurable`, every commit is written to disk, as measurements need.
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
    // Output is discarded, because the server would keep the output streams open and reading them would never
    // end.
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
      // A test that failed may have left the server stopped.
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
