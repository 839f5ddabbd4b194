/**
 * Encrypts values again that were encrypted with older keys, in place while the product runs. A value is replaced only
 * if it is still the one that was read, so simultaneous changes are not lost. The work can be interrupted and repeated.
 */
import type { SealedColumn } from '#engine/seal.ts'
import { dayMs } from '#engine/value/day.ts'
import { alone } from '#config/process/advisory-lock.ts'
import type { Connections } from '#config/state/connect.ts'
import { freshKey, keptKeys, sealedUnder, writeKeys, type SealKey } from '#config/secrets/seal.ts'
import { allSealedColumns } from '#config/secrets/sealed-columns.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'

/** Rows per read. */
const rowsMax = 500
/**
 * Milliseconds a key is kept after the next one was created. By then everything derived from it (links, codes, calls
 * between services) has expired, and requests and messages in transit have ended.
 */
const keptMs = dayMs

export interface ResealedCount {
  table: string
  column: string
  /** Values encrypted again here. */
  done: number
  /** Values of actors, which were sent to their lane; the actor replaces them. */
  told: number
  /** Values that no key decrypts. */
  unopened: number
}

interface Row {
  orgId: string
  value: string
  id?: string
  place?: string
}

type Tools = Pick<Connections, 'store'>

/** Processes every encrypted column once. */
export async function reseal(c: Tools, product: Product): Promise<ResealedCount[]> {
  const counts: ResealedCount[] = []
  for (const column of allSealedColumns) counts.push(await resealColumn(c, product, column))
  return counts
}

async function resealColumn({ store }: Tools, product: Product, column: SealedColumn): Promise<ResealedCount> {
  const { seal, open } = product.get(tokens.seal)
  const count: ResealedCount = { table: column.table, column: column.column, done: 0, told: 0, unopened: 0 }
  for (let after = ''; ;) {
    const rows = await older({ store }, column, product.get(tokens.keys)()[0]!, after)
    for (const { orgId, value, id, place } of rows) {
      const fresh = tryReseal(() => seal(column, orgId, open(column, orgId, value)))
      if (fresh === undefined) count.unopened++
      else if (column.resealed && id !== undefined) {
        const { subject, data } = column.resealed({
          id,
          ...(place !== undefined && { place }),
          was: value,
          sealed: fresh,
        })
        await product.get(tokens.publisher).publish({ subject, orgId, data: data as never })
        count.told++
      } else {
        count.done += await replaceValue({ store }, column, value, fresh)
      }
    }
    if (rows.length < rowsMax) return count
    after = rows.at(-1)!.value
  }
}

function tryReseal(again: () => string): string | undefined {
  try {
    return again()
  } catch {
    return undefined
  }
}

const valueOf = ({ column, member }: SealedColumn): string =>
  member === undefined ? `"${column}"` : `"${column}"->>'${member}'`

/** Values that are not encrypted with this key, sorted. Names come from the constant list. */
async function older({ store }: Tools, column: SealedColumn, key: SealKey, after: string): Promise<Row[]> {
  const value = valueOf(column)
  const { rows } = await store.pool.query<Row>(
    `select ${column.isOfOrg ? '"org_id"' : `''`} as "orgId", ${value} as "value" ${column.resealed ? ', "id"' : ''} ${column.place === undefined ? '' : `, "${column.place}" as "place"`}
     from "${column.table}" where not starts_with(${value}, $1) and ${value} collate "C" > $2
     order by ${value} collate "C" limit ${rowsMax}`,
    [sealedUnder(key), after],
  )
  return rows
}

/** Returns the number of replaced rows: none if the value has changed meanwhile. */
async function replaceValue({ store }: Tools, of: SealedColumn, was: string, fresh: string): Promise<number> {
  const { table, column, member } = of
  const set = member === undefined ? '$2' : `jsonb_set("${column}", '{${member}}', to_jsonb($2::text))`
  const result = await store.pool.query(`update "${table}" set "${column}" = ${set} where ${valueOf(of)} = $1`, [
    was,
    fresh,
  ])
  return result.rowCount ?? 0
}

/** The number of values that are not encrypted with the newest key. */
export async function leftOver({ store }: Tools, product: Product): Promise<number> {
  const prefix = sealedUnder(product.get(tokens.keys)()[0]!)
  let left = 0
  for (const column of allSealedColumns) {
    const value = valueOf(column)
    const { rows } = await store.pool.query<{ n: number }>(
      `select count(*)::int as n from "${column.table}" where not starts_with(${value}, $1)`,
      [prefix],
    )
    left += rows[0]!.n
  }
  return left
}

/**
 * Held while the key file is changed. Otherwise a key that another process has just created could be lost, with
 * everything encrypted with it.
 */
const lock = 7_402_819

/** Creates the next key in the data folder. From now on every process with this folder encrypts with it. */
export const addKey = (c: Tools, dataDir: string, now: Date): Promise<void> =>
  alone(c.store, lock, async () => writeKeys(dataDir, [freshKey(now), ...keptKeys(dataDir)()]))

/**
 * Continues a key change in the data folder, if there is one: encrypts remaining values again, and deletes old keys
 * once the newest is a day old and no value needs them. Does nothing if the key is a setting.
 */
export async function finishRotation(
  c: Pick<Connections, 'store' | 'settings' | 'clock'>,
  product: Product,
): Promise<void> {
  const { dataDir, credentialsKey } = c.settings
  if (credentialsKey !== undefined || product.get(tokens.keys)().length < 2) return
  await reseal(c, product)
  await alone(c.store, lock, async () => {
    const [newest] = keptKeys(dataDir)()
    const isOld = c.clock.now() - Date.parse(newest!.madeAt ?? '') >= keptMs
    if (isOld && (await leftOver(c, product)) === 0) writeKeys(dataDir, [newest!])
  })
}
