/** Programs with what they print, and mistakes with what is said about them. */
import { describe, expect, test } from 'vitest';

import { LIMITS } from '../../../src/function/starlark/budget.ts';
import { loadLibrary } from '../../../src/function/starlark/library/library.ts';
import { runScript } from '../../../src/function/starlark/run.ts';
import { evaluate, output } from './run.ts';

const PROGRAMS: readonly (readonly [string, string, string])[] = [
  ['top-level if and for', 'for i in range(3):\n  if i == 1: continue\n  print(i)\n', '0\n2\n'],
  ['global reassignment', 'x = 1\nx = 2\nx += 3\nprint(x)', '5\n'],
  ['while and break', 'i = 0\nwhile True:\n  i += 1\n  if i > 3: break\nprint(i)', '4\n'],
  ['recursion', 'def f(n):\n  return 1 if n < 2 else n * f(n - 1)\nprint(f(20))', '2432902008176640000\n'],
  [
    'elif and else',
    'def f(x):\n  if x == 1: return "a"\n  elif x == 2: return "b"\n  else:\n    return "c"\nprint(f(1), f(2), f(3))',
    'a b c\n',
  ],
  ['return without value', 'def f():\n  return\ndef g(): pass\nprint(f(), g())', 'None None\n'],
  ['defaults are made once', 'def f(x = []):\n  x.append(1)\n  return x\nf()\nprint(f())', '[1, 1]\n'],
  [
    'star arguments',
    'def f(a, *b, c = 3, **d): return (a, b, c, d)\nprint(f(1, 2, c = 4, e = 5), f(*[1, 2], **{"c": 6}))',
    '(1, (2,), 4, {"e": 5}) (1, (2,), 6, {})\n',
  ],
  ['keyword-only', 'def f(a, *, b): return a + b\nprint(f(1, b = 2))', '3\n'],
  [
    'closures share variables',
    'def f():\n  x = [0]\n  def g():\n    x[0] += 1\n    return x[0]\n  return g\ng = f()\ng()\nprint(g())',
    '2\n',
  ],
  [
    'closures of each call are apart',
    'def f(n): return lambda: n\na, b = f(1), f(2)\nprint(a(), b())',
    '1 2\n',
  ],
  ['a comprehension keeps its variables', 'x = 5\ny = [x for x in range(3)]\nprint(x, y)', '5 [0, 1, 2]\n'],
  ['a loop variable stays', 'for x in range(3): pass\nprint(x)', '2\n'],
  ['unpacking', 'a, (b, [c, d]) = 1, (2, [3, 4])\n(e, f) = [5, 6]\nprint(a, b, c, d, e, f)', '1 2 3 4 5 6\n'],
  ['swapping', 'a, b = 1, 2\na, b = b, a\nprint(a, b)', '2 1\n'],
  ['for with targets', 'for k, v in {"a": 1}.items(): print(k, v)', 'a 1\n'],
  ['for into elements', 'd = {}\nfor d["x"] in range(3): pass\nprint(d)', '{"x": 2}\n'],
  ['+= extends in place', 'a = [1]\nb = a\nb += (2, 3)\nprint(a)', '[1, 2, 3]\n'],
  ['+ makes a new list', 'a = [1]\nb = a\nb = b + [2]\nprint(a)', '[1]\n'],
  [
    '+= of an element evaluates its parts once',
    'n = []\ndef i():\n  n.append(1)\n  return 0\nx = [1]\nx[i()] += 5\nprint(x, n)',
    '[6] [1]\n',
  ],
  ['|= of dicts', 'a = {"x": 1}\nb = a\nb |= {"y": 2}\nprint(a)', '{"x": 1, "y": 2}\n'],
  [
    'other augmented operators',
    'x = 7\nx -= 1\nx *= 4\nx //= 5\nx %= 3\nx <<= 4\nx >>= 1\nx |= 1\nx &= 3\nx ^= 2\nprint(x)',
    '3\n',
  ],
  [
    'list methods',
    'x = [3]\nx.append(4)\nx.extend([5, 6])\nx.insert(0, 2)\nx.insert(-1, 9)\nx.remove(4)\nprint(x.pop(), x.pop(0), x)\nx.clear()\nprint(x)',
    '6 2 [3, 5, 9]\n[]\n',
  ],
  [
    'dict methods',
    'd = {"a": 1}\nd.update([("b", 2)], c = 3)\nprint(d.pop("a"), d.pop("x", 0), d.setdefault("e"), d.setdefault("b", 9), d.popitem(), d)',
    '1 0 None 2 ("b", 2) {"c": 3, "e": None}\n',
  ],
  [
    'set methods',
    's = set([1])\ns.add(2)\ns.discard(5)\ns.remove(1)\ns.update([7], [8])\nprint(s, s.pop())',
    'set([7, 8]) 2\n',
  ],
  [
    'a value inside itself',
    'x = [1]\nx.append(x)\nd = {"d": x}\nd["e"] = d\nprint(x, d)',
    '[1, [...]] {"d": [1, [...]], "e": {...}}\n',
  ],
  ['print with sep', 'print(1, "a", [2], sep = "-")', '1-a-[2]\n'],
  ['continued lines', 'x = 1 + \\\n  2\ny = [\n  1,\n# comment\n  2,\n]\nprint(x, y)', '3 [1, 2]\n'],
  ['semicolons', 'x = 1; y = 2; print(x, y);', '1 2\n'],
  [
    'comments and blank lines',
    '# a\n\ndef f():\n    # b\n\n  # c\n    return 1 # d\n\n#e\nprint(f())',
    '1\n',
  ],
  ['tabs count to eight', 'if True:\n\tx = 1\n        y = 2\nprint(x, y)', '1 2\n'],
  ['windows line ends', 'if True:\r\n  print(1)\r\n', '1\n'],
  ['no line end at the end', 'def f():\n  return 3\nprint(f())', '3\n'],
  ['a function may be used before it is there', 'def f(): return g()\ndef g(): return 4\nprint(f())', '4\n'],
  ['names of the language can be taken', 'len = 3\nprint(len)', '3\n'],
  ['load under another name', 'load("math.star", m = "math")\nprint(m.floor(2.5))', '2\n'],
  [
    'and, or stop early',
    'def f():\n  print("f")\n  return True\nx = False and f()\ny = True or f()\nprint(x, y)',
    'False True\n',
  ],
  [
    'order of evaluation',
    'def f(x):\n  print(x)\n  return x\n{f("a"): f("b")}\n[f("c"), f("d")]\n',
    'a\nb\nc\nd\n',
  ],
  [
    'nested functions three deep',
    'def a():\n  x = 1\n  def b():\n    y = 2\n    def c(): return x + y\n    return c()\n  return b()\nprint(a())',
    '3\n',
  ],
  [
    'lambda in comprehension sees its variables',
    'fs = [lambda: i for i in range(3)]\nprint([f() for f in fs])',
    '[2, 2, 2]\n',
  ],
  [
    'sorted is stable',
    'print(sorted([("b", 1), ("a", 1), ("c", 0)], key = lambda t: t[1]))',
    '[("c", 0), ("b", 1), ("a", 1)]\n',
  ],
  ['text beyond ASCII', 'é = "ü"\nprint(é, {"ß": é})', 'ü {"ß": "ü"}\n'],
];

