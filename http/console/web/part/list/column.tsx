/**
 * Columns by what is in them: one accessor draws the cell, sorts by it and writes it to CSV. `show` draws what no accessor
 * describes; with an accessor beside it, only the look is its own.
 */
import { render, type ComponentChildren } from 'preact'
import { ago, dayText, timeText } from '../../day.ts'
import { count, percent, usd } from '../../figure.ts'
import { Clip } from '../clip.tsx'

type Read<R, V> = (row: R) => V | null | undefined

export interface Column<R> {
  /** In the address and in remembered choices; left out: the title. */
  key?: string
  title: string
  /** US dollars. */
  usd?: Read<R, number>
  count?: Read<R, number>
  /** 0 to 100. */
  percent?: Read<R, number>
  /** A time, shown as how long ago. */
  ago?: Read<R, string>
  /** A time, shown as its day. */
  day?: Read<R, string>
  text?: Read<R, string>
  /** The look of the text as a badge. */
  badge?: (row: R) => string
  /** Where the text leads. */
  href?: Read<R, string>
  /** What shows when the text is pointed at; left out: the text. */
  hint?: Read<R, string>
  /** Shown where there is no value. */
  none?: string
  /** Below the value, faint. */
  sub?: (row: R) => ComponentChildren
  /** Figures are at the right. */
  isFigure?: boolean
  /** Sentences: on a card it has its own line. */
  isLong?: boolean
  /** Buttons: neither hidden nor written to CSV. */
  isAction?: boolean
  show?: (row: R) => ComponentChildren
  /** What rows are sorted by. */
  by?: (row: R) => number | string
  csv?: Read<R, string | number>
}

const figures = ['usd', 'count', 'percent'] as const
const texts = ['ago', 'day', 'text'] as const
const written = { usd, count, percent } as const

export const keyOfColumn = <R,>({ key, title }: Column<R>): string => key ?? title

const figureOf = <R,>(column: Column<R>) => figures.find((name) => column[name] !== undefined)
const textOf = <R,>(column: Column<R>) => texts.find((name) => column[name] !== undefined)

export const isFigure = <R,>(column: Column<R>): boolean => column.isFigure ?? figureOf(column) !== undefined

/** What a row has in this column, as it came; undefined where only a look is described. */
function readValue<R>(column: Column<R>, row: R): string | number | undefined {
  const [figure, text] = [figureOf(column), textOf(column)]
  return (figure ? column[figure]!(row) : text ? column[text]!(row) : undefined) ?? undefined
}

/** Undefined: rows are not sorted by this column. Rows without a value come last when the largest is first. */
export function orderOf<R>(column: Column<R>): ((row: R) => number | string) | undefined {
  if (column.by) return column.by
  if (figureOf(column)) return (row) => readValue(column, row) ?? -Infinity
  if (textOf(column)) return (row) => String(readValue(column, row) ?? '').toLocaleLowerCase()
  return undefined
}

export function drawCell<R>(column: Column<R>, row: R): ComponentChildren {
  const below = column.sub?.(row)
  const value = column.show ? column.show(row) : drawValue(column, row)
  return below === undefined || below === null || below === '' || below === false ? (
    value
  ) : (
    <>
      {value}
      <span class="sub faint">{below}</span>
    </>
  )
}

function drawValue<R>(column: Column<R>, row: R): ComponentChildren {
  const value = readValue(column, row)
  if (value === undefined || value === '') return <span class="faint">{column.none ?? '–'}</span>
  const figure = figureOf(column)
  if (figure) return written[figure](value as number)
  const text = String(value)
  if (textOf(column) !== 'text')
    return (
      <span class="nowrap" title={timeText(text)}>
        {column.ago ? ago(text) : dayText(text)}
      </span>
    )
  if (column.badge) return <span class={`badge ${column.badge(row)}`}>{text}</span>
  return <Clip text={text} title={column.hint?.(row) ?? text} size="wide" href={column.href?.(row) ?? undefined} />
}

/** A cell of a CSV file: figures as they came, times in full, and of what is only drawn its text. */
export function csvOf<R>(column: Column<R>, row: R): string | number {
  const value = column.csv ? column.csv(row) : readValue(column, row)
  if (value !== undefined && value !== null) return value
  if (column.csv || !column.show) return ''
  const place = document.createElement('div')
  render(<>{column.show(row)}</>, place)
  const text = place.textContent.replaceAll(/\s+/g, ' ').trim()
  render(null, place)
  return text
}
