// All subcommands of `telltale`, in the order of its help. Each is loaded only when it is called.
import type { Command } from './command.js';

/** A subcommand that is not loaded yet. */
interface CommandEntry {
  readonly name: string;
  /** Short description for the help of `telltale`. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** All subcommands. To add one, export a Command from a file in this folder and add an entry here. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'check',
    summary: 'check images and print verdicts',
    load: async () => (await import('./check.js')).checkCommand,
  },
  {
    name: 'record',
    summary: 'verify signed records of checks; manage the signing key',
    load: async () => (await import('./record.js')).recordCommand,
  },
  {
    name: 'scan',
    summary: 'check many images or addresses; can resume',
    load: async () => (await import('./scan.js')).scanCommand,
  },
  {
    name: 'serve',
    summary: 'serve the console and the HTTP API',
    load: async () => (await import('./serve.js')).serveCommand,
  },
  {
    name: 'worker',
    summary: 'check the items of scans and send webhooks',
    load: async () => (await import('./worker.js')).workerCommand,
  },
  {
    name: 'mcp',
    summary: 'serve an AI assistant on this machine (MCP)',
    load: async () => (await import('./mcp.js')).mcpCommand,
  },
  {
    name: 'accounts',
    summary: 'create, list, change, export and erase accounts',
    load: async () => (await import('./accounts.js')).accountsCommand,
  },
  {
    name: 'keys',
    summary: 'create, list, roll and revoke API keys',
    load: async () => (await import('./keys.js')).keysCommand,
  },
  {
    name: 'members',
    summary: 'invite, list and remove people who sign in to the console',
    load: async () => (await import('./members.js')).membersCommand,
  },
  {
    name: 'webhooks',
    summary: 'send events about scans, quotas and keys to an address',
    load: async () => (await import('./webhooks.js')).webhooksCommand,
  },
  {
    name: 'appeals',
    summary: 'list and decide appeals against verdicts',
    load: async () => (await import('./appeals.js')).appealsCommand,
  },
  {
    name: 'known',
    summary: 'list images that are known to be fake or genuine',
    load: async () => (await import('./known.js')).knownCommand,
  },
  {
    name: 'feedback',
    summary: 'export verdicts that members reported as wrong',
    load: async () => (await import('./feedback.js')).feedbackCommand,
  },
  {
    name: 'audit',
    summary: 'show who changed what, and sign-ins',
    load: async () => (await import('./audit.js')).auditCommand,
  },
  {
    name: 'plans',
    summary: 'show the plans and their limits',
    load: async () => (await import('./plans.js')).plansCommand,
  },
  {
    name: 'config',
    summary: 'show the settings and check them',
    load: async () => (await import('./config.js')).configCommand,
  },
  {
    name: 'models',
    summary: 'show, measure or calibrate the detectors',
    load: async () => (await import('./models.js')).modelsCommand,
  },
  {
    name: 'backup',
    summary: 'copy the database while the service runs',
    load: async () => (await import('./backup.js')).backupCommand,
  },
  {
    name: 'migrate',
    summary: 'copy the database from SQLite to PostgreSQL',
    load: async () => (await import('./migrate.js')).migrateCommand,
  },
  {
    name: 'trust',
    summary: 'show or update the trust lists for Content Credentials',
    load: async () => (await import('./trust.js')).trustCommand,
  },
];
