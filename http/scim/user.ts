import { t } from '#engine/value/schema.ts'
import { Fault } from '#engine/value/fault.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { onceMore } from '#http/store/fault.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'
import { addPerson, changePerson, foundPerson, removePerson, saidOf } from '#http/scim/change.ts'
import { alone, type ScimChange } from '#http/scim/group-change.ts'
import {
  lenient,
  toListResponse,
  listOf,
  listQuery,
  selectAttributes,
  oneQuery,
  pageOf,
  scim,
  urn,
} from '#http/scim/message.ts'
import { operationsOf } from '#http/scim/patch.ts'
import { people, ScimUserShown, shownPerson, type PersonRow } from '#http/scim/person.ts'
import { patchPerson, wholeOf, type PersonAttributes } from '#http/scim/person-attributes.ts'

type ScimRequester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client' | 'headers'>

/** Base URL of SCIM. */
export const baseOf = ({ identity }: Pick<Services, 'identity'>): string => `${identity.publicUrl()}/scim/v2`

/** @throws Fault `conflict` `precondition_failed` if the version is not the one in `If-Match` */
export function checkMatch({ headers }: Pick<ScimRequester, 'headers'>, version: string): void {
  const given = [headers['if-match'] ?? []].flat().join(',')
  if (given === '' || given.split(',').some((one) => one.trim() === '*' || one.trim() === version)) return
  throw Fault.conflict('precondition_failed', 'The version does not match If-Match: read it again.')
}

/** Runs a directory's change after all others, and notifies the processes about the affected people. */
export async function changing<T>(
  { caller, client }: ScimRequester,
  { identity }: Services,
  work: (change: ScimChange) => Promise<{ answer: T; users: readonly string[] }>,
): Promise<T> {
  const now = identity.now()
  const run = async () => {
    let users: readonly string[] = []
    const answer = await transaction(identity.em(), async (em) => {
      await alone(em, caller.orgId)
      const done = await work({ em, caller, client, now })
      users = done.users
      return done.answer
    })
    for (const userId of users) identity.changed({ userId })
    return answer
  }
  return asService(() => onceMore(run))
}

/** Runs an operation on one person and returns the response. */
async function changeUser(
  asking: ScimRequester,
  services: Services,
  userId: string,
  next: (was: PersonAttributes) => PersonAttributes,
): Promise<ReturnType<typeof answerOf>> {
  return changing(asking, services, async (change) => {
    const { em, caller } = change
    const row = await foundPerson(em, caller.orgId, userId)
    checkMatch(asking, shownPerson(row, baseOf(services)).meta.version)
    await changePerson(change, row, next(saidOf(row)))
    await em.flush()
    return { answer: answerOf(await foundPerson(em, caller.orgId, userId), services), users: [userId] }
  })
}

function answerOf(row: PersonRow, services: Services) {
  const shown = shownPerson(row, baseOf(services))
  return reply(shown, { headers: { ETag: shown.meta.version } })
}

const Name = t.Object({ givenName: t.Optional(t.String()), familyName: t.Optional(t.String()) }, lenient)

/** Parsed by hand, because directories write members in different ways. */
const GivenUser = t.Object(
  {
    schemas: t.Optional(t.Unknown({ description: 'schemas of the body' })),
    userName: t.Unknown({ description: 'text of 1 to 254 characters; an email address, unless `emails` has one' }),
    externalId: t.Optional(t.Unknown({ description: 'ID of the user in the directory' })),
    name: t.Optional(t.Unknown({ shapes: [Name], description: '`givenName` and `familyName` are stored' })),
    displayName: t.Optional(t.Unknown({ description: 'stored; otherwise the name is built from the two' })),
    emails: t.Optional(
      t.Unknown({ description: 'the primary one, the one of type `work`, or the first one: in a verified domain' }),
    ),
    active: t.Optional(t.Unknown({ description: 'default true; `"False"` is false' })),
  },
  {
    ...lenient,
    examples: [
      {
        schemas: [urn.user],
        userName: 'ana@example.com',
        externalId: '00u1a2b3c4',
        name: { givenName: 'Ana', familyName: 'Silva' },
        emails: [{ value: 'ana@example.com', type: 'work', primary: true }],
        active: true,
      },
    ],
  },
)

export const GivenPatch = (examples: object[]) =>
  t.Object(
    {
      schemas: t.Optional(t.Unknown({ description: 'schemas of the body' })),
      Operations: t.Optional(
        t.Unknown({ description: '`op` (add, replace or remove, case-insensitive), with `path` and `value`' }),
      ),
    },
    { ...lenient, examples },
  )

