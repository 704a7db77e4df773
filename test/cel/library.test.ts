import { describe, expect, test } from 'vitest';

import { compile } from '../../src/cel/compile.ts';
import { fromCelValue, toCelInput } from '../../src/cel/data.ts';

const object = {
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web', 'a-b/c': 'd' } },
  spec: { replicas: 3, ratio: 0.5, big: 9007199254740993n, list: [1, 2, 3], none: null },
};

/** What an expression gives; an error as its message. */
function evaluate(text: string): unknown {
  const compiled = compile(text, { variables: ['object', 'package'] });
  if (!compiled.ok) return `no CEL: ${compiled.problems.map(({ message }) => message).join('; ')}`;
  try {
    const variables = { object: toCelInput(object), package: toCelInput({ path: 'a/b' }) };
    return fromCelValue(compiled.expression.evaluate(variables));
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
}

describe('data', () => {
  test.each([
    ['object.spec.replicas + 1', 4n],
    ['object.spec.big + 1', 9007199254740994n],
    ['type(object.spec.ratio) == double && type(object.spec.replicas) == int', true],
    ['object.spec.none == null && !has(object.spec.other)', true],
    ['object.metadata.namespace', 'shop'],
    ['package.path', 'a/b'],
    ['object.metadata.labels["a-b/c"]', 'd'],
    ['object.metadata.labels.`a-b/c`', 'd'],
    ['has(object.metadata.labels.`a-b/c`) && !has(object.metadata.labels.`x`)', true],
  ])('%s', (text, wanted) => expect(evaluate(text)).toEqual(wanted));
});

describe('optionals and macros', () => {
  test.each([
    ['object.?spec.?replicas.orValue(1)', 3n],
    ['object.?status.?replicas.orValue(1)', 1n],
    ['object.?status.replicas.orValue(1)', 1n],
    ['object.?spec.replicas.hasValue()', true],
    ['object.spec.list[?7].orValue(0)', 0n],
    ['object[?"spec"].?list[0].value()', 1n],
    ['[1, ?object.?spec.?replicas, ?optional.none()]', [1n, 3n]],
    ['{"a": 1, ?"b": object.?spec.?replicas, ?"c": object.?nothing}', { a: 1n, b: 3n }],
    ['optional.of(1).optMap(x, x + 1).value()', 2n],
    ['optional.none().optMap(x, x + 1).hasValue()', false],
    ['object.?a.or(object.?kind).value()', 'Deployment'],
    ['object.?nothing.value()', 'error: optional.none() dereference'],
    ['true ? [?object.?kind] : []', ['Deployment']],
    ['cel.bind(n, object.spec.replicas, n * n)', 9n],
    ['["a", "b"].transformList(i, v, string(i) + v)', ['0a', '1b']],
    ['{"a": 1, "b": 2}.transformMap(k, v, v > 1, v * 2)', { b: 4n }],
    ['{"a": "x"}.transformMapEntry(k, v, {v: k})', { x: 'a' }],
    ['[3, 4].all(i, v, v > i) && [3, 4].exists(i, v, i == 1 && v == 4)', true],
    ['[3, 4].existsOne(i, v, v > 3)', true],
    ['["bb", "a"].sortBy(x, size(x))', ['a', 'bb']],
    ['math.greatest(1, 2.5, 2) == 2.5 && math.least([4, 3]) == 3', true],
    [
      '[?',
      'no CEL: found end of input but expecting "!", "-", ")", "[", "{", literal, identifier, or expression',
    ],
  ])('%s', (text, wanted) => {
    const got = evaluate(text);
    if (typeof wanted === 'string' && wanted.startsWith('no CEL')) expect(got).toMatch(/^no CEL/);
    else expect(got).toEqual(wanted);
  });
});

/** Cases of the documentation of Kubernetes' CEL libraries. */
describe("Kubernetes' libraries", () => {
  test.each([
    // lists
    ['[1, 3, 2].isSorted()', false],
    ['["a", "b"].isSorted()', true],
    ['[1, 3].sum() == 4 && [1.0, 3.0].sum() == 4.0', true],
    ['[].sum()', 0n],
    ['[1, 3].max() == 3 && ["b", "a"].min() == "a"', true],
    ['[].min()', 'error: min called on an empty list'],
    [
      '[1, 2, 2, 3].indexOf(2) == 1 && ["a", "b", "b"].lastIndexOf("b") == 2 && [1.0].indexOf(1.1) == -1',
      true,
    ],
    ['[[1], [2, [3]]].flatten(2)', [1n, 2n, 3n]],
    ['[1, 2, 3, 4].slice(1, 3)', [2n, 3n]],
    ['[1, 1, "a", 1.0].distinct().size()', 2n],
    ['lists.range(3).reverse()', [2n, 1n, 0n]],
    ['[3, 1].sort()', [1n, 3n]],
    ['[1].first().value() == 1 && [].last().hasValue() == false', true],
    // regular expressions
    ['"abc 123".find("[0-9]*")', ''],
    ['"abc 123".find("[0-9]+")', '123'],
    ['"123 abc 456".findAll("[0-9]+")', ['123', '456']],
    ['"123 abc 456".findAll("[0-9]+", 1)', ['123']],
    ['"a".find("(")', /^error: error parsing regexp/],
    // URLs
    ['url("https://example.com:80/").getHost()', 'example.com:80'],
    ['url("https://[::1]:80/").getHostname()', '::1'],
    ['url("/path").getScheme()', ''],
    ['url("https://example.com:80/").getPort()', '80'],
    ['url("https://example.com/path with spaces/").getEscapedPath()', '/path%20with%20spaces/'],
    ['url("https://example.com/path?k1=a&k2=b&k2=c").getQuery()', { k1: ['a'], k2: ['b', 'c'] }],
    ['url("https://example.com/path?").getQuery()', {}],
    ['isURL("https://user:pass@example.com:80/path?query=val#fragment") && isURL("/absolute-path")', true],
    ['isURL("https://a:b:c/") || isURL("../relative-path")', false],
    ['url("https://a:b:c/").getHost()', 'error: URL parse error: "https://a:b:c/"'],
    // addresses
    ['isIP("127.0.0.1") && isIP("::1") && !isIP("127.0.0.256") && !isIP(":::1")', true],
    ['isIP("01.2.3.4") || isIP("::ffff:1.2.3.4") || isIP("fe80::1%eth0")', false],
    ['ip("127.0.0.1").family() == 4 && ip("::1").family() == 6', true],
    ['ip("::1") == ip("0:0:0:0:0:0:0:1") && ip("127.0.0.1") != ip("10.0.0.1")', true],
    [
      'ip.isCanonical("127.0.0.1") && ip.isCanonical("2001:db8::abcd") && !ip.isCanonical("2001:DB8::ABCD")',
      true,
    ],
    ['ip("0.0.0.0").isUnspecified() && ip("127.0.0.1").isLoopback() && ip("::1").isLoopback()', true],
    ['ip("224.0.0.1").isLinkLocalMulticast() && !ip("224.0.1.1").isLinkLocalMulticast()', true],
    ['ip("169.254.169.254").isLinkLocalUnicast() && ip("fe80::1").isLinkLocalUnicast()', true],
    ['ip("192.168.0.1").isGlobalUnicast() && !ip("255.255.255.255").isGlobalUnicast()', true],
    ['string(ip("2001:db8:0:0:1:0:0:1"))', '2001:db8::1:0:0:1'],
    ['isCIDR("192.168.0.0/24") && !isCIDR("192.168.0.0/33") && !isCIDR("192.168.0.0")', true],
    [
      'cidr("192.168.0.0/24").containsIP("192.168.0.1") && !cidr("192.168.0.0/24").containsIP(ip("10.0.0.1"))',
      true,
    ],
    ['cidr("192.168.0.0/16").containsCIDR("192.168.10.0/24")', true],
    ['cidr("192.168.1.0/24").containsCIDR(cidr("192.168.0.0/23"))', false],
    ['string(cidr("192.168.1.5/24").masked())', '192.168.1.0/24'],
    ['cidr("::1/128").prefixLength() == 128 && cidr("10.0.0.1/8").ip() == ip("10.0.0.1")', true],
    // quantities
    [
      'isQuantity("1.3Gi") && isQuantity("200K") == false && isQuantity("200k") && !isQuantity("Three")',
      true,
    ],
    ['quantity("500000G").isInteger() && !quantity("50k200").isInteger()', /^error: quantities must match/],
    ['quantity("50k").asInteger()', 50000n],
    ['quantity("9999999999999999999999999999999999999G").asInteger()', /^error/],
    ['quantity("50.703k").asApproximateFloat()', 50703],
    ['quantity("1Gi").isGreaterThan(quantity("1G")) && quantity("100m").isLessThan(quantity("1"))', true],
    ['quantity("200M").compareTo(quantity("0.2G"))', 0n],
    ['quantity("1000m") == quantity("1") && quantity("1e3") == quantity("1k")', true],
    ['quantity("50k").add("20")', /^error: found no matching overload/],
    [
      'quantity("50k").add(20) == quantity("50020") && quantity("50k").sub(quantity("20k")).sign() == 1',
      true,
    ],
    // versions
    [
      'semver("1.2.3").isLessThan(semver("1.10.0")) && semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))',
      true,
    ],
    ['isSemver("v1.0") == false && isSemver("v1.0", true) && semver("v01.1", true).major() == 1', true],
    ['semver("1.2.3").compareTo(semver("1.2.3+build")) == 0 && semver("1.2.3").minor() == 2', true],
    // formats
    ['format.dns1123Label().validate("my-label").hasValue()', false],
    ['format.dns1123Label().validate("My").value()[0].startsWith("a lowercase RFC 1123 label")', true],
    ['format.named("uuid").value().validate("123e4567-e89b-12d3-a456-426614174000").hasValue()', false],
    ['format.named("nothing").hasValue()', false],
    ['format.datetime().validate("2021-02-30T00:00:00Z").hasValue()', true],
    // strings, sets, mathematics
    ['"hello".charAt(4) + "a,b".split(",")[1] + "x".replace("x", "y") + " z ".trim()', 'obyz'],
    ['"%s has %d of %.2f".format(["a", 3, 2.5])', 'a has 3 of 2.50'],
    ['sets.contains([1, 2, 3], [3]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1.0])', true],
    ['math.ceil(1.2) == 2.0 && math.abs(-1) == 1 && math.bitAnd(6, 3) == 2', true],
    ['base64.encode(b"hello") + string(base64.decode("aGk="))', 'aGVsbG8=hi'],
  ])('%s', (text, wanted) => {
    const got = evaluate(text);
    if (wanted instanceof RegExp) expect(got).toMatch(wanted);
    else expect(got).toEqual(wanted);
  });
});

describe('mistakes have their place', () => {
  test.each([
    ['object.spec. == 1', 1, 12, /^found/],
    ['true &&\n  object.spec.replicas <', 2, 24, /^found/],
    ['true &&\n  objekt.spec', 2, 3, 'there is no variable objekt; there are object, package'],
    ['object.name.startWith("a")', 1, 12, 'there is no function startWith'],
    ['optional.off(1)', 1, 9, 'there is no function optional.off'],
    ['object.?b.c == package.x && namespace', 1, 29, 'reserved identifier'],
    ['// a comment\nobject.?a[?0].orValue(x)', 2, 23, 'there is no variable x; there are object, package'],
    ['('.repeat(101) + '1' + ')'.repeat(101), 1, 101, 'brackets are nested deeper than 100'],
    ['__opt_select(1)', 1, 1, 'names that begin with __opt_ are reserved'],
    ['"a', 1, 1, /./],
    ['', 1, 1, /./],
    ['a'.repeat(20_000), 1, 1, 'the expression has more than 16384 characters'],
    ['1' + ' + 1'.repeat(500), undefined, undefined, undefined],
  ])('%#', (text, line, column, message) => {
    const compiled = compile(text, { variables: ['object', 'package'] });
    if (line === undefined) return expect(compiled.ok).toBe(true);
    expect(compiled).toMatchObject({ ok: false, problems: [{ line, column }] });
    const said = compiled.ok ? '' : compiled.problems[0]!.message;
    if (message instanceof RegExp) expect(said).toMatch(message);
    else expect(said).toBe(message);
  });
});
