import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import { invalid, notFound } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { ForgeRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { signingKeys, type SigningKeyRecord } from '../signatures.ts';
import { SSH_KEY } from '../ssh-signature.ts';
import { numberParam } from './writing.ts';

const body = z.object({ title: z.string().default(''), key: z.string().regex(SSH_KEY) });

/** `/user/ssh_signing_keys` and `/users/{username}/ssh_signing_keys`. */
export function addSigningKeyRoutes(context: ForgeContext, router: Router): void {
  const keys = signingKeys(context.store);
  const of = (userId: number): SigningKeyRecord[] => keys.all().filter((one) => one.userId === userId);

  router.route('GET', '/user/ssh_signing_keys', 'signed-in', (request) =>
    paginated(request, of(request.actor().user.id), keyShape),
  );
  router.route('POST', '/user/ssh_signing_keys', 'signed-in', (request) => {
    const { title, key } = bodyOf(request, body);
    if (keys.all().some((one) => blobOf(one.key) === blobOf(key)))
      throw invalid({
        resource: 'SshSigningKey',
        field: 'key',
        code: 'custom',
        message: 'key is already in use',
      });
    const userId = request.actor().user.id;
    return created(keyShape(keys.insert({ userId, title, key, createdAt: context.now() })));
  });
  const own = (request: ForgeRequest): SigningKeyRecord => {
    const found = keys.get(numberParam(request, 'ssh_signing_key_id'));
    if (found?.userId !== request.actor().user.id) throw notFound();
    return found;
  };
  router.route('GET', '/user/ssh_signing_keys/:ssh_signing_key_id', 'signed-in', (request) =>
    ok(keyShape(own(request))),
  );
  router.route('DELETE', '/user/ssh_signing_keys/:ssh_signing_key_id', 'signed-in', (request) => {
    keys.remove(own(request).id);
    return noContent();
  });
  router.route('GET', '/users/:username/ssh_signing_keys', 'anyone', (request) => {
    const account = context.records.accountByLogin(request.param('username'));
    if (account === undefined) throw notFound();
    return paginated(request, of(account.id), keyShape);
  });
}

/** The key itself, without its comment. */
const blobOf = (key: string): string => key.split(' ', 2).join(' ');

const keyShape = ({ id, title, key, createdAt }: SigningKeyRecord) => ({
  id,
  title,
  key,
  created_at: createdAt,
});
