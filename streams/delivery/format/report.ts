/**
 * Formats a saved view as a mail: its figures as text, and the same as HTML with plain tables, without images, scripts
 * or style sheets.
 */
import type { Attachment, Mail } from '#streams/delivery/email.ts'
import { button, dim, font, foot, heading, html, pageOf, row, stopHeaders } from '#streams/delivery/format/email.ts'
import { cut, oneLine, quoteName } from '#streams/delivery/format/text.ts'
import { centsText, percent } from '#streams/figure.ts'

/** A cost and its change; null if there is no previous period. */
export interface CostComparison {
  costUSD: number
  previousUSD: number | null
  deltaUSD: number | null
  deltaPercent: number | null
}

export interface ReportPage {
  /** The view's name. */
  name: string
  organization: string
  /** First and last day, YYYY-MM-DD. */
  days: { from: string; to: string }
  compared: { from: string; to: string } | null
  /** One of the four costs. */
  cost: string
  total: CostComparison
  /** What it is grouped by, for people: Service. */
  by: string
  /** Most expensive first. */
  groups: readonly (CostComparison & { label: string })[]
  /** Number of groups that are left out. */
  more: number
  /** Null: anomalies are unknown for these costs. */
  unusual: readonly Unusual[] | null
  /** Newest day with bills, YYYY-MM-DD; null if there are none for these days. */
  through: string | null
  estimatedUSD: number
  /** Opens the view in the console; empty if the console's address is unknown. */
  link: string
}

export interface Unusual {
  date: string
  label: string
  actualUSD: number
  expectedUSD: number
  cause: string
}

export const color = '#1f5fbf'
export const subjectMax = 150
const labelMax = 120
const causeMax = 300

const thousands = (text: string): string => text.replaceAll(/\B(?=(\d{3})+\.)/g, ',')
/** $1,234.50 */
export const usd = (amount: number): string => `${amount < 0 ? '-' : ''}$${thousands(centsText(Math.abs(amount)))}`
const formatSigned = (amount: number): string => `${amount > 0 ? '+' : ''}${usd(amount)}`
const label = (text: string): string => cut(oneLine(text), labelMax) || '(none)'

/** +$12.00 (+4.5 %) */
const change = ({ deltaUSD, deltaPercent }: CostComparison): string => {
  if (deltaUSD === null) return 'no previous period'
  const part = deltaPercent === null ? 'new' : `${deltaPercent > 0 ? '+' : ''}${percent(deltaPercent)}%`
  return `${formatSigned(deltaUSD)} (${part})`
}

export const range = ({ from, to }: { from: string; to: string }): string => (from === to ? from : `${from} to ${to}`)

export const fresh = ({ through, estimatedUSD, cost }: ReportPage): string =>
  [
    through === null ? 'There are no bills for these days yet.' : `Bills are available through ${through}.`,
    estimatedUSD === 0 ? '' : `${usd(estimatedUSD)} of the total is still estimated.`,
    `All figures are ${cost} cost in US dollars, days in UTC.`,
  ]
    .filter(Boolean)
    .join(' ')

const before = ({ total, compared }: ReportPage): string =>
  total.previousUSD === null || compared === null
    ? ''
    : `${change(total)} vs ${usd(total.previousUSD)} from ${range(compared)}`

const moreOf = ({ more }: ReportPage): string =>
  more === 0 ? '' : `And ${more} more: the attached file has the top 50 by cost and the total of all others.`

const unusualOf = ({ unusual }: ReportPage): string =>
  unusual === null
    ? 'Anomalies are only available for all costs, one account or one team, not for this selection.'
    : unusual.length === 0
      ? 'No anomalies.'
      : ''

const dayLine = ({ actualUSD, expectedUSD, cause }: Unusual): string =>
  `${usd(actualUSD)}, ${usd(expectedUSD)} expected. ${cut(oneLine(cause), causeMax)}`

/** The mail without its receiver. With `unsubscribe`, mail programs show a button for it (RFC 8058). */
export function reportMail(page: ReportPage, csv: Attachment, unsubscribe?: string): Omit<Mail, 'to'> {
  return {
    subject: cut(`${oneLine(page.name)}: ${usd(page.total.costUSD)}, ${range(page.days)}`, subjectMax),
    text: textOf(page, unsubscribe),
    html: htmlOf(page, unsubscribe),
    attachments: [csv],
    ...stopHeaders(unsubscribe),
  }
}

