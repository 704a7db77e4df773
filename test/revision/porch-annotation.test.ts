import { expect, test } from 'vitest';

import { porchAnnotations } from '../../src/revision/porch-annotation.ts';

test.each([
  [
    'Approve\n\nkpt:{"package":"web","workspaceName":"one","revision":"v3"}\n',
    [{ package: 'web', workspace: 'one', revision: 'v3' }],
  ],
  [
    'kpt:{"package":"a/b","revision":3,"task":{"type":"clone","clone":{}}}',
    [{ package: 'a/b', revision: '3', task: 'clone' }],
  ],
  [
    'kpt:{"package":"web"}\nkpt:{"package":"db","task":{"type":"render"}}',
    [{ package: 'web' }, { package: 'db', task: 'render' }],
  ],
  ['kpt:{bad json}\nkpt:{"revision":"v1"}\n kpt:{"package":"indented"}\nkpt:[1]', []],
  ['kpt:{"package":{"toString":1},"task":null}', []],
])('%j', (message, expected) => expect(porchAnnotations(message)).toEqual(expected));