export const match = { 'If-Match': 'the expected version, as in `meta.version`; a mismatch returns 412' }
export const etag = { ETag: 'the version, as in `meta.version`' }
const params = t.Object({ userID: t.String({ maxLength: 64 }) })
const one = { ...scim, path: '/scim/v2/Users/:userID', params } as const
const changes = {
  ...one,
  refuses: { 409: ['scim_uniqueness', 'invalid_transition'], 412: ['precondition_failed'] },
  takes: match,
} as const

export const scimUsers: readonly Route[] = [
  route({
    ...scim,
    method: 'GET',
    path: '/scim/v2/Users',
    summary: 'List users of the organization as a directory sees them',
    description:
      'Members, invited people, and people whom the directory has deactivated. Supported filters: `userName`, `externalId`, ' +
      '`id`, `active`, `emails.value`, `displayName`, `name.givenName`, `name.familyName`, `meta.created` and ' +
      '`meta.lastModified`, with eq, ne, co, sw, ew, pr, gt, ge, lt and le, combined with and, or and not.',
    query: listQuery,
    reply: listOf(ScimUserShown, 'ScimUserList'),
    handle: async ({ caller, query }, services) => {
      const { startIndex, ...slice } = pageOf(query)
      const found = await asService(() => people(services.identity.em(), caller.orgId, query.filter, slice))
      const shown = found.rows.map((row) => selectAttributes(shownPerson(row, baseOf(services)), query))
      return toListResponse(shown, found.total, startIndex)
    },
  }),
  route({
    ...scim,
    method: 'POST',
    path: '/scim/v2/Users',
    summary: 'Create a user, and invite them if they are active',
    description:
      'No email is sent. The address must be in a domain that the organization has verified: otherwise returns 400 `invalidValue`. If the user already exists, also as an invited member, returns 409 `uniqueness`.',
    status: 201,
    refuses: { 403: ['sign_up_closed'], 409: ['scim_uniqueness'] },
    headers: { ...etag, Location: 'URL of the new user' },
    body: GivenUser,
    reply: ScimUserShown,
    handle: (request, services) =>
      changing(request, services, async (change) => {
        const { em, caller } = change
        const userId = await addPerson(change, wholeOf(request.body), services.identity.signUp)
        await em.flush()
        const shown = shownPerson(await foundPerson(em, caller.orgId, userId), baseOf(services))
        const headers = { ETag: shown.meta.version, Location: shown.meta.location }
        return { answer: reply(shown, { headers }), users: [userId] }
      }),
  }),
  route({
    ...one,
    method: 'GET',
    summary: 'Get a user',
    description: 'A member, an invited person, or one whom the directory has deactivated.',
    headers: etag,
    query: oneQuery,
    reply: ScimUserShown,
    handle: async ({ caller, params: { userID }, query }, services) => {
      const row = await asService(() => foundPerson(services.identity.em(), caller.orgId, userID))
      const shown = shownPerson(row, baseOf(services))
      return reply(selectAttributes(shown, query), { headers: { ETag: shown.meta.version } })
    },
  }),
  route({
    ...changes,
    method: 'PUT',
    summary: "Replace the directory's data of a user",
    description:
      'Omitted attributes are removed; if `active` is omitted, it is true. For the effect of `active: false` see PATCH.',
    headers: etag,
    body: GivenUser,
    reply: ScimUserShown,
    handle: (request, services) =>
      changeUser(request, services, request.params.userID, (was) => wholeOf(request.body, was)),
  }),
  route({
    ...changes,
    method: 'PATCH',
    summary: "Update the directory's data of a user; `active: false` ends their membership immediately",
    description:
      "Ending the membership also ends the sessions that started at the organization's identity provider, and their tokens for the organization; what the user has in other organizations is kept. The last owner cannot be removed: returns 409.",
    headers: etag,
    body: GivenPatch([{ schemas: [urn.patch], Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }]),
    reply: ScimUserShown,
    handle: (request, services) =>
      changeUser(request, services, request.params.userID, (was) => patchPerson(was, operationsOf(request.body))),
  }),
  route({
    ...changes,
    method: 'DELETE',
    summary: "Remove a user from the organization with the directory's data; the account is kept",
    description:
      'Ends their sessions and tokens for the organization immediately; memberships in other organizations are kept. The last owner cannot be removed: returns 409.',
    status: 204,
    handle: (request, services) =>
      changing(request, services, async (change) => {
        const row = await foundPerson(change.em, change.caller.orgId, request.params.userID)
        checkMatch(request, shownPerson(row, baseOf(services)).meta.version)
        await removePerson(change, row)
        return { answer: undefined, users: [row.user_id] }
      }),
  }),
]
