/**
 * Access rights on NATS, as text of its configuration. Each user has a separate account, and sees of the service's
 * account only what it imports. Permissions within one account would not suffice: the server itself publishes
 * acknowledgements to any reply subject that a publisher names, for example one that purges a stream.
 */
import { randomBytes } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { rightsOf, type StreamUser } from '#streams/stream-user.ts'

/** The account of the service, the only one with streams. */
export const serviceAccount = 'TIDEMARK'
export const serviceUser = 'tidemark'
/** The JetStream domain under which other accounts reach their consumer. */
export const streamDomain = 'tidemark'

/**
 * Configuration of the service's account: its streams, and what other accounts may import. `password` is in the
 * configuration's syntax: quoted, or a variable.
 */
export const serviceAccountText = (lanes: number, password: string): string => `  ${serviceAccount} {
    jetstream: enabled
    users = [{ user: ${serviceUser}, password: ${password} }]
    # Producers know nothing of lanes.
    mappings {
      "ingest.*.*.*": "lane.{{partition(${lanes},2,3)}}.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}"
      "exec.result.*.*": "lane.{{partition(${lanes},1,2)}}.exec.{{wildcard(1)}}.{{wildcard(2)}}"
    }
    exports = [
      { service: "ingest.*.*.*" }
      { service: "exec.result.*.*" }
      { stream: "event.>" }
      { stream: "dead.>" }
      { stream: "exec.intent.>" }
      { stream: "build.job.>" }
      { service: "$JS.API.CONSUMER.MSG.NEXT.*.*", response: stream }
      { service: "$JS.API.CONSUMER.INFO.*.*" }
      { service: "$JS.ACK.>" }
    ]
  }
`

/** Configuration of all users' accounts, included after the service's account. */
export const userAccountsText = (users: readonly StreamUser[]): string => users.map(accountText).join('')

function accountText(user: StreamUser): string {
  const { id, hash } = user
  const { publish, listen, consumer } = rightsOf(user)
  const services = publish.map((subject) => ({ subject, to: subject }))
  if (consumer) services.push(...listConsumerSubjects(consumer.stream, id))
  const allowed = services.map(({ to }) => to)
  const account = JSON.stringify(serviceAccount)
  const imports = [
    ...services.map(
      ({ subject, to }) =>
        `      { service: { account: ${account}, subject: ${JSON.stringify(subject)} }, to: ${JSON.stringify(to)} }`,
    ),
    ...listen.map((subject) => `      { stream: { account: ${account}, subject: ${JSON.stringify(subject)} } }`),
  ]
  const permissions = `{ publish: ${listText(allowed)}, subscribe: ${listText(['_INBOX.>', `_INBOX_${id}.>`, ...listen])} }`
  return `  ${JSON.stringify(id)} {
    users = [{ user: ${JSON.stringify(id)}, password: ${JSON.stringify(hash)}, permissions: ${permissions} }]
    imports = [
${imports.join('\n')}
    ]
  }
`
}

/** Subjects for fetching from a consumer, reading its state, and acknowledging. */
function listConsumerSubjects(stream: string, name: string): { subject: string; to: string }[] {
  const api = ['MSG.NEXT', 'INFO'].map((what) => `CONSUMER.${what}.${stream}.${name}`)
  // From version 2.14 on, acknowledgements contain domain and account.
  const acks = [`$JS.ACK.${stream}.${name}.>`, `$JS.ACK.*.*.${stream}.${name}.>`]
  return [
    ...api.map((rest) => ({ subject: `$JS.API.${rest}`, to: `$JS.${streamDomain}.API.${rest}` })),
    ...acks.map((subject) => ({ subject, to: subject })),
  ]
}

const listText = (subjects: readonly string[]): string => `[${subjects.map((s) => JSON.stringify(s)).join(', ')}]`

/** A random password and its hash for the server. Because the password is random, the hash need not be slow. */
export function newPassword(): { password: string; hash: string } {
  const password = randomBytes(24).toString('base64url')
  return { password, hash: bcrypt.hashSync(password, 4) }
}

/** Adds user and password to server addresses, in the form that all clients accept. */
export const addressWith = (servers: string, user: string, password: string): string =>
  servers.replaceAll('://', `://${user}:${password}@`)
