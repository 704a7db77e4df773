import type { DoorCall, Turn } from './turned-door.ts';

const isCall = ({ method, path }: DoorCall, wanted: string, pattern: RegExp): boolean =>
  method === wanted && pattern.test(path.replace(/\?.*$/, ''));

const isPush = (call: DoorCall): boolean => isCall(call, 'POST', /git-receive-pack$/);
const isMerge = (call: DoorCall): boolean => isCall(call, 'PUT', /\/pulls\/\d+\/merge$/);
const isCheck = (call: DoorCall): boolean => isCall(call, 'POST', /\/check-runs$/);

/** A person who may do everything. */
const asAlice = (matches: (call: DoorCall) => boolean): Turn => ({
  as: (call) => (matches(call) ? 'alice-token' : undefined),
});

const refusing = (matches: (call: DoorCall) => boolean, status: number, message: string): Turn => ({
  instead: (call) => (matches(call) ? { status, body: { message } } : undefined),
});

const json = (
  body: string,
): { readonly output?: { annotations?: unknown[]; summary?: string }; readonly name?: string } =>
  JSON.parse(body) as object;

/** Refuses to send what is fetched once a pull request is open. */
function refusingFetches(): Turn {
  let isOpen = false;
  return refusing(
    (call) => {
      isOpen ||= isCall(call, 'POST', /\/pulls$/);
      return isOpen && isCall(call, 'POST', /git-upload-pack$/) && call.body.includes('command=fetch');
    },
    403,
    'Forbidden',
  );
}

/** For the number of each row a forge in which its assumption does not hold. Rows of the loop are turned elsewhere. */
export const TURNS: Readonly<Record<number, Turn>> = {
  1: {
    answer: ({ path }, { body }) =>
      path.endsWith('/graphql')
        ? {
            data: {
              node: {
                lastEditedAt: '2026-01-01T00:00:00Z',
                includesCreatedEdit: true,
                editor: { login: 'x' },
              },
            },
          }
        : body,
  },
  2: asAlice(isPush),
  3: asAlice(isPush),
  4: asAlice(isMerge),
  5: refusing(isMerge, 405, 'Base branch was modified. Review and try the merge again.'),
  6: {
    answer: (call, { body }) =>
      isCall(call, 'GET', /\/check-suites$/)
        ? { check_suites: [{ status: 'completed', latest_check_runs_count: 0, app: { slug: 'portico' } }] }
        : body,
  },
  8: {
    instead: (call) =>
      isCall(call, 'GET', /\/members$/) ? { status: 200, body: [{ login: 'a login' }] } : undefined,
  },
  9: {
    instead: (call) =>
      isCheck(call) && (json(call.body).output?.summary ?? '').length > 65_535
        ? { status: 201, body: { id: 1 } }
        : undefined,
  },
  10: {
    instead: (call) =>
      isCheck(call) && json(call.body).name === 'portico' ? { status: 201, body: { id: 1 } } : undefined,
  },
  11: {
    answer: (call, { body }) =>
      isCall(call, 'GET', /^\/repos\/[^/]+\/[^/]+$/)
        ? { ...(body as object), clone_url: 'https://git.example.com/acme/one.git' }
        : body,
  },
  12: refusing((call) => isCall(call, 'GET', /\/info\/refs$/), 404, 'Not Found'),
  13: {
    answer: (call, { body }) =>
      isCall(call, 'POST', /\/git\/commits$/)
        ? { ...(body as object), verification: { verified: false, reason: 'unsigned' } }
        : body,
  },
  14: {
    answer: (call, { body }) =>
      isCall(call, 'GET', /\/deliveries\/\d+$/)
        ? { ...(body as object), request: { payload: { repository: 'a name alone' } } }
        : body,
  },
  15: {
    instead: ({ headers }) =>
      headers['if-none-match'] === undefined ? undefined : { status: 304, body: null },
  },
  17: {
    answer: ({ path }, { body }) =>
      path.endsWith('/graphql')
        ? (JSON.parse(JSON.stringify(body).replaceAll('"NOT_FOUND"', '"ABSENT"')) as unknown)
        : body,
  },
  18: refusing((call) => call.body.includes('2147483646'), 404, 'Not Found'),
  19: refusing((call) => isCall(call, 'GET', /^\/repos\/[^/]+\/[^/]+$/), 404, 'Not Found'),
  20: refusingFetches(),
  21: {
    instead: (call) => (isCall(call, 'GET', /\/issues$/) ? { status: 200, body: [] } : undefined),
  },
  22: {
    answer: (call, { body }) => (isCall(call, 'GET', /\/releases\/latest$/) ? { tag_name: 'another' } : body),
  },
  23: refusing(isMerge, 405, 'This pull request is part of a stack'),
  24: asAlice(isPush),
  25: asAlice(isPush),
  26: refusing((call) => isPush(call) && call.body.includes('refs/portico/'), 403, 'Forbidden'),
  27: {
    instead: (call) =>
      isMerge(call) ? { status: 200, body: { merged: true, sha: '0'.repeat(40) } } : undefined,
  },
  28: {
    instead: (call) =>
      isCheck(call) && (json(call.body).output?.annotations ?? []).length > 50
        ? { status: 201, body: { id: 1 } }
        : undefined,
  },
};
