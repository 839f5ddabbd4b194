/** Keeps NATS told of its users: of the embedded server this process is the only one that can. */
import { alone } from '#config/process/advisory-lock.ts'
import type { Connections } from './connect.ts'
import { userAccountsText } from '#config/embedded/nats-accounts.ts'
import type { Stores } from '#config/embedded/stores.ts'
import { streamUsers } from '#http/identity/token/stream-user.ts'
import { isStreamUserName, rightsOf } from '#streams/stream-user.ts'

/** Asked of the process that runs the server, by whoever has changed its users. Nobody but the service can ask. */
const subject = 'service.users'
const answerMs = 30_000

/** Held while they are applied: what an older reading wants would take the consumer of a user that has just been made. */
const lock = 7_402_820

type Tools = Pick<Connections, 'orm' | 'store' | 'log' | 'nats' | 'report'>
/** Undefined for a server of the operator's own. */
export type SetUsers = Stores['nats']['setUsers']

/** Lets the server know the users there are, and gives each the consumer it has. */
export const applyStreamUsers = (tools: Tools, setUsers: SetUsers): Promise<void> =>
  alone(tools.store, lock, () => apply(tools, setUsers))

async function apply({ orm, log }: Tools, setUsers: SetUsers): Promise<void> {
  const users = await streamUsers(orm.em.fork())
  const consumers = users.flatMap((user) => {
    const { consumer } = rightsOf(user)
    // Calls of before an executor was made may have been made here.
    return consumer ? [{ ...consumer, name: user.id, fromBeginning: user.kind === 'builder' }] : []
  })
  await log.keepConsumers(consumers, isStreamUserName)
  await setUsers?.(userAccountsText(users))
}

/** Applies them now, and again whenever asked. Answers with nothing, or with what went wrong. */
export async function keepStreamUsers(tools: Tools, setUsers: SetUsers): Promise<() => void> {
  await applyStreamUsers(tools, setUsers)
  if (!setUsers) return () => {}
  const asked = tools.nats.subscribe(subject, {
    callback: (error, message) => {
      if (error) return
      applyStreamUsers(tools, setUsers).then(
        () => message.respond(),
        (failure: unknown) => message.respond(String(failure)),
      )
    },
  })
  return () => asked.unsubscribe()
}

/**
 * Asks the process that runs the server to look at its users again. False where none does: the server is the operator's own.
 * @throws Error when the server did not take them
 */
export async function askStreamUsers({ nats }: Tools): Promise<boolean> {
  const answer = await nats.request(subject, '', { timeout: answerMs }).catch((error: unknown) => {
    if (/no responders/i.test(String(error))) return undefined
    throw error
  })
  const failure = answer?.string()
  if (failure) throw new Error(failure)
  return answer !== undefined
}
