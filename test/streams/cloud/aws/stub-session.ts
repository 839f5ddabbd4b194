/** One session whose far side is a function of the test's, and what is looked at and done through it. Nothing is asked again. */
import { Fault } from '#engine/value/fault.ts'
import type { At } from '#streams/cloud/aws/act/kind.ts'
import { atOf } from '#streams/cloud/aws/act/kind.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { bucketOf, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { account as everywhere, awsError, stubOf, type Question } from '#test/streams/cloud/aws/stub.ts'

export const account: CloudAccount = { ...everywhere, regions: ['us-east-1'] }

/** An Error that is answered is thrown as the cloud's. `calls` has all that was asked. */
export function stubSession(answers: (call: Question) => unknown): { session: AwsSession; calls: Question[] } {
  const answer = (question: Question): unknown => {
    const said = answers(question)
    if (said instanceof Error) throw said
    return said ?? {}
  }
  const stub = stubOf(answer, { rules: { tries: 1 } })
  return { session: stub.open(account), calls: stub.asked }
}

/** An error as a client of AWS throws it. */
export const refusing = awsError

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
