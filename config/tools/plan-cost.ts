/**
 * The cost of a Terraform plan as Markdown, for a comment. Its first line identifies it, so that a build step can
 * replace the previous comment.
 */
import type { CostPart, CostRow, NotPriced, PlanCost } from '#actors/catalog/terraform/cost.ts'
import { reasons, type Reason } from '#actors/catalog/terraform/part.ts'
import { formatDecimal, toUnits } from '#engine/value/decimal.ts'

export const planCostMarker = '<!-- tidemark:plan-cost -->'

/** Maximum characters of a comment; GitHub allows 65,536. */
const charactersMax = 60_000
const nameMax = 200

export type PlanCostReport = PlanCost & { failAbove?: string; isAbove?: boolean; failOnUnknown?: boolean }

/** The complete table, unless that exceeds the limit of a comment; then it says what it omits. */
export function planCostMarkdown(told: PlanCostReport): string {
  const whole = markdown(told, Number.MAX_SAFE_INTEGER)
  if (whole.length <= charactersMax) return whole
  // Finds the largest number of table rows that fits.
  let fits = 0
  let beyond = told.resources.length + told.notPriced.length
  while (beyond - fits > 1) {
    const rows = Math.floor((fits + beyond) / 2)
    if (markdown(told, rows).length <= charactersMax) fits = rows
    else beyond = rows
  }
  return markdown(told, fits)
}

function markdown(told: PlanCostReport, rowsMax: number): string {
  const changed = told.resources.filter(({ action, difference }) => action !== 'no-op' || difference !== '0')
  const same = told.resources.filter((row) => !changed.includes(row))
  return [
    planCostMarker,
    `### ${headline(told)}`,
    '',
    ...limitLines(told),
    ...(told.isWholePlan ? [] : ['The plan is incomplete: it was targeted, or defers some changes.', '']),
    ...table(changed, rowsMax, told),
    ...foldSection(`${same.length} unchanged`, same.length, table(same, rowsMax)),
    ...notPriced(told.notPriced, rowsMax),
    footer(told),
  ].join('\n')
}

const headline = ({ before, after, difference }: PlanCost): string =>
  difference === '0'
    ? `Monthly cost unchanged at ${usd(after)} USD`
    : `Monthly cost: ${usd(before)} to ${usd(after)} USD (${formatSigned(difference)})`

