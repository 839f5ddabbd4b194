/** The data of a person, for that person; and their erasure. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { Email } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { User } from '#http/identity/entity.ts'
import { erasePerson } from '#http/identity/person/erasure.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { personRecord } from '#http/identity/person/person-record.ts'
import { ownSession, provePassword } from '#http/identity/second-factor/second-factor.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const routeBase = { permission: 'session', orgOptional: true, tags: ['Authentication'] } as const
const alone = "Not available in sessions through an organization's identity provider."

const PersonRecord = t.Object(
  {
    person: t.Record(t.String(), t.Unknown(), { description: 'the account' }),
    records: t.Record(t.String(), t.Array(t.Record(t.String(), t.Unknown())), {
      description:
        'by kind, all records with its ID: memberships, sessions, tokens, settings, security events; no secrets',
    }),
  },
  {
    title: 'PersonRecord',
    examples: [
      {
        person: { id: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02', email: 'ana@example.com', name: 'Ana' },
        records: { member: [{ org_id: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01', role_id: 'owner', status: 'active' }] },
      },
    ],
  },
)

export const ownData: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/auth/me/export',
    summary: 'Export your personal data as JSON',
    description: `The account and all records with its ID, across all organizations, without secrets; the newest 10,000 of each kind. ${alone}`,
    secret: true,
    reply: PersonRecord,
    handle: ({ caller }, { identity }) =>
      asService(async () => {
        await ownSession(identity, caller)
        return personRecord(identity.em(), caller.userId)
      }),
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    path: '/auth/me',
    summary: 'Erase your personal data',
    secret: true,
    description: `Ends all sessions, tokens and memberships immediately and replaces your name and email address with a pseudonym: in the account immediately, everywhere else within an hour. What you created for organizations remains theirs. This cannot be undone. The last owner of an organization must first transfer or delete it. Confirm with your email address. ${alone}`,
    status: 202,
    body: t.Object(
      {
        email: Email,
        password: t.Optional(t.String({ maxLength: 128, description: 'required if the account has one' })),
      },
      { examples: [{ email: 'ana@example.com', password: 'correct horse battery' }] },
    ),
    reply: t.Object({ pseudonym: t.String({ description: 'your new name' }) }),
    example: { pseudonym: 'erased-5f2b8c9d0e1a' },
    refuses: { 403: ['invalid_password'], 409: ['invalid_transition'] },
    handle: async ({ caller, body, client }, { identity }) => {
      const made = await asService(async () => {
        await ownSession(identity, caller)
        const user = await identity.em().findOne(User, { id: caller.userId })
        if (!user) throw Fault.missing('person', caller.userId)
        if (normalizeEmail(body.email) !== user.email)
          throw badInput({
            in: 'body',
            name: '/email',
            code: 'mismatch',
            message: 'must be the email address of your account',
          })
        await provePassword(identity, user, body.password, client)
        return transaction(identity.em(), async (em) => reply(await erasePerson(em, identity, caller, client), {}))
      })
      identity.changed({ userId: caller.userId })
      return made
    },
  }),
]
