// Downloads ONNX Runtime's C++ headers from a Debian package, because the npm package contains only the
// library.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announce, root, run, SetupError } from './run.mjs';

const PACKAGE = 'libonnxruntime-dev';
// First Debian release that has the package. Older releases download the package from it without installing
// it.
const SUITE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Unpacks the headers to .setup/onnxruntime, unless ONNXRUNTIME_ROOT or the system has them. */
export async function fetchOnnxRuntimeHeaders() {
  const target = join(root, '.setup', 'onnxruntime');
  const header = 'onnxruntime/onnxruntime_cxx_api.h';
  if (process.env.ONNXRUNTIME_ROOT || existsSync(join('/usr/include', header))) return;
  if (existsSync(join(target, 'usr/include', header))) return;
  const step = announce(`fetching the headers of ${PACKAGE}`);
  const folder = mkdtempSync(join(tmpdir(), 'telltale-headers-'));
  try {
    for (const part of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(folder, part), { recursive: true });
    writeFileSync(
      join(folder, 'sources.list'),
      `deb [signed-by=${KEYRING}] ${debianMirror()} ${SUITE} main\n`,
    );
    // Uses a separate package index, so that the sources of the machine's apt stay unchanged.
    const options = [
      `-oDir::Etc::sourcelist=${folder}/sources.list`,
      '-oDir::Etc::sourceparts=/nonexistent',
      `-oDir::State::Lists=${folder}/lists`,
      `-oDir::Cache=${folder}/cache`,
      '-oAPT::Sandbox::User=',
      '-qq',
    ];
    await run('apt-get', [...options, 'update'], { step });
    await run('apt-get', [...options, 'download', PACKAGE], { step, cwd: folder });
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (!archive)
      throw new SetupError(
        `${PACKAGE} could not be fetched; set ONNXRUNTIME_ROOT to a release of ONNX Runtime`,
      );
    mkdirSync(target, { recursive: true });
    await run('dpkg', ['-x', join(folder, archive), target], { step });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the address from which apt on this machine downloads Debian packages. */
function debianMirror() {
  const lists = ['/etc/apt/sources.list'];
  const parts = '/etc/apt/sources.list.d';
  if (existsSync(parts)) lists.push(...readdirSync(parts).map((name) => join(parts, name)));
  for (const list of lists.filter((path) => existsSync(path))) {
    const address = readFileSync(list, 'utf8').match(
      /^(?:URIs:|deb\s+(?:\[[^\]]*\]\s*)?)\s*(\S+\/debian)\/?(?:\s|$)/m,
    );
    if (address) return address[1];
  }
  return 'http://deb.debian.org/debian';
}
