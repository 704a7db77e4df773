import type { AccountRecord, InstallationRecord, Permissions } from './records.ts';

/** Who is asking. */
export type Viewer =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: AccountRecord; readonly tokenId: number }
  /** Signed with the App's key: may manage the App, not act in repositories. */
  | { readonly kind: 'app' }
  | {
      readonly kind: 'installation';
      /** The App that acts: this forge's own, or GitHub Actions with the token of a workflow. */
      readonly appId: number;
      /** The bot user, `my-app[bot]`: author of what the installation does. */
      readonly user: AccountRecord;
      readonly installation: InstallationRecord;
      /** null: all repositories of the installation. */
      readonly repositoryIds: readonly number[] | null;
      readonly permissions: Permissions;
      readonly tokenId: number;
    };

/** A viewer that has an account to act as. */
export type Actor = Extract<Viewer, { kind: 'user' | 'installation' }>;
