/** Resources get their teams by rule, whatever of rules, teams, tags and bills changes. */
import { Shards } from '#engine/store/clickhouse/shards.ts'
import { expect } from 'chai'
import { allocationWork } from '#actors/attribution/allocation/allocate.ts'
import { allocations, billedAllocation, wholeAllocation } from '#analytics/attribution/projections.ts'
import { placeKey } from '#actors/notification/notice/match.ts'
import { noticeNeeds } from '#actors/notification/notice/needs.ts'
import { resourcePage } from '#actors/resource/row.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { run } from '#analytics/store/query.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDeleted } from '#streams/resource/messages.ts'
import { allocation, type Allocation } from '#test/harness/allocation.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const byTag = (more: object = {}, priority = 10) => ({ priority, teamFromTag: { key: 'team', ...more } })
const region = (...values: string[]) => ({ all: [{ attr: 'res.region', op: 'in' as const, values }] })
const today = new Date().toISOString().slice(0, 10)

const line = (resourceUid: string, more: object = {}) => ({
  lineId: `${today}/${resourceUid}`,
  cloudAccountId: 'acct-1',
  resourceUid,
  costUSD: 10,
  usageDate: today,
  provider: 'aws' as const,
  serviceName: 'ec2',
  region: 'us-east-1',
  resourceType: 'aws-bucket',
  exportedAt: `${today}T23:00:00Z`,
  ...more,
})

