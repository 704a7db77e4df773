/** Things that people try among repositories: whose content and whose orders go where. */
import * as fc from 'fast-check';

import type { Login } from '../reconcile/stage.ts';
import type { Act } from './act.ts';
import {
  document,
  forgeOrder,
  forgePause,
  install,
  lockOnto,
  release,
  share,
  twins,
  askTwice,
  withdraw,
  type Document,
} from './acts-across.ts';
import { pushToBots } from './acts-push.ts';
import { grant } from './acts-rights.ts';
import { command, inIssue, mergeByButton, review, sweep } from './acts-words.ts';
import { anybody, three, value, type Story } from './draws.ts';
import type { Place } from './world.ts';

const prepared: readonly Act[] = [release(1), install(1)];
const byMallory = (make: (p: Login, place: Place) => readonly Act[]): Story =>
  fc.constantFrom<Place>('edge', 'pub', 'ours').map((place) => [...prepared, ...make('mallory', place)]);

export const ACROSS: Readonly<Record<string, Story>> = {
  'the team updates': fc
    .tuple(three, value)
    .map(([[p, q]]) => [
      ...prepared,
      release(2),
      review(p === 'mallory' ? q : p, 'bot', 'APPROVE', 'shop'),
      command(q === 'mallory' ? 'carol' : q, 'publish', 'bot', 'shop'),
    ]),
  'a push onto an update': fc
    .tuple(fc.constantFrom<Login>('bob', 'carol'), value, fc.boolean())
    .map(([p, v, isForced]) => [
      ...prepared,
      release(2),
      pushToBots(p, 'shop', v, isForced),
      review(p, 'bot', 'APPROVE', 'shop'),
      command(p, 'publish', 'bot', 'shop'),
    ]),
  'a rollout from elsewhere': byMallory((p, place) => [
    release(2),
    document(p, place, 'rollout', 'shop'),
    inIssue(p, 'rollout rollback mine', place),
    inIssue(p, 'rollout stop mine', place),
    release(3),
    sweep,
  ]),
  'an order by hand': byMallory((p, place) => [
    release(2),
    document(p, place, 'rollout', 'shop'),
    forgeOrder(p, place, 'rollback', 2),
    sweep,
  ]),
  'an order by hand, at home': fc
    .tuple(fc.constantFrom<Login>('bob', 'carol'), fc.constantFrom('stop' as const, 'rollback' as const))
    .map(([p, action]) => [
      ...prepared,
      document('alice', 'lib', 'rollout', 'shop'),
      release(2),
      inIssue(p, 'rollout rollback mine', 'lib'),
      forgeOrder(p, 'lib', action, action === 'stop' ? 3 : 2),
      release(3),
      sweep,
    ]),
  'a pause by hand': fc
    .constantFrom<Login>('bob', 'carol')
    .map((p) => [...prepared, inIssue(p, 'pause base', 'shop'), forgePause(p), release(2), sweep]),
  'a lock onto what one may not read': byMallory((p, place) => [
    lockOnto(p, place, 1),
    release(2),
    inIssue(p, 'update taken', place),
  ]),
  'a variant of what one may not read': fc
    .tuple(
      fc.constantFrom<Place>('edge', 'pub', 'ours'),
      fc.constantFrom<Document>('variant', 'set'),
      fc.boolean(),
    )
    .map(([place, kind, sameDown]) => [
      ...prepared,
      document('mallory', place, kind, sameDown ? place : 'edge'),
      sweep,
      release(2),
    ]),
  'a variant into a repository of others': byMallory((p, place) => [
    document(p, place, 'variant', 'shop'),
    sweep,
    release(2),
    withdraw(p, place, 'variant'),
    sweep,
  ]),
  'a package of others, adopted and let go': byMallory((p, place) => [
    document(p, place, 'orphan', 'shop'),
    sweep,
    withdraw(p, place, 'orphan'),
    sweep,
  ]),
  'a clone of what one may not read': fc
    .tuple(
      fc.constantFrom<Place>('edge', 'pub', 'ours'),
      fc.constantFrom<Login>('mallory', 'alice'),
      fc.constantFrom('base', 'base@v1', 'nothing'),
    )
    .map(([place, by, what]) => [
      ...prepared,
      inIssue(by, `clone acme/lib#:${what} mine`, place),
      inIssue(by, `rebase acme/lib#:${what}`, place),
      inIssue(by, 'plan', place),
    ]),
  'what is hidden, and what is not there': byMallory((p, place) => [
    twins(p, place, 'rollout'),
    twins(p, place, 'variant'),
    sweep,
    askTwice(p, place, (repo) => `clone ${repo}:base mine`),
    askTwice(p, place, (repo) => `clone ${repo}:base@v1 mine`),
    askTwice(p, place, (repo) => `clone ${repo}:nothing mine`),
    askTwice(p, place, (repo) => `rebase ${repo}:base`),
    askTwice(p, place, (repo) => `diff ${repo}:base@v1..${repo}:base@v2`),
    askTwice(p, place, (repo) => `rollout stop about-${repo.split('/')[1]}`),
    release(2),
    sweep,
  ]),
  'many at once': byMallory((p, place) => [
    release(2),
    inIssue(p, "bulk update --match='**' --to=v1", place),
    inIssue(p, 'confirm', place),
    inIssue(p, 'update acme/shop#:base v1', place),
  ]),
  'sharing that ends': fc.constant([
    ...prepared,
    release(2),
    share(false),
    release(3),
    share(true),
    release(4),
  ]),
  'rights that end': fc
    .tuple(anybody)
    .map(([who]) => [
      ...prepared,
      grant('alice', who === 'alice' || who === 'stan' ? 'carol' : who, null, 'shop'),
      release(2),
      review(who, 'bot', 'APPROVE', 'shop'),
      command(who, 'approve', 'bot', 'shop'),
      command(who, 'publish', 'bot', 'shop'),
      mergeByButton(who, 'bot', 'merge', 'shop'),
    ]),
};
