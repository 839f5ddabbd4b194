/**
 * All that runs at once in one world, and one storm over it: bills, samples, discoveries, actions, schedules, workflows, provisioning,
 * pushes, notifications and mailed views. Each has a deep test of its own, which kills where it hurts that load most (`*-kill.test.ts`).
 */
import { expect } from 'chai'
import { startAndStop, wrongs } from '#test/harness/action-load.ts'
import { catalogWrongs, provisionAll } from '#test/harness/catalog-load.ts'
import { chaosWorld, publishItems, settle, skipWaits, type ChaosWorld } from '#test/harness/chaos.ts'
import { chat, type Chat } from '#test/harness/chat.ts'
import { chaosEdge, type ChaosEdge } from '#test/harness/chaos-edge.ts'
import { makeLoad } from '#test/harness/load.ts'
import {
  fallDue,
  mailed,
  mailingStands,
  mailingWanted,
  mailServer,
  plantMailing,
  type MailServer,
} from '#test/harness/mailing-load.ts'
import { Oracle } from '#test/harness/oracle.ts'
import { deployments, ordersSettled, push, pushed, pushSettings, wantedOf } from '#test/harness/push-load.ts'
import { differences, standing } from '#test/harness/standing.ts'
import { Storm } from '#test/harness/storm.ts'
import { tell, tellingSettings, tellingWrongs, toldAll } from '#test/harness/telling-load.ts'
import { isDeep } from '#test/harness/tier.ts'
import { workflows } from '#test/harness/workflow-load.ts'
import { workflowWrongs } from '#test/harness/workflow-wrongs.ts'

/**
 * What is done to processes, each once. At `point` an engine is killed, and so is the next one, within a commit. What kills its process
 * again and again, such as a deadly message, takes an engine's start each time: test/engine/lane/lane.test.ts, and in deep chaos.test.ts. Connections
 * that are cut and an engine that loses its lease in a pause: here in deep alone.
 */
const strikes = [
  'point',
  'clickhouse',
  'nats',
  'postgres',
  ...(isDeep ? (['connections', 'pause'] as const) : []),
] as const
const kills = 5

type Begun = PromiseWithResolvers<void>

describe('everything at once, under kills', () => {
  const seed = Date.now() % 1_000_000
  const said = (storm: Storm) => `seed ${seed}, ${JSON.stringify(storm.counts)}`
  let world: ChaosWorld
  let edge: ChaosEdge
  let receivers: Chat
  let mails: MailServer
  let storm: Storm
  const ends: (() => unknown)[] = []
  before(async () => {
    mails = await mailServer()
    receivers = await chat()
    ends.push(
      () => mails.close(),
      () => receivers.end(),
    )
    const settings = {
      ...tellingSettings,
      ...pushSettings,
      TIDEMARK_TEST_HOOKS: '1',
      CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
      SMTP_URL: mails.url,
    }
    world = await chaosWorld(2, settings)
    ends.unshift(() => world.close())
    edge = await chaosEdge(world, settings)
    ends.unshift(() => edge.end())
    storm = new Storm(world, { seed: seed + 1, kills, each: strikes })
  })
  after(async () => {
    for (const end of ends) await end()
  })

  /** What each load has asked for, with the look at what must have come of it. */
  const looks: Record<string, () => Promise<void>> = {}
  it(`goes on to its end through ${kills} kills of two engines, ClickHouse, NATS and PostgreSQL`, async function () {
    this.timeout(400_000)
    const over = new AbortController()
    const until = over.signal
    const org = await edge.org('Killed')
    const { orgId } = org
    const telling = await tell(org, receivers)
    const deploymentIds = await deployments(world, orgId)
    const mailing = await plantMailing(world, 4, 2)

    const oracle = new Oracle()
    const items = makeLoad({ seed, events: Infinity, orgs: 3, accounts: 2, until })
    const [acts, works, makes] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Begun, Begun, Begun]
    const acting = startAndStop(world, { orgId, resources: 6, schedules: 0, until, begun: acts.resolve })
    const working = workflows(world, { orgId: `working-${seed}`, seed, together: 4, until, begun: works.resolve })
    const making = provisionAll(world, { orgId: `making-${seed}`, together: 3, until, begun: makes.resolve })
    const dueAt = await fallDue(world, mailing, 0)
    await Promise.race([Promise.all([acts, works, makes].map(({ promise }) => promise)), acting, working, making])
    const pushing = push({ url: edge.url, orgId, until, atLeast: 10, pauseMs: 1000 })
    const loading = publishItems(world, items, oracle, { pauseMs: 400, waitingMax: 40, until })
    const loads = Promise.all([acting, working, making, pushing, loading])
    // A load that fails ends the wait for the storm.
    await Promise.race([storm.run().finally(() => over.abort()), loads])
    await Promise.all([loads, skipWaits(world, loads)])
    await settle(world)
    await mailed(world, mailing, dueAt)
    await ordersSettled(world)
    await toldAll(world, org)
    await settle(world)

    const [asked, flows, jobs, pushes] = [await acting, await working, await making, await pushing]
    looks['bills'] = async () => {
      expect(differences(await standing(world, seed), oracle.all()), said(storm)).to.deep.equal([])
    }
    looks['actions'] = async () => {
      expect(asked.length).to.be.above(0)
      expect(await wrongs(world, orgId, asked, world.cloud), said(storm)).to.deep.equal([])
    }
    looks['workflows'] = async () => {
      const { wrongs: wrong, counts } = await workflowWrongs(world, `working-${seed}`, flows, world.cloud)
      expect(wrong, `${said(storm)}, ${JSON.stringify(counts)}`).to.deep.equal([])
      expect(counts['succeeded'], said(storm)).to.be.above(0)
    }
    looks['provisioning'] = async () => {
      const { wrongs: wrong, ended } = await catalogWrongs(world, `making-${seed}`, jobs)
      expect(wrong, said(storm)).to.deep.equal([])
      expect(ended, said(storm)).to.be.above(0)
    }
    looks['pushes'] = async () => {
      expect(await pushed(world, orgId, pushes), said(storm)).to.deep.equal(wantedOf(pushes, deploymentIds))
    }
    looks['mails'] = async () => {
      expect(await mailingStands(world, mails)).to.deep.equal(mailingWanted(mailing, 1))
    }
    looks['notifications'] = async () => {
      expect(await tellingWrongs(org, telling, asked), said(storm)).to.deep.equal([])
      const posts = Map.groupBy(telling.posted, ({ delivery }) => delivery)
      const most = Math.max(...[...posts.values()].map((list) => list.length))
      expect(most - 1, 'repeats of one message').to.be.at.most(storm.blows)
    }
  })

  const look = (name: string) => looks[name]!()
  it('every store equals the oracle: nothing is lost or doubled, and the order stands [STREAM-06]', () => look('bills'))
  it('each action is one call, one row of the history and one end [ACT-13]', () => look('actions'))
  it('each workflow makes its changes once, in order and as approved', () => look('workflows'))
  it('each thing is provisioned once, and nothing deleted is left [PROV-06] [PROV-26]', () => look('provisioning'))
  it('each push makes one revision and one order a deployment', () => look('pushes'))
  it('each due view is one mail to each recipient', () => look('mails'))
  it('each start and stop is posted to each channel, and is one row of the log', () => look('notifications'))
  it('no process ends by itself', () => void expect(world.engines.unaskedEnds).to.deep.equal([]))
})
