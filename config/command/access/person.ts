/** What is known of a person, and their end: what people do for themselves, done by an operator who was asked to. */
import { User } from '#http/identity/entity.ts'
import { erasePerson } from '#http/identity/person/erasure.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { personRecord } from '#http/identity/person/person-record.ts'
import { command, storeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { argument, requiredText } from '#config/command/line/flag.ts'
import { operator } from '#config/command/line/operator.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { withInstance, type Instance } from '#config/product/instance.ts'
import { erasureTools } from '#config/tenant/tend-tenants.ts'
import { eraseDue } from '#config/tenant/erase.ts'
import { tokens } from '#config/wiring/tokens.ts'

/** @throws Error for an address of nobody */
async function findUser({ connections }: Instance, email: string): Promise<User> {
  const user = await connections.orm.em.fork().findOne(User, { email: normalizeEmail(email) })
  if (!user) throw new Error(`No user has the address ${email}.`)
  return user
}

const email = argument('EMAIL', 'Email address')

export const personCommands: readonly Command[] = [
  storeCommand({
    name: 'person export',
    summary: 'Export the personal data of a user, without secrets',
    takes: { email },
    run: async (instance, { email }) => {
      const { id } = await findUser(instance, email)
      const data = await personRecord(instance.connections.orm.em.fork(), id)
      return { data, text: JSON.stringify(data, undefined, 2) }
    },
  }),
  command({
    name: 'person erase',
    summary: 'Erase a user: replace their name and address with a pseudonym everywhere',
    takes: { email, confirm: requiredText('EMAIL', 'The same address again; this cannot be undone') },
    run: ({ email, confirm }) => {
      if (confirm !== email) throw new UsageError(`--confirm must repeat the address, got "${confirm}"`)
      return withInstance(async (instance) => {
        const { connections, product } = instance
        const { id: userId } = await findUser(instance, email)
        const identity = product().get(tokens.identity)
        const { pseudonym } = await connections.orm.em
          .fork()
          .transactional((em) => erasePerson(em, identity, { userId, principal: 'operator' }, operator))
        identity.changed({ userId })
        await waitUntilHeard(connections.nats)
        await eraseDue(erasureTools(connections, product()))
        return { data: { userId, pseudonym }, text: `${email} was erased and is now ${pseudonym}.` }
      })
    },
  }),
]