const ERRORS: readonly (readonly [string, string])[] = [
  ['1 + "a"', 'unknown binary op: int + string'],
  ['"a" - "b"', 'unknown binary op: string - string'],
  ['[] + ()', 'unknown binary op: list + tuple'],
  ['None + 1', 'unknown binary op: NoneType + int'],
  ['1.5 | 2', 'unknown binary op: float | int'],
  ['-"a"', 'unknown unary op: -string'],
  ['~1.5', 'unknown unary op: ~float'],
  ['1 < "a"', 'int < string not implemented'],
  ['{} < {}', 'dict < dict not implemented'],
  ['None >= None', 'NoneType >= NoneType not implemented'],
  ['1 // 0', 'floored division by zero'],
  ['1 / 0', 'floating-point division by zero'],
  ['1 % 0', 'integer modulo by zero'],
  ['1.0 % 0', 'floating-point modulo by zero'],
  ['1 << -1', 'negative shift count: -1'],
  ['1 << 512', 'shift count too large: 512'],
  ['{}["x"]', 'key "x" not in dict'],
  ['{1: 2}[(1, "a")]', 'key (1, "a") not in dict'],
  ['{[]: 1}', 'unhashable type: list'],
  ['{({},): 1}', 'unhashable type: dict'],
  ['{"a": 1, "a": 2}', 'duplicate key: "a"'],
  ['[][0]', 'index 0 out of range: empty list'],
  ['[1, 2][2]', 'list index 2 out of range [-2:1]'],
  ['"abc"[-4]', 'string index -4 out of range [-3:2]'],
  ['(1,)["a"]', 'tuple index: got string, want int'],
  ['1[0]', 'unhandled index operation int[int]'],
  ['None["a"]', 'unhandled index operation NoneType[string]'],
  ['1[1:]', 'invalid slice operand int'],
  ['[][:"a"]', 'invalid end index: got string, want int'],
  ['[1][::0]', 'zero is not a valid slice step'],
  ['"".foo', 'string has no .foo field or method'],
  ['[].apend', 'list has no .apend field or method (did you mean .append?)'],
  ['None.x', 'NoneType has no .x field or method'],
  ['1()', 'invalid call of non-function (int)'],
  ['1 in 2', 'unknown binary op: int in int'],
  ['1 in "a"', "'in <string>' requires string as left operand, not int"],
  ['[x for x in 1]', 'int value is not iterable'],
  ['[x for x in "ab"]', 'string value is not iterable'],
  ['len(1)', 'len: value of type int has no len'],
  ['len()', 'len: got 0 arguments, want 1'],
  ['len(1, 2)', 'len: got 2 arguments, want 1'],
  ['len(x = 1)', 'len: unexpected keyword arguments'],
  ['int("a")', 'int: invalid literal with base 10: a'],
  ['int("")', 'int: invalid literal with base 10: '],
  ['int("12", 1)', 'int: invalid base (must be >= 2 && <= 36)'],
  ['int([])', 'int: cannot convert list to int'],
  ['int(float("nan"))', 'int: cannot convert float NaN to integer'],
  ['float("x")', 'float: invalid float literal: x'],
  ['chr(-1)', 'chr: Unicode code point -1 out of range (<0)'],
  ['ord("ab")', 'ord: string encodes 2 Unicode code points, want 1'],
  ['max([])', 'max: argument is an empty sequence'],
  ['range(1, 2, 0)', 'range: step argument must not be zero'],
  ['sorted(1)', 'sorted: for parameter 1: got int, want iterable'],
  ['sorted([1, "a"])', 'string < int not implemented'],
  ['zip(1)', 'zip: argument #1 is not iterable: int'],
  ['dict(1)', 'dict: got int, want iterable'],
  ['dict([1])', 'dict: dictionary update sequence element #0 is not iterable (int)'],
  ['dict([(1,)])', 'dict: dictionary update sequence element #0 has length 1, want 2'],
  ['"".join([1])', 'join: in list, want string, got int (item 0)'],
  ['"a".index("b")', 'index: substring not found'],
  ['"a".split("")', 'split: empty separator'],
  ['"a".startswith(1)', 'startswith: for parameter 1: got int, want string or tuple of string'],
  ['"a".replace("a")', 'replace: missing argument for new'],
  ['[].pop()', 'pop: index -1 out of range: empty list'],
  ['[].remove(1)', 'remove: element not found'],
  ['[1].index(2)', 'index: value not in list'],
  ['{}.pop("a")', 'pop: missing key: "a"'],
  ['{}.popitem()', 'popitem: empty dict'],
  ['set([[]])', 'unhashable type: list'],
  ['"%d" % "a"', '%d format requires integer: cannot convert string to int'],
  ['"%s %s" % 1', 'not enough arguments for format string'],
  ['"%s" % (1, 2)', 'too many arguments for format string'],
  ['"%z" % 1', 'unknown conversion %z'],
  ['"{}".format()', 'format: tuple index out of range'],
  ['"{x}".format()', 'format: keyword x not found'],
  ['"{".format()', "format: unmatched '{' in format"],
  ['"}".format()', "format: single '}' in format"],
  [
    '"{} {0}".format(1)',
    'format: cannot switch from automatic field numbering to manual field specification',
  ],
  ['fail("a", 1, [2])', 'fail: a 1 [2]'],
  ['fail("a", "b", sep = "-")', 'fail: a-b'],
  ['(lambda: 1)(2)', 'function lambda accepts no arguments (1 given)'],
  ['(lambda a: 1)()', 'function lambda missing 1 argument (a)'],
  ['(lambda a, b: 1)()', 'function lambda missing 2 arguments (a, b)'],
  ['(lambda a: 1)(1, 2)', 'function lambda accepts 1 positional argument (2 given)'],
  ['(lambda a, b = 1: 1)(1, 2, 3)', 'function lambda accepts at most 2 positional arguments (3 given)'],
  ['(lambda a: 1)(1, a = 2)', 'function lambda got multiple values for parameter "a"'],
  [
    '(lambda name: 1)(nam = 2)',
    'function lambda got an unexpected keyword argument "nam" (did you mean name?)',
  ],
  ['len(*1)', 'argument after * must be iterable, not int'],
  ['len(**1)', 'argument after ** must be a mapping, not int'],
  ['getattr("", "x")', 'string has no .x field or method'],
];

