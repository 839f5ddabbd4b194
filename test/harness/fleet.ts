/** An organization with a connected account and resources in it that its producers tell of: the simulated cloud can start and stop them. */
import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { resourceDiscovered, type ResourceStatus } from '#streams/resource/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

export interface Fleet extends Tenant {
  accountId: string
  /** Tells of resources as they are now. */
  discover(uids: readonly string[], status?: ResourceStatus, fields?: object): Promise<void>
  /** Body of `POST /actions` for one of them. */
  of(uid: string, type: 'start' | 'stop'): Record<string, string>
  /** Starts or stops one and waits for the end; what is shown of it then. */
  act(uid: string, type: 'start' | 'stop'): Promise<any>
  /** What is shown of an action or a bulk action once it has ended. */
  ended(path: string): Promise<any>
  /** Starts, stops and the like the cloud was asked for, in their order. */
  calls(): string[]
  /** Lets the next calls of the simulated cloud fail. */
  fail(faults: object[]): Promise<void>
  /** What was published of resources. */
  readonly events: { type: string; data: any }[]
  end(): Promise<void>
}

let count = 0

export async function fleet(): Promise<Fleet> {
  const org = await tenant()
  const connecting = { name: 'Production', provider: 'aws', externalID: `fleet-${process.pid}-${++count}` }
  const connected = await org.send('POST', '/cloud-accounts', connecting)
  if (connected.status !== 201) throw new Error(`connecting answered ${connected.status}: ${connected.body?.code}`)
  const accountId = connected.body.data.id as string
  const events: Fleet['events'] = []
  const heard = org.connections.nats.subscribe(`event.resource.${org.orgId}.>`, {
    callback: (_error, message) => void events.push(message.json<any>()),
  })
  await org.connections.nats.flush()
  const { calls } = org.product.get(tokens.clouds).simulated
  const of = (uid: string, type: 'start' | 'stop') => ({
    type,
    resourceUID: uid,
    provider: 'aws',
    resourceType: 'aws-ec2',
    cloudAccountID: accountId,
    region: 'us-east-1',
  })
  const ended = async (path: string) => {
    let shown: any
    await until(`the end of ${path}`, async () => {
      shown = (await org.get(path)).body.data
      return ['succeeded', 'failed', 'completed'].includes(shown.status)
    })
    return shown
  }
  return Object.assign(org, {
    accountId,
    events,
    of,
    ended,
    discover: (uids: readonly string[], status: ResourceStatus = 'running', fields: object = {}) =>
      org.publish(
        resourceDiscovered,
        uids.map((resourceUid) => ({
          resourceUid,
          name: `name of ${resourceUid}`,
          type: 'aws-ec2',
          provider: 'aws' as const,
          cloudAccountId: accountId,
          region: 'us-east-1',
          status,
          ...fields,
        })),
      ),
    act: async (uid: string, type: 'start' | 'stop') => {
      const { status, body } = await org.send('POST', '/actions', of(uid, type))
      expect(status, JSON.stringify(body)).to.equal(202)
      return ended(`/actions/${body.data.actionID}`)
    },
    calls: () =>
      calls
        .filter(({ cloudAccountId, call }) => cloudAccountId === accountId && ['start', 'stop'].includes(call))
        .map(({ call, resourceUid }) => `${call} ${resourceUid}`),
    fail: async (faults: object[]) => {
      await org.send('POST', '/internal/sim/faults', {
        faults: faults.map((fault) => ({ cloudAccountId: accountId, times: 1, ...fault })),
      })
    },
    end: async () => {
      heard.unsubscribe()
      await org.send('POST', '/internal/sim/faults', { faults: [] })
    },
  })
}
