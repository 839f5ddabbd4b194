/** Keeps the users of NATS up to date. Only the process that runs the embedded server can change them. */
import { alone } from '#config/process/advisory-lock.ts'
import type { Connections } from './connect.ts'
import { userAccountsText } from '#config/embedded/nats-accounts.ts'
import type { Stores } from '#config/embedded/stores.ts'
import { streamUsers } from '#http/identity/token/stream-user.ts'
import { isStreamUserName, rightsOf } from '#streams/stream-user.ts'

/** Request subject, answered by the process that runs the server. Only the service's account can use it. */
const subject = 'service.users'
const answerMs = 30_000

/** Held during the change: applying an older list of users would delete the consumer of a new user. */
const lock = 7_402_820

type Tools = Pick<Connections, 'orm' | 'store' | 'log' | 'nats' | 'report'>
/** Undefined for the operator's own server. */
export type SetUsers = Stores['nats']['setUsers']

/** Applies the current users to the server, and creates or deletes their consumers. */
export const applyStreamUsers = (tools: Tools, setUsers: SetUsers): Promise<void> =>
  alone(tools.store, lock, () => apply(tools, setUsers))

async function apply({ orm, log }: Tools, setUsers: SetUsers): Promise<void> {
  const users = await streamUsers(orm.em.fork())
  const consumers = users.flatMap((user) => {
    const { consumer } = rightsOf(user)
    // A builder's consumer starts at the beginning: jobs may have been published before it existed. An executor's
    // starts at the end: earlier intents may have been executed by this process.
    return consumer ? [{ ...consumer, name: user.id, fromBeginning: user.kind === 'builder' }] : []
  })
  await log.keepConsumers(consumers, isStreamUserName)
  await setUsers?.(userAccountsText(users))
}

/** Applies the users now, and again at every request. The answer is empty, or the error text. */
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
 * Asks the process that runs the server to apply the users again. False if there is none, because the server is the
 * operator's own.
 * @throws Error if the server did not accept the users
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