const PROGRAM_ERRORS: readonly (readonly [string, string])[] = [
  ['a, b = 1, 2, 3', 'too many values to unpack (got 3, want 2)'],
  ['a, b = [1]', 'too few values to unpack (got 1, want 2)'],
  ['a, b = 1', 'got int in sequence assignment'],
  ['print(x)\nx = 1', 'global variable x referenced before assignment'],
  ['x = 1\ndef f():\n  print(x)\n  x = 2\nf()', 'local variable x referenced before assignment'],
  ['for x in 5: pass', 'int value is not iterable'],
  ['x = [1]\nfor i in x: x.append(i)', 'append: cannot append to list during iteration'],
  ['x = {"a": 1}\nfor i in x: x["b"] = 1', 'cannot insert into hash table during iteration'],
  ['x = {"a": 1}\nfor i in x: x.pop(i)', 'cannot delete from hash table during iteration'],
  ['"abc"[0] = "x"', 'string value does not support item assignment'],
  ['x = (1,)\nx[0] = 2', 'tuple value does not support item assignment'],
  ['[1][1] = 2', 'list index 1 out of range [-1:0]'],
  ['x = {}\nx.y = 1', "can't assign to .y field of dict"],
  ['load("math.star", "foo")', 'load: name foo not found in module math.star'],
  ['load("nope.star", "foo")', 'cannot load nope.star: this library is not available'],
  [
    'x = []\nx.append(x)\nx == [x, 1]\ny = [x]\ny[0] = y\ny == [[y]]\nz = [y]\nz[0] = z\nz == y',
    'comparison exceeded maximum recursion depth',
  ],
];

