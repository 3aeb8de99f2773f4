// The processor architecture to build for: that of this machine, or arm64 on another machine with Debian's cross
// compiler and libraries.
import { SetupError } from './run.mjs';

/** GNU names of the architectures for which a cross build is possible. */
const TRIPLETS = { arm64: 'aarch64-linux-gnu' };

/** Returns the architecture in the option `--arch=ARCH`, or this machine's. Throws SetupError for an unknown one. */
export function readArch(options) {
  const arch = options.findLast((option) => option.startsWith('--arch='))?.slice('--arch='.length);
  if (arch === undefined || arch === process.arch) return process.arch;
  if (Object.hasOwn(TRIPLETS, arch)) return arch;
  throw new SetupError(
    `--arch=${arch}: on ${process.arch} the engine can be built for ${[...new Set([process.arch, ...Object.keys(TRIPLETS)])].join(' or ')}`,
  );
}

/** Returns the GNU name of `arch`, or null if `arch` is this machine's and needs no cross compiler. */
export const crossTriplet = (arch) => (arch === process.arch ? null : TRIPLETS[arch]);

/** Returns the name of a tool of GCC or binutils that handles binaries for `arch`. */
export function toolFor(arch, name) {
  const triplet = crossTriplet(arch);
  return triplet === null ? name : `${triplet}-${name}`;
}

/** Returns the folder for CMake's build for `arch`, relative to the project folder. */
export const buildFolder = (arch) => (arch === process.arch ? 'build' : `.setup/build-${arch}`);
