// The routes of /v1 about appeals, as rows of the table in routes.ts.
import { Type, type TSchema } from '@sinclair/typebox';
import { admitAppeal, countAppeal, countNewLink } from './middleware/authenticate-appeal.js';
import {
  AppealLink,
  AppealLinkJson,
  AppealLinkList,
  AppealList,
  AppealSchema,
  AppealUpload,
  ListedAppealLink,
} from './openapi/appeal-schemas.js';
import { APPEAL } from './openapi/operation.js';
import type { ApiRoute, Description, Route } from './route.js';
import {
  deleteAppeal,
  deleteAppealLink,
  getAppealImage,
  getAppealLinks,
  getAppeals,
  postAppeal,
  postAppealLink,
} from './routes/appeals.js';

/** Returns the route, after comparing the types of its schema and its handler. */
export const route = <Input extends TSchema>(row: Route<Input> & Description): ApiRoute => row;

export const APPEAL_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'post',
    path: '/v1/checks/:id/appeals',
    operation: ['checks', 'appeal'],
    summary: 'Appeal against a verdict with an original',
    description:
      'Checks the original and compares it with the checked image, of which the file or a hash must be stored. ' +
      'The signed record names the first check. Requires an API key or the token of an appeal link for this check. ' +
      'Limits: three appeals per check with API keys, and three through each link; five at once per account or link, ' +
      'then one every ten seconds. Not charged.',
    scopes: ['check', 'appeal-link'],
    before: [countAppeal, admitAppeal],
    isIdempotent: true,
    upload: { form: AppealUpload },
    response: AppealSchema,
    status: 201,
    errors: APPEAL,
    handle: postAppeal,
  }),
  route({
    method: 'get',
    path: '/v1/checks/:id/appeals',
    operation: ['checks', 'listAppeals'],
    summary: 'Get the verdict, the appeals against it and their decisions',
    scopes: ['check', 'appeal-link'],
    response: AppealList,
    errors: ['not_found'],
    handle: getAppeals,
  }),
  route({
    method: 'get',
    path: '/v1/checks/:id/appeals/image',
    operation: ['checks', 'getAppealImage'],
    summary: 'Get a reduced copy of the checked image, if it is stored',
    scopes: ['check', 'appeal-link'],
    before: [admitAppeal],
    response: Type.String({ contentMediaType: 'image/jpeg' }),
    mediaType: 'image/jpeg',
    errors: ['not_found', 'deadline_exceeded'],
    handle: getAppealImage,
  }),
  route({
    method: 'delete',
    path: '/v1/checks/:id/appeals/:appeal',
    operation: ['checks', 'withdrawAppeal'],
    summary: 'Withdraw an appeal before its decision',
    description:
      'Only the sender can withdraw it: the link through which it was made, or an API key of the account. ' +
      'The attempt stays used, because the original was compared.',
    scopes: ['check', 'appeal-link'],
    response: AppealSchema,
    errors: ['invalid_request', 'not_found'],
    handle: deleteAppeal,
  }),
  route({
    method: 'post',
    path: '/v1/checks/:id/appeal-links',
    operation: ['checks', 'createAppealLink'],
    summary: 'Create a link for a person who appeals without an API key',
    description:
      'Send the link to the person: its page shows this verdict, accepts originals and shows the decisions. ' +
      'Each link shows only what was sent through it. Limits: 20 links at once per account, then one every five seconds.',
    scopes: ['check'],
    before: [countNewLink],
    json: AppealLinkJson,
    response: AppealLink,
    status: 201,
    errors: ['invalid_request', 'not_found', 'unsupported_media_type', 'too_many_appeals'],
    handle: postAppealLink,
  }),
  route({
    method: 'get',
    path: '/v1/checks/:id/appeal-links',
    operation: ['checks', 'listAppealLinks'],
    summary: 'List the links of a check, without their tokens',
    scopes: ['check'],
    response: AppealLinkList,
    errors: ['not_found'],
    handle: getAppealLinks,
  }),
  route({
    method: 'delete',
    path: '/v1/checks/:id/appeal-links/:link',
    operation: ['checks', 'revokeAppealLink'],
    summary: 'Revoke a link, which then shows and accepts nothing',
    scopes: ['check'],
    response: ListedAppealLink,
    errors: ['not_found'],
    handle: deleteAppealLink,
  }),
];
