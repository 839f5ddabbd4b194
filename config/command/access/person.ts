/** What is known of a person, and their end: what people do for themselves, done by an operator who was asked to. */
import { User } from '#http/identity/entity.ts'
import { erasePerson } from '#http/identity/person/erasure.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { personRecord } from '#http/identity/person/person-record.ts'
import { requireValue, UsageError, type Command } from '#config/command/line/command.ts'
import { operator } from '#config/command/line/operator.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { withInstance, type Instance } from '#config/product/instance.ts'
import { erasureTools } from '#config/tenant/tend-tenants.ts'
import { eraseDue } from '#config/tenant/erase.ts'
import { tokens } from '#config/wiring/tokens.ts'

const exportUsage = 'tidemark person export EMAIL'
const eraseUsage = 'tidemark person erase EMAIL --confirm EMAIL'

/** @throws Error for an address of nobody */
async function findUser({ connections }: Instance, email: string): Promise<User> {
  const user = await connections.orm.em.fork().findOne(User, { email: normalizeEmail(email) })
  if (!user) throw new Error(`No user has the address ${email}.`)
  return user
}

const personExport: Command = {
  name: 'person export',
  summary: 'Export the personal data of a user, without secrets',
  usage: exportUsage,
  positionals: 1,
  options: {},
  about: { EMAIL: 'Email address' },
  run: async ({ positionals }) => {
    const email = requireValue({ usage: exportUsage }, positionals[0], 'EMAIL')
    return withInstance(async (instance) => {
      const { id } = await findUser(instance, email)
      const data = await personRecord(instance.connections.orm.em.fork(), id)
      return { data, text: JSON.stringify(data, undefined, 2) }
    })
  },
}

const personErase: Command = {
  name: 'person erase',
  summary: 'Erase a user: replace their name and address with a pseudonym everywhere',
  usage: eraseUsage,
  positionals: 1,
  options: { confirm: { type: 'string' } },
  about: { EMAIL: 'Email address', '--confirm EMAIL': 'The same address again; this cannot be undone' },
  run: async ({ positionals, values }) => {
    const email = requireValue({ usage: eraseUsage }, positionals[0], 'EMAIL')
    if (requireValue({ usage: eraseUsage }, values['confirm'], '--confirm') !== email)
      throw new UsageError(`--confirm must repeat the address, got "${String(values['confirm'])}"`)
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
}

export const personCommands: readonly Command[] = [personExport, personErase]
