import { organizationFilter } from '#config/command/line/engine.ts'
import { readFileSync, statSync } from 'node:fs'
import { loadReferences } from '#actors/recommendation/reference/book/change.ts'
import { kindNames, readPrices, type FileRead } from '#actors/recommendation/reference/book/price-file.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { ReferenceValue } from '#actors/recommendation/reference/book/entity.ts'
import { valuesSql } from '#actors/recommendation/reference/book/reference-cache.ts'
import type { OwnValue } from '#actors/recommendation/reference/book/own-values.ts'
import { refreshPrices, type PriceRefresh } from '#actors/recommendation/reference/book/refresh.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { command, storeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command, type Result } from '#config/command/line/command.ts'
import { argument, choice, optional, readAs, toggle } from '#config/command/line/flag.ts'
import { withInstance } from '#config/product/instance.ts'

const fileBytesMax = 32 * 1024 * 1024
const problemsShown = 50

interface PriceFile extends FileRead {
  name: string
}

/** @throws UsageError where the file cannot be read */
function readFile(name: string): PriceFile {
  let text: string
  try {
    if (statSync(name).size > fileBytesMax) throw new Error(`is larger than ${fileBytesMax / 1024 / 1024} MB`)
    text = readFileSync(name, 'utf8')
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`)
  }
  return { name, ...readPrices(text) }
}

function reportProblems({ name, problems }: PriceFile): Result {
  const lines = problems.slice(0, problemsShown).map(({ line, message }) => `${name}:${line}: ${message}`)
  const more = problems.length > problemsShown ? [`and ${problems.length - problemsShown} more`] : []
  return { data: { values: 0, problems }, text: [...lines, ...more, 'Nothing was loaded.'].join('\n'), code: 1 }
}

/** Prices of a region that a cloud published, and the day they were read. */
interface RefreshedList {
  source: string
  region: string
  prices: number
  refreshedOn: string
}

const refreshedSql = `
  select source, region, count(*)::int as prices, to_char(max(refreshed_at) at time zone 'UTC', 'YYYY-MM-DD') as "refreshedOn"
  from refreshed_price where org_id = '' group by source, region order by source, region`
const organizationsSql = `select distinct org_id as id from cloud_account order by id`

const refreshText = ({ provider, regions, values, failure }: PriceRefresh): string => {
  const done = `${provider}: ${values} prices of ${regions.length === 0 ? 'no region' : regions.join(', ')}`
  return failure === undefined ? `${done}.` : `${done}; then: ${failure} Former prices stay.`
}

const file = readAs(
  argument('FILE', 'CSV file with the columns kind, region, name, field, value; lines starting with # are ignored'),
  readFile,
)

export const pricesCommands: readonly Command[] = [
  command({
    name: 'prices check',
    summary: 'Validate a price file without loading it',
    takes: { file },
    run: ({ file }) => {
      if (file.problems.length > 0) return reportProblems(file)
      const values = file.values.length
      return { data: { values, problems: [] }, text: `${file.name}: ${values} values, all valid.` }
    },
  }),
  command({
    name: 'prices load',
    summary: 'Load custom sizes, prices, support dates and discounts for recommendations',
    takes: {
      file,
      add: toggle('Keep previously loaded values that are not in this file; default: replace them'),
    },
    run: ({ file, add: keepsOthers }) => {
      if (file.problems.length > 0) return reportProblems(file)
      return withInstance(async ({ connections: { orm, clock } }) => {
        const at = new Date(clock.now())
        const loaded = await loadReferences(orm.em.fork(), file.values, { at, keepsOthers })
        const text = `${loaded.values} values are loaded. Recommendations of ${loaded.organizations} organizations are re-evaluated when an engine runs.`
        return { data: { ...loaded, at: at.toISOString() }, text }
      })
    },
  }),
  storeCommand({
    name: 'prices show',
    summary: 'Show the loaded custom values, and for which regions prices were refreshed',
    takes: { kind: { ...choice('KIND', kindNames), about: `Only this kind: ${kindNames.join(', ')}` } },
    run: async ({ connections: { orm, store } }, { kind }) => {
      const orderBy = { kind: 'asc', name: 'asc', region: 'asc', field: 'asc' } as const
      const all = await orm.em.fork().find(ReferenceValue, { orgId: '' }, { orderBy })
      const { version } = new ReferenceTables(await store.rows<OwnValue>(valuesSql, []))
      const refreshed = await store.rows<RefreshedList>(refreshedSql, [])
      const shown = all.filter((one) => kind === undefined || one.kind === kind)
      const lines = shown.map((one) => [one.kind, one.region, one.name, one.field, one.value].join(','))
      const values = shown.map(({ kind: of, region, name, field, value, loadedAt }) => ({
        kind: of,
        region,
        name,
        field,
        value,
        loadedAt: loadedAt.toISOString(),
      }))
      const text = lines.length > 0 ? ['kind,region,name,field,value', ...lines].join('\n') : 'Nothing was loaded.'
      const lists = refreshed.map((one) => `# ${one.source} ${one.region}: ${one.prices} prices, ${one.refreshedOn}`)
      return { data: { version, values, refreshed }, text: [text, ...lists, `# version ${version}`].join('\n') }
    },
  }),
  storeCommand({
    name: 'prices refresh',
    summary: 'Read current list prices from the clouds of connected accounts; a weekly job does it too',
    takes: { org: optional('ORG', 'Only with the accounts of this organization (name or ID); default: of all') },
    run: async (instance, { org }) => {
      const { orm, clock } = instance.connections
      const product = instance.product()
      const { open } = product.get(tokens.seal)
      const reads = product.get(tokens.reads)
      const tools = {
        reads,
        open,
        cloudOf: product.get(tokens.clouds).of,
        em: () => orm.em.fork(),
        now: () => new Date(clock.now()),
      }
      const only = await organizationFilter(instance, org)
      const all = only === undefined ? await reads.rows<{ id: string }>(organizationsSql, []) : [{ id: only }]
      const refreshes: PriceRefresh[] = []
      for (const { id } of all) refreshes.push(...(await refreshPrices(tools, id, { isForced: true })))
      const lines = refreshes.map(refreshText)
      const text = lines.length > 0 ? lines.join('\n') : 'No account with credentials is connected.'
      return { data: { refreshes }, text, code: refreshes.some(({ failure }) => failure) ? 1 : 0 }
    },
  }),
  storeCommand({
    name: 'prices reset',
    summary: 'Discard loaded values and use the built-in sizes and prices',
    takes: {},
    run: async ({ connections: { orm, clock } }) => {
      const at = new Date(clock.now())
      const { organizations } = await loadReferences(orm.em.fork(), [], { at, keepsOthers: false })
      const text = `The built-in tables are in use. Recommendations of ${organizations} organizations are re-evaluated when an engine runs.`
      return { data: { values: 0, organizations, at: at.toISOString() }, text }
    },
  }),
]
