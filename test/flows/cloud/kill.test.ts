// tier: deep
/** Engines that are killed while what is at Google Cloud and Azure is stopped and started: calls are as many as intents. */
import { expect } from 'chai'
import { credentialsSealed } from '#actors/account/connection/credentials.ts'
import { sealing, sealKey } from '#config/secrets/seal.ts'
import { systemClock } from '#engine/clock.ts'
import { accountConnected } from '#streams/account/messages.ts'
import { actionWanted } from '#streams/action/messages.ts'
import type { Provider } from '#streams/names.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { deadLetters, until } from '#test/harness/action-load.ts'
import { chaosWorld, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { answerServer, account as subscribed, subscription } from '#test/streams/cloud/azure/answer-server.ts'
import { account as projected, farGoogle } from '#test/streams/cloud/gcp/far-google.ts'
import { Project } from '#test/streams/cloud/gcp/project.ts'
import { Subscription, uidOf, verbs, type AzureType } from './azure.ts'
import { answering, project, starts, stops, uids } from './google.ts'
import { amount } from '#test/harness/tier.ts'

const orgId = 'killed'
const key = Buffer.alloc(32, 9).toString('base64')
/** Of each resource, a stop and then a start. */
const rounds = 2
const kills = amount(3, 3, 8)
const pauseMs = 2500
interface Thing {
  provider: Provider
  type: string
  uid: string
}
const azureTypes = Object.keys(verbs) as AzureType[]
const things: readonly Thing[] = [
  ...Object.entries(uids).map(([type, uid]) => ({ provider: 'gcp' as const, type, uid })),
  ...azureTypes.map((type) => ({ provider: 'azure' as const, type, uid: uidOf(type) })),
]

describe('what is started and stopped at Google Cloud and Azure while engines are killed', () => {
  const shop = new Project()
  const production = new Subscription()
  const ends: (() => Promise<unknown>)[] = []
  let world: ChaosWorld
  before(async () => {
    const google = await farGoogle(answering(shop))
    const azure = await answerServer(production.answer)
    ends.push(google.close, azure.close)
    world = await chaosWorld(2, {
      CLOUD_DRIVER: 'real',
      GCP_ENDPOINT: google.options.endpoint,
      AZURE_ENDPOINT: azure.url,
      ALLOW_PRIVATE_ADDRESSES: '1',
      CREDENTIALS_KEY: key,
    })
    ends.unshift(() => world.close())
  })
  after(async () => {
    for (const end of ends) await end()
  })

  const publish: ChaosWorld['publisher']['publish'] = (event) => world.publisher.publish(event)
  const counted = async (sql: string, values: unknown[] = []): Promise<number> =>
    Number((await world.pool.query<{ n: string }>(sql, [orgId, ...values])).rows[0]!.n)

  async function connect(): Promise<void> {
    const { seal } = sealing(() => [sealKey(key)], [credentialsSealed])
    for (const [provider, externalId, credentials] of [
      ['gcp', project, projected.credentials],
      ['azure', subscription, subscribed.credentials],
    ] as const) {
      const sealed = seal(credentialsSealed, orgId, credentials)
      const data = { id: provider, name: provider, provider, externalId, regions: [], billingExport: null }
      await publish({ subject: accountConnected, orgId, data: { ...data, credentials: sealed } })
    }
    for (const { provider, type, uid } of things) {
      const at = { provider, cloudAccountId: provider, region: provider === 'gcp' ? 'us-central1' : 'westeurope' }
      const data = { resourceUid: uid, name: uid.split('/').at(-1)!, type, status: 'running' as const, ...at }
      await publish({ subject: resourceDiscovered, orgId, data })
    }
    await until(
      world,
      async () => (await counted('select count(*) as n from resource where org_id = $1')) === things.length,
    )
  }

  async function turnOver({ provider, uid }: Thing, at: number): Promise<void> {
    for (let n = 0; n < 2 * rounds; n++) {
      const actionId = `${at}-${n}`
      const source = { type: 'manual' as const, id: 'u-1' }
      const action = n % 2 === 0 ? ('stop' as const) : ('start' as const)
      const data = { actionId, cloudAccountId: provider, resourceUid: uid, action, reason: null, source }
      await publish({ subject: actionWanted, orgId, id: actionId, data })
      const ended = 'select count(*) as n from action where org_id = $1 and id = $2 and ended_at is not null'
      await until(world, async () => (await counted(ended, [actionId])) === 1)
    }
  }

  async function killUntil(isOver: () => boolean): Promise<number> {
    let killed = 0
    while (!isOver() && killed < kills) {
      await systemClock.sleep(pauseMs)
      if (world.engines.kill((killed % 2) * 0.9)) killed++
    }
    return killed
  }

  it('is called once for each intent, ends as wanted, and is one row of the history each', async () => {
    await connect()
    let isOver = false
    const turning = Promise.all(things.map(turnOver)).finally(() => (isOver = true))
    const killed = await killUntil(() => isOver)
    await turning
    await settle(world)
    expect(killed).to.be.greaterThan(2)
    const failed = await world.pool.query(
      `select resource_uid, action, error_message from action where org_id = $1 and status <> 'succeeded'`,
      [orgId],
    )
    expect(failed.rows).to.deep.equal([])
    expect(shop.done.toSorted()).to.deep.equal(
      Array.from({ length: rounds }, () => [...stops, ...starts])
        .flat()
        .toSorted(),
    )
    const effects = azureTypes.map((type) => [type, production.things[type].effects])
    const wanted = azureTypes.map((type) => [type, Array.from({ length: rounds }, () => verbs[type]).flat()])
    expect(effects).to.deep.equal(wanted)
    const history = await world.facts<{ n: number; actions: number }>(
      `SELECT count() AS n, uniqExact(action_id) AS actions FROM state_history FINAL WHERE org_id = '${orgId}'`,
    )
    const actions = things.length * 2 * rounds
    expect(history).to.deep.equal([{ n: actions, actions }])
    expect(await deadLetters(world, orgId)).to.deep.equal([])
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  }).timeout(500_000)
})
