/** What is known of a person, for that person; and their end. */
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { Email } from '#http/edge/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { User } from '#http/identity/entity.ts'
import { erasePerson } from '#http/identity/erasure.ts'
import { normalized } from '#http/identity/login.ts'
import { personRecord } from '#http/identity/person-record.ts'
import { ownSession, provePassword } from '#http/identity/second-factor.ts'
import { transaction } from '#http/store/keyed.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const fixed = { permission: 'session', orgOptional: true, tags: ['Authentication'] } as const
const alone = 'Not for sessions through an identity provider of an organization.'

const PersonRecord = t.Object(
  {
    person: t.Record(t.String(), t.Unknown(), { description: 'the account' }),
    records: t.Record(t.String(), t.Array(t.Record(t.String(), t.Unknown())), {
      description:
        'by kind, all that bears its id: memberships, sessions, tokens, settings, security events; no secrets',
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
    ...fixed,
    method: 'GET',
    path: '/auth/me/export',
    summary: 'What is known of you, as JSON',
    description: `The account and everything that bears its id, over all organizations, without secrets; the newest 10,000 of a kind. ${alone}`,
    secret: true,
    reply: PersonRecord,
    handle: ({ caller }, { identity }) =>
      asService(async () => {
        await ownSession(identity, caller)
        return personRecord(identity.em(), caller.userId)
      }),
  }),
  route({
    ...fixed,
    method: 'DELETE',
    path: '/auth/me',
    summary: 'Erase yourself',
    secret: true,
    description: `All sessions, tokens and memberships end at once, and a pseudonym stands in the place of your name and address: at once in the account, within an hour wherever the address was written down. What you made for organizations stays theirs. It cannot be taken back. The last owner of an organization hands it over, or deletes it, first. The address is the confirmation. ${alone}`,
    status: 202,
    body: t.Object(
      {
        email: Email,
        password: t.Optional(t.String({ maxLength: 128, description: 'needed where the account has one' })),
      },
      { examples: [{ email: 'ana@example.com', password: 'correct horse battery' }] },
    ),
    reply: t.Object({ pseudonym: t.String({ description: 'what you are called from now on' }) }),
    example: { pseudonym: 'erased-5f2b8c9d0e1a' },
    refuses: { 403: ['invalid_password'], 409: ['invalid_transition'] },
    handle: async ({ caller, body, client }, { identity }) => {
      const made = await asService(async () => {
        await ownSession(identity, caller)
        const user = await identity.em().findOne(User, { id: caller.userId })
        if (!user) throw Fault.missing('person', caller.userId)
        if (normalized(body.email) !== user.email)
          throw badInput({
            in: 'body',
            name: '/email',
            code: 'mismatch',
            message: 'is not the address of your account',
          })
        await provePassword(identity, user, body.password, client)
        return transaction(identity.em(), async (em) => reply(await erasePerson(em, identity, caller, client), {}))
      })
      identity.changed({ userId: caller.userId })
      return made
    },
  }),
]
