import { comment, lineComment, merge, openIssue, openPull, pressCheck, redeliver, reply } from './actions.ts';
import { rerunCheck, review, setDraft, updateBranch } from './actions.ts';
import type { Action } from './actions.ts';
import { commitPage, comparePage, runPage } from './commits.ts';
import { conversationPage } from './conversation.ts';
import { deliveriesPage, deliveryPage } from './deliveries.ts';
import { commitFile, editPage, newFilePage } from './edit.ts';
import { blobPage, codePage, rawFile, treePage } from './files.ts';
import { commitsPage, pullCommitsPage } from './history.ts';
import { homePage, ownerPage } from './home.ts';
import type { Html } from './html.ts';
import { issuePage, newIssuePage } from './issues.ts';
import { changesPage, changeText, checksPage } from './pull-changes.ts';
import { issuesPage, pullsPage } from './pull-list.ts';
import { branchesPage, releasePage, releasesPage, tagsPage } from './refs.ts';
import type { RepositoryVisit, Visit } from './visit.ts';

type PageOf<At extends Visit> = (visit: At) => Html | Response | Promise<Html | Response>;
type Table<Handler> = readonly (readonly [path: string, handler: Handler])[];

const PULL = '/pull/:number{[0-9]+}';
const RUN = '/runs/:run{[0-9]+}';
const DELIVERY = '/settings/deliveries/:delivery{[0-9]+}';

export const PAGES: Table<PageOf<Visit>> = [
  ['/', homePage],
  ['/settings/deliveries', deliveriesPage],
  [DELIVERY, deliveryPage],
  ['/:owner', ownerPage],
];

/** Those below `/:owner/:repo`, at the addresses that `html_url` names. */
export const REPOSITORY_PAGES: Table<PageOf<RepositoryVisit>> = [
  ['', codePage],
  ['/tree/:words{.+}', treePage],
  ['/blob/:words{.+}', blobPage],
  ['/raw/:words{.+}', rawFile],
  ['/edit/:words{.+}', editPage],
  ['/new/:words{.+}', newFilePage],
  ['/commits', commitsPage],
  ['/commits/:words{.+}', commitsPage],
  ['/branches', branchesPage],
  ['/tags', tagsPage],
  ['/releases', releasesPage],
  ['/releases/tag/:words{.+}', releasePage],
  ['/pulls', pullsPage],
  [PULL, conversationPage],
  [`${PULL}/files`, changesPage],
  [`${PULL}/checks`, checksPage],
  [`${PULL}/commits`, pullCommitsPage],
  ['/pull/:file{[0-9]+\\.diff}', changeText('diff')],
  ['/pull/:file{[0-9]+\\.patch}', changeText('patch')],
  [RUN, runPage],
  ['/commit/:sha', commitPage],
  ['/compare', comparePage],
  ['/compare/:words{.+}', comparePage],
  ['/issues', issuesPage],
  ['/issues/new', newIssuePage],
  ['/issues/:number{[0-9]+}', issuePage],
];

/** What forms are posted to. */
export const ACTIONS: Table<Action<Visit>> = [[`${DELIVERY}/attempts`, redeliver]];

/** Those below `/:owner/:repo`. */
export const REPOSITORY_ACTIONS: Table<Action> = [
  ['/issues', openIssue],
  ['/edit', commitFile],
  ['/issues/:number{[0-9]+}/comments', comment],
  ['/pulls', openPull],
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
