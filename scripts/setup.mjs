// Runs the missing parts of the set-up: Node, system packages, npm packages, ONNX Runtime's headers, the native build,
// TypeScript, the client and the console. Runs before every command of package.json. Requires only some version of
// Node. A package with a prebuilt engine for this machine needs neither system packages nor the native build.
// `--engine-only` leaves out parts that only the service needs. `--system-only` installs only system packages.
// `--packages-only` leaves out everything that is built from sources. `--development` adds types and the client,
// `--bench` also adds the bench's needs, and `--tests` also adds the tests' needs. `--prebuild` makes prebuilds/ at
// the end, `--pack` the package telltale-engine. `--arch=arm64` builds the engine for arm64 on another processor, for
// `--prebuild`. Words after `--` are a command to run afterwards with the same Node.
import { become, findNode, putFirst } from './setup/node-version.mjs';
import { installSystemPackages } from './setup/system-packages.mjs';
import { installBuildTools, installC2paLibrary, installNpmPackages } from './setup/npm-packages.mjs';
import { removeForeignBinaries } from './setup/foreign-binaries.mjs';
import { fetchOnnxRuntimeHeaders } from './setup/onnxruntime-headers.mjs';
import { buildNative } from './setup/native-build.mjs';
import { compileTypeScript } from './setup/typescript.mjs';
import { buildClient } from './setup/client.mjs';
import { buildPythonClient } from './setup/python-client.mjs';
import { buildConsole } from './setup/console.mjs';
import { hasPrebuild, makePrebuild } from './setup/prebuild.mjs';
import { packLibrary } from './setup/library-package.mjs';
import { lock } from './setup/lock.mjs';
import { readArch } from './setup/target.mjs';
import { beside, SetupError } from './setup/run.mjs';

const args = process.argv.slice(2);
const end = args.includes('--') ? args.indexOf('--') : args.length;
const options = args.slice(0, end);
const [command, ...commandArgs] = args.slice(end + 1);
const withTests = options.includes('--tests');
const withBench = withTests || options.includes('--bench');
const isDevelopment = withBench || options.includes('--development');
const withPrebuild = options.includes('--prebuild');
const withService = isDevelopment || !options.includes('--engine-only');

async function setUp() {
  const arch = readArch(options);
  const compiles = !hasPrebuild();
  const systemPackages = compiles ? installSystemPackages({ withTests, withPrebuild, arch }) : null;
  if (options.includes('--system-only')) return systemPackages;
  const level = isDevelopment ? 'development' : withService ? 'service' : 'engine';
  // For arm64, pip downloads the library, and pip is one of the system packages.
  const c2paLibrary = async () => {
    if (arch === 'arm64') await systemPackages;
    await installC2paLibrary(arch);
  };
  await beside(
    systemPackages,
    installNpmPackages(level),
    ...(compiles ? [installBuildTools(), fetchOnnxRuntimeHeaders(), c2paLibrary()] : []),
  );
  removeForeignBinaries({ archs: [process.arch, arch] });
  if (options.includes('--packages-only')) return;
  // Builds all three concurrently, because no build needs the result of another.
  await beside(
    compiles ? buildNative({ withTests, withBench, arch }) : null,
    compileTypeScript({ isChecked: isDevelopment }).then(isDevelopment ? buildClient : null),
    withService ? buildConsole() : null,
    withTests ? buildPythonClient() : null,
  );
  if (withPrebuild) await makePrebuild(arch);
  if (options.includes('--pack')) await packLibrary();
}

const unlock = await lock();
let node = null;
try {
  node = await findNode();
  putFirst(node);
  if (node === process.execPath) await setUp();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`telltale set-up: ${error.message}`);
  process.exitCode = 1;
} finally {
  unlock();
}
if (process.exitCode !== 1) {
  if (node !== process.execPath) await become(node, process.argv.slice(1));
  else if (command) await become(command, commandArgs);
}
