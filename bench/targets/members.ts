// People who are signed in to the console: the owner follows a link of the command line and invites the others.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../paths.js';
import type { RunningTelltale } from './telltale.js';

const PASSWORD = 'a bench is no place for secrets';

/** A member's session, as the browser sends it with every change. */
export interface SessionHeaders {
  readonly origin: string;
  readonly cookie: string;
}

/** Signs `count` members in, each with a session of his own. The service is on SQLite. */
export async function signMembersIn(telltale: RunningTelltale, count: number): Promise<SessionHeaders[]> {
  const email = (name: string): string => `${name}@bench.example`;
  const owner = await followLink(telltale.url, inviteOwner(telltale, email('owner')));
  const sessions: SessionHeaders[] = [];
  for (let index = 1; index <= count; index += 1) {
    const body = { email: email(`member-${index}`), role: 'member' };
    const answer = await post(telltale.url, '/invitations', body, owner);
    const link = (await answer.json()) as { url: string };
    sessions.push(await followLink(telltale.url, link.url));
  }
  return sessions;
}

/** The link that the command line prints. */
function inviteOwner({ folder }: RunningTelltale, email: string): string {
  const words = ['members', 'invite', '--account', 'bench', '--role', 'owner', '--email', email, '--json'];
  const printed = execFileSync(process.execPath, [join(root, 'dist/cli/main.js'), ...words], {
    cwd: folder,
    env: { ...process.env, TELLTALE_DATA_DIR: folder },
    encoding: 'utf8',
  });
  return (JSON.parse(printed) as { url: string }).url;
}

async function followLink(service: string, link: string): Promise<SessionHeaders> {
  const token = link.slice(link.indexOf('#') + 1);
  const answer = await post(service, '/links/follow', { token, password: PASSWORD });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error('a followed link set no session cookie');
  return { origin: service, cookie };
}

async function post(
  service: string,
  path: string,
  body: object,
  session?: SessionHeaders,
): Promise<Response> {
  const response = await fetch(`${service}/console/api${path}`, {
    method: 'POST',
    headers: { origin: service, 'content-type': 'application/json', ...session },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return response;
}
