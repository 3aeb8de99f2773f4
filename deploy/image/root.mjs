// Folders that are a system's root, and commands that run in them as in a container of one's own mounts.
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** How this machine reaches the network is no part of the image. */
const NETWORK = [
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'npm_config_registry',
];
const CERTIFICATES = '/usr/local/share/ca-certificates-of-the-machine.crt';

/** Runs a command of this machine, its output on this program's; throws an Error if it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? `exit status ${status}`}`);
}

/** What `node:MAJOR-SUITE-slim` is: Debian's least root with Node, npm and the user `node`. */
export function makeBase(image, root) {
  const [, major, suite] = /^node:(\d+)-(\w+)-slim$/.exec(image);
  run('mmdebstrap', ['--variant=minbase', '--mode=root', suite, root]);
  run('chroot', [root, 'useradd', '--create-home', '--uid', '1000', '--shell', '/bin/bash', 'node']);
  const local = join(root, 'usr/local');
  unpackFromNpm(`node-linux-${process.arch}@${major}`, local);
  const npm = join(local, 'lib/node_modules/npm');
  unpackFromNpm('npm@10', npm);
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) copyFileSync(file, join(root, file));
  const { NODE_EXTRA_CA_CERTS: own } = process.env;
  if (own) copyFileSync(own, join(root, CERTIFICATES));
}

function unpackFromNpm(name, target) {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-npm-'));
  try {
    run('npm', ['pack', '--silent', name], { cwd: folder });
    mkdirSync(target, { recursive: true });
    const archive = join(folder, readdirSync(folder)[0]);
    run('tar', ['-xzf', archive, '--strip-components=1', '--no-same-owner', '-C', target]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts `command` in the root, with its own mounts, and an environment that holds nothing of this machine's but its way out. */
export function startIn({ root, folder = '/', user = 'root', variables = {} }, command, options = {}) {
  const network = NETWORK.filter((name) => process.env[name]).map((name) => [name, process.env[name]]);
  if (existsSync(join(root, CERTIFICATES))) network.push(['NODE_EXTRA_CA_CERTS', CERTIFICATES]);
  const home = user === 'root' ? '/root' : `/home/${user}`;
  const environment = Object.entries({
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: home,
    ...Object.fromEntries(network),
    ...variables,
  }).map(([name, value]) => `${name}=${value}`);
  const mounts = 'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"';
  const enter = 'exec chroot --userspec="$2" "$1" env -i -C "$3" "${@:4}"';
  const args = ['--mount', 'bash', '-ec', `${mounts}; ${enter}`, 'enter', root, user, folder];
  return spawn('unshare', [...args, ...environment, ...command], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...options,
  });
}

/** Runs it to its end; gives what it said if `options` pipe it, and rejects if it fails. */
export async function runIn(place, command, options = {}) {
  const child = startIn(place, command, options);
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (said += text));
  const status = await new Promise((resolve) => child.once('close', resolve));
  if (status !== 0) throw new Error(`${command.join(' ')}: exit status ${status}`);
  return said;
}

/** Copies files and what folders hold, as COPY does: a target that ends with a slash, or takes several, is a folder. */
export function copyInto(sources, target) {
  const isFolder = target.endsWith('/') || sources.length > 1;
  mkdirSync(isFolder ? target : dirname(target), { recursive: true });
  for (const source of sources) {
    const isDirectory = statSync(source).isDirectory();
    if (isDirectory) mkdirSync(target, { recursive: true });
    run('cp', ['-a', '--no-preserve=ownership', isDirectory ? `${source}/.` : source, target]);
  }
}