describe('allocation by rule', () => {
  let org: Tenant
  let of: Allocation
  beforeEach(async () => {
    org = await tenant()
    of = allocation(org)
  })

  const bill = async (...lines: readonly object[]) => {
    await org.publish(billingLine, lines as never)
    await of.calm()
  }
  const accept = (resourceUid: string, source: 'smart' | 'auto', tags: Record<string, string>, version: number) =>
    org.connections.clickhouse.insert({
      table: 'accepted_tag',
      values: [{ org_id: org.orgId, resource_uid: resourceUid, source, tags, x_Version: String(version) }],
      format: 'JSONEachRow',
    })
  const teamIn = async (team: string): Promise<string[]> => {
    const at = { em: org.connections.orm.em.fork(), counting: <T>(_: object, count: () => Promise<T>) => count() }
    const order = { by: 'name', direction: 'asc' } as const
    const { items } = await resourcePage(at, org.orgId, { teams: [team] }, order, { limit: 100, offset: 0 })
    return items.map(({ uid }) => uid)
  }

  it('follows rules that are made, changed, switched off and deleted, and resources that are found and lost', async () => {
    const data = await of.team('Data')
    await of.team('Shop')
    await of.discover({ resourceUid: 'i-1', tags: { Team: 'shop' } }, { resourceUid: 'i-2', region: 'eu-west-1' })
    const first = await of.rule({ priority: 20, selector: region('eu-west-1', 'us-east-1'), team: data })
    if (isDeep) expect(await of.outcome()).to.deep.equal({ 'acct-1/i-1': 'Data Rule 1', 'acct-1/i-2': 'Data Rule 1' })
    const second = await of.rule(byTag())
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-1': 'Shop Rule 2', 'acct-1/i-2': 'Data Rule 1' })
    await of.discover({ resourceUid: 'i-2', tags: { TEAM: ' SHOP ' } }, { resourceUid: 'i-3' })
    await of.touch('i-2', 'i-3', 'i-unknown')
    expect(await of.outcome()).to.deep.equal({
      'acct-1/i-1': 'Shop Rule 2',
      'acct-1/i-2': 'Shop Rule 2',
      'acct-1/i-3': 'Data Rule 1',
    })
    if (isDeep) {
      await of.changeRule(second, byTag({ aliases: { shop: 'Data' } }, 30))
      expect(await of.outcome()).to.deep.equal({
        'acct-1/i-1': 'Data Rule 1',
        'acct-1/i-2': 'Data Rule 1',
        'acct-1/i-3': 'Data Rule 1',
      })
    }
    await of.changeRule(first, { priority: 20, selector: region('eu-west-1'), team: data })
    const team = isDeep ? 'Data' : 'Shop'
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-1': `${team} Rule 2`, 'acct-1/i-2': `${team} Rule 2` })
    await org.publish(resourceDeleted, [{ resourceUid: 'i-1', provider: 'aws', cloudAccountId: 'acct-1' }])
    await of.touch('i-1')
    expect(await of.outcome(), 'its past cost keeps the team').to.have.property('acct-1/i-1', `${team} Rule 2`)
    await of.changeRule(first, { priority: 5, selector: region('us-east-1'), team: data }, false)
    const stays = { 'acct-1/i-1': `${team} Rule 2`, 'acct-1/i-2': `${team} Rule 2` }
    expect(await of.outcome(), 'one that is off').to.deep.equal(stays)
    await of.removeRule(second)
    expect(await of.outcome()).to.deep.equal({})
    if (!isDeep) return
    await of.changeRule(first, { priority: 5, selector: region('us-east-1'), team: data })
    const all = ['i-1', 'i-2', 'i-3'].map((uid) => [`acct-1/${uid}`, 'Data Rule 1'])
    expect(await of.outcome()).to.deep.equal(Object.fromEntries(all))
    await of.removeRule(first)
    expect(await of.outcome()).to.deep.equal({})
    const letters = await org.get('/dead-letters')
    expect(letters.body.data.items).to.deep.equal([])
  })

  deepIt('takes the effective tags: those of the cloud before smart ones, these before automatic ones', async () => {
    for (const name of ['Cloud', 'Smart', 'Auto']) await of.team(name)
    await of.discover(
      { resourceUid: 'i-1', tags: { team: 'cloud' } },
      { resourceUid: 'i-2', tags: { env: 'x' } },
      { resourceUid: 'i-3' },
    )
    for (const uid of ['i-1', 'i-2']) await accept(uid, 'smart', { team: 'smart' }, 1)
    for (const uid of ['i-1', 'i-2', 'i-3']) await accept(uid, 'auto', { team: 'auto' }, 1)
    await of.rule(byTag())
    const whole = { 'acct-1/i-1': 'Cloud Rule 1', 'acct-1/i-2': 'Smart Rule 1', 'acct-1/i-3': 'Auto Rule 1' }
    expect(await of.outcome()).to.deep.equal(whole)
    await accept('i-2', 'smart', {}, 2)
    await of.touch('i-1', 'i-2', 'i-3')
    expect(await of.outcome()).to.deep.equal({ ...whole, 'acct-1/i-2': 'Auto Rule 1' })
  })

  deepIt('makes teams of tags where it may, once each, and keeps two accounts apart that share a uid', async () => {
    await of.discover(
      { resourceUid: 'i-1', tags: { team: 'Search' } },
      { resourceUid: 'i-1', cloudAccountId: 'acct-2', tags: { team: 'data-team' } },
      { resourceUid: 'i-2', tags: { team: ' SEARCH' } },
      { resourceUid: 'i-3', tags: { team: 'x'.repeat(101) } },
    )
    await of.rule(byTag({ aliases: { 'data-team': 'Data' } }))
    expect(await of.outcome()).to.deep.equal({})
    await of.rule(byTag({ aliases: { 'Data-Team': 'Data' }, create: true }, 20))
    // Rule 1 looks first, and finds the teams that Rule 2 has made; of two spellings the first by the alphabet is one's name.
    const outcome = {
      'acct-1/i-1': 'SEARCH Rule 1',
      'acct-1/i-2': 'SEARCH Rule 1',
      'acct-2/i-1': 'Data Rule 1',
    }
    expect(await of.outcome()).to.deep.equal(outcome)
    const teams = (await org.get('/teams')).body.data.items.map((one: any) => [one.name, one.resourceCount])
    expect(teams).to.deep.equal([
      ['Data', 1],
      ['SEARCH', 2],
    ])
  })

  deepIt('counts behind a team that was given by hand, and in what is shown of resources and teams', async () => {
    const [data, shop] = [await of.team('Data'), await of.team('Shop')]
    await of.discover({ resourceUid: 'i-1' }, { resourceUid: 'i-2' }, { resourceUid: 'i-3', region: 'eu-west-1' })
    await of.rule({ priority: 1, selector: region('us-east-1'), team: data })
    const shown = async () => [
      await teamIn(data),
      await teamIn(shop),
      await teamIn('unassigned'),
      ...(await org.get('/teams')).body.data.items.map((one: any) => `${one.name} ${one.resourceCount}`),
    ]
    expect(await shown()).to.deep.equal([['i-1', 'i-2'], [], ['i-3'], 'Data 2', 'Shop 0'])
    await org.send('POST', `/teams/${shop}/resources`, { resourceUIDs: ['i-1', 'i-3'] })
    await of.calm()
    expect(await shown()).to.deep.equal([['i-2'], ['i-1', 'i-3'], [], 'Data 1', 'Shop 2'])
    expect(Object.keys(await of.outcome()), 'what the rule says is kept').to.deep.equal(['acct-1/i-1', 'acct-1/i-2'])
    await org.send('DELETE', `/teams/${shop}/resources`, { resourceUIDs: ['i-1'] })
    expect(await shown()).to.deep.equal([['i-1', 'i-2'], ['i-3'], [], 'Data 2', 'Shop 1'])
  })

  deepIt(
    'is whom events of a resource are told to, where it has no team by hand; several, where accounts share a uid',
    async () => {
      const [data, shop] = [await of.team('Data'), await of.team('Shop')]
      await of.discover({ resourceUid: 'i-1' }, { resourceUid: 'i-1', cloudAccountId: 'acct-2', region: 'eu-west-1' })
      await of.discover({ resourceUid: 'i-2' }, { resourceUid: 'i-2', cloudAccountId: 'acct-2' })
      await of.rule({ priority: 1, selector: region('us-east-1'), team: data })
      await of.rule({ priority: 1, selector: region('eu-west-1'), team: shop })
      const ownersOf = async (uid: string) => {
        const reads = org.product.get(tokens.reads)
        const rows: typeof reads.rows = (sql, params) => reads.rows(sql, params)
        const event = { eventType: 'x', category: 'resource', scope: { type: 'resource', id: uid }, data: {} }
        const waiting = [{ address: { orgId: org.orgId }, data: { event } }]
        const needs = await noticeNeeds(waiting as never, { rows, plain: rows } as never)
        return needs
          .of(org.orgId, event as never)
          .ownersOf(uid)
          .toSorted()
      }
      const teams = (...ids: string[]) => ids.map((id) => placeKey('team', id)).toSorted()
      expect([await ownersOf('i-1'), await ownersOf('i-2')]).to.deep.equal([teams(data, shop), teams(data)])
      await org.send('POST', `/teams/${shop}/resources`, { resourceUIDs: ['i-1', 'i-2'] })
      expect([await ownersOf('i-1'), await ownersOf('i-2')]).to.deep.equal([teams(shop), teams(shop)])
    },
  )

  deepIt('leaves to the next rule what a deleted team had, and finds a team anew by its new name', async () => {
    const [data, shop] = [await of.team('Data'), await of.team('Shop')]
    await of.discover({ resourceUid: 'i-1', tags: { team: 'web' } }, { resourceUid: 'i-2', region: 'eu-west-1' })
    await of.rule({ priority: 1, selector: region('us-east-1', 'eu-west-1'), team: data })
    await of.rule({ priority: 2, selector: region('eu-west-1'), team: shop })
    await of.rule(byTag())
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-1': 'Data Rule 1', 'acct-1/i-2': 'Data Rule 1' })
    expect((await org.send('DELETE', `/teams/${data}`)).status).to.equal(204)
    const own = `select 1 from allocated_resource where org_id = $1 and team_id = $2`
    expect((await org.connections.store.pool.query(own, [org.orgId, data])).rows).to.deep.equal([])
    await of.calm()
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-2': 'Shop Rule 2' })
    await org.send('PATCH', `/teams/${shop}`, { name: 'Web' })
    await of.calm()
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-1': 'Web Rule 3', 'acct-1/i-2': 'Web Rule 2' })
  })

  deepIt(
    'knows resources of bills alone, by what their newest day says and their tags, and those of the inventory by that',
    async () => {
      await of.team('Data')
      const shop = await of.team('Shop')
      await of.rule(byTag())
      await of.rule({
        priority: 20,
        selector: { all: [...region('us-east-1').all, { attr: 'res.type', op: 'equals', values: ['aws-bucket'] }] },
        team: shop,
      })
      await of.discover({ resourceUid: 'known', tags: { team: 'data' } })
      await of.touch('known')
      await bill(line('b-1'), line('b-2', { Tags: { team: 'data' } }), line('b-3', { region: 'eu' }), line('known'))
      const outcome = { 'acct-1/b-1': 'Shop Rule 2', 'acct-1/b-2': 'Data Rule 1', 'acct-1/known': 'Data Rule 1' }
      expect(await of.outcome()).to.deep.equal(outcome)
      // A new resource, and a tag that a later export says otherwise.
      const exportedAt = new Date(Date.now() + 86_400_000).toISOString()
      await bill(line('b-4', { cloudAccountId: 'acct-2' }), line('b-2', { exportedAt, Tags: { team: 'web' } }))
      const later = { ...outcome, 'acct-1/b-2': 'Shop Rule 2', 'acct-2/b-4': 'Shop Rule 2' }
      // Costs that change soon after others are told of some seconds later.
      const sql = `select 1 from allocated_resource where org_id = $1 and resource_uid = 'b-4'`
      const { pool } = org.connections.store
      await until('the later bill', async () => (await pool.query(sql, [org.orgId])).rows.length === 1)
      await of.calm()
      expect(await of.outcome()).to.deep.equal(later)
      await of.discover({ resourceUid: 'b-1', type: 'aws-s3', region: 'eu' })
      await of.touch('b-1')
      const { 'acct-1/b-1': _, ...left } = later
      expect(await of.outcome()).to.deep.equal(left)
    },
  )

  deepIt('is of one organization alone, and one without rules has nothing of it', async () => {
    const other = await tenant()
    const others = allocation(other)
    const data = await of.team('Data')
    const theirs = await others.team('Data')
    for (const one of [of, others]) await one.discover({ resourceUid: 'i-1', tags: { team: 'data' } })
    await of.rule({ priority: 1, team: theirs })
    await of.rule(byTag())
    await others.touch('i-1')
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-1': 'Data Rule 2' })
    expect(await others.outcome()).to.deep.equal({})
    if (!isDeep) return
    await others.rule(byTag())
    expect(await others.outcome()).to.deep.equal({ 'acct-1/i-1': 'Data Rule 1' })
    await org.send('DELETE', `/teams/${data}`)
    await of.calm()
    expect([await of.outcome(), await others.outcome()]).to.deep.equal([{}, { 'acct-1/i-1': 'Data Rule 1' }])
  })

  describe('by a run of its own', () => {
    const tools = (more: object = {}) => {
      const { connections, product } = org
      return {
        reads: product.get(tokens.reads),
        em: () => connections.orm.em.fork(),
        shards: connections.shards,
        now: () => new Date(connections.clock.now()),
        ask: ((q, params) => run(connections.clickhouse, q, params)) as Parameters<typeof allocationWork>[0]['ask'],
        ...more,
      }
    }
    const mark = () => ({ projection: allocations.name, orgId: org.orgId, key: wholeAllocation })
    const work = (more?: object, marks = [mark()]) =>
      allocationWork(tools(more)).run(marks, '1', undefined, async () => true)
    const uids = Array.from({ length: 4100 }, (_, n) => `i-${n}`)
    const inventory = () => {
      const at = '2026-01-15 00:00:00.000'
      const fixed = {
        org_id: org.orgId,
        cloud_account_id: 'acct-1',
        region: 'us-east-1',
        first_seen_at: at,
        observed_at: at,
      }
      const values = uids.map((resource_uid) => ({ ...fixed, resource_uid, tags: { team: 'Search' }, x_Version: '1' }))
      return org.put('resource_state', values)
    }
    const stored = async () => {
      const sql =
        'select count(*)::int as n, count(distinct team_id)::int as teams from allocated_resource where org_id = $1'
      return (await org.connections.store.pool.query(sql, [org.orgId])).rows[0]
    }
    const told = async () => Object.keys(await of.outcome()).length

    deepIt('goes on where a process ended between two transactions, and ends as if none had', async () => {
      await inventory()
      await of.team('Search')
      // No run of the product's own finds anything to do: nobody is told that the rule counts.
      await of.rule(byTag(), false)
      await org.connections.store.pool.query('update policy set enabled = true where org_id = $1', [org.orgId])
      let transactions = 0
      const em = () => {
        // One holds the lock, one reads, one writes the first two thousand.
        if (++transactions > 3) throw new Error('killed')
        return org.connections.orm.em.fork()
      }
      const ended = await work({ em }).catch((error: Error) => error.message)
      expect([ended, await stored()]).to.deep.equal(['killed', { n: 2000, teams: 1 }])
      expect([await work(), await stored()]).to.deep.equal([true, { n: uids.length, teams: 1 }])
      await of.calm()
      expect(await told()).to.equal(uids.length)
      const clock = 'select at from attribution_clock where org_id = $1'
      const before = (await org.connections.store.pool.query(clock, [org.orgId])).rows
      expect(await work(), 'a run that changes nothing').to.equal(true)
      expect((await org.connections.store.pool.query(clock, [org.orgId])).rows).to.deep.equal(before)
    })

    deepIt('begins anew where a rule changed under it, and never writes what older rules said', async () => {
      const [data, shop] = [await of.team('Data'), await of.team('Shop')]
      await of.discover({ resourceUid: 'i-1' })
      const id = await of.rule({ priority: 1, team: data })
      await org.connections.store.pool.query('delete from allocated_resource where org_id = $1', [org.orgId])
      const asked: string[] = []
      const ask = async (q: any, params: any) => {
        asked.push(q.name)
        // Behind the reading of the rules and before anything is written.
        if (asked.length === 1) {
          const sql = `update policy set spec = $3 where org_id = $1 and id = $2`
          await org.connections.store.pool.query(sql, [org.orgId, id, { priority: 1, team: shop }])
          await org.connections.store.pool.query('update policy_set set version = version + 1 where org_id = $1', [
            org.orgId,
          ])
        }
        return run(org.connections.clickhouse, q, params) as never
      }
      expect(await work({ ask })).to.equal(true)
      expect(asked).to.have.length(2)
      const { rows } = await org.connections.store.pool.query(
        'select team_id, policy_id from allocated_resource where org_id = $1',
        [org.orgId],
      )
      expect(rows).to.deep.equal([{ team_id: shop, policy_id: id }])
    })

    deepIt('gives up for now where rules change under each try, or where somebody else is at it', async () => {
      const data = await of.team('Data')
      await of.discover({ resourceUid: 'i-1' })
      await of.rule({ priority: 1, team: data })
      await org.connections.store.pool.query('delete from allocated_resource where org_id = $1', [org.orgId])
      const ask = async (q: any, params: any) => {
        await org.connections.store.pool.query('update policy_set set version = version + 1 where org_id = $1', [
          org.orgId,
        ])
        return run(org.connections.clickhouse, q, params) as never
      }
      expect([await work({ ask }), await stored()]).to.deep.equal([false, { n: 0, teams: 0 }])
      const client = await org.connections.store.pool.connect()
      try {
        await client.query('begin')
        await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`allocation|${org.orgId}`])
        expect(await work()).to.equal(false)
        await client.query('rollback')
      } finally {
        client.release()
      }
      expect([await work(), await stored()]).to.deep.equal([true, { n: 1, teams: 1 }])
    })

    deepIt('reads again, where costs changed, only what bills said since', async () => {
      await of.team('Data')
      await of.rule(byTag())
      // Beside the product, whose own runs hear of no costs.
      const billed = async (uid: string, day: string, generation: string) => {
        const values = [fact(org.orgId, uid, 10, { ResourceId: uid, x_Day: day, Tags: { team: 'data' } })]
        await org.put('cost_fact', values)
        const days = [{ orgId: org.orgId, cloudAccountId: 'acct-1', day }]
        await recomputeCostDays(org.connections.clickhouse, days, generation)
      }
      await billed('b-1', '2026-01-15', '1')
      const texts: string[] = []
      const { clickhouse } = org.connections
      const listening = { query: (asked: { query: string }) => (texts.push(asked.query), clickhouse.query(asked)) }
      const clock = { now: () => new Date(org.connections.clock.now() + 3_600_000) }
      const one = allocationWork(tools({ shards: new Shards(listening as never), ...clock }))
      const again = () => one.run([{ ...mark(), key: billedAllocation }], '1', undefined, async () => true)
      expect([await again(), await stored(), texts.length]).to.deep.equal([true, { n: 1, teams: 1 }, 1])
      expect([await again(), texts.length]).to.deep.equal([true, 1])
      await billed('b-2', '2026-01-14', '2')
      await org.connections.store.pool.query('delete from allocated_resource where org_id = $1', [org.orgId])
      expect([await again(), await stored(), texts.length]).to.deep.equal([true, { n: 1, teams: 1 }, 2])
      const { rows } = await org.connections.store.pool.query(
        'select resource_uid from allocated_resource where org_id = $1',
        [org.orgId],
      )
      expect(rows).to.deep.equal([{ resource_uid: 'b-2' }])
    })

    it('asks one question of all organizations without rules', async () => {
      let questions = 0
      const reads = {
        rows: async (sql: string, params: readonly unknown[]) => {
          questions++
          return org.product.get(tokens.reads).rows(sql, params)
        },
      }
      const none = () => {
        throw new Error('asked')
      }
      const marks = [mark(), { ...mark(), orgId: (await tenant()).orgId }]
      expect(await work({ reads, em: none, ask: none }, marks)).to.equal(true)
      expect(questions).to.equal(1)
    })
  })
})
