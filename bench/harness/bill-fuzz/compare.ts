/** Whether two readers of a bill agree, and where not, whether we have said why. */
import { sum } from '#engine/value/decimal.ts'
import type { OurRow, Ours } from './read.ts'

type JudgedRow = { row: number } & ({ bad: string } | { day: string; billed: string; effective: string; odd: string[] })

export interface Judged {
  error?: string
  rows: JudgedRow[]
  /** Effective costs are told of the whole bill alone. */
  pooled: boolean
  /** Rows are not numbered as ours are: an array of JSON is damaged. */
  loose: boolean
  /** Its rows are those of the file before it was damaged: the damaged one the judge does not read. */
  isWhole?: boolean
  /** Columns that stand twice, and do not agree. */
  twice: string[]
}

export interface Compared {
  outcome: 'same' | 'refused' | 'rows refused' | 'warned' | 'differs'
  notes: string[]
}

export function compared(ours: Ours, judged: Judged): Compared {
  if (ours.error !== undefined) {
    const alone = judged.error === undefined ? ' by us alone' : ''
    return { outcome: 'refused', notes: [`file refused${alone}: ${ours.error}`] }
  }
  if (judged.error !== undefined && !judged.isWhole)
    return { outcome: 'differs', notes: [`read by us alone: ${judged.error}`] }
  if (judged.loose) return compareLoosely(ours, judged)
  const rows = [...ours.rows.values()]
  const isRefused = rows.some(({ refused }) => refused !== undefined)
  const { wrong, notes } = rowsCompared(ours, judged)
  if (judged.twice.length > 0) wrong.push(`columns twice: ${judged.twice.join(' ')}`)
  if (judged.pooled && !isRefused && sum(rows.map((row) => row.billed)) !== sum(rows.map((row) => row.effective)))
    wrong.push('effective costs come to another sum')
  const isSaid = ours.warnings.length > 0
  return { outcome: outcomeOf(wrong.length > 0 && !isSaid, isRefused, isSaid, rows), notes: [...wrong, ...notes] }
}

function outcomeOf(
  isWrong: boolean,
  isRefused: boolean,
  isSaid: boolean,
  rows: readonly OurRow[],
): Compared['outcome'] {
  if (isWrong) return 'differs'
  if (isRefused) return 'rows refused'
  return isSaid || rows.some(({ warnings }) => warnings.length > 0) ? 'warned' : 'same'
}

function rowsCompared(ours: Ours, judged: Judged): { wrong: string[]; notes: string[] } {
  const [wrong, notes]: [string[], string[]] = [[], []]
  const left = new Set(ours.rows.keys())
  for (const row of judged.rows) {
    left.delete(row.row)
    const mine = ours.rows.get(row.row)
    if (!mine) wrong.push(`row ${row.row} is missing`)
    else if (mine.refused !== undefined) {
      if (!('bad' in row)) notes.push(`row ${row.row} refused by us alone: ${mine.refused}`)
    } else {
      const found = differenceOf(mine, row, judged.pooled)
      if (found !== undefined) (isExplained(mine, row) ? notes : wrong).push(`row ${row.row} ${found}`)
    }
  }
  for (const row of left) wrong.push(`row ${row} is none`)
  return { wrong, notes }
}

/** A warning explains what became of a row, but not of the rows that a lost quote swallows. */
const isExplained = (mine: OurRow, row: JudgedRow): boolean =>
  mine.warnings.length > 0 && !('bad' in row && row.bad.startsWith('a quote'))

function differenceOf(mine: OurRow, row: JudgedRow, isPooled: boolean): string | undefined {
  if ('bad' in row) return `read by us alone: ${row.bad}`
  const isSame = mine.day === row.day && mine.billed === row.billed && (isPooled || mine.effective === row.effective)
  if (!isSame)
    return `${mine.day} ${mine.billed} ${mine.effective} where it is ${row.day} ${row.billed} ${row.effective}`
  return row.odd.length > 0 && mine.warnings.length === 0 ? `without a word of ${row.odd.join(' ')}` : undefined
}

/** Each row that we take is one that the judge reads, and where one is left we have refused some. */
function compareLoosely(ours: Ours, judged: Judged): Compared {
  const read = judged.rows.flatMap((row) => ('bad' in row ? [] : [sayingOf(row)]))
  const isRefused = [...ours.rows.values()].some(({ refused }) => refused !== undefined)
  const taken = [...ours.rows.values()].filter(({ refused }) => refused === undefined)
  const strange = taken.filter((row) => {
    const at = read.indexOf(sayingOf(row))
    if (at >= 0) read.splice(at, 1)
    return at < 0 && row.warnings.length === 0
  })
  const notes = strange.map((row) => `${sayingOf(row)} is in no row`)
  if (read.length > 0 && !isRefused) notes.push(`${read.length} rows are missing`)
  return { outcome: notes.length > 0 ? 'differs' : isRefused ? 'rows refused' : 'same', notes }
}

const sayingOf = ({ day, billed }: { day: string; billed: string }): string => `${day} ${billed}`
