/** Stored lines as a FOCUS Cost and Usage file, version 1.4 or 1.2. */
import { focusLines, isAmount, ownColumns } from '#analytics/export/questions.ts'
import type { Cell } from '#http/edge/csv.ts'
import { checkDimensions, type ExportRequest } from '#http/export/body.ts'
import type { SheetColumn, Sheet } from '#http/file/sheet.ts'
import type { Services } from '#http/edge/services.ts'
import { focusUnit } from '#streams/billing/format/focus-unit.ts'
import type { FocusVersion } from '#streams/export.ts'
import { focusColumns, focusJson, focusMaps, focusTimes } from '#streams/focus-columns.ts'

/** Columns that FOCUS has had only since 1.3 or 1.4. */
const newer: readonly string[] = [
  'AllocatedMethodDetails',
  'AllocatedMethodId',
  'AllocatedResourceId',
  'AllocatedResourceName',
  'AllocatedTags',
  'CommitmentProgramEligibilityDetails',
  'ContractApplied',
  'HostProviderName',
  'InvoiceDetailId',
  'ServiceProviderName',
]

/** A column of a version, and the 1.4 columns that fill it: the first one that is not empty. */
interface VersionColumn {
  name: string
  from: readonly string[]
}

const itself = (name: string): VersionColumn => ({ name, from: [name] })
const own = ownColumns.map(itself)

const versions: Readonly<Record<FocusVersion, readonly VersionColumn[]>> = {
  '1.4': [...focusColumns.map(itself), ...own],
  '1.2': [
    ...[
      ...focusColumns.filter((name) => !newer.includes(name)).map(itself),
      { name: 'ProviderName', from: ['ServiceProviderName'] },
      { name: 'PublisherName', from: ['x_PublisherName', 'ServiceProviderName'] },
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...own,
  ],
}

const objects: readonly string[] = [...focusMaps, ...focusJson, 'x_OtherColumns']
const times: readonly string[] = focusTimes
const kindOf = (name: string): SheetColumn['kind'] =>
  objects.includes(name) ? 'json' : isAmount(name) ? 'number' : times.includes(name) ? 'time' : 'text'

/**
 * All lines in the range that match the filters and the caller's role. The columns are those of FOCUS, without
 * dimensions.
 */
export function focusSheet(asking: ExportRequest): Sheet {
  checkDimensions(asking, [])
  const { question, services, body } = asking
  const { cost: _, ...asked } = question
  return focusRows(asked, body.version ?? '1.4', services)
}

interface FocusSheet extends Sheet {
  rows: AsyncIterable<readonly Cell[]>
}

export function focusRows(
  asked: Omit<ExportRequest['question'], 'cost'>,
  version: FocusVersion,
  services: Pick<Services, 'stream'>,
): FocusSheet {
  const { providers, accounts, regions, types, teams, tag_keys: tags, scoped } = asked
  const isNarrow = scoped === 1 || [providers, accounts, regions, types, teams, tags].some((list) => list.length > 0)
  const filled = versions[version]
  const held = Object.keys(focusLines.row.properties)
  const places = filled.map(({ name, from }) => ({
    of: from.map((column) => held.indexOf(column)),
    isUnit: name.endsWith('Unit'),
  }))
  return {
    columns: filled.map(({ name }) => ({ name, kind: kindOf(name) })),
    rows: toVersionRows(services.stream(focusLines, { ...asked, narrow: Number(isNarrow) }), places),
  }
}

/** Where the cell of a column comes from: the first of these that is not empty. */
interface CellSource {
  of: readonly number[]
  isUnit: boolean
}

async function* toVersionRows(
  rows: AsyncIterable<readonly unknown[]>,
  places: readonly CellSource[],
): AsyncGenerator<Cell[], void> {
  const units = new Map<Cell, string>()
  for await (const row of rows) {
    yield places.map(({ of, isUnit }) => {
      const cell = of.map((at) => row[at] as Cell).find((found) => found !== null) ?? null
      return isUnit && typeof cell === 'string' ? lookUpUnit(units, cell) : cell
    })
  }
}

/** Cached: a bill has few units and many rows. */
function lookUpUnit(units: Map<Cell, string>, unit: string): string {
  const known = units.get(unit) ?? focusUnit(unit)
  if (units.size < 1000) units.set(unit, known)
  return known
}
