import { t } from '#engine/schema.ts'
import { Fault } from '#engine/fault.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { transaction } from '#http/store/keyed.ts'
import { onceMore } from '#http/store/fault.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'
import { addPerson, changePerson, foundPerson, removePerson, saidOf } from '#http/scim/change.ts'
import { alone, type Change } from '#http/scim/group-change.ts'
import { lenient, listed, listOf, listQuery, narrowed, oneQuery, pageOf, scim, urn } from '#http/scim/message.ts'
import { operationsOf } from '#http/scim/patch.ts'
import { people, ScimUserShown, shownPerson, type PersonRow } from '#http/scim/person.ts'
import { patched, wholeOf, type Said } from '#http/scim/said.ts'

type Asking = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client' | 'headers'>

/** Where SCIM is reached. */
export const baseOf = ({ identity }: Pick<Services, 'identity'>): string => `${identity.publicUrl()}/scim/v2`

/** @throws Fault `conflict` `precondition_failed` when it is not what `If-Match` says any more */
export function checkMatch({ headers }: Pick<Asking, 'headers'>, version: string): void {
  const given = [headers['if-match'] ?? []].flat().join(',')
  if (given === '' || given.split(',').some((one) => one.trim() === '*' || one.trim() === version)) return
  throw Fault.conflict('precondition_failed', 'It is not what If-Match says any more: read it again.')
}

/** Runs one change of a directory at a time, and tells the processes of whom it is about. */
export async function changing<T>(
  { caller, client }: Asking,
  { identity }: Services,
  work: (change: Change) => Promise<{ answer: T; users: readonly string[] }>,
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

/** Of an operation that changes one person: what is answered once it is done. */
async function changed(
  asking: Asking,
  services: Services,
  userId: string,
  next: (was: Said) => Said,
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

/** Read by ourselves: directories write its members in ways of their own. */
const GivenUser = t.Object(
  {
    schemas: t.Optional(t.Unknown({ description: 'which schemas the body is of' })),
    userName: t.Unknown({ description: 'text of 1 to 254 characters; an address, unless `emails` has one' }),
    externalId: t.Optional(t.Unknown({ description: 'what the directory calls the person' })),
    name: t.Optional(t.Unknown({ shapes: [Name], description: '`givenName` and `familyName` are kept' })),
    displayName: t.Optional(t.Unknown({ description: 'kept; else the name is made of the two' })),
    emails: t.Optional(
      t.Unknown({ description: 'the primary one, that of type `work`, or the first: at a domain that is proved' }),
    ),
    active: t.Optional(t.Unknown({ description: 'true unless said; `"False"` is false' })),
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
      schemas: t.Optional(t.Unknown({ description: 'which schemas the body is of' })),
      Operations: t.Optional(
        t.Unknown({ description: '`op` (add, replace or remove, in any case), `path` and `value` each' }),
      ),
    },
    { ...lenient, examples },
  )

const match = { 'If-Match': 'the version that is changed, as `meta.version` has it; another one gets 412' }
const etag = { ETag: 'the version, as `meta.version` has it' }
const params = t.Object({ userID: t.String({ maxLength: 64 }) })
const one = { ...scim, path: '/scim/v2/Users/:userID', params } as const

export const scimUsers: readonly Route[] = [
  route({
    ...scim,
    method: 'GET',
    path: '/scim/v2/Users',
    summary: 'The people of the organization, as directories see them',
    description:
      'Members, those who are invited, and those whom the directory has deactivated. Filters know `userName`, `externalId`, `id`, `active`, `emails.value`, `displayName`, `name.givenName`, `name.familyName`, `meta.created` and `meta.lastModified`, by eq, ne, co, sw, ew, pr, gt, ge, lt and le, with and, or and not.',
    query: listQuery,
    reply: listOf(ScimUserShown, 'ScimUserList'),
    handle: async ({ caller, query }, services) => {
      const { startIndex, ...slice } = pageOf(query)
      const found = await asService(() => people(services.identity.em(), caller.orgId, query.filter, slice))
      const shown = found.rows.map((row) => narrowed(shownPerson(row, baseOf(services)), query))
      return listed(shown, found.total, startIndex)
    },
  }),
  route({
    ...scim,
    method: 'POST',
    path: '/scim/v2/Users',
    summary: 'Make a person known, and invite them unless they are not active',
    description:
      'No mail is sent. The address must be at a domain that the organization has proved: else 400 `invalidValue`. A person who is known already, also as a member by invitation, is 409 `uniqueness`.',
    status: 201,
    refuses: { 403: ['sign_up_closed'], 409: ['scim_uniqueness'] },
    headers: { ...etag, Location: 'where the person is' },
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
    summary: 'One person',
    description: 'A member, somebody invited, or one whom the directory has deactivated.',
    headers: etag,
    query: oneQuery,
    reply: ScimUserShown,
    handle: async ({ caller, params: { userID }, query }, services) => {
      const row = await asService(() => foundPerson(services.identity.em(), caller.orgId, userID))
      const shown = shownPerson(row, baseOf(services))
      return reply(narrowed(shown, query), { headers: { ETag: shown.meta.version } })
    },
  }),
  route({
    ...one,
    method: 'PUT',
    summary: 'Replace what the directory says of a person',
    description:
      'What is left out is said no more; `active` left out is true. What `active: false` ends stands at PATCH.',
    refuses: { 409: ['scim_uniqueness', 'invalid_transition'], 412: ['precondition_failed'] },
    takes: match,
    headers: etag,
    body: GivenUser,
    reply: ScimUserShown,
    handle: (request, services) =>
      changed(request, services, request.params.userID, (was) => wholeOf(request.body, was)),
  }),
  route({
    ...one,
    method: 'PATCH',
    summary: 'Change what the directory says of a person; `active: false` ends their membership at once',
    description:
      'With their membership end the sessions that began at the provider of the organization, and their tokens for it; what the person has in other organizations stays. The last owner stays: 409.',
    refuses: { 409: ['scim_uniqueness', 'invalid_transition'], 412: ['precondition_failed'] },
    takes: match,
    headers: etag,
    body: GivenPatch([{ schemas: [urn.patch], Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }]),
    reply: ScimUserShown,
    handle: (request, services) =>
      changed(request, services, request.params.userID, (was) => patched(was, operationsOf(request.body))),
  }),
  route({
    ...one,
    method: 'DELETE',
    summary: 'Remove a person from the organization, and what the directory said of them; the account stays',
    description:
      'Sessions and tokens for the organization end at once; memberships of others stay. The last owner stays: 409.',
    refuses: { 409: ['scim_uniqueness', 'invalid_transition'], 412: ['precondition_failed'] },
    takes: match,
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
