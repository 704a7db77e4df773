/** Expressions of CEL and programs of Starlark. */
import { words, type Choices, type Rule } from './choices.ts';
import { pattern, subject } from './patterns.ts';

const quoted = (text: string): string => JSON.stringify(text);

const field = words(
  'object.spec',
  'object.metadata.name',
  'object.metadata.labels',
  'object.spec.template.spec.containers',
  'object.data',
  'oldObject',
  'package.name',
  'repository.name',
  'target.labels',
  'upstream.name',
  'object',
  '__proto__',
  'undeclared',
);
const listOf = words(
  '[1, 2, 3]',
  'object.spec.template.spec.containers',
  'object.data',
  'lists.range(1000)',
  'lists.range(1000000)',
  '"a".split("")',
);
const LOOPS = ['all', 'exists', 'exists_one', 'existsOne', 'map', 'filter', 'sortBy', 'transformList'];

export const cel: Rule = (choices) => expression(choices, 4);

function expression(choices: Choices, depth: number): string {
  const inner = (c: Choices): string =>
    depth > 0 && c.more ? expression(c, depth - 1) : c.one([field, words('true', '1', '"a"')]);
  return choices.one([
    words('true', '1', '"a"', 'null', '-1', '1u', '2.5', 'b"a"', '[]', '{}'),
    field,
    (c) => `${inner(c)} ${c.pick(['==', '!=', '<', '+', '*', '/', '%', '&&', '||', 'in'])} ${inner(c)}`,
    (c) => `${listOf(c)}.${c.pick(LOOPS)}(x, ${inner(c)})`,
    (c) => `${listOf(c)}.\n${c.pick(LOOPS)}(x${depth}, ${inner(c)})`,
    (c) => `${listOf(c)}.// a\n${c.pick(LOOPS)} (y, ${inner(c)})`,
    (c) => `${inner(c)} ? ${inner(c)} : ${inner(c)}`,
    (c) => `${quoted(subject(c))}.matches(${quoted(pattern(c))})`,
    (c) =>
      `${field(c)}.${c.pick(['size()', 'upperAscii()', 'split("")', 'replace("a", "aaaaaaaa")', 'join("a")', 'reverse()', 'sort()', 'distinct()', 'flatten()', 'sum()', 'slice(0, 1)'])}`,
    (c) => c.nested('(', inner(c), ')'),
    (c) => c.nested('!', inner(c), ''),
    (c) => c.nested('[', inner(c), ']'),
    (c) => c.nested('{"a": ', inner(c), '}'),
    (c) => c.nested('[1, 2].all(x, ', inner(c), ')'),
    (c) => c.nested('lists.range(100).map(x, ', inner(c), ')'),
    (c) => c.nested('true ? 1 : ', inner(c), ''),
    (c) => c.many((at) => `${at}`, ' + '),
    (c) => c.many((at) => `"${at}"`, ' + '),
    (c) => c.many((at) => `object.a${at} == ${at}`, ' || '),
    (c) => `[${c.many((at) => String(at), ', ')}].all(x, x in [${c.many((at) => String(at), ', ')}])`,
    (c) => `{${c.many((at) => `"a${at}": ${at}`, ', ')}}`,
    (c) => `object${c.long('.spec')}`,
    (c) => `object${c.long('[0]')}`,
    (c) => doubled('"aaaaaaaa"', c),
    (c) => doubled('[1, 2, 3, 4]', c),
    (c) => `"%${c.pick(['s', 'd', '999999999d', '.999999999f', 'e'])}".format([${inner(c)}])`,
    (c) =>
      `${c.pick(['int', 'string', 'timestamp', 'duration', 'quantity', 'semver', 'ip', 'cidr', 'url', 'bytes', 'dyn', 'has', 'size', 'type'])}(${inner(c)})`,
    (c) => `"${c.long('a')}"`,
    (c) => c.long(c.pick(['(', '[', '{', '"', "'", '\\', '/', '//', '.', '-', '!', ' ', '\n', 'é', '`'])),
  ]);
}

function doubled(start: string, choices: Choices): string {
  const times = Math.min(60, choices.times(40));
  const binds = Array.from({ length: times }, (_, at) => `cel.bind(v${at + 1}, v${at} + v${at}, `).join('');
  return `cel.bind(v0, ${start}, ${binds}size(v${times}) > 0${')'.repeat(times + 1)}`;
}

