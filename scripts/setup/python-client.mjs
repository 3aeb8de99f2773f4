// Makes Python's virtual environment for tests, with the packages of client-python/ and of generated clients.
// Uses only wheels, so that nothing is compiled.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

const REQUIREMENTS = ['client-python/tests/requirements.txt', 'test/client/generated-requirements.txt'];
const FOLDER = '.setup/python';

/** Makes the environment if the lists of packages changed. */
export async function buildPythonClient() {
  if (!REQUIREMENTS.every((file) => existsSync(join(root, file)))) return;
  const digest = fingerprint(REQUIREMENTS);
  if (existsSync(join(root, FOLDER, 'bin/python')) && isDone('python-client', digest)) return;
  const step = announce("installing the Python client's packages");
  await run('python3', ['-m', 'venv', join(root, FOLDER)], { step });
  const pip = ['install', '--disable-pip-version-check', '--only-binary', ':all:'];
  await run(
    join(root, FOLDER, 'bin/pip'),
    [...pip, ...REQUIREMENTS.flatMap((file) => ['-r', join(root, file)])],
    { step, tellsProgress: true },
  );
  markDone('python-client', digest);
}