const SYNTAX: readonly (readonly [string, string])[] = [
  ['x', 't:1:1: undefined: x'],
  ['resources = 1\nprint(resource)', 't:2:7: undefined: resource (did you mean resources?)'],
  ['def f():\n  return lenn(1)', 't:2:10: undefined: lenn (did you mean len?)'],
  ['1 +', 't:1:4: got newline, want primary expression'],
  ['x = = 1', "t:1:5: got '=', want primary expression"],
  ['if True\n  pass', "t:1:8: got newline, want ':'"],
  ['def f(:\n  pass', "t:1:7: got ':', want identifier"],
  ['if True:\npass', 't:2:1: got pass, want indent'],
  ['if True:\n    x = 1\n  y = 2', 't:3:3: unindent does not match any outer indentation level'],
  ['x = 1\n  y = 2', 't:2:3: got indent, want primary expression'],
  ['f(', 't:1:3: got newline, want primary expression'],
  ['x = "abc\n', 't:1:5: unexpected newline in string'],
  ['x = """abc', 't:1:5: unexpected EOF in string'],
  ['x = "\\q"', 't:1:5: invalid escape sequence \\q'],
  ['x = "\\xff"', 't:1:5: non-ASCII hex escape \\xff (use \\u00FF for the UTF-8 encoding of U+00FF)'],
  ['x = 012', 't:1:5: obsolete form of octal literal; use 0o12'],
  ['x = 1 $ 2', 't:1:7: unexpected input character "$"'],
  ['1 < 2 < 3', 't:1:7: < does not associate with < (use parens)'],
  ['1 == 2 in 3', 't:1:8: == does not associate with in (use parens)'],
  ['1 = 2', "t:1:1: can't assign to literal expression"],
  ['f() = 2', "t:1:2: can't assign to call expression"],
  ['a, b += 1', "t:1:1: can't use tuple expression in augmented assignment"],
  ['return 1', 't:1:1: return statement not within a function'],
  ['break', 't:1:1: break not in a loop'],
  ['def f():\n  continue', 't:2:3: continue not in a loop'],
  ['def f(a, a): pass', 't:1:10: duplicate parameter: a'],
  ['def f(a = 1, b): pass', 't:1:14: required parameter may not follow optional'],
  ['def f(**k, a): pass', 't:1:12: ** parameter must be last'],
  ['len(a = 1, 2)', 't:1:12: positional argument may not follow named'],
  ['len(x = 1, x = 2)', 't:1:12: keyword argument "x" is repeated'],
  ['len(1 = 2)', 't:1:5: keyword argument must have form name=expr'],
  ['class A: pass', 't:1:1: class is a reserved word'],
  ['import os', 't:1:1: import is a reserved word'],
  ['x = 1 if 2', 't:1:5: conditional expression without else clause'],
  ['x = )', "t:1:5: unexpected ')'"],
  ['x = [1', "t:1:7: got newline, want ']'"],
  ['x = {1}', "t:1:7: got '}', want ':'"],
  ['x = 1,', 't:1:7: unparenthesized tuple with trailing comma'],
  ['load(1, "x")', 't:1:6: first operand of load statement must be a string literal'],
  ['def f():\n  load("math.star", "math")', 't:2:3: load statement within a function'],
  [`x = ${'('.repeat(200)}1${')'.repeat(200)}`, 't:1:105: nested too deeply'],
];

