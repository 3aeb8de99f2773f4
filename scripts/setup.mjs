// Does whatever set-up is missing, and nothing twice: system packages, npm packages, ONNX Runtime's headers, the native
// build, SQLite, TypeScript, the client, the console. Runs before every command of package.json; needs nothing but Node. `--tests` adds what tests
// need, `--bench` what the bench needs; `--engine-only` leaves out what only the service needs, `--system-only` all but system packages.
import { checkNode } from './setup/node-version.mjs';
import { installSystemPackages } from './setup/system-packages.mjs';
import { installNpmPackages } from './setup/npm-packages.mjs';
import { removeForeignBinaries } from './setup/foreign-binaries.mjs';
import { fetchOnnxRuntimeHeaders } from './setup/onnxruntime-headers.mjs';
import { buildNative } from './setup/native-build.mjs';
import { buildSqlite } from './setup/sqlite-build.mjs';
import { compileTypeScript } from './setup/typescript.mjs';
import { buildClient } from './setup/client.mjs';
import { buildPythonClient } from './setup/python-client.mjs';
import { buildConsole } from './setup/console.mjs';
import { lock } from './setup/lock.mjs';
import { beside, SetupError } from './setup/run.mjs';

const withTests = process.argv.includes('--tests');
const withBench = process.argv.includes('--bench');
const withService = !process.argv.includes('--engine-only');

const unlock = await lock();
try {
  checkNode();
  await installSystemPackages({ withTests });
  if (!process.argv.includes('--system-only')) {
    await beside(installNpmPackages(), fetchOnnxRuntimeHeaders());
    removeForeignBinaries();
    // The compilers of three languages wait for nothing of each other.
    await beside(
      buildNative({ withTests, withBench }),
      withService ? buildSqlite() : null,
      compileTypeScript().then(buildClient),
      withService ? buildConsole() : null,
      withTests ? buildPythonClient() : null,
    );
  }
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`telltale set-up: ${error.message}`);
  process.exitCode = 1;
} finally {
  unlock();
}
