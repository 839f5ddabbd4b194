/** Caches the current tables in the process until the operator loads others, or prices are refreshed. */
import type { OwnValue } from './own-values.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'

/** Queries PostgreSQL; may return a result that is at most `maxAgeMs` old. */
export type Ask = <T extends object>(
  sql: string,
  params: readonly unknown[],
  options: { maxAgeMs: number },
) => Promise<readonly T[]>

interface Stamp {
  count: string
  at: string | null
}

const stampSql = `
  select count(*)::text as count, max(at)::text as at from (
    select loaded_at as at from reference_value where org_id = ''
    union all select refreshed_at from refreshed_price where org_id = '') as known`
/** All values of the operator and of clouds; they apply to all organizations. */
export const valuesSql = `
  select kind, region, name, field, value, '' as source, to_char(loaded_at at time zone 'UTC', 'YYYY-MM-DD') as "on"
  from reference_value where org_id = ''
  union all select kind, region, name, field, value, source, effective_on::text from refreshed_price where org_id = ''
  order by kind, name, region, field, source`

/** Milliseconds for which an older table may be used after a load; the sweep that the load requests starts later. */
const maxAgeMs = 2_000

export class ReferenceCache {
  private stamp: string | undefined
  private tables: ReferenceTables | undefined

  /** The current tables. Computing them takes a quarter of a second, once per load. */
  async current(ask: Ask): Promise<ReferenceTables> {
    const [{ count, at } = { count: '0', at: null }] = await ask<Stamp>(stampSql, [], { maxAgeMs })
    const stamp = `${count} ${at}`
    if (!this.tables || stamp !== this.stamp) {
      this.tables = new ReferenceTables(count === '0' ? [] : await ask<OwnValue>(valuesSql, [], { maxAgeMs: 0 }))
      this.stamp = stamp
    }
    return this.tables
  }
}
