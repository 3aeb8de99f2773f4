// Starting the baselines, simple services with which Telltale is compared, as their frameworks' documentation
// recommends.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '../machine/machine.js';
import { startServer, type Target } from './server-process.js';

const PYTHON_FOLDER = join(root, 'bench/baselines/python');
const PACKAGES = join(PYTHON_FOLDER, 'packages');
const REQUIREMENTS = join(PYTHON_FOLDER, 'requirements.txt');
/** Copy of the requirements file from the last installation, which shows if the file has changed since. */
const INSTALLED = join(PACKAGES, 'installed.txt');

/** Starts the Node baseline. One process is enough, because its libraries use several threads. */
export async function startNodeBaseline(): Promise<Target> {
  const server = await startServer(
    {
      name: 'the Node baseline',
      command: process.execPath,
      args: ['--import', 'tsx', 'bench/baselines/node/server.ts'],
      cwd: root,
    },
    (line) => /listening on (http:\/\/\S+)/.exec(line)?.[1] ?? null,
  );
  return { ...server, key: null, eventLoopDelayMs: () => Promise.resolve(NaN) };
}

/**
 * Installs the Python baseline's packages if they are missing. Returns null, or the reason if the installation fails.
 */
export function installPythonBaseline(): string | null {
  const requirements = readFileSync(REQUIREMENTS, 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === requirements) return null;
  const run = (...args: string[]): { status: number | null; stderr: string } =>
    spawnSync('python3', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (run('--version').status !== 0) return 'python3 is not installed';
  if (run('-m', 'pip', '--version').status !== 0) return 'pip is not installed (apt-get install python3-pip)';
  console.error("bench: installing the Python baseline's packages");
  const { status, stderr } = run(
    '-m',
    'pip',
    'install',
    '-q',
    '--upgrade',
    '--target',
    PACKAGES,
    '-r',
    REQUIREMENTS,
  );
  if (status !== 0) return `pip could not install its packages: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  writeFileSync(INSTALLED, requirements);
  return null;
}

/** Starts the Python baseline with one process per core. Requires that its packages are installed. */
export async function startPythonBaseline(): Promise<Target> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const workers = availableParallelism();
  let starting = workers;
  const server = await startServer(
    {
      name: 'the Python baseline',
      command: 'python3',
      args: ['-m', 'uvicorn', 'app:app', '--port', String(port), '--workers', String(workers)],
      cwd: PYTHON_FOLDER,
      env: { PYTHONPATH: PACKAGES },
    },
    // Waits for all processes, so that they share the load from the beginning. The port opens before they can respond.
    (line) => {
      if (line.includes('Application startup complete')) starting -= 1;
      return starting === 0 ? `http://127.0.0.1:${port}` : null;
    },
  );
  return { ...server, key: null, eventLoopDelayMs: () => Promise.resolve(NaN) };
}
