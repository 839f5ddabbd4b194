/** A session whose far side is a function of the test's. */
import { awsFault } from '#streams/cloud/aws/fault.ts'
import { modules, type Service } from '#streams/cloud/aws/services.ts'
import { AwsSession } from '#streams/cloud/aws/session.ts'
import { atOf } from '#streams/cloud/aws/look.ts'
import type { At } from '#streams/cloud/aws/act/kind.ts'
import { bucketOf, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { Fault } from '#engine/fault.ts'

export const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'Production',
  regions: ['us-east-1'],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'tidemark-1' },
}

export interface Call {
  service: string
  region: string
  operation: string
  // oxlint-disable-next-line typescript/no-explicit-any
  input: any
}

/** `answers` says what an operation is answered with; an Error is thrown as the cloud's. `calls` has all that was asked. */
export function stubSession(answers: (call: Call) => unknown): { session: AwsSession; calls: Call[] } {
  const calls: Call[] = []
  const ask = async (service: Service, region: string, make: (module: never) => unknown): Promise<unknown> => {
    const command = make((await modules[service].load()) as never) as { input: unknown }
    const operation = command.constructor.name.replace(/Command$/, '')
    const call = { service, region, operation, input: command.input }
    calls.push(call)
    const answer = answers(call)
    if (answer instanceof Error) throw awsFault(answer, { service, operation, region })
    return answer ?? {}
  }
  const session = Object.assign(Object.create(AwsSession.prototype) as AwsSession, { account, ask })
  return { session, calls }
}

/** An error of AWS by its word. */
export const refusing = (name: string, httpStatusCode = 400): Error =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } })

/** A resource where the answers are given one after the other, the last again and again, by operation. */
export function answering(
  ref: Pick<ResourceRef, 'resourceUid' | 'type'> & Partial<ResourceRef>,
  answers: Record<string, unknown[]>,
): { at: At; asked: string[] } {
  const asked: string[] = []
  const { session } = stubSession(({ operation }) => {
    asked.push(operation)
    const list = answers[operation] ?? []
    return list.length > 1 ? list.shift() : list[0]
  })
  return { at: atOf(session, { region: 'us-east-1', ...ref }), asked }
}

/** Bucket and code of what a call throws. */
export const fails = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing',
    (error: unknown) => `${bucketOf(error)} ${error instanceof Fault ? error.code : String(error)}`,
  )
