/** What `portico dev` tells when it is ready: one line with `--json`. */
export interface DevReady {
  readonly event: 'ready';
  readonly api: string;
  readonly git: string;
  readonly web: string;
  /** Where webhooks go. */
  readonly bot: string;
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly privateKeyFile: string;
    readonly webhookSecretFile: string;
  };
}

/** The same for a person. */
export function readyText({ web, api, app }: DevReady): string {
  return [
    `ready: ${web} (git and REST under ${api}), stop with Ctrl+C`,
    `App ${app.slug}: id ${app.id}, private key in ${app.privateKeyFile}, webhook secret in ${app.webhookSecretFile}`,
  ].join('\n');
}
