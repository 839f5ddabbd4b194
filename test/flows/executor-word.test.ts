/**
 * What an executor of somebody else's hears of an action, and what its words do: at the stream itself, while the product's own call is not
 * answered. With a process and users of NATS: test/flows/executor.test.ts and test/config/stream-user.test.ts.
 */
import { randomUUID } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import { expect } from 'chai'
import { executeAction } from '#actors/action/call/effect.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { subjectToken } from '#engine/actor/subject.ts'
import type { Connector } from '#streams/cloud/connector.ts'
import { havePassed, laneEnds } from '#config/state/wait-for-ingest.ts'
import { works } from '#config/wiring/works.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'

const externalID = `hangs-${randomUUID()}`

describe('an executor of the stream, at the stream', () => {
  let org: Tenant
  let account: string
  let asked: number
  let release: () => void
  let at: { type: string; provider: 'aws'; cloudAccountId: string; region: string }
  let actionID: string
  let intentId: string
  let again: Promise<void> | undefined

  before(async () => {
    org = await tenant()
    const { simulated } = org.product.get(tokens.clouds)
    asked = 0
    const released = new Promise<void>((resolve) => (release = resolve))
    const act: Connector['act'] = async () => {
      asked++
      await released
      return { status: 'succeeded', observedState: 'running' }
    }
    const cloud = new Proxy(simulated as Connector, {
      get: (of, name) => {
        if (name === 'act') return act
        const member = Reflect.get(of, name) as unknown
        return typeof member === 'function' ? member.bind(of) : member
      },
    })
    ownClouds.set(externalID, cloud)
    const connecting = { name: 'Production', provider: 'aws', externalID }
    account = (await org.send('POST', '/cloud-accounts', connecting)).body.data.id
    at = { type: 'aws-ec2', provider: 'aws', cloudAccountId: account, region: 'eu' }
    await org.publish(resourceDiscovered, [{ ...at, resourceUid: 'i-1', name: 'one', status: 'running' }])
    const resource = { resourceUID: 'i-1', provider: 'aws', resourceType: 'aws-ec2', cloudAccountID: account }
    const submitted = await org.send('POST', '/actions', { type: 'stop', region: 'eu', ...resource })
    expect(submitted.status, JSON.stringify(submitted.body)).to.equal(202)
    actionID = submitted.body.data.actionID
    await until('the call of the product', () => asked === 1)
  })
  after(async () => {
    release()
    await again
    ownClouds.delete(externalID)
  })

  const publish = (subject: string, data: object, orgId = org.orgId) => {
    const time = new Date(org.connections.clock.now()).toISOString()
    const envelope = { id: randomUUID(), type: 'exec.result', schemaVersion: 1, orgId, time, data }
    return jetstream(org.connections.nats).publish(subject, JSON.stringify(envelope))
  }
  const word = (intentId: string, status: string, fields: object = {}) => ({
    intentId,
    status,
    occurredAt: new Date(org.connections.clock.now()).toISOString(),
    ...fields,
  })
  const shown = async (id: string) => (await org.get(`/actions/${id}`)).body.data
  const statusOf = async () => (await org.get('/resources/by-uids?uids=i-1')).body.data[0].status
  const letters = async () => (await org.get('/dead-letters')).body.data.items

  it('gets an intent of an action [G-21] [G-101] [ACT-13]', async () => {
    const filter = `exec.intent.${subjectToken(org.orgId)}.>`
    const consumer = await jetstream(org.connections.nats).consumers.get('EXEC', { filter_subjects: [filter] })
    const message = await consumer.next({ expires: 20_000 })
    expect(message!.subject).to.equal(`exec.intent.${org.orgId}.${account}`)
    const { intentId: id, dueAt, source, ...intent } = message!.json<any>().data
    intentId = id
    expect(intent).to.deep.equal({
      kind: 'stop',
      cloudAccountId: account,
      resourceUid: 'i-1',
      params: {},
      revision: 1,
      attempt: 1,
    })
    expect([source.type, dueAt]).to.deep.equal(['manual', (await shown(actionID)).createdAt])
  })

  it('makes all calls where the product is set so: that makes none', async () => {
    const { connections, product } = org
    const { rows } = await connections.store.pool.query<{ input: unknown }>(
      'select input from effect where org_id = $1 and name = $2',
      [org.orgId, executeAction.name],
    )
    const call = { key: 'again', orgId: org.orgId, attempt: 1, signal: new AbortController().signal } as EffectCall
    const carriedOut = (executor: 'embedded' | 'stream'): Promise<void> => {
      const of = { ...connections, settings: { ...connections.settings, executor } }
      const { effects } = works(of, product.get.bind(product))
      return effects.find(({ name }) => name === executeAction.name)!.run(rows[0]!.input, call)
    }
    await carriedOut('stream')
    expect(asked).to.equal(1)
    // Set otherwise it makes the same call.
    again = carriedOut('embedded')
    await until('another call', () => asked === 2)
  })

  it('says what becomes of the action, and nobody else does [G-21] [RES-39]', async () => {
    const other = await tenant()
    await until('it is under way', async () => (await statusOf()) === 'stopping')
    // Those that are no executor's word of it: of another organization, of another account, of no intent, and of a producer.
    const succeeded = word(intentId, 'succeeded', { observedState: 'stopped' })
    await publish(`exec.result.${other.orgId}.${account}`, succeeded, other.orgId)
    await publish(`exec.result.${org.orgId}.elsewhere`, succeeded)
    await publish(`exec.result.${org.orgId}.${account}`, word('no intent at all', 'succeeded'))
    await publish(`ingest.control.${org.orgId}.${account}`, succeeded)
    expect(await havePassed(org.connections, org.orgId, await laneEnds(org.connections), 45_000)).to.equal(true)
    await until('what a producer said is set aside', async () => (await letters()).length === 1)
    expect((await letters()).map(({ type, code }: any) => `${type} ${code}`)).to.deep.equal([
      'exec.result wrong_subject',
    ])
    expect([(await shown(actionID)).status, await statusOf()]).to.deep.equal(['running', 'stopping'])

    await publish(`exec.result.${org.orgId}.${account}`, succeeded)
    await until('the end', async () => (await shown(actionID)).status === 'succeeded')
    await until('it shows', async () => (await statusOf()) === 'stopped')
    // Said again, and otherwise: it is over.
    await publish(
      `exec.result.${org.orgId}.${account}`,
      word(intentId, 'failed', { retryable: true, errorMessage: 'no' }),
    )
    await org.publish(resourceDiscovered, [{ ...at, resourceUid: 'i-2', name: 'two' }])
    expect([(await shown(actionID)).status, await statusOf()]).to.deep.equal(['succeeded', 'stopped'])
    const history = (await org.get('/state-history?resource_uid=i-1')).body.data.items
    expect(history.map(({ id, state }: any) => [id, state])).to.deep.equal([[actionID, 'stopped']])
  })
})