function textOf(page: ReportPage, unsubscribe: string | undefined): string {
  const { name, organization, days, unusual, link } = page
  const parts = [
    `${oneLine(name)}\n${quoteName(organization)}, ${range(days)}`,
    ...costTexts(page),
    moreOf(page),
    unusual !== null && unusual.length > 0
      ? `Anomalies:\n${unusual.map((one) => `- ${one.date}, ${label(one.label)}: ${dayLine(one)}`).join('\n')}`
      : unusualOf(page),
    fresh(page),
    link && `Open in Tidemark: ${link}`,
    unsubscribe && `-- \nUnsubscribe from these emails: ${unsubscribe}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** The total and the groups. */
export const costTexts = (page: ReportPage): string[] => {
  const { total, by, groups } = page
  const rows = groups.map((one) => `- ${label(one.label)}: ${usd(one.costUSD)}, ${change(one)}`)
  return [
    [`Total: ${usd(total.costUSD)}`, before(page)].filter(Boolean).join('\n'),
    ...(rows.length > 0 ? [`By ${by.toLowerCase()}:\n${rows.join('\n')}`] : []),
  ]
}

const cell = `${font}font-size:14px;line-height:20px;padding:6px 0;border-top:1px solid #e4e8ec;vertical-align:top;color:#15191e;`
const left = `${cell}text-align:left;word-break:break-word;`
const right = `${cell}text-align:right;white-space:nowrap;padding-left:12px;`
const head = 'border-top:0;font-size:12px;font-weight:bold;color:#5b6470;'

const table = (rows: readonly string[]): string =>
  `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;border-collapse:collapse;">${rows.join('')}</table>`
export const section = (title: string): string =>
  row(`<h2 style="margin:0;font-size:16px;line-height:22px;color:#15191e;">${html(title)}</h2>`, 'padding-top:24px;')

const groupRows = ({ by, groups }: ReportPage): string[] => [
  `<tr><th scope="col" style="${left}${head}">${html(by)}</th><th scope="col" style="${right}${head}">Cost and change</th></tr>`,
  ...groups.map(
    (one) =>
      `<tr><td style="${left}" dir="auto">${html(label(one.label))}</td><td style="${right}">${usd(one.costUSD)}<br><span style="${dim}font-size:13px;">${html(change(one))}</span></td></tr>`,
  ),
]

export const small = `${dim}font-size:13px;padding-top:4px;`

/** The total and the groups. */
export const costRows = (page: ReportPage): string[] => [
  row(`<strong style="font-size:28px;line-height:36px;">${usd(page.total.costUSD)}</strong>`, 'padding-top:14px;'),
  ...(before(page) ? [row(html(before(page)), small)] : []),
  ...(page.groups.length > 0 ? [section('Top costs'), row(table(groupRows(page)), 'padding-top:4px;')] : []),
]

const dayRow = (one: Unusual): string =>
  `<tr><td style="${left}"><strong>${html(one.date)}</strong> <span dir="auto">${html(label(one.label))}</span><br><span style="${dim}">${html(dayLine(one))}</span></td></tr>`

function htmlOf(page: ReportPage, unsubscribe: string | undefined): string {
  const { name, organization, days, unusual, link } = page
  const rows = [
    row(`${html(quoteName(organization))} &middot; ${range(days)}`, `${dim}font-size:13px;padding-top:22px;`),
    row(heading(oneLine(name)), 'padding-top:4px;'),
    ...costRows(page),
    ...(moreOf(page) ? [row(html(moreOf(page)), small)] : []),
    section('Anomalies'),
    unusual !== null && unusual.length > 0
      ? row(table(unusual.map(dayRow)), 'padding-top:4px;')
      : row(unusualOf(page), small),
    section('Data freshness'),
    row(html(fresh(page)), small),
    ...(link ? [button(link, color)] : []),
    row(foot(unsubscribe), `${dim}font-size:12px;line-height:18px;padding-top:26px;padding-bottom:22px;`),
  ]
  return pageOf(oneLine(name), color, rows)
}