/** What has no price is in no comparison with a limit, so the sentence says how much there is of it. */
function limitLines({ failAbove, isAbove, failOnUnknown, unknown }: PlanCostReport): string[] {
  const rest =
    unknown.length === 0 ? '' : ` This is without ${countOf(unknown.length, 'changed resource')} that cannot be priced.`
  const limit = isAbove
    ? `**Above the limit of ${failAbove} USD more per month.**${rest}`
    : `Within the limit of ${failAbove} USD more per month.${rest}`
  return [
    ...(failAbove === undefined ? [] : [limit, '']),
    ...(failOnUnknown && unknown.length > 0 ? [`**${unknownSentence(unknown)}**`, ''] : []),
  ]
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export const unknownSentence = (unknown: readonly string[]): string =>
  `${countOf(unknown.length, 'changed resource')} cannot be priced; --fail-on-unknown allows none.`

const bySize = (a: CostRow, b: CostRow): number => {
  const [of, than] = [a, b].map(({ difference }) => toUnits(difference.replace('-', ''), 14)!)
  return of === than ? 0 : of! > than! ? -1 : 1
}

function table(rows: readonly CostRow[], rowsMax: number, total?: PlanCost): string[] {
  if (rows.length === 0) return total ? ['No priced resource changes.', ''] : []
  const shown = rows.toSorted(bySize).slice(0, rowsMax)
  return [
    '| resource | change | details | before | after | difference |',
    '|---|---|---|--:|--:|--:|',
    ...shown.map(rowLine),
    ...(total
      ? [
          `| **total of priced resources** | | | ${usd(total.before)} | ${usd(total.after)} | **${formatSigned(total.difference)}** |`,
        ]
      : []),
    '',
    ...leftOut(rows.length - shown.length, 'resources'),
  ]
}

const leftOut = (count: number, of: string): string[] =>
  count > 0 ? [`${count} more ${of} are omitted here; \`--format json\` lists all.`, ''] : []

function rowLine(row: CostRow): string {
  const { address, action, parts, before, after, difference, isPartial } = row
  const what = parts.map(partText).filter((text) => text !== '')
  const more = isPartial ? [...what, 'and unpriced parts'] : what
  return `| ${code(address)} | ${action} | ${more.join('<br>')} | ${usd(before)} | ${usd(after)} | ${formatSigned(difference)} |`
}

function partText({ name, sizeBefore, sizeAfter, priceOf }: CostPart): string {
  const isSame = sizeBefore === sizeAfter || sizeBefore === '' || sizeAfter === ''
  const size = isSame ? sizeAfter || sizeBefore : `${sizeBefore} to ${sizeAfter}`
  const of = size === '' ? name : `${name} ${code(size)}`
  return priceOf === undefined ? of : `${of} (price of ${priceOf})`
}

function notPriced(all: readonly NotPriced[], rowsMax: number): string[] {
  const costing = all.filter(({ reason }) => reason !== 'free')
  const free = all.filter(({ reason }) => reason === 'free')
  const resources = (of: readonly NotPriced[]) => new Set(of.map(({ address }) => address)).size
  return [
    ...foldSection(
      `${resources(costing)} with unpriced parts, which are not included in the amounts above`,
      costing.length,
      [...reasonTable(costing, rowsMax)],
    ),
    ...foldSection(`${resources(free)} with parts that are free of charge`, free.length, reasonTable(free, rowsMax)),
  ]
}

function reasonTable(all: readonly NotPriced[], rowsMax: number): string[] {
  const order = Object.keys(reasons) as Reason[]
  const shown = all.toSorted((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason)).slice(0, rowsMax)
  return [
    '| resource | change | part | why |',
    '|---|---|---|---|',
    ...shown.map((one) => `| ${code(one.address)} | ${one.action} | ${partOf(one)} | ${whyOf(one)} |`),
    '',
    ...leftOut(all.length - shown.length, 'lines'),
  ]
}

const partOf = ({ part = '', size }: NotPriced): string => (size === undefined ? part : `${part} ${code(size)}`.trim())

function whyOf({ why, before, after }: NotPriced): string {
  if (before !== undefined) return `${why}; it is ${usd(before)} before`
  return after === undefined ? why : `${why}; it is ${usd(after)} after`
}

const foldSection = (title: string, count: number, lines: readonly string[]): string[] =>
  count === 0 ? [] : [`<details><summary>${title}</summary>`, '', ...lines, '</details>', '']

const footer = ({ hoursPerMonth, tables }: PlanCost): string =>
  `US dollars per month of ${hoursPerMonth} hours at on-demand list prices, for Linux unless stated otherwise, without discounts, taxes and traffic; price tables ${tables}.`

const usd = (amount: string): string => formatDecimal(amount, 2)

/** Amounts below half a cent have no sign. */
function formatSigned(amount: string): string {
  const shown = usd(amount)
  if (/^-?0\.00$/.test(shown)) return '0.00'
  return shown.startsWith('-') ? shown : `+${shown}`
}

/** Characters that could appear as a new line, change the text direction or be invisible. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

const escapeOf = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`

/**
 * Formats text from others as code in a table cell, so that Markdown, HTML, links and mentions in it have no effect.
 * A pipe after a backslash is written as `\u{7c}`, because the backslash would cancel the pipe's own escape.
 */
export function code(text: string): string {
  const cut = text.length > nameMax ? `${text.slice(0, nameMax)}…` : text
  const plain = cut.replaceAll(unseen, escapeOf)
  const held = plain.replaceAll(/\\+\|/g, (found) => found.replace('|', '\\u{7c}')).replaceAll('|', '\\|')
  const longest = Math.max(0, ...[...held.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = /^[`\s]|[`\s]$/.test(held) ? ' ' : ''
  return `${fence}${pad}${held}${pad}${fence}`
}