const value = words(
  '1',
  '"a"',
  '[1]',
  '{}',
  'None',
  'True',
  'x',
  'ctx.resource_list',
  'ctx.resource_list["items"]',
  '10000000',
  '2.5',
);

/** Statements at one level; each ends its line. */
const statement: Rule = (choices) =>
  choices.one([
    (c) => `x = ${value(c)}\n`,
    (c) => `x = ${value(c)} ${c.pick(['+', '*', '%', '//', '<<', '|', '-', 'in', 'and'])} ${value(c)}\n`,
    (c) => `for i in range(${c.pick(['10', '1000', '1000000', '1000000000'])}):\n  ${simple(c)}`,
    (c) => `for i in range(1000):\n  for j in range(1000):\n    ${simple(c)}`,
    (c) => `x = [i for i in range(${c.pick(['100', '10000', '10000000'])})]\n`,
    (c) => `x = [[i for i in range(1000)] for j in range(${c.pick(['10', '1000', '100000'])})]\n`,
    () => `def f(n):\n  return f(n + 1)\nf(0)\n`,
    (c) => `def f(n):\n  ${simple(c)}  return n\n`,
    (c) => `x = "a"\n${c.long('x = x + x\n')}`,
    (c) => `x = [1]\n${c.long('x = x + x\n')}`,
    (c) => `x = [1]\n${c.long('x = [x, x]\n')}str(x)\n`,
    () => `x = []\nx.append(x)\nstr(x)\n`,
    (c) => `x = {}\n${c.many((at) => `x[${at}] = x\n`)}`,
    (c) => `ctx.resource_list["items"] = ctx.resource_list["items"] * ${c.pick(['2', '1000', '1000000'])}\n`,
    () => `for r in ctx.resource_list["items"]:\n  r["spec"] = ctx.resource_list\n`,
    (c) =>
      `for r in ctx.resource_list["items"]:\n  r["metadata"]["annotations"] = {str(i): "a" * 1000 for i in range(${c.pick(['10', '1000', '100000'])})}\n`,
    (c) => `load("@star/re", "re")\nre.findall(r${quoted(pattern(c))}, ${quoted(subject(c))})\n`,
    (c) => `x = ${c.nested('(', '1', ')')}\n`,
    (c) => `x = ${c.nested('[', '1', ']')}\n`,
    (c) => `x = ${c.nested('lambda: ', '1', '')}\n`,
    (c) => `x = ${c.nested('not ', 'x', '')}\n`,
    (c) => `x = ${c.many((at) => String(at), ' + ')}\n`,
    (c) => `x = [${c.many((at) => String(at), ', ')}]\n`,
    (c) => `x = "${c.long('a')}"\n`,
    (c) => `x = "%${c.pick(['s', '999999999d', '1000000s'])}" % 1\n`,
    (c) =>
      `x = ("a" * 1000000).${c.pick(['replace("a", "aaaaaaaa")', 'split("a")', 'upper()', 'splitlines()', 'find("ab")', 'count("a")', 'join(["a"] * 100000)'])}\n`,
    (c) => `x = sorted(range(${c.pick(['1000', '1000000'])}), key = lambda a: -a)\n`,
    (c) => `x = 1\n${c.long('x = x * 999999999999\n')}`,
    (c) => `x = 1 << ${c.pick(['10', '511', '1000000', '99999999999'])}\n`,
    (c) => `print(${c.long('x, ')}1)\n`,
    (c) => `fail("${c.long('a')}")\n`,
    (c) => c.long(c.pick(['# a\n', '\n', 'pass\n', 'x = 1; ', '(', '"', '\\\n', '\t', ' '])),
    (c) => indented(c),
  ]);

const simple: Rule = words(
  'pass\n',
  'x = 1\n',
  'x += x\n',
  'x = str(x)\n',
  'y.append(y)\n',
  'x = {"a": x}\n',
  'print(x)\n',
);

function indented(choices: Choices): string {
  const depth = Math.min(2_000, choices.times(50));
  const lines = Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}if True:\n`);
  return `${lines.join('')}${'  '.repeat(depth)}pass\n`;
}

export const starlark: Rule = (choices) => `x = 1\ny = []\n${choices.some(statement)}`;
