import { readFileSync, statSync } from 'node:fs'
import { loadReferences } from '#actors/recommendation/reference/book/change.ts'
import { kindNames, readPrices, type FileRead } from '#actors/recommendation/reference/book/price-file.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { ReferenceValue } from '#actors/recommendation/reference/book/entity.ts'
import { requireValue, UsageError, type Command, type Result } from '#config/command/line/command.ts'
import { withInstance } from '#config/product/instance.ts'

const checkUsage = 'tidemark prices check FILE'
const loadUsage = 'tidemark prices load FILE [--add]'
const showUsage = 'tidemark prices show [--kind KIND]'

const fileBytesMax = 32 * 1024 * 1024
const problemsShown = 50

const aboutFile = {
  FILE: 'CSV file with the columns kind, region, name, field, value; lines starting with # are ignored',
}

/** @throws UsageError where the file cannot be read */
function read(name: string): FileRead {
  let text: string
  try {
    if (statSync(name).size > fileBytesMax) throw new Error(`is larger than ${fileBytesMax / 1024 / 1024} MB`)
    text = readFileSync(name, 'utf8')
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`)
  }
  return readPrices(text)
}

function reportProblems(name: string, { problems }: FileRead): Result {
  const lines = problems.slice(0, problemsShown).map(({ line, message }) => `${name}:${line}: ${message}`)
  const more = problems.length > problemsShown ? [`and ${problems.length - problemsShown} more`] : []
  return { data: { values: 0, problems }, text: [...lines, ...more, 'Nothing was loaded.'].join('\n'), code: 1 }
}

const pricesCheck: Command = {
  name: 'prices check',
  summary: 'Validate a price file without loading it',
  usage: checkUsage,
  positionals: 1,
  options: {},
  about: aboutFile,
  run: async ({ positionals }) => {
    const name = requireValue({ usage: checkUsage }, positionals[0], 'FILE')
    const file = read(name)
    if (file.problems.length > 0) return reportProblems(name, file)
    const data = { values: file.values.length, problems: [] }
    return { data, text: `${name}: ${file.values.length} values, all valid.` }
  },
}

const pricesLoad: Command = {
  name: 'prices load',
  summary: 'Load custom sizes, prices, support dates and discounts for recommendations',
  usage: loadUsage,
  positionals: 1,
  options: { add: { type: 'boolean' } },
  about: {
    ...aboutFile,
    '--add': 'Keep previously loaded values that are not in this file; default: replace them',
  },
  run: async ({ positionals, values }) => {
    const name = requireValue({ usage: loadUsage }, positionals[0], 'FILE')
    const file = read(name)
    if (file.problems.length > 0) return reportProblems(name, file)
    return withInstance(async ({ connections: { orm, clock } }) => {
      const at = new Date(clock.now())
      const keepsOthers = values['add'] === true
      const loaded = await loadReferences(orm.em.fork(), file.values, { at, keepsOthers })
      const { organizations } = loaded
      const text = `${loaded.values} values are loaded. Recommendations of ${organizations} organizations are re-evaluated when an engine runs.`
      return { data: { ...loaded, at: at.toISOString() }, text }
    })
  },
}

const pricesShow: Command = {
  name: 'prices show',
  summary: 'Show the loaded custom values',
  usage: showUsage,
  options: { kind: { type: 'string' } },
  about: { '--kind KIND': `Only this kind: ${kindNames.join(', ')}` },
  run: async ({ values }) => {
    const kind = values['kind']
    if (typeof kind === 'string' && !kindNames.includes(kind))
      throw new UsageError(`--kind must be one of ${kindNames.join(', ')}`)
    return withInstance(async ({ connections: { orm } }) => {
      const orderBy = { kind: 'asc', name: 'asc', region: 'asc', field: 'asc' } as const
      const all = await orm.em.fork().find(ReferenceValue, { orgId: '' }, { orderBy })
      const { version } = new ReferenceTables(all)
      const shown = all.filter((one) => kind === undefined || one.kind === kind)
      const lines = shown.map((one) => [one.kind, one.region, one.name, one.field, one.value].join(','))
      const data = {
        version,
        values: shown.map(({ kind: of, region, name, field, value, loadedAt }) => ({
          kind: of,
          region,
          name,
          field,
          value,
          loadedAt: loadedAt.toISOString(),
        })),
      }
      const text = lines.length > 0 ? ['kind,region,name,field,value', ...lines].join('\n') : 'Nothing was loaded.'
      return { data, text: `${text}\n# version ${version}` }
    })
  },
}

const pricesReset: Command = {
  name: 'prices reset',
  summary: 'Discard loaded values and use the built-in sizes and prices',
  usage: 'tidemark prices reset',
  options: {},
  about: {},
  run: () =>
    withInstance(async ({ connections: { orm, clock } }) => {
      const at = new Date(clock.now())
      const { organizations } = await loadReferences(orm.em.fork(), [], { at, keepsOthers: false })
      const text = `The built-in tables are in use. Recommendations of ${organizations} organizations are re-evaluated when an engine runs.`
      return { data: { values: 0, organizations, at: at.toISOString() }, text }
    }),
}

export const pricesCommands: readonly Command[] = [pricesCheck, pricesLoad, pricesShow, pricesReset]
