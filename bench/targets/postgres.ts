// A PostgreSQL server of the machine's own package, in a temporary folder, for one trial.
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSIONS = '/usr/lib/postgresql';

/** A running server with one empty database. */
export interface PostgresServer {
  readonly url: string;
  close(): void;
}

/** The folder of the newest installed server's programs; null where none is installed. */
export function findPostgres(): string | null {
  if (!existsSync(VERSIONS)) return null;
  const folders = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a));
  return (
    folders.map((name) => join(VERSIONS, name, 'bin')).find((bin) => existsSync(join(bin, 'pg_ctl'))) ?? null
  );
}

/** Starts a server with its default settings: every commit reaches the disk. */
export async function startPostgres(bin: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-bench-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'postgres']));
  // PostgreSQL refuses to run as root; its package has made a user for it.
  if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'));
  const run = (program: string, ...args: string[]): void => {
    const prefix = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : ['env'];
    const [command = 'env', ...rest] = [...prefix, join(bin, program), ...args];
    // Output goes nowhere: the server keeps its starter's streams open, and reading them would never end.
    execFileSync(command, rest, { cwd: folder, stdio: 'ignore' });
  };
  const data = join(folder, 'data');
  const port = await findFreePort();
  run('initdb', '-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-locale');
  run(
    'pg_ctl',
    '-D',
    data,
    '-w',
    '-l',
    join(folder, 'log'),
    '-o',
    `-p ${port} -h 127.0.0.1 -k ${folder}`,
    'start',
  );
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    close: () => {
      run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
