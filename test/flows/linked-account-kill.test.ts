// tier: deep
/** Engines and stores that are killed while accounts of a payer's bills are connected, disconnected and connected again, and bills come. */
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { chaosEdge, type ChaosEdge, type EdgeOrg } from '#test/harness/chaos-edge.ts'
import { chaosWorld, lanesRun, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import type { Answer } from '#test/harness/product.ts'
import { random } from '#test/harness/load.ts'
import { Storm } from '#test/harness/storm.ts'
import { amount } from '#test/harness/tier.ts'

const kills = amount(6, 6, 30)
const members = 5
const payers = ['payer-a', 'payer-b']
/** Older than any day the simulated cloud bills for the accounts that are connected. */
const days = ['2023-05-01', '2023-05-02', '2023-05-03']
const range = `from=${days[0]}&to=${days.at(-1)}`
const numberOf = (member: number): string => String(member + 1).padStart(12, '0')
const settings = { CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'), TIDEMARK_TEST_HOOKS: '1' }

const line = (payer: string, day: string, member: number, nth: number): BillingLine => ({
  cloudAccountId: payer,
  provider: 'aws',
  lineId: `${day}-${member}-${nth}`,
  ChargePeriodStart: `${day}T00:00:00Z`,
  ChargePeriodEnd: `${day}T01:00:00Z`,
  ServiceName: 'AmazonEC2',
  BilledCost: String(member + 1),
  ...(member < members && { SubAccountId: numberOf(member), SubAccountName: `Member ${member}` }),
})

describe('accounts that are connected and disconnected under kills', () => {
  const seed = Date.now() % 1_000_000
  let world: ChaosWorld
  let edge: ChaosEdge
  before(async () => {
    world = await chaosWorld(2, settings)
    edge = await chaosEdge(world, settings)
  })
  after(async () => {
    await edge?.end()
    await world?.close()
  })

  /** Asks until a store or a lane that is away has come back. */
  async function sure(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask().catch(() => undefined)
      if (answer && answer.status < 500 && answer.status !== 429) return answer
      await systemClock.sleep(200)
    }
  }

  async function connected(org: EdgeOrg): Promise<Map<string, string>> {
    const { body } = await sure(() => org.get<any>('/cloud-accounts?limit=100'))
    return new Map(body.data.items.map((one: any) => [one.externalID, one.id]))
  }

  it(`count each line once, for its account where that is connected and for the payer where not: ${kills} kills [G-116]`, async function () {
    this.timeout(500_000)
    const org = await edge.org('Linked')
    const next = random(seed)
    const storm = new Storm(world, { seed: seed + 1, kills })
    let isOver = false
    /** Dollars that were published of each member; the last is the payer's own. */
    const published = Array.from({ length: members + 1 }, () => 0)
    const bills = async () => {
      for (let nth = 0; nth === 0 || !isOver; nth++) {
        for (const payer of payers)
          for (const day of days) {
            const lines = Array.from({ length: members + 1 }, (_, member) => line(payer, day, member, nth))
            const events = lines.map((data) => ({ subject: billingLine, orgId: org.orgId, data }))
            await world.publisher.publishTogether(`${payer}-${day}-${nth}`, events as [never, ...never[]])
            for (const member of lines.keys()) published[member]! += member + 1
          }
        await systemClock.sleep(1500)
      }
    }
    const changes = async () => {
      for (let nth = 0; nth < members || !isOver; nth++) {
        const externalID = numberOf(nth < members ? nth : Math.floor(next() * members))
        const id = (await connected(org)).get(externalID)
        const body = { name: `Account ${externalID}`, provider: 'aws', externalID }
        const { status } = await sure(() =>
          id === undefined ? org.send('POST', '/cloud-accounts', body) : org.send('DELETE', `/cloud-accounts/${id}`),
        )
        // What was done before its answer was lost is found done.
        expect(status, externalID).to.be.oneOf(id === undefined ? [201, 409] : [204, 404])
        await systemClock.sleep(300 + next() * 700)
      }
    }
    await Promise.all([storm.run().finally(() => (isOver = true)), bills(), changes()])
    await lanesRun(world)
    await settle(world)

    const said = `seed ${seed}, ${JSON.stringify(storm.counts)}`
    const standing = await connected(org)
    const own = published.slice(0, members).map((usd, member) => ({ usd, id: standing.get(numberOf(member)) }))
    const total = published.reduce((sum, usd) => sum + usd, 0)
    const ofMembers = own.flatMap(({ usd, id }) => (id === undefined ? [] : [[id, usd] as const]))
    const rest = (total - ofMembers.reduce((sum, [, usd]) => sum + usd, 0)) / payers.length
    const by = async (dims: string): Promise<Record<string, number>> => {
      const { body } = await sure(() => org.get<any>(`/reports/costs/breakdown?dims=${dims}&${range}`))
      return Object.fromEntries(body.data.nodes.map((node: any) => [node.id, node.valueUSD]))
    }
    expect(await by('billing_account'), said).to.deep.equal(
      Object.fromEntries(payers.map((payer) => [payer, total / payers.length])),
    )
    expect(await by('cloud_account_id'), said).to.deep.equal({
      ...Object.fromEntries(ofMembers),
      ...Object.fromEntries(payers.map((payer) => [payer, rest])),
    })
    const inOrder = (dollars: readonly number[]) => dollars.toSorted((a, b) => a - b)
    expect(inOrder(Object.values(await by('sub_account'))), said).to.deep.equal(inOrder(published))
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })
})
