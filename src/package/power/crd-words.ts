/** Issues of the CRD upgrade check in the words of the Operator Lifecycle Manager, for those who know its messages. */
import { type Issue } from './crd-safety.ts';
import { jsonOf } from './power-resources.ts';

/** `v1: ^.spec.mode: enum: allowed enum values removed : ["woof"]`, or `scope: …` for the definition as a whole. */
export function issueWords(name: string, issue: Issue): string[] {
  const { check, words } = wordsOf(name, issue);
  const { version, older, field } = issue;
  // What concerns the definition as a whole says of itself where it is.
  if (field === '' || check === 'existingFieldRemoval') return words.map((text) => `${check}: ${text}`);
  const where = older === undefined ? version : `${older} -> ${version.slice(older.length + ' to '.length)}`;
  return words.map((text) => `${where}: ${field}: ${check}: ${text}`);
}

interface Words {
  readonly check: string;
  readonly words: readonly string[];
}

function wordsOf(name: string, issue: Issue): Words {
  const { check, version, field, text, keyword = '', was, is } = issue;
  switch (check) {
    case 'scope':
      return { check, words: [`scope changed from ${jsonOf(was)} to ${jsonOf(is)}`] };
    case 'storedVersionRemoved':
      return { check: 'storedVersionRemoval', words: [text] };
    case 'removed':
      if (issue.older !== undefined) return { check: 'existingFieldRemoval', words: [text] };
      return {
        check: 'existingFieldRemoval',
        words: [`crd/${name} version/${version} field/${field} may not be removed`],
      };
    case 'enum':
      if (was === undefined)
        return { check, words: [`enum constraint added when there was none previously : ${jsonOf(is)}`] };
      return { check, words: [`allowed enum values removed : ${jsonOf(was)}`] };
    case 'required':
      return { check, words: [`new required fields : ${jsonOf(is)}`] };
    case 'type':
      return { check, words: [`type changed : ${jsonOf(was ?? '')} -> ${jsonOf(is ?? '')}`] };
    case 'nullable': {
      const [from, to] = [was === true, is === true];
      return { check, words: [`nullable ${to ? 'added' : 'removed'} : ${from} -> ${to}`] };
    }
    case 'default':
      return { check, words: [defaultWords(was, is)] };
    default:
      return boundWords(keyword, was, is) ?? oneOfWords(keyword, was, is) ?? unhandledWords(issue);
  }
}

function defaultWords(was: unknown, is: unknown): string {
  if (was === undefined) return `default added when there was none previously : ${jsonOf(is)}`;
  if (is === undefined) return `default value removed : ${jsonOf(was)}`;
  return `default value changed : ${jsonOf(was)} -> ${jsonOf(is)}`;
}

function boundWords(keyword: string, was: unknown, is: unknown): Words | undefined {
  const [, kind = '', what] = /^(min|max)(imum|Length|Items|Properties)$/.exec(keyword) ?? [];
  if (what === undefined) return undefined;
  const bound = `${kind}imum`;
  if (was === undefined) {
    return {
      check: keyword,
      words: [`${bound} constraint added when there was none previously : ${jsonOf(is)}`],
    };
  }
  const moved = kind === 'min' ? 'increased' : 'decreased';
  return { check: keyword, words: [`${bound} ${moved} : ${jsonOf(was)} -> ${jsonOf(is)}`] };
}

function oneOfWords(keyword: string, was: unknown, is: unknown): Words | undefined {
  if (keyword !== 'oneOf' && keyword !== 'anyOf' && keyword !== 'allOf') return undefined;
  const [before, now] = [schemasOf(was), schemasOf(is)];
  const [gone, added] = [
    before.filter((one) => !now.includes(one)),
    now.filter((one) => !before.includes(one)),
  ];
  const words = [
    ...(before.length === 0 ? [`${keyword} constraint added when there was none previously`] : []),
    ...(gone.length > 0 ? [`allowed ${keyword} schemas removed: [${gone.join(' ')}]`] : []),
    ...(added.length > 0 ? [`allowed ${keyword} schemas added: [${added.join(' ')}]`] : []),
  ];
  return { check: keyword, words };
}

function schemasOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((one) => jsonOf(one)) : [];
}

/** What no check of theirs knows counts as a break; they name the field of their own type, with a capital. */
function unhandledWords({ keyword, was, is, text }: Issue): Words {
  if (keyword === undefined) return { check: 'unhandled', words: [`unhandled changes found (${text})`] };
  const field = keyword.slice(0, 1).toUpperCase() + keyword.slice(1);
  const change = `${field} ${jsonOf(was ?? '')} -> ${jsonOf(is ?? '')}`;
  return { check: 'unhandled', words: [`unhandled changes found (${change})`] };
}
