// tier: deep
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { findOutdatedDays } from '#analytics/rollup/stale-day/outdated-day.ts'
import { migrate } from '#analytics/store/migrate.ts'
import { emptyDatabase, fact } from '#test/harness/clickhouse.ts'
import { testFolder } from '#test/harness/stores.ts'

const tables = path.join(import.meta.dirname, '../../analytics/tables')
/** The first file that tells the tags of lines without a resource apart. */
const first = '102_'

describe('a store of a version that kept no tags of lines without a resource', () => {
  it('is migrated with its sums, and its days that have such lines are found until they are computed again [G-117]', async () => {
    const { ch, drop } = await emptyDatabase()
    const old = path.join(testFolder(), 'old-analytics')
    for (const folder of ['tables', 'views']) mkdirSync(path.join(old, folder), { recursive: true })
    for (const name of readdirSync(tables))
      if (name < first) cpSync(path.join(tables, name), path.join(old, 'tables', name))
    try {
      await migrate(ch, pathToFileURL(`${old}/`))
      const insert = (table: string, values: object[]) => ch.insert({ table, values, format: 'JSONEachRow' })
      const line = (id: string, cost: number, more: Record<string, unknown>) => fact('org', id, cost, more)
      await insert('cost_fact', [
        line('a', 2, { Tags: { team: 'core' } }),
        line('b', 3, { Tags: { team: 'web' } }),
        line('c', 5, { x_Day: '2026-01-16', ResourceId: 'r1', Tags: { team: 'core' } }),
      ])
      // As that version summed them: lines without a resource are one row.
      const of = { org_id: 'org', cloud_account_id: 'acct-1', slot: 0, generation: '1', provider: 'aws', lines: 2 }
      await insert('cost_daily_slot', [
        { ...of, day: '2026-01-15', billed_cost: '5' },
        { ...of, day: '2026-01-16', billed_cost: '5', resource_uid: 'r1' },
      ])
      const published_at = '2026-01-20 00:00:00.000'
      await insert(
        'cost_day',
        ['2026-01-15', '2026-01-16'].map((day) => ({ ...of, day, published_at })),
      )

      await migrate(ch)
      const rows = async () => {
        const query = `SELECT own_tags, toString(sum(billed_cost)) AS usd FROM cost_daily WHERE org_id = 'org' GROUP BY own_tags ORDER BY own_tags`
        return (await ch.query({ query, format: 'JSONEachRow' })).json()
      }
      expect(await rows()).to.deep.equal([{ own_tags: '', usd: '10' }])
      const day = { orgId: 'org', cloudAccountId: 'acct-1', day: '2026-01-15' }
      expect(await findOutdatedDays(ch, 10)).to.deep.equal([{ ...day, bills: [], pods: 0 }])

      await recomputeCostDays(ch, [day], '2')
      expect(await findOutdatedDays(ch, 10)).to.deep.equal([])
      expect(await rows()).to.deep.equal([
        { own_tags: '', usd: '5' },
        { own_tags: '{"team":"core"}', usd: '2' },
        { own_tags: '{"team":"web"}', usd: '3' },
      ])
    } finally {
      await drop()
    }
  })
})
