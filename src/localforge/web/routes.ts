import { comment, lineComment, merge, openIssue, openPull, pressCheck, redeliver, reply } from './actions.ts';
import { rerunCheck, review, setDraft, updateBranch } from './actions.ts';
import type { Action } from './actions.ts';
import { commitPage, comparePage, runPage } from './commits.ts';
import { conversationPage } from './conversation.ts';
import { deliveriesPage, deliveryPage } from './deliveries.ts';
import { blobPage, codePage, rawFile, treePage } from './files.ts';
import { homePage, ownerPage } from './home.ts';
import type { Html } from './html.ts';
import { issuePage, newIssuePage } from './issues.ts';
import { changesPage, changeText, checksPage } from './pull-changes.ts';
import { issuesPage, pullsPage } from './pull-list.ts';
import { branchesPage, releasePage, releasesPage, tagsPage } from './refs.ts';
import type { RepositoryVisit } from './visit.ts';

/** Shows a page. Below `/:owner/:repo` the visit is one of a repository that the viewer may see; else a plain one. */
export type PageHandler = (visit: RepositoryVisit) => Html | Response | Promise<Html | Response>;

const REPO = '/:owner/:repo';
const PULL = `${REPO}/pull/:number{[0-9]+}`;
const RUN = `${REPO}/runs/:run{[0-9]+}`;

/** The pages, at the addresses that `html_url` names. */
export const PAGES: readonly (readonly [path: string, handler: PageHandler])[] = [
  ['/', homePage],
  ['/settings/deliveries', deliveriesPage],
  ['/settings/deliveries/:delivery{[0-9]+}', deliveryPage],
  ['/:owner', ownerPage],
  [REPO, codePage],
  [`${REPO}/tree/:words{.+}`, treePage],
  [`${REPO}/blob/:words{.+}`, blobPage],
  [`${REPO}/raw/:words{.+}`, rawFile],
  [`${REPO}/branches`, branchesPage],
  [`${REPO}/tags`, tagsPage],
  [`${REPO}/releases`, releasesPage],
  [`${REPO}/releases/tag/:words{.+}`, releasePage],
  [`${REPO}/pulls`, pullsPage],
  [PULL, conversationPage],
  [`${PULL}/files`, changesPage],
  [`${PULL}/checks`, checksPage],
  [`${REPO}/pull/:file{[0-9]+\\.diff}`, changeText('diff')],
  [`${REPO}/pull/:file{[0-9]+\\.patch}`, changeText('patch')],
  [RUN, runPage],
  [`${REPO}/commit/:sha`, commitPage],
  [`${REPO}/compare`, comparePage],
  [`${REPO}/compare/:words{.+}`, comparePage],
  [`${REPO}/issues`, issuesPage],
  [`${REPO}/issues/new`, newIssuePage],
  [`${REPO}/issues/:number{[0-9]+}`, issuePage],
];

/** What forms are posted to. */
export const ACTIONS: readonly (readonly [path: string, action: Action])[] = [
  ['/settings/deliveries/:delivery{[0-9]+}/attempts', redeliver],
  [`${REPO}/issues`, openIssue],
  [`${REPO}/issues/:number{[0-9]+}/comments`, comment],
  [`${REPO}/pulls`, openPull],
  [`${PULL}/review`, review],
  [`${PULL}/comments`, lineComment],
  [`${PULL}/replies`, reply],
  [`${PULL}/merge`, merge],
  [`${PULL}/update-branch`, updateBranch],
  [`${PULL}/ready`, setDraft(false)],
  [`${PULL}/draft`, setDraft(true)],
  [`${RUN}/rerequest`, rerunCheck],
  [`${RUN}/action`, pressCheck],
];
