/** An account of AWS in memory: answers by (service, operation), without packages or sockets. */
import { awsFault } from '#streams/cloud/aws/session/fault.ts'
import type { Service } from '#streams/cloud/aws/session/services.ts'
import { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { Caller, type CallRules } from '#streams/cloud/call/call.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'

export interface Question {
  service: Service
  region: string
  operation: string
  // oxlint-disable-next-line typescript/no-explicit-any
  input: any
}

/** What AWS says; throws what AWS would. */
export type Answer = (question: Question) => unknown

/** An error as a client of AWS throws it. */
export const awsError = (name: string, status = 400, message = name): Error =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } })

export const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'Production',
  regions: [],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'tidemark-1' },
}

/** Commands of any service: they hold their name and what they were made with. */
export const commands = new Proxy(
  {},
  {
    get: (_, name: string) =>
      class {
        readonly operation = name.replace(/Command$/, '')
        readonly input: unknown
        constructor(input: unknown) {
          this.input = input
        }
      },
  },
)

export interface Stub {
  open: (account: CloudAccount, signal?: AbortSignal) => AwsSession
  /** All that was asked, repeats included. */
  asked: Question[]
  /** How often the account was asked for something, repeats left out. */
  readonly calls: number
  readonly closed: number
  clock: VirtualClock
}

/** Each call takes 50 ms of virtual time and goes through a real caller. */
export function stubOf(answer: Answer, { rules = {}, random = () => 0.5 }: StubOptions = {}): Stub {
  const clock = new VirtualClock()
  const asked: Question[] = []
  let [calls, closed] = [0, 0]
  const caller = new Caller({
    clock,
    random,
    meter: { made: () => {} },
    rules: { perSecond: 10_000, burst: 10_000, ...rules },
  })
  const open = (of: CloudAccount, signal?: AbortSignal) => {
    const session = new AwsSession(
      of,
      { caller },
      { credentials: async () => ({ accessKeyId: '', secretAccessKey: '' }) },
      signal,
    )
    const ask = async (service: Service, region: string, make: (m: never) => unknown, { repeatable = true } = {}) => {
      const { operation, input } = make(commands as never) as { operation: string; input: unknown }
      const question = { service, region, operation, input }
      calls++
      return caller.call(
        { provider: 'aws', account: of.id, service, region },
        async (late) => {
          asked.push(question)
          await clock.sleep(50, late)
          late.throwIfAborted()
          return answer(question)
        },
        (error) => awsFault(error, question),
        { signal, repeatable },
      )
    }
    session.ask = ask as AwsSession['ask']
    session.close = () => void closed++
    return session
  }
  return {
    open,
    asked,
    clock,
    get calls() {
      return calls
    },
    get closed() {
      return closed
    },
  }
}

interface StubOptions {
  rules?: Partial<CallRules>
  random?: () => number
}
