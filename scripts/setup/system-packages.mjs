// Installs Debian packages: compiler, codecs and OpenCV; for tests also GoogleTest, openssl, PostgreSQL,
// Chromium and the supported HTTP clients; for prebuilds patchelf.
import { announce, isDone, markDone, outputOf, run, SetupError } from './run.mjs';

const BUILD_PACKAGES = [
  'g++',
  'make',
  'cmake',
  'pkg-config',
  'python3',
  'libopencv-imgproc-dev',
  'libjpeg62-turbo-dev',
  'libpng-dev',
  'libtiff-dev',
  'libgif-dev',
  'libwebp-dev',
  'libavif-dev',
  'liblcms2-dev',
];
const TEST_PACKAGES = [
  'libgtest-dev',
  'openssl',
  'postgresql',
  'ccache',
  'procps',
  'chromium',
  'curl',
  'nginx-light',
  'python3-requests',
  'python3-venv',
];

const PREBUILD_PACKAGES = ['patchelf'];

const isInstalled = (name) =>
  outputOf('dpkg-query', ['-W', '-f=${Status}', name])?.includes('install ok installed') ?? false;

/** Installs missing packages as root or with sudo. Otherwise throws SetupError with the command to run. */
export async function installSystemPackages({ withTests, withPrebuild }) {
  const wanted = [
    ...BUILD_PACKAGES,
    ...(withTests ? TEST_PACKAGES : []),
    ...(withPrebuild ? PREBUILD_PACKAGES : []),
  ];
  const step = `system-packages${withTests ? '-tests' : ''}${withPrebuild ? '-prebuild' : ''}`;
  if (isDone(step, wanted.join(' '))) return;
  if (outputOf('dpkg-query', ['--version']) === null) {
    throw new SetupError(`this is no Debian system; install the equivalents of: ${wanted.join(' ')}`);
  }
  const missing = wanted.filter((name) => !isInstalled(name));
  if (missing.length > 0) {
    const line = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
    const isRoot = process.getuid() === 0;
    if (!isRoot && outputOf('sudo', ['-n', 'true']) === null) throw new SetupError(`run once: sudo ${line}`);
    announce(`installing ${missing.join(' ')}`);
    const step = 'installing Debian packages';
    const [command, ...prefix] = isRoot ? ['env'] : ['sudo', 'env'];
    const quiet = [...prefix, 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q'];
    await run(command, [...quiet, 'update'], { step, tellsProgress: true });
    await run(command, [...quiet, 'install', '-y', '--no-install-recommends', ...missing], {
      step,
      tellsProgress: true,
    });
  }
  markDone(step, wanted.join(' '));
}
