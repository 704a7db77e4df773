/** Pure: whether an App can do its work, from what the forge and this machine say; each finding with what to do. */
import type { AppFacts } from './app-facts.ts';
import type { Manifest } from './manifest.ts';

export interface AppFinding {
  readonly about: 'permissions' | 'events' | 'installations' | 'webhook' | 'clock' | 'database';
  readonly ok: boolean;
  readonly message: string;
}

/** GitHub takes tokens of an App that are dated up to a minute ahead; ours are dated a minute back. */
const MAX_CLOCK_SECONDS = 60;

export interface Asked {
  readonly facts: AppFacts;
  readonly manifest: Pick<Manifest, 'default_permissions' | 'default_events'>;
  /** What the address of webhooks answered to a request without a signature; null where nothing answered. */
  readonly door: number | null;
  /** Why the database cannot be used; undefined where it can. */
  readonly database: string | undefined;
}

export function appFindings({ facts, manifest, door, database }: Asked): readonly AppFinding[] {
  return [
    ...permissions(facts, manifest),
    events(facts, manifest),
    installed(facts),
    webhook(facts, door),
    clock(facts),
    database === undefined
      ? { about: 'database', ok: true, message: 'The database can be used.' }
      : { about: 'database', ok: false, message: database },
  ];
}

type Levels = Readonly<Record<string, string | null | undefined>>;

/** `contents: write`, as far as it is not granted. */
function lacking(wanted: Levels, granted: Levels): readonly string[] {
  return Object.entries(wanted).flatMap(([name, level]) => {
    const has = granted[name];
    const enough = has === level || has === 'write' || has === 'admin';
    return enough ? [] : [`${name}: ${level}`];
  });
}

function permissions(
  { app, installations }: AppFacts,
  { default_permissions: wanted }: Asked['manifest'],
): readonly AppFinding[] {
  const missing = lacking(wanted, app.permissions);
  if (missing.length > 0) {
    const message = `The App lacks the permissions ${missing.join(', ')}. Add them on ${app.html_url} (Permissions & events), and accept them in each installation.`;
    return [{ about: 'permissions', ok: false, message }];
  }
  const behind = installations.flatMap(({ account, html_url: url, permissions: granted }) => {
    const left = lacking(wanted, granted);
    const message = `The installation on ${account?.login ?? 'an account'} has not accepted ${left.join(', ')}. An owner accepts them on ${url}.`;
    return left.length === 0 ? [] : [{ about: 'permissions' as const, ok: false, message }];
  });
  return behind.length > 0
    ? behind
    : [{ about: 'permissions', ok: true, message: 'The App and its installations have all permissions.' }];
}

function events({ app }: AppFacts, { default_events: wanted }: Asked['manifest']): AppFinding {
  const missing = wanted.filter((event) => !app.events.includes(event));
  return missing.length === 0
    ? { about: 'events', ok: true, message: 'The App is told of all events.' }
    : {
        about: 'events',
        ok: false,
        message: `The App is not told of ${missing.join(', ')}. Tick them on ${app.html_url} (Permissions & events).`,
      };
}

function installed({ app, installations }: AppFacts): AppFinding {
  const active = installations.filter(({ suspended_at: at }) => at === null || at === undefined);
  if (active.length === 0) {
    const what =
      installations.length === 0 ? 'is not installed anywhere' : 'is suspended wherever it is installed';
    return {
      about: 'installations',
      ok: false,
      message: `The App ${what}. Install it on the repositories that hold packages: ${app.html_url}/installations/new`,
    };
  }
  const names = active.map(({ account }) => account?.login ?? 'an account').join(', ');
  return { about: 'installations', ok: true, message: `The App is installed on ${names}.` };
}

function noWebhook(message: string): AppFinding {
  return { about: 'webhook', ok: false, message };
}

function webhook({ app, webhookUrl, deliveries }: AppFacts, door: number | null): AppFinding {
  if (webhookUrl === undefined) {
    return noWebhook(
      `The App has no webhook. Set its URL on ${app.html_url}, with the secret WEBHOOK_SECRET, or use portico run, which needs none.`,
    );
  }
  const [newest] = deliveries.toSorted((a, b) => b.delivered_at.localeCompare(a.delivered_at));
  if (newest?.status_code === 401) {
    return noWebhook(
      `The newest webhook was refused for its signature. Set the secret on ${app.html_url} to WEBHOOK_SECRET.`,
    );
  }
  // The forge has been there, which counts more than what this machine reaches.
  if (newest !== undefined && newest.status_code >= 200 && newest.status_code < 300)
    return { about: 'webhook', ok: true, message: `Webhooks arrive at ${webhookUrl}.` };
  if (door === null) {
    return noWebhook(
      `Nothing answers at ${webhookUrl}. Start the server or the relay; if it is reached from the forge alone, see "Recent deliveries" on ${app.html_url}.`,
    );
  }
  // Ours refuses what has no signature; a relay takes anything.
  if (door === 400 || door === 401 || (door >= 200 && door < 300))
    return { about: 'webhook', ok: true, message: `${webhookUrl} answers.` };
  if (door >= 500) {
    return noWebhook(
      `${webhookUrl} answers ${door}: the server behind it does not run, or is not ready. Its log and /readyz say why.`,
    );
  }
  return noWebhook(
    `${webhookUrl} answers ${door}, which is not Portico's. The path is /api/github/webhooks.`,
  );
}

function clock({ clockAhead }: AppFacts): AppFinding {
  const off = Math.abs(clockAhead);
  if (off <= MAX_CLOCK_SECONDS)
    return { about: 'clock', ok: true, message: "The clock agrees with the forge's." };
  const which = clockAhead > 0 ? 'ahead of' : 'behind';
  return {
    about: 'clock',
    ok: false,
    message: `The clock of this machine is ${off} seconds ${which} the forge's. Set it by NTP: times decide whether a command is older than a push.`,
  };
}
