/** An account of moto's as connectors see it, and a session in it that makes what tests need. */
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { Moto } from '#test/harness/moto.ts'

export const region = 'us-east-1'

export const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'Production',
  regions: [region],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'tidemark-1' },
}

/** Does something in the account as its owner would. */
export async function owning<T>({ options }: Moto, work: (session: AwsSession) => Promise<T>): Promise<T> {
  const session = openAws(account, options)
  try {
    return await work(session)
  } finally {
    session.close()
  }
}

/** Everything an asynchronous source gives. */
export async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}
