import { createPrivateKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import { PorticoError } from '../error.ts';

/** Signs the App's own tokens, in step with the forge's clock. */
export interface AppSigner {
  jwt(): string;
  /** Called with the `date` header of an answer that refused a token, in case our clock is off. */
  correctClock(date: string | undefined): void;
}

/**
 * JSON Web Tokens as GitHub asks for them: RS256, issued in the past to allow for drift, at most ten minutes long
 * (https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app).
 * Throws CONFIG_INVALID when the key is none.
 */
export function createAppSigner(appId: number | string, privateKey: string): AppSigner {
  const key = readKey(privateKey);
  let offset = 0;
  let cached = { token: '', goodUntil: 0 };
  return {
    jwt: () => {
      const now = Math.floor(Date.now() / 1_000) + offset;
      if (now < cached.goodUntil) return cached.token;
      const head = encode({ alg: 'RS256', typ: 'JWT' });
      const body = encode({ iat: now - 60, exp: now + 480, iss: String(appId) });
      const signature = sign('RSA-SHA256', Buffer.from(`${head}.${body}`), key).toString('base64url');
      cached = { token: `${head}.${body}.${signature}`, goodUntil: now + 420 };
      return cached.token;
    },
    correctClock: (date) => {
      const serverTime = Date.parse(date ?? '');
      if (Number.isNaN(serverTime)) return;
      offset = Math.round((serverTime - Date.now()) / 1_000);
      cached = { token: '', goodUntil: 0 };
    },
  };
}

function readKey(privateKey: string): KeyObject {
  try {
    // Environment variables often hold the line breaks as `\n`.
    return createPrivateKey(privateKey.replaceAll(String.raw`\n`, '\n'));
  } catch {
    // The cause would quote the key.
    throw new PorticoError('CONFIG_INVALID', "the App's private key cannot be read", {
      blame: 'user',
      hint: 'PRIVATE_KEY must hold the PEM file that GitHub provided when the key was created.',
    });
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