describe('programs', () => {
  test.each(PROGRAMS)('%s', (_name, script, wanted) => expect(output(script)).toBe(wanted));
});

describe('errors', () => {
  test.each(ERRORS)('%s', (expression, wanted) => expect(evaluate(expression)).toBe(`error: ${wanted}`));
  test.each(PROGRAM_ERRORS)('%j', (script, wanted) => expect(output(script)).toBe(`error: ${wanted}`));
  test.each(SYNTAX)('%j', (script, wanted) => expect(output(script)).toBe(`error: ${wanted}`));

  test('a backtrace names the place of each call', () => {
    const run = runScript(
      'my-run',
      'def f(x):\n  return g(x) + 1\n\ndef g(x):\n  return x["a"]\n\ny = f({})\n',
    );
    expect(run.error).toBe('key "a" not in dict');
    expect(run.backtrace?.split('\n')).toEqual([
      'Traceback (most recent call last):',
      '  my-run:7:6: in <toplevel>',
      '  my-run:2:11: in f',
      '  my-run:5:11: in g',
    ]);
  });
});

describe('limits', () => {
  test.each([
    ['[]', 112],
    ['()', 112],
    ['{}', 256],
    ['{1: 2}', 400],
    ['set()', 256],
    ['set([1, 2])', 480],
    ['dict()', 256],
    ['lambda: i', 320],
    ['x.append', 112],
    ['range(3)', 96],
    ['dict(a = 1).items()', 500],
    ['list(enumerate([1, 2]))', 400],
    ['json.decode("[[],[],{}]")', 600],
    ['json.decode("{\\"a\\":1}")', 400],
    ['yaml.loads("a: {}")', 500],
    ['csv.read_all("a\\nb\\nc\\n")', 400],
  ])('%s counts as at least the %i bytes that it takes in the process', (made, bytes) => {
    const loads = ['json', 'yaml', 'csv'].map((name) => `load("encoding/${name}.star", "${name}")\n`);
    const script = `${loads.join('')}x = []\nfor i in range(100): x.append(${made})`;
    const run = runScript('t', script, { load: loadLibrary });
    expect(run.error).toBeUndefined();
    expect(run.budget.bytes / 100).toBeGreaterThan(bytes);
  });

  const hostile: readonly (readonly [string, string, RegExp])[] = [
    ['an endless loop', 'while True: pass', /too many steps \(it exceeded 1\d+ steps/],
    ['an endless loop with else work', 'x = 0\nwhile True:\n  x = (x + 1) % 7', /too many steps/],
    ['a long range', 'for x in range(1 << 50): pass', /too many steps/],
    ['a range made a list', 'list(range(1 << 50))', /too many steps|too much memory/],
    [
      'nested comprehensions',
      '[1 for a in range(9999) for b in range(9999)]',
      /too many steps|too much memory/,
    ],
    ['endless recursion', 'def f(): f()\nf()', /more than 400 calls inside one another/],
    [
      'recursion through sorted',
      'def f(x): return sorted([1], key = f)\nf(1)',
      /more than 400 calls|nested too deeply/,
    ],
    ['a doubling list', 'x = [1]\nwhile True: x = x + x', /too much memory|too many steps/],
    ['a doubling string', 'x = "a"\nwhile True: x += x', /too much memory|too many steps/],
    ['a repeated list', '[0] * (1 << 40)', /too much memory|too many steps/],
    ['a repeated string', '"ab" * (1 << 60)', /too much memory|too many steps/],
    [
      'a growing dict',
      'd = {}\nfor i in range(1 << 40): d[i] = "x" * 1000',
      /too much memory|too many steps/,
    ],
    ['a growing int', 'x = 3\nwhile True: x = x * x', /int is too large/],
    [
      'work on long ints',
      'x = (1 << 500) - 1\nfor i in range(3): x = x * x\nwhile True: y = x // 7',
      /too many steps|too much memory/,
    ],
    [
      'a slow search',
      'x = "a" * 4000000\nwhile True: x.find("a" * 2000000 + "b")',
      /too many steps|too much memory/,
    ],
    ['a slow replace', 'x = "a" * 1000000\ny = x.replace("a", x)', /too many steps|too much memory/],
    [
      'a value that is wide when printed',
      'x = [1]\nfor i in range(90): x = [x, x]\nprint(x)',
      /too many steps|too much memory/,
    ],
    [
      'a comparison of wide values',
      'x = [1]\ny = [1]\nfor i in range(90):\n  x = [x, x]\n  y = [y, y]\nx == y',
      /too many steps|too much memory/,
    ],
    ['a join', 'x = ["a" * 1000000] * 100000\n"".join(x)', /too much memory|too many steps/],
    ['a format', 'x = "a" * 1000000\n"%s" % ([x] * 1000,)', /too much memory|too many steps/],
    ['equal strings', 'x = "a" * 1000000\ny = "a" * 1000000\nwhile True: x == y', /too many steps/],
    ['sets of tuples', 'x = [tuple([i] * 900) for i in range(100)]\nwhile True: set(x)', /too many steps/],
    [
      'a tuple looked up',
      't = tuple(range(900))\nd = {t: 1}\nfor _ in range(5000): d.get(t)',
      /too many steps/,
    ],
    ['a subset', 'x = set(range(10000))\nfor _ in range(200): x.issubset(x)', /too many steps/],
    ['sets emptied', 'x = set(range(10000))\nwhile x: x.pop()', /too many steps/],
    ['bytes of a string', 'x = "a" * 100000\nfor _ in range(50): bytes(x)', /too many steps/],
    [
      'an expression for every place',
      'load("re.star", "re")\nx = "a" * 50000\nfor _ in range(30): re.findall("a*b", x)',
      /too many steps/,
    ],
    [
      'YAML with many keys',
      'load("encoding/yaml.star", "yaml")\nyaml.loads("".join(["k%d: 1\\n" % i for i in range(20000)]))',
      /too many steps/,
    ],
    [
      'YAML with aliases of aliases',
      'load("encoding/yaml.star", "yaml")\nyaml.loads("a: &a [1,1,1,1,1,1,1,1,1]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b]\\nd: [*c,*c,*c,*c,*c]\\n")',
      /Excessive alias count/,
    ],
    [
      'YAML with a key twice',
      'load("encoding/yaml.star", "yaml")\nyaml.loads("a: 1\\na: 2\\n")',
      /Map keys must be unique/,
    ],
    ['a script without end', `x = 1\n`.repeat(200_000), /longer than 1 MiB/],
    ['a deep value', 'x = []\nfor i in range(100000): x = [x]\nprint(x)', /nested too deeply/],
    ['a deep key', 'x = ()\nfor i in range(100000): x = (x,)\n{x: 1}', /the tuple is too large for a key/],
    ['a wide key', 'x = ()\nfor i in range(60): x = (x, x)\n{x: 1}', /the tuple is too large for a key/],
  ];
  const limits = { ...LIMITS, steps: 1_000_000 };
  test.each(hostile)('%s is stopped', (_name, script, wanted) =>
    expect(runScript('t', script, { limits, load: loadLibrary }).error).toMatch(wanted),
  );

  test.each([
    ['long sums', `x = ${'1 + '.repeat(20_000)}1`],
    ['long chains of calls', `x = len${'()'.repeat(20_000)}`],
    ['deep brackets', `x = ${'['.repeat(20_000)}`],
    ['deep unary operators', `x = ${'-'.repeat(20_000)}1`],
    ['deep not', `x = ${'not '.repeat(20_000)}1`],
    ['deep conditionals', `x = ${'1 if 1 else '.repeat(20_000)}1`],
    ['deep lambdas', `x = ${'lambda: '.repeat(20_000)}1`],
    ['deep elif', `if 1: pass\n${'elif 1: pass\n'.repeat(20_000)}`],
  ])('%s are refused when read', (_name, script) =>
    expect(runScript('t', script).error).toContain('nested too deeply'),
  );

  test('what is printed has an end', () => {
    const run = runScript('t', 'for i in range(10000): print("x" * 100)');
    expect(run.output.length).toBeLessThan(70_000);
    expect(run.output.endsWith('…\n')).toBe(true);
  });

  test('nothing of the process can be reached', () => {
    for (const name of [
      'process',
      'globalThis',
      'require',
      'eval',
      'Function',
      'open',
      'constructor',
      '__proto__',
    ])
      expect(output(`print(${name})`)).toContain(`undefined: ${name}`);
    for (const field of ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'length'])
      for (const value of ['""', '[]', '{}', '()', '1', 'None', 'len', '(lambda: 1)', 'set()', 'b""'])
        expect(evaluate(`hasattr(${value}, "${field}")`)).toBe('False');
    expect(output('load("constructor", "x")')).toContain('this library is not available');
    expect(output('load("__proto__", "x")')).toContain('this library is not available');
  });
});
