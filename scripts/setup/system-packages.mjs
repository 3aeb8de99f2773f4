// Installs Debian packages: compiler, codecs and OpenCV; for tests also GoogleTest, openssl, PostgreSQL,
// Chromium and the supported HTTP clients; for prebuilds patchelf.
import { announce, isDone, markDone, outputOf, run, SetupError } from './run.mjs';
import { crossTriplet } from './target.mjs';

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

/** pip downloads C2PA's library for arm64. */
const ARM64_PACKAGES = ['python3-pip'];

/** Returns the packages that build for `arch`: libraries of that architecture, and for a cross build its compiler. */
function buildPackages(arch) {
  const triplet = crossTriplet(arch);
  const packages =
    triplet === null
      ? BUILD_PACKAGES
      : BUILD_PACKAGES.map((name) =>
          name.endsWith('-dev') ? `${name}:${arch}` : name === 'g++' ? `g++-${triplet}` : name,
        );
  return arch === 'arm64' ? [...packages, ...ARM64_PACKAGES] : packages;
}

/** Returns whether a package is installed for this machine's processor, or for the one that `name` ends with. */
function isInstalled(name) {
  const archs = name.includes(':')
    ? [name.split(':')[1]]
    : ['all', { x64: 'amd64' }[process.arch] ?? process.arch];
  const lines = outputOf('dpkg-query', ['-W', '-f=${Status} ${Architecture}\n', name])?.split('\n') ?? [];
  return archs.some((arch) => lines.includes(`install ok installed ${arch}`));
}

/**
 * Installs missing packages as root or with sudo. Otherwise throws SetupError with the command to run. Adds no
 * foreign architecture to dpkg, because that changes more than the packages.
 */
export async function installSystemPackages({ withTests, withPrebuild, arch = process.arch }) {
  const wanted = [
    ...buildPackages(arch),
    ...(withTests ? TEST_PACKAGES : []),
    ...(withPrebuild ? PREBUILD_PACKAGES : []),
  ];
  const step = `system-packages${withTests ? '-tests' : ''}${withPrebuild ? '-prebuild' : ''}${crossTriplet(arch) === null ? '' : `-${arch}`}`;
  if (isDone(step, wanted.join(' '))) return;
  if (outputOf('dpkg-query', ['--version']) === null) {
    throw new SetupError(`this is no Debian system; install the equivalents of: ${wanted.join(' ')}`);
  }
  if (crossTriplet(arch) !== null && !outputOf('dpkg', ['--print-foreign-architectures'])?.includes(arch))
    throw new SetupError(
      `dpkg installs no packages for ${arch}; run once: sudo dpkg --add-architecture ${arch}`,
    );
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
